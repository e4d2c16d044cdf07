"""What stands beside the paper's table."""

import io

import pandas as pd
import pytest
from rich.console import Console

from hype.protocols.hype import tables as score_tables
from hype.protocols.hype.score import score_table, terminal_tables
from hype.protocols.hype.scoring import score
from hype.protocols.hype.tables import file_tables, page_tables


def with_images(frame: pd.DataFrame) -> pd.DataFrame:
    """Name images, each shown to all evaluators of a condition, and several times."""
    place = frame["block"].astype(str) + "-" + (frame["trial"] // 4).astype(int).astype(str)
    return frame.assign(image=place + ".png")


@pytest.fixture(scope="module")
def everything(both_protocols):
    names = sorted(both_protocols["condition"].unique())
    metrics = pd.DataFrame({"fid": [1.0, 2.0, 3.0]}, index=pd.Index(names, name="condition"))
    return score(
        with_images(both_protocols),
        draws=200,
        order=names,
        metrics=metrics,
        thresholds_at=0.75,
    )


def printed(scores, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(score_table(scores))
    return console.file.getvalue()


def titles(score):
    return [table.title for table in terminal_tables(score, whole=True)]


PAPER = "As the paper has it"


def test_a_plain_score_has_the_tables_that_need_nothing(scores):
    time, infinity = scores
    assert titles(time) == ["Staircases", PAPER]
    assert titles(infinity) == ["Answers", "HYPE_∞ against HYPE_time", PAPER]


def test_what_is_asked_for_has_its_table(everything):
    time, infinity = everything
    assert titles(time)[1:] == [
        "Exposure at which 75% are judged correctly (ms)",
        "Automated metrics",
        PAPER,
    ]
    assert titles(infinity)[1:] == [
        "Do evaluators agree? Krippendorff's α",
        "Automated metrics",
        "HYPE_∞ against HYPE_time",
        PAPER,
    ]


def test_last_reversals_bca_and_effect_sizes_are_for_files(everything):
    seldom = ("last_reversals", "bca", "hedges_g")
    in_files = keys_in(file_tables(everything[0]))
    assert in_files >= {*seldom}
    shown = (*page_tables(everything[0]), score_tables.pairs(everything[0]))
    assert not keys_shown(shown) & {*seldom}


def keys_in(tables):
    return {column.key for table in tables for column in table.columns}


def keys_shown(tables):
    return keys_in(table.short for table in tables)


def test_all_of_it_fits_the_terminal_uncut(everything):
    text = printed(everything)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_a_trend_is_told(everything):
    text = " ".join(printed(everything, 300).split())
    assert "Along progan → stylegan → wgan: Kendall's τ-b = " in text
    assert "Linear contrast: " in text


def test_a_threshold_that_nobody_reaches_is_no_number(everything):
    time, _ = everything
    (table,) = [
        t for t in terminal_tables(time, whole=False) if t.title.startswith("Exposure at which")
    ]
    for row, found in zip(table.shown, time.thresholds, strict=True):
        if found["median"] is None:
            assert row[1] in ("shorter", "longer", "–")
        else:
            assert row[1] == f"{found['median'].value:.1f}"
