"""`hype verify`: whether a record is what its plans asked for."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

import typer

from hype.cli.options import Json, StudyPath
from hype.console import err, out, print_json
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.store.kept import recorded
from hype.study.phrases import numbered
from hype.verify.findings import MOST_LISTED, Irregularity, Severity, shown
from hype.verify.record import Verified, verify_record

SEVERITIES: Final[tuple[Severity, ...]] = ("fault", "note")
STYLES: Final = {"fault": "bold red", "note": "yellow"}
MOST_PRINTED: Final = 40
"""Lines of faults, and of notes. Where there were more, there is one for each kind of them."""
WIDEST: Final = 24
"""Column of the evaluators' codes, at most."""


def verify(study: StudyPath, as_json: Json = False) -> None:
    """Check every answer of a record against its plan, and say what is wrong."""
    loaded = load_any(study)
    with err.status("Checking the record"):
        verified = verify_record(loaded, protocol_of(loaded).row, course_of)
    if as_json:
        print_json(as_object(verified))
    else:
        print_verified(verified)
    raise typer.Exit(0 if verified.sound else 1)


def as_object(verified: Verified) -> dict[str, object]:
    findings = verified.findings
    return {
        "study": str(verified.study),
        "record": verified.record.where,
        "sound": verified.sound,
        "evaluators": {"people": verified.people, "simulated": verified.simulated},
        **verified.answers,
        **{f"{severity}s": [*map(asdict, findings.listed[severity])] for severity in SEVERITIES},
        "found": {f"{severity}s": findings.number(severity) for severity in SEVERITIES},
        "listed_at_most": MOST_LISTED,
    }


def print_verified(verified: Verified) -> None:
    """Print the result for people: the verdict, then faults, then notes.

    A line is about the findings of one kind with one evaluator: the first, and how many more.
    """
    number = verified.findings.number("fault")
    verdict = f"{numbered(number, 'fault')}." if number else "all as planned."
    where = verified.record.where.rpartition("/")[2]
    out.print(f"{where}: {describe_answers(verified)}: ", end="", markup=False)
    out.print(verdict, style="bold red" if number else "green")
    groups = [g for each in SEVERITIES for g in verified.findings.groups(each, MOST_PRINTED)]
    names = [name_of(first) if people == 1 else "" for first, _, people in groups]
    width = min(WIDEST, max(map(len, names), default=0))
    for name, (first, number, people) in zip(names, groups, strict=True):
        more = f", and {number - 1:,} more like it" if number > 1 else ""
        with_whom = f", with {people:,} evaluators" if people > 1 else ""
        out.print(f"[{STYLES[first.severity]}]{first.severity:7}[/]", end="")
        line = f"{first.message}{more}{with_whom} ({first.code})"
        out.print(f"{name:{width}}  {line}" if width else line, markup=False)


def describe_answers(verified: Verified) -> str:
    """Say whose answers, and how many, were checked."""
    people, simulated = verified.people, verified.simulated
    whose = [numbered(people, "person", "people")] if people or not simulated else []
    whose += [numbered(simulated, "simulated evaluator")] if simulated else []
    names = {kept.table.name: [*kept.held][-1] for kept in recorded()}
    answers = [
        numbered(number, names[table].removesuffix("s"))
        for table, number in verified.answers.items()
        if number or table == verified.asked
    ]
    return ", ".join((" and ".join(whose), *answers))


def name_of(finding: Irregularity) -> str:
    """Name the evaluator whom a finding concerns, and say where nobody real was asked."""
    if finding.evaluator is None:
        return "(simulated)" if finding.simulated else ""
    return shown(finding.evaluator) + (" (simulated)" if finding.simulated else "")
