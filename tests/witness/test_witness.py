"""Hand-made logs of a witness, set against hand-made trials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.record import timing_cells
from hype.session.timing import Flip, Request, exposed_of_row, judge_timing
from hype.witness.comparison import Played, compare, covers, played_of_rows
from hype.witness.log import Change, Levels, read_witness, runs_of

WHITE, BLACK, LIGHT, DARK = (255,) * 3, (0,) * 3, (160,) * 3, (80,) * 3
LEVELS = Levels(on_rgb=WHITE, masks_rgb=(LIGHT, DARK), off_rgb=BLACK)
HZ = 100.0
ORDER = (WHITE, LIGHT, DARK, LIGHT, DARK)
MASKS_MS = (30.0,) * 4


def trial(onset_s: float, exposure_ms: float, masks_ms: Sequence[float] = MASKS_MS) -> Played:
    """Give a trial that was as it should be."""
    flips, now_s = [Flip(onset_s, onset_s, onset_s)], onset_s
    requests = []
    for duration_ms in (exposure_ms, *masks_ms):
        now_s += duration_ms / 1000
        flips.append(Flip(now_s, now_s, now_s))
        requests.append(Request(duration_ms, round(duration_ms * HZ / 1000)))
    timing = judge_timing(requests, flips, refresh_hz=HZ)
    assert timing.verdict == "ok"
    row = {"exposure_ms": exposure_ms, "mask_ms": masks_ms[0], **timing_cells(timing)}
    return Played(
        pictures=exposed_of_row(row),
        flips_s=tuple(flip.at_s for flip in flips),
        verdict=timing.verdict,
    )


THREE = (trial(10.0, 100), trial(11.0, 300), trial(12.0, 500))


def seen(
    onset_s: float, durations_ms: Iterable[float], colours: Sequence[tuple[int, int, int]] = ORDER
) -> list[Change]:
    """Log a trial that was seen as these durations."""
    rows, now_s = [], onset_s
    for duration_ms, rgb in zip(durations_ms, colours, strict=True):
        rows.append(Change(now_s, rgb))
        now_s += duration_ms / 1000
    return [*rows, Change(now_s, BLACK)]


def log_of(*trials: list[Change], begin_s: float = 5.0) -> list[Change]:
    return [Change(begin_s, BLACK), *(change for rows in trials for change in rows)]


def perfect(played: Sequence[Played] = THREE, later_s: float = 0.0) -> list[list[Change]]:
    return [
        seen(t.onset_s + later_s, [p.nominal_ms for p in t.pictures], ORDER[: len(t.pictures)])
        for t in played
    ]


def test_what_is_seen_as_it_was_played_is_confirmed() -> None:
    found = compare(THREE, log_of(*perfect()), LEVELS)

    assert found.confirmed
    assert found.clock_offset_s == 0
    assert (found.seen_once, found.unseen, found.seen_again, found.unplayed) == (3, 0, 0, 0)
    assert found.disagreement_ms == pytest.approx(0, abs=1e-6)
    assert [(r.kind, r.requested_ms, r.n) for r in found.rows] == [
        *(("image", ms, 1) for ms in (100, 300, 500)),
        ("mask", 30, 12),
    ]
    assert all(row.worst_ms == pytest.approx(0, abs=1e-6) for row in found.rows)


def test_deviations_are_summed_up_for_each_duration() -> None:
    played = (trial(10, 100), trial(11, 100))
    rows = log_of(seen(10, (101, 30, 30, 30, 30)), seen(11, (98, 32, 30, 30, 30)))
    image, mask = compare(played, rows, LEVELS).rows

    assert (image.n, image.mean_ms, image.worst_ms) == pytest.approx((2, -0.5, -2))
    assert image.sd_ms == pytest.approx(1.5 * 2**0.5)
    assert (mask.n, mask.mean_ms, mask.worst_ms) == pytest.approx((8, 0.25, 2))


def test_an_image_that_was_not_seen_is_counted_and_the_others_are_compared() -> None:
    first, _, last = perfect()
    found = compare(THREE, log_of(first, last), LEVELS)

    assert [t.times_seen for t in found.trials] == [1, 0, 1]
    assert (found.unseen, found.confirmed) == (1, False)
    assert {p.requested_ms for t in found.trials for p in t.pictures} == {100, 500, 30}
    assert found.trials[1].onset_difference_ms is None


def test_an_image_that_was_seen_twice_is_no_duration() -> None:
    first, _, last = perfect()
    flicker = [Change(11.0, WHITE), Change(11.1, BLACK), Change(11.11, WHITE), Change(11.3, BLACK)]
    found = compare(THREE, log_of(first, flicker, last), LEVELS)

    assert [t.times_seen for t in found.trials] == [1, 2, 1]
    assert (found.seen_again, found.confirmed) == (1, False)
    assert found.trials[1].pictures == ()


def test_an_image_that_nobody_played_is_counted_between_first_and_last_trial_only() -> None:
    first, *rest = perfect()
    flash = [Change(10.7, WHITE), Change(10.71, BLACK)]
    before = [Change(6.0, WHITE), Change(6.1, BLACK)]
    found = compare(THREE, log_of(before, first, flash, *rest), LEVELS)

    assert (found.unplayed, found.seen_once, found.confirmed) == (1, 3, False)


@pytest.mark.parametrize(
    ("image_ms", "mask_ms", "off"), [(111, 30, 1), (109, 30, 0), (100, 41, 1), (89, 30, 1)]
)
def test_a_trial_more_than_a_frame_off_is_a_false_ok(
    image_ms: float, mask_ms: float, off: int
) -> None:
    played = trial(10, 100)
    rows = log_of(seen(10, (image_ms, 30, mask_ms, 30, 30)))
    found = compare([played], rows, LEVELS)
    flagged = compare([replace(played, verdict="dropped")], rows, LEVELS)

    assert (found.off, found.falsely_ok, found.confirmed) == (off, off, not off)
    assert (flagged.off, flagged.falsely_ok, flagged.confirmed) == (off, 0, True)


@pytest.mark.parametrize("later_s", [-9.9, 0.4, 1.7e9])
def test_a_witness_may_have_a_clock_of_its_own(later_s: float) -> None:
    begin_s = THREE[0].onset_s + later_s - 0.05
    found = compare(THREE, log_of(*perfect(later_s=later_s), begin_s=begin_s), LEVELS)

    assert found.clock_offset_s == pytest.approx(later_s)
    assert found.confirmed
    assert found.disagreement_ms == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("missing", [0, 1])
def test_another_clock_is_found_though_images_were_missed_or_came_before(missing: int) -> None:
    """The first that was seen need not be the first that was played."""
    rows = perfect(later_s=-8.0)
    warming = [Change(1.0, WHITE), Change(1.2, BLACK)]
    del rows[missing]
    found = compare(THREE, log_of(warming, *rows, begin_s=0.0), LEVELS)

    assert found.clock_offset_s == pytest.approx(-8.0)
    assert [t.times_seen for t in found.trials] == [0 if n == missing else 1 for n in range(3)]


def test_another_clock_that_happens_to_span_the_trials_is_found_out() -> None:
    """A photodiode's clock counted from 0, a machine that was just started."""
    found = compare(THREE, [*log_of(*perfect(later_s=20), begin_s=0.0)], LEVELS)

    assert found.clock_offset_s == pytest.approx(20)
    assert found.confirmed


def test_who_saw_nothing_confirms_nothing() -> None:
    found = compare(THREE, [Change(5.0, BLACK)], LEVELS)

    assert (found.unseen, found.confirmed, found.disagreement_ms) == (3, False, None)
    assert not found.rows


def test_a_diodes_grey_is_the_nearest_level() -> None:
    measured = [(230,) * 3, (150, 155, 140), (95,) * 3, (130,) * 3, (61, 60, 70)]
    rows = log_of(seen(10, (100, *MASKS_MS), measured))
    rows = [replace(row, rgb=(12,) * 3) if row.rgb == BLACK else row for row in rows]
    found = compare([trial(10, 100)], rows, LEVELS)

    assert [(p.kind, round(p.witnessed_ms, 6)) for p in found.trials[0].pictures] == [
        ("image", 100),
        *[("mask", 30)] * 4,
    ]


def test_noise_around_a_level_does_not_cut_it_in_two() -> None:
    noisy = [Change(10.05, (240,) * 3), Change(10.06, (251,) * 3)]
    (first, *rest) = seen(10, (100, *MASKS_MS))
    found = compare([trial(10, 100)], log_of([first, *noisy, *rest]), LEVELS)

    assert found.confirmed


def test_levels_that_are_only_passed_on_the_way_are_not_seen() -> None:
    """A screen that takes 2 ms from black to white, and from light grey to black."""
    rise = [Change(10.0, (60,) * 3), Change(10.001, (170,) * 3), Change(10.002, WHITE)]
    fall = [Change(10.4, (90,) * 3), Change(10.402, BLACK)]
    masks = [Change(10.3, LIGHT), *fall]
    runs = runs_of([Change(5.0, BLACK), *rise, *masks], LEVELS, shortest_ms=2.5)

    assert [(run.place, run.begin_s) for run in runs] == [
        (None, 5.0),
        (0, 10.0),
        (1, 10.3),
        (None, 10.4),
    ]


def test_a_short_flash_is_seen_however_short() -> None:
    flash = [Change(10.0, WHITE), Change(10.0001, BLACK)]
    runs = runs_of([Change(5.0, BLACK), *flash], LEVELS, shortest_ms=2.5)

    assert [run.place for run in runs] == [None, 0, None]


def test_masks_of_one_level_are_compared_together() -> None:
    rows = [Change(5.0, BLACK), Change(10.0, WHITE), Change(10.1, LIGHT), Change(10.222, BLACK)]
    found = compare([trial(10, 100)], rows, replace(LEVELS, masks_rgb=(LIGHT,)))
    (_, masks) = found.trials[0].pictures

    assert (masks.kind, masks.nominal_ms) == ("masks", 120)
    assert masks.deviation_ms == pytest.approx(2)
    assert found.confirmed


def test_a_mask_that_was_not_seen_makes_the_trial_off() -> None:
    rows = log_of(seen(10, (100, 30, 30, 60), ORDER[:4]), perfect()[1])
    found = compare(THREE[:2], rows, LEVELS)

    assert [t.masks_missed for t in found.trials] == [True, False]
    assert (found.masks_missed, found.off, found.falsely_ok) == (1, 1, 1)


def test_a_witness_without_an_eye_for_masks_still_speaks_for_images() -> None:
    rows = log_of(*([Change(t.onset_s, WHITE), Change(t.flips_s[1], BLACK)] for t in THREE))
    found = compare(THREE, rows, LEVELS)

    assert (found.masks_compared, found.masks_missed) == (False, 0)
    assert found.confirmed


def test_an_image_whose_end_is_not_in_the_log_was_not_seen() -> None:
    found = compare([trial(10, 100)], [Change(5, BLACK), Change(10, WHITE)], LEVELS)

    assert found.unseen == 1


gaps_s = st.floats(0.2, 2.0)
noise_ms = st.floats(-0.9, 0.9)


@given(
    st.lists(st.tuples(st.sampled_from([100, 300, 500, 1000]), gaps_s, noise_ms), min_size=4),
    st.sampled_from([0.0, -1e4, 123.456, 1.7e9]),
    st.data(),
)
def test_durations_and_misses_are_recovered(
    cases: list[tuple[int, float, float]], clock_s: float, data: st.DataObject
) -> None:
    played, now_s = [], 1e5
    for exposure_ms, gap_s, _ in cases:
        played.append(trial(now_s, exposure_ms))
        now_s = played[-1].end_s + gap_s
    unseen = data.draw(st.sets(st.integers(1, len(cases) - 2), max_size=len(cases) // 3))
    rows = [
        seen(t.onset_s + clock_s, (t.pictures[0].nominal_ms + noise, *MASKS_MS))
        for number, (t, (_, _, noise)) in enumerate(zip(played, cases, strict=True))
        if number not in unseen
    ]
    found = compare(played, log_of(*rows, begin_s=played[0].onset_s + clock_s - 1), LEVELS)

    assert {n for n, t in enumerate(found.trials) if t.times_seen != 1} == unseen
    assert found.clock_offset_s == pytest.approx(clock_s, abs=1e-3)
    for t, (_, _, noise) in zip(found.trials, cases, strict=True):
        for picture in t.pictures[:1]:
            assert picture.deviation_ms == pytest.approx(noise, abs=1e-3)


# Whether a log speaks of what was played


def test_a_log_by_our_own_clock_covers_trials_that_it_spans() -> None:
    whole = log_of(*perfect())

    assert covers(THREE, whole, LEVELS, written_since=False)
    assert not covers(THREE, whole[:-8], LEVELS, written_since=False)
    assert not covers(THREE, log_of(*perfect(), begin_s=10.5)[-12:], LEVELS, written_since=False)


def test_a_log_by_another_clock_covers_if_it_is_newer_and_saw_as_many_images() -> None:
    whole = log_of(*perfect(later_s=1e6), begin_s=1e6)

    assert covers(THREE, whole, LEVELS, written_since=True)
    assert not covers(THREE, whole, LEVELS, written_since=False)
    assert not covers(THREE, whole[:-8], LEVELS, written_since=True)


# Reading


def written(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_log_is_read_with_or_without_more_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "t_s,rgb,gap_ms\n1.5,000000,0.1\n1.5,FFffA0,0.2\n")

    assert read_witness(path) == (Change(1.5, BLACK), Change(1.5, (255, 255, 160)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t_s,colour\n1,000000\n", r"log\.csv: has no column rgb; needs t_s,rgb"),
        ("t_s,rgb\n", r"log\.csv: has no row"),
        ("t_s,rgb\n1,000000\nsoon,ffffff\n", r"log\.csv, row 3: t_s 'soon' is no number; seconds"),
        ("t_s,rgb\ninf,000000\n", r"row 2: t_s 'inf' is no number"),
        ("t_s,rgb\n1,fff\n", r"row 2: rgb 'fff' is no colour; six hexadecimal digits"),
        ("t_s,rgb\n1,0xffff\n", r"row 2: rgb '0xffff'"),
        ("t_s,rgb\n1,-00001\n", r"row 2: rgb '-00001'"),
        ("t_s,rgb\n2,000000\n1.9,ffffff\n", r"row 3: t_s 1\.9 is before the row above it, 2"),
        ("t_s,rgb\n2\n", r"row 2: has 1 cells"),
    ],
)
def test_a_bad_log_is_refused_with_its_row(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_witness(written(tmp_path, text))


ROW = {
    "exposure_ms": "100.0",
    "exposure_frames": "10",
    "exposure_nominal_ms": "100.0",
    "exposure_measured_ms": "100.4",
    "mask_ms": "30.0",
    "mask_frames": "3",
    "mask_nominal_ms": "30.0",
    "mask_measured_ms": "29.8 30.1",
    "flips_s": "11.0 11.1004 11.1302 11.1603",
    "verdict": "ok",
}


def test_rows_of_a_record_are_read_in_the_order_of_their_onsets() -> None:
    early = ROW | {"flips_s": "9.0 9.1004 9.1302 9.1603", "verdict": "late"}
    untimed = dict.fromkeys(ROW)
    first, second = played_of_rows([("a", ROW), ("b", untimed), ("c", early)])

    assert (first.onset_s, first.verdict) == (9.0, "late")
    assert [(p.kind, p.measured_ms) for p in second.pictures] == [
        ("image", 100.4),
        ("mask", 29.8),
        ("mask", 30.1),
    ]
    assert second.frame_ms == pytest.approx(10)


@pytest.mark.parametrize(
    "cells",
    [
        {"flips_s": "11.0 11.1"},
        {"flips_s": ""},
        {"flips_s": "a b c d"},
        {"verdict": "fine"},
        {"exposure_nominal_ms": "x"},
        {"exposure_measured_ms": ""},
    ],
)
def test_a_row_that_is_no_timing_is_refused(cells: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"timing\.csv line 2: "):
        played_of_rows([("timing.csv line 2", ROW | cells)])
