"""Figures: which ones exist, their descriptions, and the numbers that they show."""

from itertools import pairwise

import numpy as np
import pytest
from drawn import drawings_of, drawn, figures_of, texts
from matplotlib.figure import Figure

from hype.protocols.hype.figures import timing_drawings
from hype.protocols.hype.table import check_judgements
from hype.report.figures.drawing import fit_name, fit_names, linear, log_exposures
from hype.report.wording import letters_in
from hype.statistics.estimate import ends_of

NAMES = ("time-intervals", "time-errors", "time-staircases", "time-psychometric")


def with_times(frame, seed=4):
    rt_ms = np.random.default_rng(seed).lognormal(6.5, 0.4, len(frame))
    return check_judgements(frame.assign(rt_ms=rt_ms))


def lines_of(axes):
    """Return every horizontal or vertical line of the collections as a pair of ends."""
    found = [c.get_segments() for c in axes.collections if hasattr(c, "get_segments")]
    return [line for lines in found for line in lines]


def test_all_figures_stand_in_reading_order(both_protocols, scores):
    frame = with_times(both_protocols)
    time, infinity = ([d.name for d in drawings_of(one, frame)] for one in scores)
    people = [f"time-evaluators-{place}" for place in (1, 2, 3)]
    assert time == [*NAMES, *people, "time-response-times"]
    assert infinity == [
        *("infinity-intervals", "infinity-errors"),
        "infinity-response-times",
    ]
    assert timing_drawings(frame) == ()


def test_chance_is_marked_where_there_is_any(scores, both_protocols):
    time, infinity = (drawn(drawings_of(one, both_protocols)[0]) for one in scores)
    assert "chance" in texts(infinity)
    assert "chance" not in texts(time)


def test_bounds_are_marked_only_where_they_are_known(make_study):
    frame = make_study("time", names={"a": 1.0, "b": 0.0})
    unknown, _ = figures_of(frame)
    assert not {"floor", "ceiling"} & set(texts(drawn(unknown["time-intervals"])))
    assert "floor" not in unknown["time-staircases"].caption
    known, _ = figures_of(frame.assign(floor_ms=250.0, ceiling_ms=520.0))
    assert "ceiling" in texts(drawn(known["time-intervals"]))
    assert {"floor", "ceiling"} <= set(texts(drawn(known["time-staircases"])))
    assert "250 ms" in known["time-staircases"].caption


def with_images(frame):
    return frame.assign(image=frame["trial"].astype(str) + ".png")


def test_the_interval_that_holds_is_drawn(make_study):
    found, score = figures_of(with_images(make_study("infinity")))
    ends = {(line[0][0], line[1][0]) for line in lines_of(drawn(found["infinity-intervals"]))}
    assert {ends_of(row["interval"]) for row in score.rows("conditions")} <= ends


def test_errors_without_reals_say_so(make_study):
    frame = make_study("infinity")
    found, _ = figures_of(frame[frame["truth"].eq("fake")])
    assert texts(drawn(found["infinity-errors"])).count("no reals") == 3
    assert "There are no reals." in found["infinity-errors"].alt


def test_one_evaluator_has_no_interval_and_no_precision(make_study):
    frame = make_study("infinity")
    found, _ = figures_of(frame[frame["evaluator"].str.endswith("-0")])
    assert "infinity-precision" not in found
    assert "interval" not in found["infinity-intervals"].caption
    drawn(found["infinity-intervals"])


@pytest.mark.parametrize(
    ("name", "most", "shown"),
    [
        ("short", 10, "short"),
        ("stylegan2-ffhq-truncated-v3", 12, "styleg…ed-v3"),
        ("模型模型模型模型", 9, "模型…模型"),
        ("模型", 4, "模型"),
    ],
)
def test_long_names_keep_both_ends(name, most, shown):
    assert fit_name(name, most) == shown
    assert letters_in(shown) <= most


def test_long_names_are_cut_where_it_leaves_them_apart():
    names = [f"model-{number:03}-of-one-family-of-models" for number in range(3)]
    assert fit_names(["short", "other"], 10) == ["short", "other"]
    assert fit_names(names, 12) == ["model-000…ls", "model-001…ls", "model-002…ls"]
    assert fit_names([name[::-1] for name in names], 12)[1] == "sl…100-ledom"
    apart = [f"a-long-beginning-{number}-and-a-long-end-of-it" for number in range(3)]
    assert fit_names(["real", *apart], 12) == ["real", *(f"…eginning-{n}…" for n in range(3))]


@pytest.mark.parametrize("width_in", [1.6, 3.0, 6.0])
def test_ticks_of_a_narrow_axis_stand_apart(width_in):
    figure = Figure(figsize=(width_in, 2))
    linear_axes, log_axes = figure.subplots(2)
    linear_axes.set_xlim(-20000, 20000)
    linear(linear_axes.xaxis)
    log_exposures(log_axes, 150, 600)
    figure.draw_without_rendering()

    for axes in (linear_axes, log_axes):
        low, high = axes.get_xlim()
        labels = [
            label.get_window_extent()
            for label in axes.get_xticklabels()
            if low <= label.get_position()[0] <= high
        ]
        assert len(labels) > 1
        assert all(one.x1 < other.x0 for one, other in pairwise(labels))
