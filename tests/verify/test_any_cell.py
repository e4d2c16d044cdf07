"""After any change of any cell of a record, `hype verify` gives a result and never crashes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from damaged_answers import RECORDS
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from known import verify_record
from long import long_but
from sqlalchemy import Connection, Table, func, literal_column, select, type_coerce, update
from sqlalchemy.exc import IntegrityError
from verified_records import Raw, damage, editor_of, raw, without_rules

from hype.store.kept import answer_tables
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.study.studies import AnyStudy

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(),
    st.binary(max_size=9),
    st.sampled_from(["real", "", "tie", "undo", "A", "B>AD", "A=", "good", "practice", "x" * 99]),
)
ROW = literal_column("rowid")


@pytest.fixture(scope="module", params=long_but(["judged"], RECORDS))
def editable(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyStudy]:
    """Yield a sound record, most of whose tables accept every value."""
    study = RECORDS[request.param].make(tmp_path_factory.mktemp("editable"))
    free = (*answer_tables(), demographics, events, studies)  # no other table refers to these
    damage(study, lambda connection: without_rules(connection, *free))
    assert verify_record(study).sound
    yield study
    assert verify_record(study).sound, "every change was undone"


@pytest.fixture
def editor(editable: AnyStudy) -> Iterator[Connection]:
    engine = editor_of(editable)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@contextmanager
def changed(
    editor: Connection, table: Table, column: str, row: int, value: object
) -> Iterator[None]:
    """Give one cell another value while the block lasts."""
    this = update(table).where(row == ROW)
    query = select(type_coerce(table.c[column], Raw())).where(row == ROW)
    before = editor.execute(query).scalar()
    try:
        editor.execute(this.values({column: raw(value)}))
        editor.commit()
    except IntegrityError:
        editor.rollback()
        reject()  # SQLite does not accept the value
    try:
        yield
    finally:
        editor.execute(this.values({column: raw(before)}))
        editor.commit()


def test_whatever_a_cell_holds_there_is_an_answer(editable, editor, soak):
    every = (evaluators, sessions, *answer_tables(), demographics, events, studies)
    tables = [t for t in every if editor.execute(select(func.count()).select_from(t)).scalar()]
    rows = {
        table: editor.execute(select(ROW).select_from(table)).scalars().all() for table in tables
    }
    cells = [
        (table, column.name)
        for table in tables
        for column in table.columns
        # the number by which the test finds the row again
        if not (column.name == "id" and table in (evaluators, sessions))
    ]
    editor.commit()

    @settings(max_examples=2000 if soak else 8, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.sampled_from(cells), VALUES)
    def change_one(data: st.DataObject, cell: tuple[Table, str], value: object) -> None:
        table, column = cell
        row = data.draw(st.sampled_from(rows[table]))
        with changed(editor, table, column, row, value):
            verified = verify_record(editable)

        assert verified.people + verified.simulated <= 9

    change_one()
