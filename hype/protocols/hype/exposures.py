"""Exposures without a participant, to find out how exact a station is.

Images are shown by the same code as in a session. Nothing is asked and no record is written; the
trials are saved in a separate file next to the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from hype.errors import InputError, SessionProblem
from hype.files import read_table, write_table
from hype.protocols.hype.course import JudgementLook, station_config
from hype.protocols.hype.record import KEPT, judgements
from hype.protocols.hype.sampling import Pools, require_masks
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.loop import Presentation, SessionStopped
from hype.session.stage import PICTURES_AHEAD, Seating, load_picture, window_of
from hype.session.steps import Cue, Page, Response, Screen
from hype.station.frame_clock import find_priority
from hype.station.input_devices import Keyboard
from hype.station.pictures import Prefetcher
from hype.station.respondent import HumanRespondent
from hype.station.station import WindowStation
from hype.station.triggers import open_triggers
from hype.station.window import window_place
from hype.study.table import PatchSettings

EXPOSURES_FILE: Final = "timing.csv"
MADE_BY: Final = "hype timing STUDY"
COLUMNS: Final = (
    *("trial", "image", "masks", "exposure_ms", "exposure_frames", "exposure_nominal_ms"),
    *("exposure_measured_ms", "exposure_deviation_ms", "mask_ms", "mask_frames"),
    *("mask_nominal_ms", "mask_measured_ms", "flips_s", "flip_uncertainty_ms"),
    *("missed_frames", "verdict", "onset_unix_s"),
)
"""Columns of the file, as in the table of judgements."""
COUNTDOWN_MS: Final = 150.0
"""How long the countdown's only number is shown, while a trial's pictures load."""
WARM_UP: Final = 6
"""The number of screens before the first exposure.

The first flips of a window are slow, and a session also starts with other screens.
"""

Row = dict[str, Any]


def exposures_of(study: Study) -> tuple[float, ...]:
    """Return every exposure that a study can show, ascending. The study must flash images."""
    if "time" not in study.settings.study.methods:
        raise InputError(study.path, 'study.methods: lacks "time"', "only HYPE_time is timed")
    return study.settings.rule.levels()


def plan_exposures(
    study: Study, pools: Pools, durations_ms: Sequence[float], trials: int, rng: np.random.Generator
) -> tuple[JudgementTrial, ...]:
    """Draw ``trials`` trials of each duration, in random order, with the study's own pictures.

    InputError if the mask set has fewer masks than a trial shows.
    """
    require_masks(study.settings, pools)
    settings = study.settings.time
    images = [*pools.real, *chain.from_iterable(pools.fake.values())]
    order = rng.permutation(np.repeat(np.array(durations_ms, dtype=float), trials))
    chosen = rng.integers(len(images), size=len(order))
    return tuple(
        JudgementTrial(
            task=Task.TIME,
            block=1,
            number=number,
            stimulus=images[image],
            exposure_ms=exposure_ms,
            masks=tuple(pools.masks[i] for i in draw(rng, len(pools.masks), settings.masks)),
            mask_ms=settings.mask_ms,
        )
        for number, (exposure_ms, image) in enumerate(
            zip(order.tolist(), chosen.tolist(), strict=True), start=1
        )
    )


def draw(rng: np.random.Generator, n: int, k: int) -> list[int]:
    return [int(i) for i in rng.choice(n, size=k, replace=False)] if k else []


def play(
    study: Study,
    trials: Sequence[JudgementTrial],
    seating: Seating,
    *,
    opened: Callable[[Mapping[str, object], tuple[int, int]], None],
    played: Callable[[], None],
    remark: Callable[[str], None],
) -> tuple[Row, ...]:
    """Play trials in this station's window; return a row of `COLUMNS` for each.

    ``opened`` is called before the first trial, with the facts about the display and the place of
    the patch's middle pixel, counted from the upper left corner of the X server's screen.
    ``played`` is called after each trial, and ``remark`` if a trigger has a problem.
    SessionProblem: the display, the keyboard or a trigger fails, or the pause key was pressed.
    InputError: an image or a mask is missing or broken.
    """
    look = JudgementLook(
        cues=(Cue(text="1", ms=COUNTDOWN_MS),), tolerance_ms=study.settings.timing.tolerance_ms
    )
    patch = patch_of(study)
    config = replace(station_config(study, seating, left_means="real"), trials=look, patch=patch)
    with ExitStack() as stack:
        window, facts = stack.enter_context(window_of(config, seating))
        triggers = stack.enter_context(open_triggers(study.settings.timing.triggers))
        load = partial(load_picture, study, facts.image_side_px)
        requests = chain.from_iterable(trial.pictures for trial in trials)
        pictures = stack.enter_context(Prefetcher(load, requests, ahead=PICTURES_AHEAD))
        station = WindowStation(
            *(window, facts, config, Keyboard(), HumanRespondent(), pictures, triggers),
            on_pause=lambda _shown, _answer: None,  # pauses are not recorded here
        )
        corner = window_place(window)
        x_px, y_px = patch.centre_px(facts.window_px)
        opened(
            asdict(facts) | {"priority": find_priority()},
            (corner.x_px + x_px, corner.y_px + y_px),
        )
        rows = [KEPT.row(*shown, Response()) for shown in present_all(station, trials, played)]
    if triggers.problem:
        remark(triggers.problem)
    return tuple({name: cells[name] for name in COLUMNS} for cells in rows)


def present_all(
    station: WindowStation, trials: Iterable[JudgementTrial], played: Callable[[], None]
) -> Iterator[tuple[JudgementTrial, Presentation]]:
    try:
        for _ in range(WARM_UP):
            station.present(Screen(page=Page.CORRECT, duration_ms=COUNTDOWN_MS / WARM_UP))
        for trial in trials:
            yield trial, station.present(trial)
            played()
    except SessionStopped:
        raise SessionProblem("stopped before all exposures were played; none was saved") from None


def patch_of(study: Study) -> PatchSettings:
    return study.settings.timing.patch or PatchSettings()


def keep_exposures(study: Study, rows: Iterable[Row]) -> Path:
    path = study.folder / EXPOSURES_FILE
    write_table(path, COLUMNS, rows)
    return path


def read_exposures(study: Study) -> Iterator[tuple[str, Row]]:
    """Read the latest trials, each row with its place in the file.

    InputError if no trials were played yet, or the file is not a table of trials.
    """
    for where, cells in read_table(study.folder / EXPOSURES_FILE, COLUMNS, made_by=MADE_BY):
        yield where, {name: parse_cell(where, name, cells[name]) for name in COLUMNS}


def parse_cell(where: str, name: str, cell: str) -> Any:
    """Read a cell as a value of its column's type; None if it is empty."""
    kind = judgements.c[name].type.python_type
    try:
        return kind(cell) if cell else None
    except ValueError:
        said = "a whole number" if kind is int else "a number"
        raise InputError(where, f"{name}: {cell!r} is not {said}") from None
