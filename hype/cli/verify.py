"""`hype verify`: check whether a record agrees with its plans."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

import typer

from hype.cli.options import Json, StudyPath
from hype.console import err, out, print_json
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.store.record import record_of
from hype.study.phrases import write_count
from hype.study.studies import AnyStudy
from hype.verify.record import Irregularity, Verified, verify_record
from hype.verify.replay import quote

STYLES: Final = {"fault": "bold red", "note": "yellow"}
MOST_LISTED: Final = 10_000
"""``--json`` lists at most this many faults and this many notes, but counts all."""
MOST_PRINTED: Final = 40
"""If faults (or notes) need more lines than this, all of one kind share a line."""


def verify(study: StudyPath, as_json: Json = False) -> None:
    """Check every answer of a record against its plan, and report faults."""
    loaded = load_any(study)
    with err.status("Checking the record"):
        verified = verify_record(loaded, protocol_of(loaded).row, course_of)
    if as_json:
        print_json(json_object(loaded, verified))
    else:
        print_verified(loaded, verified)
    raise typer.Exit(0 if verified.sound else 1)


def json_object(study: AnyStudy, verified: Verified) -> dict[str, object]:
    found = {"faults": verified.faults, "notes": verified.notes}
    return {
        "study": str(study.path),
        "record": record_of(study).where,
        "sound": verified.sound,
        "evaluators": {"people": verified.people, "simulated": verified.simulated},
        protocol_of(study).row.table.name: verified.answers,
        **{name: [*map(asdict, some[:MOST_LISTED])] for name, some in found.items()},
        "found": {name: len(some) for name, some in found.items()},
        "listed_at_most": MOST_LISTED,
    }


def print_verified(study: AnyStudy, verified: Verified) -> None:
    """Print the verdict, then faults, then notes.

    Findings of one kind for one evaluator share a line: the first one, and the number of others. If
    there would be too many lines, all findings of one kind share a line.
    """
    number = len(verified.faults)
    verdict = f"{write_count(number, 'fault')}." if number else "all as planned."
    where = record_of(study).where.rpartition("/")[2]
    people, simulated = verified.people, verified.simulated
    whose = [write_count(people, "person", "people")] if people or not simulated else []
    whose += [write_count(simulated, "simulated evaluator")] if simulated else []
    answers = write_count(verified.answers, [*protocol_of(study).row.held][-1].removesuffix("s"))
    out.print(f"{where}: {' and '.join(whose)}, {answers}: ", end="", markup=False)
    out.print(verdict, style="bold red" if number else "green")
    for severity, findings in (("fault", verified.faults), ("note", verified.notes)):
        by_evaluator: dict[object, list[Irregularity]] = {}
        by_code: dict[object, list[Irregularity]] = {}
        for finding in findings:
            who = finding.code, finding.evaluator, finding.simulated
            by_evaluator.setdefault(who, []).append(finding)
            by_code.setdefault(finding.code, []).append(finding)
        groups = by_evaluator if len(by_evaluator) <= MOST_PRINTED else by_code
        for group in groups.values():
            first = group[0]
            concerned = {(finding.evaluator, finding.simulated) for finding in group}
            name = f"{name_of(first)}: " if len(concerned) == 1 and name_of(first) else ""
            more = f", and {len(group) - 1:,} more like it" if len(group) > 1 else ""
            with_whom = f", with {len(concerned):,} evaluators" if len(concerned) > 1 else ""
            out.print(f"[{STYLES[severity]}]{severity:7}[/]", end="")
            out.print(f"{name}{first.message}{more}{with_whom} ({first.code})", markup=False)


def name_of(finding: Irregularity) -> str:
    """Name the evaluator of a finding, and mark a simulated one."""
    if finding.evaluator is None:
        return "(simulated)" if finding.simulated else ""
    return quote(finding.evaluator) + (" (simulated)" if finding.simulated else "")
