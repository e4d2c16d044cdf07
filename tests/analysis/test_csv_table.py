import pytest

from hype.analysis.csv_table import read_text_table
from hype.errors import InputError


def test_cells_stay_text(write_csv):
    table = read_text_table(write_csv("id,n\n007,1.50\n"))
    assert table.loc[2].tolist() == ["007", "1.50"]


def test_rows_are_counted_as_a_text_editor_does(write_csv):
    table = read_text_table(write_csv('id,text\n\n1,"two\nlines"\n\n2,x\n'))
    assert table.index.tolist() == [3, 6]


def test_byte_order_mark_and_carriage_returns_are_no_part_of_the_names(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_bytes(b"\xef\xbb\xbfid,n\r\n1,2\r\n")
    table = read_text_table(path)
    assert table.columns.tolist() == ["id", "n"]
    assert table["n"].tolist() == ["2"]


def test_unusual_line_separators_inside_a_cell_do_not_move_the_count(write_csv):
    table = read_text_table(write_csv("id,text\n1,a\u2028b\n2,c\n"))
    assert table.index.tolist() == [2, 3]


def test_empty_file(write_csv):
    with pytest.raises(InputError, match=r"judgements\.csv: the file is empty"):
        read_text_table(write_csv(""))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read \(No such file"):
        read_text_table(tmp_path / "none.csv")


def test_folder(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_text_table(tmp_path)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00", b"PK\x03\x04\x00\x00"])
def test_binary_file(tmp_path, content):
    path = tmp_path / "picture.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"picture\.csv: is (not UTF-8 text|a binary file)"):
        read_text_table(path)


def test_repeated_column(write_csv):
    with pytest.raises(InputError, match="the column 'id' appears twice"):
        read_text_table(write_csv("id,n,id\n1,2,3\n"))


@pytest.mark.parametrize(("row", "cells"), [("1", 1), ("1,2,3", 3)])
def test_ragged_row(write_csv, row, cells):
    with pytest.raises(InputError, match=f"row 3: has {cells} cells where the header names 2"):
        read_text_table(write_csv(f"id,n\n1,2\n{row}\n"))


def test_quote_that_never_closes(write_csv):
    with pytest.raises(InputError, match="row 3: is malformed"):
        read_text_table(write_csv('id,n\n1,2\n"3,4\n'))
