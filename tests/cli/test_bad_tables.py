"""Tables that `hype score` refuses with one message, and tables that it accepts as documented."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from running import Program

HEADER = "evaluator,condition,truth,answer"
ROWS = (
    *("p1,gan,real,real", "p1,gan,fake,real", "p2,gan,real,fake", "p2,gan,fake,fake"),
    *("p3,vae,real,real", "p3,vae,fake,fake", "p4,vae,real,fake", "p4,vae,fake,real"),
)
GOOD = "\n".join((HEADER, *ROWS, ""))


def refused(content: str, tmp_path: Path, hype: Program) -> str:
    """Return the message with which `score` refuses a table."""
    path = tmp_path / "table.csv"
    path.write_text(content)
    said = hype("score", path).refused()
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
    assert said.isprintable()
    return said.removeprefix(f"hype: {path}")


def test_score_report_and_programs_are_told_the_same(tmp_path, hype):
    said = refused(GOOD.replace("p2,gan,real,fake", "p2,gan,real,maybe"), tmp_path, hype)
    assert said.startswith(
        ", row 4, column answer: 'maybe' is not allowed; it must be fake, real or none"
    )
    for arguments in (("report",), ("score", "--json")):
        assert hype(*arguments, tmp_path / "table.csv").refused().endswith(said)


def test_a_bad_row_below_many_good_ones(tmp_path, hype):
    rows = "".join(f"e{n % 50},c,real,fake\n" for n in range(20_000))
    said = refused(f"{HEADER}\n{rows}\n\ne,c,reel,fake\n", tmp_path, hype)
    assert said.startswith(", row 20004, column truth: 'reel' is not allowed")
