"""`hype export` of comparisons, ratings and rankings: every format, and reading it back."""

import json
import shutil
from pathlib import Path

import pytest
from builders import contents
from export_comparing_studies import comparing_study, with_comparing_people
from export_rated_studies import HELD_OUT, strange_rankings, strange_ratings
from long import long_but
from paper_station import rows_of

from hype.cli.export import FORMATS
from hype.protocols.comparison.record import comparisons
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record

KINDS = ("comparisons", "ratings", "rankings")
FILES = {"preferences": "preferences.jsonl", "items": "items.csv"}
"""The files of these formats, which have the same names for every kind of answer."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return one study for each kind of answer."""
    home = tmp_path_factory.mktemp("rated")
    return {
        "comparisons": with_comparing_people(comparing_study(home / "comparisons")).folder,
        "ratings": strange_ratings(home / "ratings").folder,
        "rankings": strange_rankings(home / "rankings", **HELD_OUT).folder,
    }


IN_SHORT = {
    "comparisons": ("preferences",),
    "ratings": ("parquet", "psych-ds"),
    "rankings": ("csv", "bids", "items"),
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=() if name in IN_SHORT[kind] else pytest.mark.long)
        for kind in KINDS
        for name in FORMATS
        if (kind, name) != ("comparisons", "items")
    ],
)
def test_every_format_is_written_the_same_each_time(studies, kind, name, hype, tmp_path):
    runs = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        done = hype("export", studies[kind], "--format", name, "-o", folder)
        assert (done.code, done.err) == (0, "")
        runs.append(contents(folder))
        assert done.out.startswith(f"{folder}")

    tidy = f"{kind}.{name}" if name in ("csv", "parquet") else "dataset_description.json"
    assert FILES.get(name, tidy) in runs[0]
    assert runs[0] == runs[1]


def test_an_export_says_how_many_answers_of_people_it_holds(studies, hype, tmp_path):
    with reading_record(studies["comparisons"] / RECORD_FILE) as engine:
        count = sum(not row.simulated for row in rows_of(engine, comparisons))
    done = hype("export", studies["comparisons"], "-o", tmp_path)

    assert done.out == f"{tmp_path / 'comparisons.csv'}: {count} comparisons\n"


ONLY_STUDIES_KNOW = {
    "comparisons": {
        *("criterion", "plan", "validation", "min_correct", "demographics", "demographic_tests"),
        *("pairs", "notes"),
    },
    "ratings": set[str](),
    "rankings": {"screening", "check_share", "min_recall"},
}
"""Keys of scores that a table cannot give: they come from the study file or the plan."""


@pytest.mark.parametrize("kind", long_but(["ratings"], KINDS))
def test_the_table_scores_as_the_study_does(studies, kind, hype, tmp_path):
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
        assert unlike <= ONLY_STUDIES_KNOW[kind]


@pytest.mark.parametrize("kind", ["ratings", "rankings"])
def test_items_need_no_record_and_leave_none(studies, kind, hype, tmp_path):
    ignored = shutil.ignore_patterns(f"{RECORD_FILE}*")
    own = Path(shutil.copytree(studies[kind], tmp_path / "study", ignore=ignored))
    done = hype("export", own, "--format", "items", "-o", tmp_path / "out")

    number = len((tmp_path / "out" / "items.csv").read_text(encoding="utf-8").splitlines()) - 1
    what = {"ratings": "items", "rankings": "images"}[kind]
    assert (done.code, done.out) == (0, f"{tmp_path / 'out' / 'items.csv'}: {number} {what}\n")
    assert not (own / RECORD_FILE).exists()
    assert hype("export", own, "--format", "csv", "-o", tmp_path / "other").refused()
