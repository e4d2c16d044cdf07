"""Figures of comparisons: which there are, and that they show the numbers."""

import pytest
from drawn import drawn, texts
from made_comparisons import everything, rows_scored, scored, votes_of

from hype.protocols.comparison.figures import (
    MOST_DRAWN,
    comparison_drawings,
    ranking_drawing,
)
from hype.report.figures.files import panel_svg


def figures_of(frame, **options):
    votes, score = scored(frame, **options)
    return {d.name: d for d in comparison_drawings(score, rows_scored(votes, score))}, score


@pytest.fixture(scope="module")
def full():
    votes, score = everything(arena=True)
    return {d.name: d for d in comparison_drawings(score, rows_scored(votes, score))}, score


def lines_of(axes):
    found = [c.get_segments() for c in axes.collections if hasattr(c, "get_segments")]
    return {(line[0][0], line[1][0]) for lines in found for line in lines if len(line) == 2}


def test_all_figures_stand_in_reading_order(full):
    figures, _ = full
    assert list(figures) == [
        "comparison-ranking",
        "comparison-course",
        "comparison-leading-pair",
        "comparison-response-times",
        "comparison-demographics",
    ]
    for drawing in figures.values():
        assert drawing.title
        assert drawing.caption.endswith(".")
        assert panel_svg(drawing, drawing.panels[0])


def test_the_ranking_shows_strengths_and_intervals(full):
    figures, score = full
    axes = drawn(figures["comparison-ranking"])
    ends = lines_of(axes)
    for row in score.conditions:
        assert row.elo.ends in ends
    (marks,) = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 4]
    assert list(marks) == [row.elo.value for row in score.conditions]
    assert [t for t in texts(axes) if t in ("flow", "vae", "pca", "gaussian")] == [
        row.condition for row in score.conditions
    ]


def test_a_condition_without_a_strength_is_named_and_not_drawn():
    frame = votes_of({"a": 3.0, "b": 0.0, "c": -0.5}, ties=0.0)
    lost = (frame["left"].eq("a") & frame["answer"].eq("right")) | (
        frame["right"].eq("a") & frame["answer"].eq("left")
    )
    figures, score = figures_of(frame[~lost])
    assert score.row("a").strength is None
    ranking = figures["comparison-ranking"]
    assert "Not drawn: 1 condition without a strength." in ranking.caption
    assert "a" not in texts(drawn(ranking))


def test_of_very_many_conditions_the_strongest_are_drawn():
    names = {f"m{n:02}": 2 - 4 * n / 49 for n in range(50)}
    _, score = scored(votes_of(names, each=500, ties=0.0))
    ranking = ranking_drawing(score)
    assert f"The {MOST_DRAWN} strongest of 50" in ranking.caption
    assert ranking.height_in < 12
    assert score.conditions[-1].condition not in texts(drawn(ranking))


def test_hasty_answers_have_a_colour_of_their_own_and_are_counted(full):
    figures, score = full
    times = figures["comparison-response-times"]
    hasty = [p for p in drawn(times).patches if p.get_facecolor()[0] > 0.8 and p.get_height()]
    number = round(sum(p.get_height() for p in hasty))
    assert f"{number:,} of the {score.comparisons:,} answers" in times.caption
    assert number > 0


def test_shares_stand_beside_the_reference(full):
    figures, score = full
    people = figures["comparison-demographics"]
    widths = sorted(p.get_width() for p in drawn(people).patches)
    (asked,) = score.demographics
    expected = [100 * s for g in asked["answers"] for s in (g["share"], g["reference_share"])]
    assert widths == pytest.approx(sorted(expected))
    assert "reference 50%" in people.alt


def test_the_course_ends_at_the_strengths_and_marks_when_the_top_was_known(full):
    figures, score = full
    axes = drawn(figures["comparison-course"])
    ends = [line.get_ydata()[-1] for line in axes.lines if len(line.get_ydata()) > 2]
    assert ends == pytest.approx([row.elo.value for row in score.conditions])
    assert score.sequential.reached == any("known after" in text for text in texts(axes))
