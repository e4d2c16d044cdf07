"""The names in a table: its columns, and its words for real and fake."""

from __future__ import annotations

import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.comparison.table import TABLE as COMPARISONS
from hype.protocols.hype.table import TABLE as JUDGEMENTS
from hype.tables.codebook import Codebook

NUMBERS = Codebook(real=("1",), fake=("0",))
HEADER = "evaluator,condition,truth,answer"


def table(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("codebook", "truths", "answers"),
    [
        (NUMBERS, "1 0 1 0", "1 1 0 0"),
        (NUMBERS, "1 0 1 0", "1.0 1.0 0.0 0.0"),
        (NUMBERS, "real fake real fake", "1 1 0 0"),
        (Codebook(), "Real FAKE real fake", "REAL Real Fake fake"),
        (
            Codebook(fake=("Generated",)),
            "Real generated Real Generated",
            "real Real fake GENERATED",
        ),
        (Codebook(real=("1", "no"), fake=("0", "yes")), "1 0 1 0", "no no yes yes"),
        (
            Codebook(real=("False",), fake=("True",)),
            "false TRUE false true",
            "False False True True",
        ),
    ],
)
def test_values_stand_for_real_and_fake(write_csv, codebook, truths, answers):
    cells = zip(truths.split(), answers.split(), strict=True)
    path = write_csv("\n".join([HEADER, *(f"e,c, {truth} ,{answer}" for truth, answer in cells)]))
    frame = JUDGEMENTS.load(path, codebook=codebook).frame
    assert frame["truth"].tolist() == ["real", "fake", "real", "fake"]
    assert frame["answer"].tolist() == ["real", "real", "fake", "fake"]


def test_words_stand_for_nothing_unless_it_is_said(write_csv):
    path = write_csv(f"{HEADER}\ne,c,yes,real\ne,c,no,real\ne,c,Real,yes\n")
    message = (
        "row 2, column truth: 'yes' is not allowed; it must be fake or real; found: 'no', "
        "'yes'; --real VALUE and --fake VALUE give the meaning of a value"
    )
    with pytest.raises(InputError, match=message):
        JUDGEMENTS.load(path)


def test_many_values_are_not_all_listed(write_csv):
    rows = "".join(f"e,c,real,v{number}\n" for number in range(10, 24))
    with pytest.raises(InputError, match=r"found: 'v10', .* 'v21' and 2 more; --real"):
        JUDGEMENTS.load(write_csv(f"{HEADER}\n{rows}"))


def test_a_value_cannot_be_both():
    for both in (
        {"real": ("1",), "fake": ("1.0",)},
        {"real": ("Fake",)},
        {"real": ("a",), "fake": ("A ",)},
    ):
        with pytest.raises(InputError, match=r"--real --fake: .* would mean both real and fake"):
            Codebook(**both)


def test_names_may_change_places_and_what_is_in_the_way_goes():
    codebook = Codebook(columns={"truth": "answer", "answer": "said", "condition": "model"})
    given = table(answer=["real"], said=["fake"], condition=["dim"], model=["gan"], mood=[3])
    renamed = codebook.rename_columns(given, ["truth", "answer", "condition"], "t")
    assert renamed.to_dict("list") == {
        "truth": ["real"],
        "answer": ["fake"],
        "condition": ["gan"],
        "mood": [3],
    }
    assert codebook.names(list(given)) == ["truth", "answer", "", "condition", "mood"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"rater": "who"}, "--columns rater=who: 'rater' is not read; one of evaluator, truth"),
        (
            {"truth": "who", "evaluator": "whom"},
            "evaluator=whom: t has no column 'whom'; one of 'who'",
        ),
    ],
)
def test_a_column_that_is_not_there(columns, message):
    with pytest.raises(InputError, match=message):
        Codebook(columns=columns).rename_columns(table(who=["p"]), ["evaluator", "truth"], "t")


def test_columns_may_be_made_of_others():
    given = table(
        file=["b/gan/1.png", "b/vae/1.png"],
        prompt=["cat", "dog"],
        rt=["0.5", "1"],
        data=['{"who": {"id": "p1"}}', '{"who": {"id": "p2"}}'],
    )
    columns = {
        "condition": "file~b/(.+)/",
        "item": "prompt+file",
        "rt_ms": "rt*1000",
        "evaluator": "data.who.id",
        "image": "file",
    }
    renamed = Codebook(columns=columns).rename_columns(given, [*columns], "t")
    assert {name: renamed[name].tolist() for name in columns} == {
        "condition": ["gan", "vae"],
        "item": ["cat b/gan/1.png", "dog b/vae/1.png"],
        "rt_ms": [500.0, 1000.0],
        "evaluator": ["p1", "p2"],
        "image": ["b/gan/1.png", "b/vae/1.png"],
    }
    for wrong, said in (
        ("file~x/(.+)", "no cell of file matches"),
        ("file~(", "is not a pattern"),
        ("data.which", "t has no column 'data.which'"),
        ("file+model", "t has no column 'model'"),
        ("prompt*1000", "t, row 0, column prompt: 'cat' is not allowed; it must be a number"),
    ):
        with pytest.raises(InputError, match=said):
            Codebook(columns={"condition": wrong}).rename_columns(given, ["condition"], "t")


def test_an_answer_may_name_what_was_chosen(write_csv):
    path = write_csv("left,right,answer\na,b,a\nb,a,a\na,b,tie\n")
    assert COMPARISONS.load(path).frame["answer"].tolist() == ["left", "right", "tie"]
