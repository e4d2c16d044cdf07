"""`hype export` of ratings and rankings: every format, what is refused, and the way back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builders import contents
from export_rated_studies import HELD_OUT, strange_rankings, strange_ratings

from hype.cli.export import FORMATS
from hype.store.record import RECORD_FILE

if TYPE_CHECKING:
    from running import Program

FILES = {
    "ratings": {"csv": "ratings.csv", "parquet": "ratings.parquet", "items": "items.csv"},
    "rankings": {"csv": "rankings.csv", "parquet": "rankings.parquet", "items": "items.csv"},
}
KIND = pytest.mark.parametrize("kind", list(FILES))


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A study of either kind."""
    home = tmp_path_factory.mktemp("rated")
    return {
        "ratings": strange_ratings(home / "ratings").folder,
        "rankings": strange_rankings(home / "rankings", **HELD_OUT).folder,
    }


OF_RANKINGS = ("csv", "bids", "items")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(
            kind,
            name,
            marks=() if (kind == "rankings") == (name in OF_RANKINGS) else pytest.mark.long,
        )
        for kind in ("ratings", "rankings")
        for name in FORMATS
    ],
)
def test_every_format_is_written_the_same_each_time(
    studies: dict[str, Path], kind: str, name: str, hype: Program, tmp_path: Path
) -> None:
    runs = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        done = hype("export", studies[kind], "--format", name, "-o", folder)
        assert (done.code, done.err) == (0, "")
        runs.append(contents(folder))
        assert done.out.startswith(f"{folder}")

    usual = "preferences.jsonl" if name == "preferences" else "dataset_description.json"
    assert FILES[kind].get(name, usual) in runs[0]
    assert runs[0] == runs[1]


@KIND
def test_the_table_scores_as_the_study_does(
    studies: dict[str, Path], kind: str, hype: Program, tmp_path: Path
) -> None:
    """But for what only the study knows: who is to be screened how, and its name."""
    said = []
    for source in (studies[kind], tmp_path / f"{kind}.csv", tmp_path / f"{kind}.parquet"):
        if source.suffix:
            written = hype("export", studies[kind], "--format", source.suffix[1:], "-o", tmp_path)
            assert written.code == 0
        done = hype("score", source, "--json")
        assert done.code == 0
        said.append(json.loads(done.out))

    of_study, *of_tables = said
    for of_table in of_tables:
        unlike = {name for name in of_study if of_study[name] != of_table[name]}
        assert unlike <= {"screening"}


@KIND
def test_items_need_no_record_and_leave_none(
    studies: dict[str, Path], kind: str, hype: Program, tmp_path: Path
) -> None:
    ignored = shutil.ignore_patterns(f"{RECORD_FILE}*")
    own = Path(shutil.copytree(studies[kind], tmp_path / "study", ignore=ignored))
    done = hype("export", own, "--format", "items", "-o", tmp_path / "out")

    number = len((tmp_path / "out" / "items.csv").read_text(encoding="utf-8").splitlines()) - 1
    what = {"ratings": "items", "rankings": "images"}[kind]
    assert (done.code, done.out) == (0, f"{tmp_path / 'out' / 'items.csv'}: {number} {what}\n")
    assert not (own / RECORD_FILE).exists()
    assert hype("export", own, "--format", "csv", "-o", tmp_path / "other").refused()
