"""Every declared column of every protocol, with each kind of wrong cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import hype
from hype.errors import InputError
from hype.export.kind import describe_column
from hype.protocols import registry
from hype.protocols.comparison.table import TABLE as COMPARISONS
from hype.protocols.hype.table import TABLE as JUDGEMENTS
from hype.protocols.ranking.table import TABLE as RANKINGS
from hype.protocols.rating.table import TABLE as RATINGS
from hype.store.columns import column_of
from hype.tables.answers import TableReader, parse_table
from hype.tables.columns import Column, Kind, Read, use_known_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READERS = {
    "hype": JUDGEMENTS,
    "comparison": COMPARISONS,
    "rating": RATINGS,
    "ranking": RANKINGS,
}
NEEDED = {
    "hype": [
        {"evaluator": who, "condition": "m", "truth": "fake", "answer": "real"} for who in "pq"
    ],
    "comparison": [{"evaluator": who, "left": "a", "right": "b", "answer": "left"} for who in "pq"],
    "rating": [
        {"evaluator": who, "item": "i", "axis": "x", "first": "a", "answer": "3"} for who in "pq"
    ],
    "ranking": [
        {"evaluator": who, "group": "g", "condition": condition, "rank": rank}
        for who in "pq"
        for condition, rank in (("a", "1"), ("b", "2"))
    ],
}
"""The columns that a table needs, and evaluators."""
GOOD = {
    Kind.NAME: "n",
    Kind.TEXT: "a cat",
    Kind.FLAG: "false",
    Kind.WHOLE: "1",
    Kind.COUNT: "1",
    Kind.POSITIVE: "1.5",
    Kind.NUMBER: "0.5",
    Kind.NUMBERS: "1 2.5",
}
WRONG = {
    Kind.NAME: ("\x1b[31m", "a\nb"),
    Kind.WORD: ("otherwise",),
    Kind.FLAG: ("maybe", "7"),
    Kind.WHOLE: ("1.5", "-1", "x", "inf"),
    Kind.COUNT: ("0", "1.5", "-1", "x"),
    Kind.POSITIVE: ("0", "-1", "x", "inf"),
    Kind.NUMBER: ("-1", "x", "inf", "x" * 99),
    Kind.NUMBERS: ("1 x", "-1 2"),
}
BESIDE = {"chosen": "a", "status": "complete", "second": "b"}
"""Valid cells for columns with more rules than those of their kind."""


@dataclass(frozen=True)
class Declared:
    """A column that is read, with the reader and the rows of a table with it."""

    reader: TableReader
    column: Column
    rows: list[dict[str, str]]

    def frame(self, *cells: object) -> pd.DataFrame:
        """Return a table whose column has these cells; the last one fills the remaining rows."""
        frame = pd.DataFrame(self.rows).astype(object)
        rest = [cells[-1]] * (len(frame) - len(cells))
        return frame.assign(**{self.column.name: pd.Series([*cells, *rest], dtype=object)})

    @property
    def good(self) -> str:
        if self.column.name in BESIDE:
            return BESIDE[self.column.name]
        levels = [*self.column.levels] if self.column.kind is Kind.WORD else []
        if self.column.name == "task":
            return self.reader.row.scored[0] if self.reader.row.scored else "infinity"
        kind = Kind.NAME if self.column.takes_names else self.column.kind
        return self.rows[0].get(self.column.name) or (levels[0] if levels else GOOD[kind])


DECLARED = {
    f"{name}-{column.name}": Declared(reader, column, NEEDED[name])
    for name, reader in READERS.items()
    for column in reader.row.read
}


def each(choose: Callable[[Column], bool]) -> pytest.MarkDecorator:
    chosen = {name: one for name, one in DECLARED.items() if choose(one.column)}
    return pytest.mark.parametrize("declared", chosen.values(), ids=list(chosen))


EVERY_READER = pytest.mark.parametrize("name", READERS)


def least(name: str) -> pd.DataFrame:
    return pd.DataFrame(NEEDED[name]).astype(object)


def wrong_cells() -> Iterator[object]:
    for name, one in DECLARED.items():
        kind = Kind.NAME if one.column.takes_names else one.column.kind
        for cell in WRONG.get(kind, ()):
            yield pytest.param(one, cell, id=f"{name}-{cell[:8]!r}")


@pytest.mark.parametrize(("declared", "cell"), [*wrong_cells()])
def test_a_wrong_cell_is_named_with_its_place_and_what_is_allowed(declared, cell):
    frame = declared.frame(declared.good, cell)
    with pytest.raises(InputError) as refused:
        declared.reader.check(frame, where="t.csv")

    shown = f"{cell[:60]}…" if len(cell) > 60 else cell
    name, allowed = declared.column.name, declared.column.allowed
    assert str(refused.value).startswith(
        f"t.csv, row 1, column {name}: {shown!r} is not allowed; it must be {allowed}"
    )


@each(lambda column: column.read in {Read.NEEDED, Read.FULL})
def test_a_cell_that_must_not_be_empty_is_named(declared):
    for empty in ("", " ", None):
        with pytest.raises(InputError, match=rf"row 1, column {declared.column.name}: is empty"):
            declared.reader.check(declared.frame(declared.good, empty))


@each(lambda column: column.read is Read.NEEDED)
def test_a_needed_column_that_is_missing_is_named(declared):
    name = declared.column.name
    message = rf"t: the column '{name}' is missing; required: .*; found: "
    with pytest.raises(InputError, match=message):
        declared.reader.check(declared.frame("").drop(columns=name), where="t")


@EVERY_READER
def test_a_column_with_answers_must_be_there_and_filled(name):
    reader = READERS[name]
    (answer, *_) = reader.row.holding_answers
    with pytest.raises(InputError, match=rf"the column '{answer}' is missing; required: "):
        reader.check(least(name).drop(columns=answer))
    with pytest.raises(InputError, match=rf"has an answer; an answer in the column {answer}"):
        reader.check(least(name).assign(**{answer: ["", *["NA"] * (len(NEEDED[name]) - 1)]}))


@each(lambda column: True)
def test_a_column_may_go_by_its_alias_or_be_written_otherwise(declared):
    frame, column = declared.frame(declared.good), declared.column
    for name in filter(None, (f" {column.name.upper()}", column.alias)):
        other = frame.rename(columns={column.name: name})
        known = use_known_names(other, declared.reader.row, "t")
        pd.testing.assert_frame_equal(known, frame)


@each(lambda column: column.name == "evaluator")
def test_a_column_twice_is_refused(declared):
    frame = declared.frame(declared.good)
    twice = pd.concat([frame, frame[[declared.column.name]]], axis=1)
    with pytest.raises(InputError, match=rf"the column '{declared.column.name}' appears twice"):
        declared.reader.check(twice)


@each(lambda column: column.read in {Read.OPTIONAL, Read.FULL} and column.name != "evaluator")
def test_a_column_that_is_empty_from_top_to_bottom_counts_as_absent(declared):
    without = declared.reader.check(least_of(declared))
    pd.testing.assert_frame_equal(declared.reader.check(declared.frame("", " ")), without)


def least_of(declared: Declared) -> pd.DataFrame:
    return pd.DataFrame(declared.rows).astype(object)


@each(lambda column: column.read is Read.OPTIONAL)
def test_a_single_cell_may_be_empty_and_numbers_and_words_may_say_so(declared):
    name = declared.column.name
    gaps = ("", None) if declared.column.is_text else ("", None, "NA", "nan", "null")
    for gap in gaps:
        table = parse_table(declared.frame(gap, declared.good), declared.reader.row, "t")
        empty = (table[name].isna() | table[name].eq("")).tolist()
        assert empty == [True, *[False] * (len(empty) - 1)], gap


@each(lambda column: True)
def test_any_type_of_column_is_read_alike_and_reading_again_changes_nothing(declared):
    row, frame = declared.reader.row, declared.frame(declared.good)
    table = parse_table(frame, row, "t")
    pd.testing.assert_frame_equal(parse_table(table, row, "t"), table)
    pd.testing.assert_frame_equal(parse_table(frame.astype("category"), row, "t"), table)


@each(lambda column: column.kind is Kind.WORD)
def test_words_are_known_in_any_case_and_have_all_their_categories(declared):
    frame = declared.frame(f" {declared.good.upper()} ")
    column = parse_table(frame, declared.reader.row, "t")[declared.column.name]
    empty = [""] if declared.column.read is Read.OPTIONAL else []
    assert column.cat.categories.tolist() == [*empty, *declared.column.levels]
    assert set(column) == {declared.good}


@EVERY_READER
def test_checking_again_changes_nothing_and_the_given_frame_stays(name):
    frame = least(name)
    table = READERS[name].check(frame)
    pd.testing.assert_frame_equal(READERS[name].check(table), table)
    pd.testing.assert_frame_equal(frame, least(name))


@EVERY_READER
def test_other_columns_pass_through_unread(name):
    table = READERS[name].check(least(name).assign(mood=" \x1b", **{"7": 1.5}))
    assert set(table["mood"]) == {" \x1b"}
    assert set(table["7"]) == {1.5}


@EVERY_READER
def test_a_table_has_rows_and_each_a_name(name):
    reader = READERS[name]
    with pytest.raises(InputError, match=f"contains no {reader.row.answers}; one row per"):
        reader.check(least(name).iloc[:0])
    broken = least(name).iloc[:1].assign(evaluator="\x1b")
    rows = len(NEEDED[name])
    with pytest.raises(InputError, match=f"{reader.row.answers}, row {rows}, column evaluator"):
        reader.check(pd.concat([least(name), broken]))


@EVERY_READER
def test_people_and_simulated_evaluators_are_never_mixed(name):
    reader = READERS[name]
    frame = least(name)
    mixed = frame.assign(simulated=frame["evaluator"].map({"p": "TRUE", "q": "False"}))
    with pytest.raises(InputError, match="never mixed; choose with --simulated or --people"):
        reader.check(mixed)
    for simulated, who in ((True, "p"), (False, "q")):
        chosen = reader.check(mixed, simulated=simulated)
        assert chosen["evaluator"].cat.categories.tolist() == [who]
        assert chosen["simulated"].eq(simulated).all()
    with pytest.raises(
        InputError, match=f"contains no {reader.row.answers} by simulated evaluators"
    ):
        reader.check(frame, simulated=True)
    with pytest.raises(InputError, match=f"contains no {reader.row.answers} by people"):
        reader.check(frame.assign(simulated=True), simulated=False)


@EVERY_READER
def test_names_in_a_file_are_text_and_none_may_be_missing(name, tmp_path):
    reader, path = READERS[name], tmp_path / "t.csv"
    frame = least(name).assign(evaluator="'=1+1", mood="'-2")
    for of in [c.name for c in reader.row.read if c.kind is Kind.NAME and not c.gaps]:
        if of in frame:
            frame.assign(**{of: "NA"}).to_csv(path, index=False)
            message = rf"t\.csv, row 2, column {of}: 'NA' is not allowed; .* an apostrophe: 'NA"
            with pytest.raises(InputError, match=message):
                reader.load(path)
    frame.iloc[: len(frame) // 2].to_csv(path, index=False)
    table = reader.load(path).frame
    assert set(table["evaluator"]) == {"=1+1"}
    assert set(table["mood"]) == {"-2"}
    frame.iloc[: len(frame) // 2].assign(evaluator="'NA").to_csv(path, index=False)
    assert set(reader.load(path).frame["evaluator"]) == {"NA"}


def test_found_names_are_shown_on_one_short_line():
    names = ["a\nb\x1b[31m", "x" * 10_000, *map(str, range(1000))]
    with pytest.raises(InputError) as refused:
        JUDGEMENTS.check(pd.DataFrame([names], columns=names))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500
    assert "and 982 more" in str(refused.value)


def test_one_column_hints_at_the_separator():
    with pytest.raises(InputError, match=r"'evaluator\|truth'; cells are separated by commas"):
        hype.score(pd.DataFrame({"evaluator|truth": [1]}))


@pytest.mark.parametrize("protocol", registry.PROTOCOLS, ids=lambda protocol: protocol.name)
def test_the_record_and_the_dictionary_say_what_is_declared(protocol):
    kept = protocol.row
    assert set(kept.table.c.keys()) - {c.name for c in kept.declared.recorded} == {
        *("id", "evaluator_id", "session_id", "simulated")
    }
    for column in (*kept.declared.recorded, *kept.exported.added):
        made = kept.table.c.get(column.name, column_of(column))
        described = describe_column(column.name, made)
        assert described.meaning == column.meaning
        assert described.kind.cell_type is column.kind.cell_type
        assert described.levels == column.levels
        assert described.null == (column.null or column.blank)
