import json
import math

import pytest

from hype.protocols.hype.record import judgements, timing_cells
from hype.session.timing import (
    TIMING_COLUMNS,
    Exposed,
    Flip,
    Request,
    Timing,
    judge_timing,
    read_exposed,
    table_of_rows,
    timing_table,
)

HZ = 100.0


def image(measured_ms: float, requested_ms: float = 100.0, hz: float = HZ) -> Exposed:
    frames = round(requested_ms * hz / 1000)
    return Exposed(
        kind="image",
        requested_ms=requested_ms,
        frames=frames,
        nominal_ms=frames * 1000 / hz,
        measured_ms=measured_ms,
    )


def flashed(*lasted_ms: float) -> Timing:
    """Return the timing of an image of 100 ms and masks of 30 ms that lasted this long."""
    at_s = [sum(lasted_ms[:n]) / 1000 for n in range(len(lasted_ms) + 1)]
    asked = [Request(100.0, 10), *(Request(30.0, 3) for _ in lasted_ms[1:])]
    return judge_timing(asked, [Flip(t, t, t) for t in at_s], refresh_hz=HZ)


def recorded(timing: Timing) -> dict[str, object]:
    return {"exposure_ms": 100.0, "mask_ms": 30.0, **timing_cells(timing)}


def test_a_row_by_hand():
    table = timing_table([image(100.0), image(102.0), image(89.0)], [])
    (row,) = table.rows

    assert (row.kind, row.requested_ms, row.frames, row.nominal_ms) == ("image", 100, 10, 100)
    assert (row.n, row.mean_ms) == (3, 97.0)
    assert row.sd_ms == pytest.approx(7.0)
    assert row.worst_ms == -11.0
    assert row.off_share == pytest.approx(1 / 3)


def test_one_picture_has_no_standard_deviation():
    assert timing_table([image(100.0)], []).rows[0].sd_ms is None
    two = timing_table([image(99.0), image(101.0)], []).rows[0]
    assert two.sd_ms == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(("off_frames", "share"), [(0.7, 0), (0.8, 1), (-0.8, 1), (-2, 1)])
def test_off_by_whole_frames_counts_the_frames_of_the_display(off_frames, share):
    slow = image(500 + off_frames * 20, 500.0, hz=50.0)

    assert timing_table([slow], []).rows[0].off_share == share


MASK = Exposed(kind="mask", requested_ms=30, frames=3, nominal_ms=30, measured_ms=30)


@pytest.mark.parametrize(
    ("pictures", "rows"),
    [
        (  # first images by duration, then masks
            [MASK, image(1000.0, 1000.0), image(90.0, 90.0), MASK, image(100.0)],
            [
                ("image", 9, 90, 1),
                ("image", 10, 100, 1),
                ("image", 100, 1000, 1),
                ("mask", 3, 30, 2),
            ],
        ),
        (  # displays of different rates
            [image(100.0), image(106.7, hz=75.0), image(100.0)],
            [("image", 10, 100, 2), ("image", 8, 106.667, 1)],
        ),
        (  # the same rate, measured twice
            [image(99.9, hz=59.98), image(100.1, hz=60.02)],
            [("image", 6, 100, 2)],
        ),
        (  # the same number of frames at different rates
            [image(27.0, 30.0, hz=75.0), image(28.0, 30.0, hz=72.0)],
            [("image", 2, 26.667, 1), ("image", 2, 27.778, 1)],
        ),
    ],
)
def test_what_is_shown_alike_has_a_row(pictures, rows):
    found = timing_table(pictures, []).rows

    assert [(row.kind, row.frames, row.nominal_ms, row.n) for row in found] == rows


def test_a_trial_gives_its_image_and_every_mask():
    pictures = read_exposed(recorded(flashed(101.0, 30.0, 31.0)))

    assert [(p.kind, p.requested_ms, p.frames) for p in pictures] == [
        *(("image", 100.0, 10), ("mask", 30.0, 3), ("mask", 30.0, 3))
    ]
    assert [p.measured_ms for p in pictures] == pytest.approx([101.0, 30.0, 31.0])


def test_the_record_gives_the_table_of_what_was_shown():
    timings = [flashed(100.0, 30.0, 30.0), flashed(110.0, 30.0, 30.0), flashed(107.0, 30.0, 22.0)]
    read = table_of_rows(map(recorded, timings))

    image, mask = read.rows

    assert read.verdicts == {"ok": 1, "late": 0, "dropped": 2, "seen": 0}
    assert (image.n, mask.n) == (3, 6)
    assert (image.mean_ms, image.worst_ms) == pytest.approx((317 / 3, 10.0), abs=1e-3)
    assert (mask.mean_ms, mask.worst_ms) == pytest.approx((172 / 6, -8.0), abs=1e-3)
    assert mask.off_share == pytest.approx(1 / 6)


def test_the_columns_it_reads_are_columns_of_the_record():
    assert set(TIMING_COLUMNS) <= set(judgements.columns.keys())


@pytest.mark.parametrize("nothing", [None, "", " ", math.nan])
def test_a_row_without_a_verdict_gives_nothing(nothing):
    row = recorded(flashed(100.0, 30.0)) | {"verdict": nothing}

    assert read_exposed(row) == ()
    assert table_of_rows([row]).trials == 0


@pytest.mark.parametrize("nothing", [None, "", math.nan])
def test_a_cell_that_is_missing_leaves_out_its_picture_only(nothing):
    row = recorded(flashed(100.0, 30.0)) | {"exposure_nominal_ms": nothing}

    assert [p.kind for p in read_exposed(row)] == ["mask"]
    assert table_of_rows([row]).trials == 1


def test_json_has_plain_values():
    told = table_of_rows(map(recorded, [flashed(100.0, 30.0), flashed(100.0, 45.0)])).to_json()

    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["verdicts"] == {"ok": 1, "late": 0, "dropped": 1, "seen": 0}
    assert [row["kind"] for row in told["rows"]] == ["image", "mask"]
    assert told["rows"][0].keys() == {
        *("kind", "requested_ms", "frames", "nominal_ms", "n", "mean_ms", "sd_ms", "worst_ms"),
        "off_share",
    }
