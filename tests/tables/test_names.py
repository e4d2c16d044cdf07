"""Names that look the same are the same, in every part of the program."""

from __future__ import annotations

import unicodedata

import pandas as pd
import pytest

import hype
from hype.errors import InputError

DECOMPOSED = unicodedata.normalize("NFD", "Jörg")
JUDGED = {"evaluator": "Jörg", "condition": "pca", "image": "fake/pcä/1.png"}


def judgements(**names: str) -> pd.DataFrame:
    rows = [
        {**JUDGED, "trial": n, "truth": truth, "answer": "fake"}
        for n, truth in enumerate(("fake", "real", "fake", "real"), start=1)
    ]
    others = [row | {"evaluator": "p02"} for row in rows]
    table = pd.DataFrame([*rows, *others])
    for column, name in names.items():
        table.loc[1, column] = name
    return table


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("evaluator", DECOMPOSED),
        ("evaluator", " Jörg "),
        ("condition", "pca "),
        ("image", unicodedata.normalize("NFD", JUDGED["image"])),
    ],
)
def test_space_and_the_form_of_accents_do_not_count(column, name, tmp_path):
    judgements(**{column: name}).to_csv(tmp_path / "t.csv", index=False)

    assert hype.read_table(tmp_path / "t.csv")[column].nunique() == judgements()[column].nunique()


@pytest.mark.parametrize(("column", "name"), [("condition", "PCA"), ("image", "fake\\pcä\\1.png")])
def test_case_and_slashes_get_one_note(column, name, tmp_path):
    judgements(**{column: name}).to_csv(tmp_path / "t.csv", index=False)

    note, *_ = hype.score(tmp_path / "t.csv").notes
    assert note.startswith("Names that differ only in case")
    assert repr(name) in note
    assert repr(JUDGED[column]) in note


def test_classes_of_a_column(tmp_path):
    from hype.tables.cells import classes

    table = pd.DataFrame({"style": ["café", "cafe\u0301 ", "new", "new"] * 3})
    assert classes(table, "style")[1] == ("café", "new")


@pytest.mark.parametrize("codes", [[2.0**53, 1.0], ["9.00720E+15", "p2"]])
def test_codes_that_were_rounded_are_refused(codes):
    table = judgements()
    table["evaluator"] = [codes[0]] * 4 + [codes[1]] * 4
    with pytest.raises(InputError, match=r"column evaluator: .* read the column as text"):
        hype.score(table)
