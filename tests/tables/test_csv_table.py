import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.tables.table_files import MOST_COLUMNS, read_plain_rows, read_text_table


def test_blank_rows_are_left_out_and_counted(write_csv):
    table = read_text_table(write_csv('\nid,text\n\n1,"two\nlines, b"\n,\n2,x'))
    assert table.index.tolist() == [4, 7]
    assert table["text"].tolist() == ["two\nlines, b", "x"]


@pytest.mark.parametrize(
    ("data", "names", "cells"),
    [
        (b"\xef\xbb\xbfid,n\r\n007,1.50\r\n", ["id", "n"], [["007", "1.50"]]),
        (b"id , n\n a,b\n", ["id", "n"], [[" a", "b"]]),
        (b"id,n\r1,2\r3,4\r", ["id", "n"], [["1", "2"], ["3", "4"]]),
        (b"id,n\n1,a\rb\n2,c\n", ["id", "n"], [["1", "a b"], ["2", "c"]]),
    ],
    ids=["byte-order mark", "spaces around names", "an old Macintosh", "pandas"],
)
def test_cells_stay_text_and_names_are_clean(data, names, cells):
    table = read_text_table(Path("a file"), data)
    assert table.columns.tolist() == names
    assert table.to_numpy().tolist() == cells


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_in_the_first_row(write_csv, separator):
    text = separator.join(["id", '"a,b;c"', "n"]) + "\n" + separator.join(["1", "2", "3"]) + "\n"
    assert read_text_table(write_csv(text)).columns.tolist() == ["id", "a,b;c", "n"]


def test_unusual_line_separators_inside_a_cell_do_not_move_the_count(write_csv):
    table = read_text_table(write_csv("id,text\n1,a\u2028b\n2,c\n"))
    assert table.index.tolist() == [2, 3]


def test_header_only(write_csv):
    table = read_text_table(write_csv("id,n"))
    assert (table.columns.tolist(), len(table)) == (["id", "n"], 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n , \n", r"judgements\.csv: the file is empty"),
        ("id,n, id\n1,2,3\n", "the column 'id' appears twice"),
        ("id,,\n1,2,3\n", "two columns have no name"),
        (",".join(map(str, range(MOST_COLUMNS + 1))), "has 1001 columns; at most 1000"),
        (
            "id,n\n1,2\n1\n",
            r"row 3: has 1 cells, but the header names 2 columns; .*; quote a cell with a "
            "separator or a line break$",
        ),
        (
            "A title\nid,n\n1,2\n",
            r"row 2: has 2 cells, .*another row: hype score --header-row N",
        ),
        ('id,n\n1,2\n"3,4\n', "row 3: is malformed"),
        ('id,n\n1,2\n"3"x,4\n', "row 3: is malformed"),
        ('id\tn\n"3"x\t4\n', r"row 2: is malformed \('\\t' expected after '\"'\)"),
    ],
)
def test_what_is_no_table(write_csv, text, said):
    with pytest.raises(InputError, match=said):
        read_text_table(write_csv(text))
    with pytest.raises(InputError, match="--header-row: "):
        read_text_table(write_csv(text), header_row=9)


CELLS = st.sampled_from(
    ["a", "1", "007", "1.0", "", "NA", "true", " b", "é", "'", "a,b", 'q"q', "n\nm", "c\r\nd"]
)


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=9),
    feed=st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_every_cell_is_read_as_it_was_written(rows, feed):
    text = io.StringIO()
    csv.writer(text, lineterminator=feed).writerows([("x", "y"), *rows])
    table = read_text_table(Path("a file"), text.getvalue().encode())
    assert table.to_numpy().tolist() == [row for row in rows if "".join(row).strip()]


@given(
    rows=st.lists(st.lists(st.text("a1,\t é", max_size=3), min_size=2, max_size=3), max_size=5),
    noise=st.text('a,"\n\r \té', max_size=8),
    feed=st.sampled_from(["\n", "\r\n"]),
)
def test_plain_rows_are_read_fast_and_alike(rows, noise, feed):
    """The fast reader gives the same cells and row numbers, or leaves the file to the slow one."""
    data = feed.join(["x,y", *map(",".join, rows), noise]).encode()
    fast = read_plain_rows(data, ",", 2)
    if fast is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hype.tables.table_files.read_plain_rows", lambda *_: None)
        slow = read_text_table(Path("a file"), data)
    assert fast.index.tolist() == slow.index.tolist()
    assert fast.to_numpy().tolist() == slow.to_numpy().tolist()


@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_a_plain_table_takes_the_fast_way(feed):
    data = feed.join(["id,n", *(f"e{number % 7},{number}" for number in range(2000)), ""]).encode()
    table = read_plain_rows(data, ",", 2)
    assert table.index.tolist() == list(range(2, 2002))
    assert table[1].tolist() == [str(number) for number in range(2000)]
