"""What users have and what they are given stays as it was, on data of every protocol.

What they were given is in the folder `frozen`. Where it changes on purpose, remove its file there:
the test then writes what is given now and fails, so that it is read before it is committed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from builders import named_study
from compared_studies import compared_study
from rated_studies import ranked_study, rated_study

from hype.cli.main import COMMANDS, program
from hype.protocols.load import load_any

if TYPE_CHECKING:
    from running import Program

FROZEN = Path(__file__).parent / "frozen"
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
BOTH = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
ARENA = {"images": 2, "blocks": 1, "trials": 12, "practice": 2, "arena": {}}
STUDIES: dict[str, Callable[[Path], object]] = {
    "hype": lambda folder: named_study(
        folder, {"": 20, "crude": 20, "good": 20}, study=BOTH, qualification={"pass_rate": 0.0}
    ),
    "comparison": compared_study,
    "arena": lambda folder: compared_study(folder, comparison=ARENA),
    "rating-of-pairs": rated_study,
    "rating-of-images": lambda folder: rated_study(folder, rating={"of": "images"}),
    "ranking": ranked_study,
}
"""Small studies of every protocol, whose images exist by name only."""
GIVEN = "evaluator, condition, methods, left_means, share, pairs, groups, seed, study, plan"
ANSWERS = ("judgements", "comparisons", "ratings", "placements")
CLOCKS = ("onset_unix_s", "onset_monotonic_s")


def assert_frozen(name: str, now: Any) -> None:
    """Compare a value of JSON with the one that is kept."""
    path = FROZEN / f"{name}.json"
    if not path.exists():
        path.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.fail(f"{path} was not there and has been written: read it, and commit it")
    before = json.loads(path.read_text(encoding="utf-8"))
    assert list(differences(name, before, now)) == []


def differences(where: str, before: Any, now: Any) -> Iterator[str]:
    """Name what differs; numbers with a fraction may do so in the seventh digit."""
    match before, now:
        case dict(), dict() if list(before) == list(now):
            for key, value in before.items():
                yield from differences(f"{where}, {key}", value, now[key])
        case list(), list() if len(before) == len(now):
            for place, (one, other) in enumerate(zip(before, now, strict=True)):
                yield from differences(f"{where}, {place}", one, other)
        case float(), float() if isclose(before, now, rel_tol=1e-6, abs_tol=1e-9):
            pass
        case _ if before != now or type(before) is not type(now):
            yield f"{where}: {now!r}, and it was {before!r}"


def test_the_command_line() -> None:
    """Commands, arguments and options, each with its other spellings; "=" stands for a value."""
    names = [command.name for command in COMMANDS]
    assert_frozen(
        "commands", dict(options_by_command(typer.main.get_command(program(names)), "hype"))
    )


def options_by_command(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    for inner, below in getattr(command, "commands", {}).items():
        yield from options_by_command(below, f"{name} {inner}")
    yield name, [spelling(parameter) for parameter in command.params]


def spelling(parameter: Any) -> str:
    spellings = "/".join((*parameter.opts, *parameter.secondary_opts))
    value = "" if getattr(parameter, "is_flag", False) else "="
    many = "…" if parameter.multiple or parameter.nargs != 1 else ""
    return f"{spellings}{value}{many}{' required' if parameter.required else ''}"


def test_the_checksums_of_studies() -> None:
    """Who takes part in a study can go on with it after an update of the program."""
    files = sorted(EXPERIMENTS.glob("fashion*/study.toml"))
    assert len(files) >= 8
    assert_frozen("studies", {file.parent.name: load_any(file).checksum() for file in files})


@pytest.mark.parametrize("name", STUDIES)
def test_what_simulated_evaluators_are_given_and_answer(
    name: str, tmp_path: Path, hype: Program
) -> None:
    """Study, plan and answers follow from the seeds alone."""
    STUDIES[name](tmp_path)
    done = hype("simulate", tmp_path, "--evaluators", 3, "--seed", 3)

    assert done.code == 0
    assert_frozen(f"simulated-{name}", recorded(tmp_path / "data.sqlite"))


def recorded(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(path)) as record:
        record.row_factory = sqlite3.Row
        given = record.execute(f"select {GIVEN} from evaluators order by id")  # noqa: S608
        return {
            "given": [dict(row) for row in given],
            "answers": {table: answers for table in ANSWERS if (answers := summary(record, table))},
        }


def summary(record: sqlite3.Connection, table: str) -> dict[str, Any]:
    """Give how many answers there are, the first, and a checksum over all; without clocks."""
    rows = [
        {key: rounded(row[key]) for key in row.keys() if key not in CLOCKS}  # noqa: SIM118
        for row in record.execute(f"select * from {table} order by id")  # noqa: S608
    ]
    text = json.dumps(rows, ensure_ascii=False)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return {"rows": len(rows), "first": rows[0], "sha256": checksum} if rows else {}


def rounded(cell: Any) -> Any:
    return round(cell, 3) if isinstance(cell, float) else cell


def test_the_tables_of_the_record(tmp_path: Path, hype: Program) -> None:
    """Whoever reads the record with SQL of their own can go on doing so."""
    named_study(tmp_path)
    hype("simulate", tmp_path, "--evaluators", 1)
    with closing(sqlite3.connect(tmp_path / "data.sqlite")) as record:
        rows = record.execute("select name, sql from sqlite_master where sql > '' order by name")
        assert_frozen(
            "schema", {name: [line.strip() for line in sql.splitlines()] for name, sql in rows}
        )


@pytest.mark.parametrize("table", ["judgements", "comparisons", "ratings", "rankings"])
def test_the_scores_of_a_table(table: str, hype: Program) -> None:
    quick = ("--draws", 100) if table == "judgements" else ()
    done = hype("score", FROZEN / f"{table}.csv", *quick, "--json")

    assert done.code == 0
    assert_frozen(f"scores-of-{table}", done.json)
