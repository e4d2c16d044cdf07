"""Tables that `hype score` refuses with one message, and those it takes as documented."""

from __future__ import annotations

import csv
import gzip
import re
import sqlite3
from typing import TYPE_CHECKING

import pytest
from builders import whole_study
from paper_station import PaperStation, record_of, sit

from hype.protocols.hype.table import load_judgements

if TYPE_CHECKING:
    from pathlib import Path

    from running import Program

HEADER = "evaluator,condition,truth,answer"
GOOD = f"""{HEADER}
p1,gan,real,real
p1,gan,fake,real
p2,gan,real,fake
p2,gan,fake,fake
p3,vae,real,real
p3,vae,fake,fake
p4,vae,real,fake
p4,vae,fake,real
"""
TIMED = f"{HEADER},exposure_ms\np,c,real,real,500\np,c,fake,real,"


def refused(content: bytes | str, tmp_path: Path, hype: Program, name: str = "table.csv") -> str:
    """Give what `score` says of a table."""
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    said = hype("score", path).refused()
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert said.isprintable()
    return said.removeprefix(f"hype: {path}")


BAD: dict[str, tuple[bytes | str, str]] = {
    "column missing": (
        GOOD.replace("truth", "shown"),
        ": the column 'truth' is missing; found are 'evaluator', 'condition', 'shown', 'answer'",
    ),
    "unknown answer": (
        GOOD.replace("p2,gan,real,fake", "p2,gan,real,maybe"),
        ", row 4, column answer: 'maybe' is not allowed; allowed is fake or real",
    ),
    "Latin-1": (
        GOOD.replace("p3", "zoë").encode("latin-1"),
        ", row 6: is not UTF-8 text: byte 0xeb at offset 103; save the table as UTF-8",
    ),
    "gzip": (gzip.compress(GOOD.encode())[:40], r": cannot be unpacked \(.*\); a whole file"),
    "workbook": (b"PK\x03\x04\x14\x00", r": cannot be unpacked \(.*\); a whole file"),
    "old workbook": (
        b"\xd0\xcf\x11\xe0....",
        ": is of a format that is not read; save it as .xlsx",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_one_message_names_file_and_row(what, tmp_path, hype):
    content, message = BAD[what]
    said = refused(content, tmp_path, hype)
    assert re.match(message, said), said


def test_reports_and_programs_are_told_the_same(tmp_path, hype):
    said = refused(BAD["unknown answer"][0], tmp_path, hype)
    for arguments in (("report",), ("score", "--json")):
        assert hype(*arguments, tmp_path / "table.csv").refused().endswith(said)


def test_a_bad_row_below_many_good_ones(tmp_path, hype):
    rows = "".join(f"e{n % 50},c,real,fake\n" for n in range(20_000))
    said = refused(f"{HEADER}\n{rows}\n\ne,c,reel,fake\n", tmp_path, hype)
    assert said.startswith(", row 20004, column truth: 'reel' is not allowed")


TAKEN: dict[str, bytes] = {
    "UTF-16 of a spreadsheet": GOOD.replace(",", "\t").replace("\n", "\r\n").encode("utf-16"),
    "blank rows": (GOOD.replace("p3", "\n\np3", 1) + ",,,\n,,,\n").encode(),
    "all in quotes": re.sub(r"[^,\n]+", lambda cell: f'"{cell[0]}"', GOOD).encode(),
}


@pytest.mark.parametrize("what", TAKEN)
def test_other_ways_to_write_the_same_table(what, tmp_path, hype):
    for name, content in (("plain.csv", GOOD.encode()), ("other.csv", TAKEN[what])):
        (tmp_path / name).write_bytes(content)
    scored = hype("score", tmp_path / "other.csv", "--json", "--draws", 100)
    assert scored.code == 0, scored.err
    assert scored.json == hype("score", tmp_path / "plain.csv", "--json", "--draws", 100).json


NOTED: dict[str, tuple[str, str]] = {
    "an evaluator in two conditions": (
        GOOD.replace("p4", "p1"),
        "More than one condition was served by p1",
    ),
    "one evaluator": (GOOD.replace("p4", "p3"), "vae has one evaluator"),
    "no fakes": (GOOD.replace("fake,", "real,"), "gan has no judgement of a fake image"),
    "no reals": (GOOD.replace("real,", "fake,"), "gan has no judgement of a real image"),
    "all answers the same": (GOOD.replace(",fake\n", ",real\n"), "variance"),
    "one judgement": (f"{HEADER}\np,c,real,fake\n", "c has one evaluator"),
}


@pytest.mark.parametrize("what", NOTED)
def test_what_limits_the_scores_is_noted(what, tmp_path, hype):
    table, note = NOTED[what]
    (tmp_path / "table.csv").write_text(table)
    scored = hype("score", tmp_path / "table.csv", "--json", "--draws", 100)
    assert (scored.code, scored.err) == (0, "")
    assert note in " ".join(scored.json["notes"])


NAMES = ("=cmd()", "+1", "-2", "@x", "[bold]", "<script>alert(1)</script>", "NA", "'=q")


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose record has evaluators and images with such names, as another tool may."""
    study = whole_study(tmp_path_factory.mktemp("renamed") / "study")
    with record_of(study) as engine:
        for number in range(len(NAMES)):
            sit(engine, study, f"p{number}", PaperStation())
    with sqlite3.connect(study.folder / "data.sqlite") as record:
        for number, name in enumerate(NAMES):
            record.execute(
                "update evaluators set evaluator=? where evaluator=?", (name, f"p{number}")
            )
        record.execute("update judgements set image='=' || image, key='-'")
    record.close()
    return study.folder


def test_an_export_has_no_formula_and_is_read_back_as_it_was(renamed, tmp_path, hype):
    assert hype("export", renamed, "-o", tmp_path).code == 0
    table = tmp_path / "judgements.csv"
    with table.open(newline="") as file:
        cells = [cell for row in list(csv.reader(file))[1:] for cell in row]
    assert {"'=cmd()", "'+1", "'-2", "'@x", "'NA", "''=q", "[bold]", "'-"} <= set(cells)
    texts = [cell for cell in cells if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)]
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@"))]

    frame = load_judgements(table).frame
    assert set(frame["evaluator"]) == set(NAMES)
    assert set(frame["key"]) == {"-"}
    assert frame["image"].str.startswith("=real/").any()

    of_table, of_study = (
        hype("score", source, "--json", "--draws", 100).json for source in (table, renamed)
    )
    figures = ("condition", "evaluators", "judgements", "score", "fakes_error", "low")
    for ours, theirs in zip(of_table["conditions"], of_study["conditions"], strict=True):
        assert [ours[figure] for figure in figures] == [theirs[figure] for figure in figures]
