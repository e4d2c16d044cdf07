"""Exported columns and names."""

import re
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.export.kind import ExportKind, labels, paths, unit_of
from hype.protocols.comparison import rows as comparison
from hype.protocols.comparison.export import COMPARING
from hype.protocols.hype import rows as hype
from hype.protocols.hype.export import JUDGING
from hype.protocols.ranking import rows as ranking
from hype.protocols.ranking.export import RANKING
from hype.protocols.rating import rows as rating
from hype.protocols.rating.export import RATING
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType, Column

Cells = dict[str, list[object]]
KINDS = {kind.name: kind for kind in (JUDGING, COMPARING, RATING, RANKING)}
EACH_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


@pytest.fixture(scope="module")
def cells(
    tidy_study,
    tidy_comparisons,
    tidy_ratings,
    tidy_single_ratings,
    tidy_rankings,
    screened_rankings,
):
    """Return all cells of people and of simulated evaluators, by kind of answer and by column."""
    studies: dict[str, tuple[AnyStudy, ...]] = {
        JUDGING.name: (tidy_study,),
        COMPARING.name: (tidy_comparisons,),
        RATING.name: (tidy_ratings, tidy_single_ratings),
        RANKING.name: (tidy_rankings, screened_rankings),
    }
    return {name: cells_of(some, KINDS[name]) for name, some in studies.items()}


def cells_of(studies: Sequence[AnyStudy], kind: ExportKind) -> Cells:
    found: Cells = {}
    for study, simulated in product(studies, (False, True)):
        with reading_record(study.folder / RECORD_FILE) as engine:
            exported = kind.outgoing.read(engine, study, simulated=simulated)
            for name, values in zip(
                exported.columns, zip(*exported.rows, strict=True), strict=True
            ):
                found.setdefault(name, []).extend(values)
    return found


def named(kind: ExportKind) -> dict[str, Column]:
    return {column.name: column for column in kind.columns}


@EACH_KIND
def test_the_documented_columns_are_those_that_go_out_in_their_order(kind, cells):
    assert list(named(kind)) == list(cells[kind.name])


def test_every_column_that_scoring_reads_goes_out():
    of_tables = {"chosen", "criterion"}
    for row, kind in (
        (hype.ROW, JUDGING),
        (comparison.ROW, COMPARING),
        (rating.ROW, RATING),
        (ranking.ROW, RANKING),
    ):
        assert {column.name for column in row.read} - of_tables <= set(named(kind))


FITS: dict[CellType, Callable[[object], bool]] = {
    CellType.TEXT: lambda cell: type(cell) is str,
    CellType.WHOLE: lambda cell: type(cell) is int,
    CellType.NUMBER: lambda cell: type(cell) is float,
    CellType.FLAG: lambda cell: type(cell) is bool,
    CellType.NUMBERS: lambda cell: isinstance(cell, str) and bool([float(n) for n in cell.split()]),
}


@EACH_KIND
def test_cells_are_what_their_column_says(kind, cells):
    for column in kind.columns:
        found = cells[kind.name][column.name]
        filled = [cell for cell in found if cell not in (None, "")]

        assert filled, f"no test of {column.name} without a value"
        assert all(FITS[column.kind.cell_type](cell) for cell in filled), column.name
        assert column.null == (len(filled) < len(found)), column.name
        assert not column.levels or set(map(str, filled)) <= set(column.levels), column.name


@EACH_KIND
def test_units_are_those_in_the_names(kind):
    columns = named(kind)
    units = {name: unit_of(columns[name]) for name in ("rt_ms", "onset_unix_s", "trial")}

    assert units == {"rt_ms": "ms", "onset_unix_s": "s", "trial": ""}
    assert {unit_of(column) for column in columns.values()} == {"ms", "s", ""}


def test_who_has_a_plain_code_keeps_it_whoever_came_first():
    assert labels(["p-01", "p01", "P01", "--", "_"]) == {
        "p-01": "p01x3",
        "p01": "p01",
        "P01": "P01x2",
        "--": "x",
        "_": "xx2",
    }


@given(st.lists(st.text("ab-_A1", min_size=1, max_size=4), unique=True))
def test_labels_are_letters_and_digits_and_differ_even_without_capitals(codes):
    made = labels(codes)

    assert list(made) == codes
    assert all(re.fullmatch("[A-Za-z0-9]+", one) for one in made.values())
    assert len({one.lower() for one in made.values()}) == len(codes)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("fake/good/001.png", "fake/good/001.png"),
        ("fake/=cmd()/001.png", "fake/-cmd--/001.png"),
        ("=cmd()/001.png", "image-cmd--/001.png"),
        ("stimuli/001.png", "imagestimuli/001.png"),
        ("real/<b>ü 1.png", "real/-b---1.png"),
        (".hidden.png", "image.hidden.png"),
    ],
)
def test_images_lie_at_plain_paths(path, place):
    assert paths([path]) == {path: place}


def test_two_images_whose_plain_paths_are_one_are_numbered():
    assert paths(["real/a+b.png", "real/a-b.png", "real/A&B.png"]) == {
        "real/a+b.png": "real/a-b-2.png",
        "real/a-b.png": "real/a-b.png",
        "real/A&B.png": "real/A-B-3.png",
    }
