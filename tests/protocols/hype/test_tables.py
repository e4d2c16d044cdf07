"""Tables that the paper does not have, in the terminal and as a matrix of pairs."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from hype.protocols.hype.layout import score_table
from hype.protocols.hype.report import pair_matrix
from hype.protocols.hype.scoring import score
from hype.report.table_files import write_tables


def with_images(frame: pd.DataFrame) -> pd.DataFrame:
    """Add names of images; all evaluators of a condition see each image several times."""
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


def printed(scores, width=80, *, whole=True):
    console = Console(file=io.StringIO(), width=width)
    console.print(score_table(scores, whole=whole))
    return console.file.getvalue()


def titles(score, *, whole=True):
    """List the titles of the tables that the terminal shows below the scores, in order."""
    lines = printed([score], whole=whole).splitlines()
    known = {table.title for table in score.tables}
    return [line for line in lines if line in known]


PAPER = "As in Zhou et al., generalising to other evaluators only"


def test_a_plain_score_has_the_tables_that_need_nothing(scores):
    time, infinity = scores
    assert titles(time) == ["Staircases", PAPER]
    assert titles(time, whole=False) == [PAPER]
    assert titles(infinity) == ["d′ and criterion c", "Against HYPE_time", PAPER]


def test_what_is_asked_for_has_its_table(everything):
    time, infinity = everything
    assert titles(time)[1:] == [
        "Exposure with 75% correct judgements (ms)",
        "Automated metrics",
        PAPER,
    ]
    assert titles(infinity)[1:] == [
        "Do evaluators agree? Krippendorff's α",
        "Automated metrics",
        "Against HYPE_time",
        PAPER,
    ]


def test_a_threshold_that_nobody_reaches_is_no_number(everything):
    time, _ = everything
    table = time.table("thresholds")
    assert table.title in titles(time, whole=False)
    for row, found in zip(table.shown, time.rows("thresholds"), strict=True):
        if found["median"] is None:
            assert row[1] in ("shorter", "longer", "–")
        else:
            assert row[1] == f"{found['median'].value:.1f}"


@pytest.mark.parametrize("width", [80, 100])
def test_everything_fits_the_terminal(scores, width):
    text = printed(scores, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for row in scores[0].rows("conditions"):
        line = next(line for line in text.splitlines() if f" {row['condition']} " in line)
        assert f"{row['score']:.1f}" in line
        assert f"{row['fakes_error']:.1f}%" in line
        assert f"{row['interval'].low:.1f} \N{EN DASH} {row['interval'].high:.1f}" in line
        assert line.split()[-2:] == [str(row["evaluators"]), str(row["judgements"])]


def test_what_the_paper_prints_is_one_block(scores):
    time = scores[0]
    (_, block) = printed([time]).split(f"{PAPER}\n")
    for row in time.rows("conditions"):
        ends = " \N{EN DASH} ".join(f"{end:.1f}" for end in row["bootstrap"])
        assert f"{row['std']:.1f}" in block
        assert ends in block
    (anova,) = time.rows("anova")
    assert f"One-way ANOVA: F(2, 9) = {anova.f:.1f}" in block
    for pair in time.rows("tukey"):
        assert f"{pair.a} \N{EN DASH} {pair.b} p" in " ".join(block.split())


def test_pairs_of_which_nothing_is_known_are_named(make_study):
    frame = make_study("infinity", names={"a": 0.3, "b": 0.3, "c": 0.95}, evaluators=10)
    (result,) = score(frame, draws=20)
    text = " ".join(printed([result]).split())
    assert "Of 3 pairs, 2 are separable and 1 is not known to differ (" in text
    assert "hold together, at α = 0.05; the comparison generalises to " in text


def test_degenerate_statistics_are_dashes(make_study):
    frame = make_study("infinity")
    lone = frame[frame["evaluator"].str.endswith("-0")]
    text = printed(score(lone, draws=20))
    assert "cannot be computed" in text
    assert "nan" not in text
    assert "None" not in text


@pytest.fixture(scope="module")
def found(scores):
    return pair_matrix(scores[0])


def test_every_pair_from_both_sides(found, scores):
    assert found["names"] == scores[0].names
    for place, (name, cells) in enumerate(found["rows"]):
        assert name == scores[0].names[place]
        assert [cell is None for cell in cells] == [at == place for at in range(len(cells))]


def test_differences_are_row_less_column(found, scores):
    pair = scores[0].rows("pairs")[0]
    there, back = found["rows"][0][1][1], found["rows"][1][1][0]
    minus = "\N{MINUS SIGN}"
    assert there["difference"] == f"{pair.difference:.1f}"
    assert back["difference"] == f"{minus}{pair.difference:.1f}"
    assert (there["p"], there["verdict"]) == (back["p"], back["verdict"])
    assert back["said"].startswith(f"{pair.b} minus {pair.a}: {minus}")


@pytest.mark.parametrize(
    ("unsure", "sure", "bands"),
    [pytest.param(1, 2, (1, 2), id="steps"), pytest.param(35, 100, (30, 90), id="slider")],
)
def test_confidence_and_reasons_have_tables_and_reasons_are_no_numbers(
    both_protocols, tmp_path, unsure, sure, bands
):
    frame = both_protocols[both_protocols["task"].eq("infinity")].reset_index(drop=True)
    right = frame["truth"].astype(str).eq(frame["answer"].astype(str))
    frame = frame.assign(confidence=np.where(right, sure, unsure), why="")
    frame.loc[0, "why"] = '=1+1 "<b>odd</b>"'
    (plain,), (told,) = score(frame.drop(columns=["confidence", "why"])), score(frame)
    told = told.add_reasons(frame)
    areas = told.table("confidence-areas").objects()
    steps = {
        tuple(row[key] for key in ("confidence", "right", "right_low", "right_high"))
        for row in told.table("calibration").objects()
    }

    assert [row["type2_area"] for row in areas] == [1.0] * len(plain.names)
    assert [row["mean_right"] - row["mean_wrong"] for row in areas] == [sure - unsure] * len(areas)
    assert {each[:2] for each in steps} == {(bands[0], 0.0), (bands[1], 100.0)}
    assert all(0 <= low < high <= 100 for _, _, low, high in steps)
    assert plain.to_object() == {
        name: value
        for name, value in told.to_object().items()
        if name not in ("confidence_areas", "calibration")
    }
    write_tables([told.table("why")], tmp_path, simulated=False)
    assert '"\'=1+1 ""<b>odd</b>"""' in (tmp_path / "infinity-why.csv").read_text("utf-8")
