"""Figures of ratings: which there are, and that they show the numbers."""

import pytest
from drawn import drawn, texts
from made_rated import LEADERBOARD, judge_files, rated_images, rated_pairs, scored

from hype.protocols.rating.figures import rating_drawings
from hype.report.figures.files import panel_svg


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rated_pairs()
    score = scored(
        frame, judge_files(tmp_path_factory.mktemp("judges"), frame), leaderboard=LEADERBOARD
    )
    return {d.name: d for d in rating_drawings(score, LEADERBOARD)}, score


def test_all_figures_stand_in_reading_order(full):
    figures, _ = full
    assert list(figures) == [
        *("rating-strengths", "rating-correlations", "rating-answers", "rating-agreement"),
        *("rating-leaderboard", "rating-judge-agreement"),
    ]
    for drawing in figures.values():
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        assert panel_svg(drawing, drawing.panels[0])


def test_each_axis_has_a_panel_with_its_strengths(full):
    figures, score = full
    drawing = figures["rating-strengths"]
    assert [panel.title for panel in drawing.panels] == [axis.axis for axis in score.axes]
    for place, axis in enumerate(score.axes):
        marks = drawn(drawing, place).lines[-1]
        order = [row.condition for row in score.axis("overall").strengths]
        assert list(marks.get_xdata()) == [axis.strength(name).elo.value for name in order]


def test_answers_that_are_not_relevant_stand_apart(full):
    figures, score = full
    bars = [p for p in drawn(figures["rating-answers"]).patches if p.get_width() > 0]
    (hollow,) = [bar for bar in bars if bar.get_x() + bar.get_width() > 100.5]
    assert hollow.get_width() == pytest.approx(100 * score.axis("style").not_relevant_share)


def test_the_leaderboard_has_the_conditions_that_both_have(full):
    figures, score = full
    axes = drawn(figures["rating-leaderboard"])
    assert sorted(axes.lines[-1].get_xdata()) == sorted(LEADERBOARD[c] for c in score.conditions)
    assert set(texts(axes)) == set(score.conditions)


def test_judges_are_seen_against_a_second_person(full):
    figures, score = full
    axes = drawn(figures["rating-judge-agreement"])
    (band,) = axes.patches
    person = score.judges.people[0]["r"]
    assert band.get_x() == pytest.approx(person.low)
    assert band.get_x() + band.get_width() == pytest.approx(person.high)


def test_single_images_have_means_and_shares():
    score = scored(rated_images())
    names = [drawing.name for drawing in rating_drawings(score, {})]
    assert names[:2] == ["rating-means", "rating-yes"]
