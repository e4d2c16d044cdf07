"""Any cell of a record changed in any way: what is planned is missed, and nothing is a crash.

What cannot be found is left out: an untimed judgement, a comparison or a rating that is changed to
another possible one. Another act of a ranking is found by its image, or by what stands after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from known import verify_record
from long import long_but
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from sqlalchemy import Connection, Table, func, literal_column, select, type_coerce, update
from sqlalchemy.exc import IntegrityError
from verified_records import Raw, damage, editor_of, raw, sound_study, without_rules

from hype.protocols.comparison.rows import comparisons
from hype.protocols.hype.rows import judgements
from hype.protocols.ranking.rows import placements
from hype.protocols.ranking.trial import LETTERS, Act
from hype.protocols.rating.rows import ratings
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.study.studies import AnyStudy

WORDS = st.sampled_from(["real", "fake", "", "good", "time", "practice", "00000.png", "x" * 99])
NUMBERS = st.one_of(st.integers(-3, 20), st.integers(-(2**62), 2**62))
MILLISECONDS = st.one_of(st.floats(-1e9, 1e9), st.sampled_from([100.0, 490.0, 500.0, 1000.0]))
SUMS = st.text("0123456789abcdef", min_size=64, max_size=64)
JUDGED: dict[str, st.SearchStrategy[Any]] = {
    "task": WORDS,
    "block": NUMBERS,
    "trial": NUMBERS,
    "image": WORDS,
    "image_sha256": SUMS,
    "source": WORDS,
    "truth": WORDS,
    "repeats": st.none() | NUMBERS,
    "exposure_ms": st.none() | MILLISECONDS,
    "mask_ms": st.none() | MILLISECONDS,
    "masks": st.none() | WORDS,
    "answer": WORDS,
    "correct": st.sampled_from([0, 1]),
}
COMPARED: dict[str, st.SearchStrategy[Any]] = {
    "task": WORDS | st.sampled_from(["comparison", "validation"]),
    "block": NUMBERS,
    "trial": NUMBERS,
    "prompt": WORDS,
    "left_image": WORDS,
    "left_sha256": SUMS,
    "left": WORDS,
    "right_image": WORDS,
    "right_sha256": SUMS,
    "right": WORDS,
    "obvious": st.sampled_from([None, "left", "right"]),
    "correct": st.sampled_from([None, 0, 1]),
    "hasty": st.sampled_from([0, 1]),
}
RATED: dict[str, st.SearchStrategy[Any]] = {
    "task": WORDS | st.just("rating"),
    "block": NUMBERS,
    "trial": NUMBERS,
    "item": WORDS,
    "prompt": WORDS,
    "axis": WORDS | st.sampled_from(["overall", "artifacts", "style"]),
    **{name: st.none() | WORDS for name in ("first", "first_image", "second", "second_image")},
    **{name: st.none() | SUMS for name in ("first_sha256", "second_sha256")},
    "first_side": st.sampled_from([None, "left", "right"]),
    "truth": st.none() | WORDS,
    "answer": WORDS,
}
ACTS = st.sampled_from([*LETTERS, *(act.value for act in Act)])
STANDINGS = st.sampled_from(["", "A", "B", "A=", "A>B", "AB", "B>AD", "A>B>C>D", "=", "A>A", "x"])
RANKED: dict[str, st.SearchStrategy[Any]] = {
    "task": WORDS | st.sampled_from(["test", "ranking", "check"]),
    "block": NUMBERS,
    "trial": NUMBERS,
    "group": WORDS,
    "prompt": WORDS,
    "shown_sha256": SUMS,
    "standing": STANDINGS,
    "answer": WORDS | ACTS,
    "image": st.none() | WORDS,
    "image_sha256": st.none() | SUMS,
    "condition": st.none() | WORDS,
}
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(),
    st.binary(max_size=9),
    WORDS,
)
FREE = (judgements, comparisons, ratings, placements, demographics, events, studies)
"""Tables that no other refers to."""


@dataclass(frozen=True)
class Editable:
    """A sound study, the table of its answers, and what a plan decides of them."""

    study: AnyStudy
    answers: Table
    planned: dict[str, st.SearchStrategy[Any]]


MAKERS = {
    "judgements": (sound_study, judgements, JUDGED),
    "comparisons": (compared_soundly, comparisons, COMPARED),
    "arena": (partial(compared_soundly, arena=True), comparisons, COMPARED),
    "ratings": (rated_soundly, ratings, RATED),
    "rankings": (ranked_soundly, placements, RANKED),
}


@pytest.fixture(scope="module", params=long_but(["judgements"], MAKERS))
def editable(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Editable]:
    """A sound record of which most tables let everything through."""
    make, answers, planned = MAKERS[request.param]
    study = make(tmp_path_factory.mktemp("editable"))
    damage(study, lambda connection: without_rules(connection, *FREE))
    assert verify_record(study).sound
    yield Editable(study, answers, planned)
    assert verify_record(study).sound, "every change was taken back"


@pytest.fixture
def editor(editable: Editable) -> Iterator[Connection]:
    engine = editor_of(editable.study)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


ROW = literal_column("rowid")


def rows_in(editor: Connection, table: Table) -> st.SearchStrategy[int]:
    return st.sampled_from(editor.execute(select(ROW).select_from(table)).scalars().all())


def how_many(editor: Connection, table: Table) -> int:
    return int(editor.execute(select(func.count()).select_from(table)).scalar_one())


@contextmanager
def changed(
    editor: Connection, table: Table, column: str, row: int, to: Callable[[Any], object]
) -> Iterator[None]:
    """Give one cell another value for a while."""
    this = update(table).where(row == ROW)
    query = select(type_coerce(table.c[column], Raw())).where(row == ROW)
    before = editor.execute(query).scalar()
    try:
        editor.execute(this.values({column: raw(to(before))}))
        editor.commit()
    except IntegrityError:
        editor.rollback()
        reject()  # the file itself does not take it
    try:
        yield
    finally:
        editor.execute(this.values({column: raw(before)}))
        editor.commit()


def test_any_change_of_a_planned_cell_is_found(
    editable: Editable, editor: Connection, soak: bool
) -> None:
    rows, planned = rows_in(editor, editable.answers), editable.planned
    editor.commit()

    @settings(max_examples=1000 if soak else 4, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), rows, st.sampled_from(sorted(planned)))
    def change_one(data: st.DataObject, row: int, column: str) -> None:
        def another(before: Any) -> object:
            return data.draw(planned[column].filter(lambda value: value != before))

        with changed(editor, editable.answers, column, row, another):
            assert not verify_record(editable.study).sound

    change_one()


def test_whatever_a_cell_holds_there_is_an_answer(
    editable: Editable, editor: Connection, soak: bool
) -> None:
    tables = (evaluators, sessions, *FREE)
    rows = {table: rows_in(editor, table) for table in tables if how_many(editor, table)}
    cells = [(table, column.name) for table in rows for column in table.columns]
    editor.commit()

    @settings(max_examples=2000 if soak else 5, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.sampled_from(cells), VALUES)
    def change_one(data: st.DataObject, cell: tuple[Table, str], value: object) -> None:
        table, column = cell
        if column == "id" and table in (evaluators, sessions):
            reject()  # that is the row's own number, by which it is found again
        with changed(editor, table, column, data.draw(rows[table]), lambda _: value):
            verified = verify_record(editable.study)

        assert verified.people + verified.simulated <= 9

    change_one()
