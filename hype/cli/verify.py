"""`hype verify`: whether a record is what its plans asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import typer

from hype.cli.options import Json, StudyPath
from hype.console import err, out, print_json
from hype.protocols.load import load_any
from hype.protocols.registry import PROTOCOLS, course_of, protocol_of
from hype.study.phrases import numbered
from hype.verify.findings import (
    MOST_LISTED,
    Irregularities,
    IrregularityGroup,
    Severity,
    Whose,
    merged,
    shown,
)
from hype.verify.record import Verified, verify_record

STYLES: Final = {"fault": "bold red", "note": "yellow"}
MOST_PRINTED: Final = 40
"""Lines of faults, and of notes. Where there were more, there is one for each kind of them."""
WIDEST: Final = 24
"""Column of the evaluators' codes, at most."""


def verify(study: StudyPath, as_json: Json = False) -> None:
    """Check every answer of a record against its plan, and say what is wrong."""
    loaded = load_any(study)
    with err.status("Checking the record"):
        verified = verify_record(loaded, protocol_of(loaded).answer_checks, course_of)
    if as_json:
        print_json(as_object(verified))
    else:
        print_verified(verified)
    raise typer.Exit(0 if verified.sound else 1)


def as_object(verified: Verified) -> dict[str, object]:
    findings = verified.findings
    return {
        "study": str(verified.study),
        "record": str(verified.record),
        "sound": verified.sound,
        "evaluators": {"people": verified.people, "simulated": verified.simulated},
        **verified.answers,
        "faults": list(objects_of(findings, "fault")),
        "notes": list(objects_of(findings, "note")),
        "found": {"faults": findings.number("fault"), "notes": findings.number("note")},
        "listed_at_most": MOST_LISTED,
    }


def objects_of(findings: Irregularities, severity: Severity) -> Iterator[dict[str, object]]:
    for whose, finding in findings.listed(severity):
        yield {
            "code": finding.code,
            "evaluator": whose.evaluator,
            "simulated": whose.simulated,
            "message": finding.message,
        }


def print_verified(verified: Verified) -> None:
    """Print the result for people: the verdict, then faults, then notes."""
    number = verified.findings.number("fault")
    verdict = f"{numbered(number, 'fault')}." if number else "all as planned."
    style = "bold red" if number else "green"
    out.print(f"{verified.record.name}: {whom(verified)}: ", end="", markup=False)
    out.print(verdict, style=style)
    groups = [*few_groups(verified.findings, "fault"), *few_groups(verified.findings, "note")]
    width = min(WIDEST, max((len(name_of(group.whose)) for group in groups), default=0))
    for group in groups:
        print_group(group, width)


def whom(verified: Verified) -> str:
    """Say whose answers, and how many, were checked."""
    people = "1 person" if verified.people == 1 else f"{verified.people:,} people"
    simulated = numbered(verified.simulated, "simulated evaluator")
    present = [people] if verified.people or not verified.simulated else []
    present += [simulated] if verified.simulated else []
    kinds = [protocol.answer_checks for protocol in PROTOCOLS]
    nouns = {kind.storage.table.name: kind.noun for kind in kinds}
    answers = [
        numbered(number, nouns[name])
        for name, number in verified.answers.items()
        if number or name == verified.asked
    ]
    return ", ".join((" and ".join(present), *answers))


def few_groups(findings: Irregularities, severity: Severity) -> list[IrregularityGroup]:
    """Give a group for each evaluator and kind, or for each kind where there are too many."""
    groups = findings.groups(severity)
    return groups if len(groups) <= MOST_PRINTED else merged(groups)


def print_group(group: IrregularityGroup, width: int) -> None:
    """Print one line: whom it concerns, the first of its kind, how many more, and the code."""
    first = group.first
    more = f", and {group.number - 1:,} more like it" if group.number > 1 else ""
    with_whom = f", with {group.evaluators:,} evaluators" if group.evaluators > 1 else ""
    name = f"{name_of(group.whose):{width}}  " if width else ""
    out.print(f"[{STYLES[first.severity]}]{first.severity:7}[/]", end="")
    out.print(f"{name}{first.message}{more}{with_whom} ({first.code})", markup=False)


def name_of(whose: Whose) -> str:
    """Name the evaluator whom a finding concerns, and say where nobody real was asked."""
    if whose.evaluator is None:
        return "(simulated)" if whose.simulated else ""
    return shown(whose.evaluator) + (" (simulated)" if whose.simulated else "")
