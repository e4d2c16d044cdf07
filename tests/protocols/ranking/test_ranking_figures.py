"""Figures of rankings: which there are, and that they show the numbers."""

import numpy as np
import pytest
from drawn import drawn, texts
from made_ranked import models_in, rankings_of, scored

from hype.protocols.ranking.figures import MOST_DRAWN, expected, ranking_drawings
from hype.report.figures.files import panel_svg


def figures_of(score):
    return {drawing.name: drawing for drawing in ranking_drawings(score)}


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rankings_of()
    folder = models_in(tmp_path_factory.mktemp("models"), frame)
    score = scored(frame, folder, min_recall=0.3)
    return figures_of(score), score


def points(axes):
    return {
        (x, round(y, 3)) for line in axes.lines for x, y in [*zip(*line.get_data(), strict=True)]
    }


def test_all_figures_stand_in_reading_order(full):
    figures, _ = full
    assert list(figures) == [
        *("ranking-strengths", "ranking-places", "ranking-agreement"),
        *("ranking-models", "ranking-screening"),
    ]
    for drawing in figures.values():
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        assert panel_svg(drawing, drawing.panels[0])


def test_strengths_of_both_models_are_drawn_with_their_intervals(full):
    figures, score = full
    axes = drawn(figures["ranking-strengths"])
    shown = {x for x, _ in points(axes)}
    ends = {
        (segment[0][0], segment[1][0])
        for lines in axes.collections
        for segment in lines.get_segments()
    }
    for row in score.conditions:
        assert {row.elo.value, row.bt_elo.value} <= shown
        assert row.elo.ends in ends
        assert row.bt_elo.ends in ends


def test_places_are_numbers_on_colour(full):
    figures, score = full
    axes = drawn(figures["ranking-places"])
    best = score.conditions[0]
    assert f"{100 * best.places[0]:.0f}" in texts(axes)
    shades = [cell.get_alpha() for cell in axes.patches]
    shares = [share for row in score.conditions for share in row.places]
    assert np.argsort(shades, kind="stable").tolist() == np.argsort(shares, kind="stable").tolist()


def test_agreement_stands_against_the_difference(full):
    figures, score = full
    axes = drawn(figures["ranking-agreement"])
    dots = max(axes.lines, key=lambda line: line.get_marker() == "o")
    assert sorted(dots.get_ydata()) == pytest.approx(
        sorted(100 * pair["agreement"].value for pair in score.agreement.pairs)
    )
    assert expected(np.array([0.0, 50.0])) == pytest.approx([50.0, 100.0])


def test_models_stand_beside_a_person(full):
    figures, score = full
    axes = drawn(figures["ranking-models"])
    judges = score.judges.judges
    assert [t for t in texts(axes) if t.startswith("model")] == [judge.judge for judge in judges]
    assert {100 * judge.accuracy.value for judge in judges} <= {x for x, _ in points(axes)}
    (band,) = axes.patches
    assert band.get_x() == pytest.approx(100 * judges[0].person.low)


def test_screening_marks_chance_and_the_rule(full):
    figures, score = full
    shown = texts(drawn(figures["ranking-screening"]))
    assert " chance " in shown
    assert " bound " in shown
    assert {one["evaluator"] for one in score.screening["evaluators"]} <= set(shown)


def test_without_data_there_is_no_figure():
    bare = rankings_of(drop=("evaluator", "checker")).drop_duplicates(["group", "condition"])
    assert set(figures_of(scored(bare))) == {"ranking-strengths", "ranking-places"}
    never = rankings_of({"a": 90.0, "b": 0.0}, evaluators=3)
    assert "ranking-strengths" not in figures_of(scored(never))


def test_of_very_many_conditions_the_strongest_are_drawn():
    names = {f"m{n:02}": 1 - n / 25 for n in range(MOST_DRAWN + 2)}
    figures = figures_of(scored(rankings_of(names, evaluators=6, groups=25, size=10)))
    assert f"The {MOST_DRAWN} strongest of {MOST_DRAWN + 2}" in figures["ranking-places"].caption
    assert figures["ranking-places"].height_in < 14
