"""Figures of HYPE_time: staircases, psychometric curves, exposures."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from drawn import drawings_of, drawn, figures_of, texts

from hype.protocols.hype.block_scores import score_blocks
from hype.protocols.hype.figures import timing_drawings
from hype.protocols.hype.figures_of_staircases import MOST_EVALUATORS
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import are_measured, check_judgements
from hype.protocols.hype.thresholds import fit_curves, typical_function
from hype.report.figures.drawing import use_style
from hype.report.figures.files import grid_of, panel_svg, resize


def svgs(drawing):
    return [panel_svg(drawing, panel) for panel in drawing.panels]


def median_line(axes):
    return max(axes.lines, key=lambda line: line.get_linewidth()).get_ydata()


def test_the_thick_line_is_the_median_over_blocks(make_study):
    frame = make_study("time")
    found, scored = figures_of(frame)
    for place, row in enumerate(scored.rows("conditions")):
        own = frame[frame["condition"].eq(row["condition"])]
        expected = own.groupby("trial")["exposure_ms"].median()
        shown = median_line(drawn(found["time-staircases"], place))
        np.testing.assert_allclose(shown, expected)


def test_scores_by_block_stand_beside_the_course(make_study):
    frame = make_study("time", names={"a": 0.3})
    found, _ = figures_of(frame)
    axes = drawn(found["time-staircases"])
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels[-2:] == ["1", "2"]
    blocks = score_blocks(check_judgements(frame)).groupby("block")
    medians = blocks["exposure_ms"].median().tolist()
    assert any(np.array_equal(line.get_ydata(), medians) for line in axes.lines)


def test_staircases_are_drawn_without_repetitions(make_study):
    frame = make_study("time")
    again = frame.iloc[:1].assign(trial=21, repeats=3, exposure_ms=990.0)
    scored = score(frame, draws=50)[0]
    both = pd.concat([frame, again], ignore_index=True)
    first, second = (
        next(d for d in drawings_of(scored, check_judgements(t)) if d.name == "time-staircases")
        for t in (frame, both)
    )
    assert svgs(first) == svgs(second)


def accurate(make_study, seed=5):
    """Make a study in which accuracy rises with exposure, with 160 answers per evaluator."""
    rng = np.random.default_rng(seed)
    frame = make_study("time", names={"a": 0.3, "b": 0.3})
    frame = pd.concat([frame.assign(block=frame["block"] + 2 * n) for n in range(4)])
    frame = frame.reset_index(drop=True)
    frame["exposure_ms"] = rng.choice([100.0, 200.0, 300.0, 500.0], len(frame))
    right = rng.random(len(frame)) < 0.5 + 0.45 * (frame["exposure_ms"] / 500)
    other = frame["truth"].map({"real": "fake", "fake": "real"})
    frame["answer"] = frame["truth"].where(right, other)
    return frame


def test_curves_are_everybodys_and_that_of_the_medians(make_study):
    frame = accurate(make_study)
    found, scored = figures_of(frame)
    curves = fit_curves(check_judgements(frame))
    for place, name in enumerate(scored.names):
        axes, own = drawn(found["time-psychometric"], place), curves[name]
        trials = sum(one.counts.trials.sum() for one in own)
        right = sum(one.counts.correct.sum() for one in own)
        points = [line for line in axes.lines if line.get_marker() == "o"]
        areas = np.repeat(
            [p.get_markersize() ** 2 for p in points], [len(p.get_xdata()) for p in points]
        )
        shares = np.concatenate([p.get_ydata() for p in points])
        # The areas of points are rounded to a few sizes, so the sum is approximate.
        assert shares @ areas / areas.sum() == pytest.approx(right / trials, abs=0.02)
        for one, path in zip(own, axes.collections[0].get_paths(), strict=True):
            exposures_ms, shares = path.vertices.T
            np.testing.assert_allclose(shares, one.function.accuracy(exposures_ms))
        thick = max(axes.lines, key=lambda line: line.get_linewidth())
        expected = typical_function(own).accuracy(thick.get_xdata())
        np.testing.assert_allclose(thick.get_ydata(), expected)


def test_each_evaluator_has_a_panel_with_points_curve_and_threshold(make_study):
    frame = accurate(make_study)
    found, scored = figures_of(frame[frame["condition"].eq("a")], thresholds_at=0.75)
    drawing = found["time-evaluators-1"]
    own = [row for row in scored.rows("evaluators-thresholds") if row["condition"] == "a"]
    assert [panel.title for panel in drawing.panels] == [row["evaluator"] for row in own]
    assert not drawing.by_condition
    (curve, *_) = fit_curves(check_judgements(frame))["a"]
    lines = drawn(drawing).lines
    fitted = next(line for line in lines if len(line.get_xdata()) > 20)
    expected = curve.function.accuracy(fitted.get_xdata())
    np.testing.assert_allclose(fitted.get_ydata(), expected, atol=0.02)
    (mark,) = [line for line in lines if line.get_marker() == "v"]
    assert mark.get_xdata()[0] == own[0]["threshold_ms"]
    assert {line.get_marker() for line in lines} >= {"o"}


def test_of_many_evaluators_the_first_are_drawn(make_study):
    frame = accurate(make_study)
    copies = [frame.assign(evaluator=frame["evaluator"] + f"-{n:02}") for n in range(10)]
    found, _ = figures_of(pd.concat(copies, ignore_index=True))
    drawing = found["time-evaluators-1"]
    assert len(drawing.panels) == MOST_EVALUATORS
    assert f"The first {MOST_EVALUATORS} of 40 evaluators" in drawing.caption


def test_the_threshold_is_marked_where_it_was_fitted(make_study):
    frame = accurate(make_study)
    frame = frame[frame["evaluator"].str.endswith(("-0", "-1"))]
    plain, _ = figures_of(frame)
    assert "Triangle" not in plain["time-psychometric"].caption
    fitted, scored = figures_of(frame, thresholds_at=0.75)
    drawing = fitted["time-psychometric"]
    assert "the exposure with 75% correct answers" in drawing.caption
    for place, row in enumerate(scored.rows("thresholds")):
        median_ms = row["median"].value
        marks = [line for line in drawn(drawing, place).lines if line.get_marker() == "v"]
        assert [line.get_xdata()[0] for line in marks] == [median_ms]
        assert f"75% at {median_ms:.1f} ms" in drawing.alt


def test_where_nothing_was_fitted_the_panel_and_the_caption_say_so(make_study):
    frame = accurate(make_study)
    frame.loc[frame["condition"].eq("b"), "answer"] = "fake"
    found, _ = figures_of(frame)
    drawing = found["time-psychometric"]
    place = [panel.title for panel in drawing.panels].index("b")
    assert "no curve was fitted" in texts(drawn(drawing, place))
    assert "no curve was fitted" not in texts(drawn(drawing, 1 - place))
    assert "no curve: every answer is 'fake' (in 1 condition)" in drawing.caption


def test_one_exposure_is_no_curve(make_study):
    found, _ = figures_of(make_study("time").assign(exposure_ms=500.0))
    assert "time-psychometric" not in found
    svgs(found["time-staircases"])
    svgs(found["time-intervals"])


def test_spoiled_trials_are_in_the_curve_only_if_they_are_scored(make_study):
    frame = accurate(make_study).assign(verdict="ok")
    frame.loc[frame["exposure_ms"].eq(100), "verdict"] = "dropped"

    def shortest(treatment):
        found, _ = figures_of(frame, spoiled=treatment)
        return drawn(found["time-psychometric"]).collections[0].get_paths()[0].vertices[0][0]

    assert shortest("keep") == pytest.approx(100)
    assert shortest("leave-out") == pytest.approx(200)


MEASURED = {
    "verdict": "ok",
    "exposure_frames": 30,
    "exposure_nominal_ms": 500.0,
    "exposure_measured_ms": 500.1,
    "mask_ms": 30.0,
    "mask_frames": 2,
    "mask_nominal_ms": 33.333,
    "mask_measured_ms": "33.3 33.4",
}


def exposures(frame):
    judgements = check_judgements(frame)
    (drawing,) = timing_drawings(judgements[are_measured(judgements)])
    return drawing


def test_exposures_tell_the_worst(make_study):
    frame = make_study("time").assign(**MEASURED)
    frame.loc[7, ["verdict", "exposure_measured_ms"]] = ["late", 510.0]
    frame.loc[9, ["verdict", "mask_measured_ms"]] = ["dropped", "33.3 16.667"]
    drawing = exposures(frame)
    assert drawing.alt == (
        "Exposures: images off by at most +0.60 frames, "
        "masks off by at most \N{MINUS SIGN}1.00 frames."
    )
    assert "drawn at the edge" not in drawing.caption


@pytest.mark.parametrize(
    "columns",
    [{}, {"verdict": "dropped"}, {"exposure_measured_ms": 500.0}],
    ids=["nothing", "a verdict alone", "no verdict"],
)
def test_what_was_not_measured_is_not_drawn(make_study, columns):
    judgements = check_judgements(make_study("time").assign(**columns))
    assert timing_drawings(judgements[are_measured(judgements)]) == ()


@pytest.mark.parametrize(
    ("name", "columns"), [("staircases", 2), ("psychometric", 2), ("evaluators-1", 3)]
)
def test_in_a_column_of_a_paper_panels_stand_abreast_and_no_words_collide(
    make_study, name, columns
):
    frame = make_study("time", names={"a" * 60: 0.3, "b": 0.1, "c": 0.2, "d": 0.05})
    found, _ = figures_of(frame)
    fitting = resize(found[f"time-{name}"], 3.4, None, 8)
    with use_style(fitting, name):
        figure = grid_of(fitting)
        figure.draw_without_rendering()
    assert len({round(axes.get_position().x0, 3) for axes in figure.axes}) == columns
    words = [*figure.texts]
    for axes in figure.axes:
        words += [axes._left_title, *axes.get_xticklabels(), *axes.get_yticklabels()]
    boxes = [word.get_window_extent() for word in words if word.get_visible() and word.get_text()]
    assert len(boxes) > 3 * len(figure.axes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
