"""`hype score` and `hype report` of tables that other programs made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from running import Program

PLAIN = """evaluator,condition,truth,answer
p1,gan,real,real
p1,gan,fake,real
p2,gan,real,fake
p2,gan,fake,fake
p3,vae,real,real
p3,vae,fake,fake
p4,vae,real,fake
p4,vae,fake,real
"""
FOREIGN = """participant,condition,kind,response
p1,gan,1,1.0
p1,gan,0,1.0
p2,gan,1,0.0
p2,gan,0,0.0
p2,gan,0,
p3,vae,1,1.0
p3,vae,0,0.0
p4,vae,1,0.0
p4,vae,0,1.0
"""
NAMED = ("--columns", "evaluator=participant, truth=kind", "--columns", "answer=response")
VALUES = ("--real", "1", "--fake", "0")
JSON = ("--json", "--draws", "100")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.csv"
    path.write_text(FOREIGN)
    return path


def test_told_what_stands_for_what_it_scores_as_the_plain_table(
    foreign: Path, hype: Program
) -> None:
    (foreign.parent / "plain.csv").write_text(PLAIN)
    plain = hype("score", foreign.parent / "plain.csv", *JSON).json
    told = hype("score", foreign, *NAMED, *VALUES, *JSON).json

    assert told.pop("missing_answers") == [{"evaluator": "p2", "rows": [6]}]
    assert plain.pop("missing_answers") == []
    note = "1 row has no answer, and it is left out: row 6 of p2."
    assert {*told.pop("notes")} == {note, *plain.pop("notes")}
    assert told == plain
    assert f"Note: {note}" in hype("score", foreign, *NAMED, *VALUES, "--draws", 100).out


def test_the_report_says_what_stood_for_what_and_what_is_missing(
    foreign: Path, hype: Program
) -> None:
    assert hype("report", foreign, *NAMED, *VALUES, "--draws", 100).code == 0
    page = (foreign.parent / "report.html").read_text(encoding="utf-8")
    assert "1 row has no answer, and it is left out: row 6 of p2." in page
    assert "evaluator=participant, truth=kind, answer=response" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            (),
            "{table}: the columns 'evaluator', 'truth', 'answer' are missing; needed are "
            "evaluator, condition, truth, answer; found are 'participant', 'condition', 'kind', "
            "'response'; --columns evaluator=THEIRS,truth=THEIRS,answer=THEIRS says what the table "
            "calls them; --from NAME reads published shapes",
        ),
        (
            ("--columns", "evaluator"),
            "--columns: 'evaluator' is not understood; the name here and the name in the table, "
            "such as evaluator=participant",
        ),
        (
            ("--columns", "truth=kind,truth=response"),
            "--columns: 'truth' is given twice; each column once",
        ),
        (
            ("--columns", "truth=kind,answer=kind"),
            "--columns: 'kind' would be two columns; each column of the table once",
        ),
        (
            ("--columns", "truth=sort"),
            "--columns truth=sort: {table} has no column 'sort'; one of 'participant', "
            "'condition', 'kind', 'response'",
        ),
        (
            (*NAMED, "--real", "1", "--fake", "1.0"),
            "--real --fake: '1.0' would be both real and fake; values that differ",
        ),
    ],
)
def test_what_is_told_wrongly(
    foreign: Path, options: tuple[str, ...], said: str, hype: Program
) -> None:
    assert hype("score", foreign, *options).refused() == f"hype: {said.format(table=foreign)}"


def test_the_kind_of_answers_follows_from_the_names_they_are_given(
    tmp_path: Path, hype: Program
) -> None:
    rows = "".join(f"p{n % 4},a,b,{'Left' if n % 3 else 'RIGHT'}\n" for n in range(24))
    table = tmp_path / "votes.csv"
    table.write_text(f"who,one,two,said\n{rows}p0,a,b,\n")
    names = ("--columns", "evaluator=who,left=one,right=two,answer=said")
    told = hype("score", table, *names, "--json").json

    assert (told["protocol"], told["comparisons"]) == ("comparison", 24)
    assert told["missing_answers"] == [{"evaluator": "p0", "rows": [26]}]
    assert "1 row has no answer, and it is left out: row 26 of p0." in told["notes"]
    assert hype("score", table, *names, "--real", "1").refused() == (
        f"hype: --real: is for judgements, and {table} holds comparisons"
    )


def test_a_study_calls_everything_by_its_name(hype: Program) -> None:
    study = Path(__file__).parents[2] / "experiments" / "fashion"
    for option in (("--columns", "truth=kind"), ("--real", "1"), ("--fake", "0")):
        said = hype("score", study, *option).refused()
        assert said == f"hype: {option[0]}: is for a table, and {study / 'study.toml'} is a study"


def test_a_damaged_parquet_file(tmp_path: Path, hype: Program) -> None:
    table = tmp_path / "judgements.parquet"
    table.write_bytes(b"PAR1" + b"\x15" * 100)
    for command in ("score", "report"):
        assert hype(command, table).refused() == (
            f"hype: {table}: is damaged or not complete; a whole Parquet file of answers, such as "
            "hype export --format parquet writes"
        )
