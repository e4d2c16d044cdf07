"""Any cell of a record changed in any way: what is planned is missed, and nothing is a crash."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Table, literal_column, select, type_coerce, update
from sqlalchemy.exc import IntegrityError
from verified_records import Raw, damage, editor_of, raw, sound_study, without_rules

from hype.sessions.verify.record import verify_record
from hype.store.schema import evaluators, events, judgements, sessions, studies
from hype.study.load import Study, load_study


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return sound_study(tmp_path_factory.mktemp("sound"))


WORDS = st.sampled_from(["real", "fake", "", "good", "time", "practice", "00000.png", "x" * 99])
NUMBERS = st.one_of(st.integers(-3, 20), st.integers(-(2**62), 2**62))
MILLISECONDS = st.one_of(st.floats(-1e9, 1e9), st.sampled_from([100.0, 490.0, 500.0, 1000.0]))
PLANNED: dict[str, st.SearchStrategy[Any]] = {
    "task": WORDS,
    "block": NUMBERS,
    "trial": NUMBERS,
    "image": WORDS,
    "image_sha256": st.text("0123456789abcdef", min_size=64, max_size=64),
    "source": WORDS,
    "truth": WORDS,
    "repeats": st.none() | NUMBERS,
    "exposure_ms": st.none() | MILLISECONDS,
    "mask_ms": st.none() | MILLISECONDS,
    "masks": st.none() | WORDS,
    "answer": WORDS,
    "correct": st.sampled_from([0, 1]),
}
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(),
    st.binary(max_size=9),
    WORDS,
)
FREE = (judgements, events, studies)
"""Tables that no other refers to."""


@pytest.fixture(scope="module")
def editable(sound: Study, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """A sound record of which most tables let everything through."""
    folder = shutil.copytree(sound.folder, tmp_path_factory.mktemp("editable") / "study")
    study = load_study(folder)
    damage(study, lambda connection: without_rules(connection, *FREE))
    assert verify_record(study).sound
    yield study
    assert verify_record(study).sound, "every change was taken back"


@pytest.fixture
def editor(editable: Study) -> Iterator[Connection]:
    engine = editor_of(editable)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


ROW = literal_column("rowid")


def rows_in(editor: Connection, table: Table) -> st.SearchStrategy[int]:
    return st.sampled_from(editor.execute(select(ROW).select_from(table)).scalars().all())


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
    editable: Study, editor: Connection, soak: bool
) -> None:
    rows = rows_in(editor, judgements)
    editor.commit()

    @settings(max_examples=1000 if soak else 10, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), rows, st.sampled_from(sorted(PLANNED)))
    def change_one(data: st.DataObject, row: int, column: str) -> None:
        def another(before: Any) -> object:
            return data.draw(PLANNED[column].filter(lambda value: value != before))

        with changed(editor, judgements, column, row, another):
            assert not verify_record(editable).sound

    change_one()


def test_whatever_a_cell_holds_there_is_an_answer(
    editable: Study, editor: Connection, soak: bool
) -> None:
    tables = (evaluators, sessions, *FREE)
    cells = [(table, column.name) for table in tables for column in table.columns]
    rows = {table: rows_in(editor, table) for table in tables}
    editor.commit()

    @settings(max_examples=2000 if soak else 15, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.sampled_from(cells), VALUES)
    def change_one(data: st.DataObject, cell: tuple[Table, str], value: object) -> None:
        table, column = cell
        if column == "id" and table in (evaluators, sessions):
            reject()  # that is the row's own number, by which it is found again
        with changed(editor, table, column, data.draw(rows[table]), lambda _: value):
            verified = verify_record(editable)

        assert verified.people + verified.simulated <= 8

    change_one()
