"""A session at a station's window, by a person or by a simulated evaluator whose keys are real."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from sqlalchemy import Engine

from hype.observers.observer import Observer
from hype.protocol.loop import SessionStopped, run_session
from hype.protocol.script import hype_session
from hype.sessions.enrol import Enrolled, begin_session, enrol
from hype.sessions.integrity import check_plan_files
from hype.sessions.pools import population, read_pools
from hype.station.config import Appearance, Keys, StationConfig
from hype.station.keyboard import Keyboard
from hype.station.person import Person, Robot, Somebody
from hype.station.station import WindowStation
from hype.station.window import DisplayFacts, open_window, x_window_id
from hype.stimuli.images import decode
from hype.store import people
from hype.store.recorder import DurableRecorder
from hype.study.draws import Purpose, seed_sequence
from hype.study.load import Study
from hype.study.sampling import Pools

READING_MS: Final = 600.0
"""How long a simulated evaluator looks at a screen of a real window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """How a session is to be held: options of the command, not of the study."""

    simulated: bool
    virtual_display: bool = False
    windowed: bool = False
    screen: int | None = None
    observer_seed: int = 0


def hold_session(
    engine: Engine,
    study: Study,
    evaluator: str,
    seating: Seating,
    *,
    remark: Callable[[str], None] | None = None,
) -> str:
    """Hold one session at this station's window, or go on with one that was left.

    ``remark`` is told what the experimenter should know of the display.

    Returns
    -------
    How it ended: complete, unqualified, declined or quit.

    Raises
    ------
    SessionProblem
        The evaluator is done already, or the display or keyboard is not fit.
    InputError
        An image of the plan is missing or changed, or the plan did.
    """
    pools = read_pools(study)
    enrolled = admit(engine, study, pools, evaluator, simulated=seating.simulated)
    seed = seating.observer_seed
    mind = mind_of(study, pools, enrolled, seed) if seating.simulated else None
    config = station_config(study, enrolled, seating)
    with window_of(config, seating) as (window, facts):
        if remark and facts.sync == "software":
            remark(software_sync(facts))
        session = open_session(engine, study, enrolled, seating, facts)
        recorder = DurableRecorder(engine, enrolled.owner(session))
        with seated(mind, config.keys, x_window_id(window)) as person:
            on_pause = partial(recorder.note, "paused")
            station = WindowStation(window, facts, config, Keyboard(), person, on_pause=on_pause)
            ended = conduct(station, recorder, enrolled)
    with engine.begin() as connection:
        people.end_session(connection, session, ended=ended, unix_s=time.time())
    return ended


def admit(
    engine: Engine, study: Study, pools: Pools, evaluator: str, *, simulated: bool
) -> Enrolled:
    """Enrol an evaluator whose images and masks are all as they should be, or nobody.

    The files are read between two transactions, since another station cannot write a trial while
    one is open. Where someone else was enrolled meanwhile and the plan came out differently, the
    new one's files are read too.
    """
    sound = ""
    while True:
        with engine.connect() as connection:
            enrolled = enrol(connection, study, pools, evaluator, simulated=simulated)
            if enrolled.plan.checksum() == sound:
                connection.commit()
                return enrolled
        check_plan_files(study, enrolled.plan)
        sound = enrolled.plan.checksum()


def open_session(
    engine: Engine, study: Study, enrolled: Enrolled, seating: Seating, facts: DisplayFacts
) -> int:
    """Write the beginning of the session into the record; returns its number."""
    with engine.begin() as connection:
        return begin_session(
            connection,
            study,
            enrolled,
            mode="simulated-window" if seating.simulated else "person",
            display=facts.as_dict(),
            observer_seed=seating.observer_seed if seating.simulated else None,
        )


def software_sync(facts: DisplayFacts) -> str:
    """Say that exposures are less certain than they could be."""
    return (
        f"flips do not wait for this screen ({facts.flip_hz:.0f} a second): frames are timed by "
        f"the program at {facts.refresh_hz:g} Hz, and exposures are less certain"
    )


def conduct(station: WindowStation, recorder: DurableRecorder, enrolled: Enrolled) -> str:
    """Run the session loop at the station and say how it ended."""
    try:
        return run_session(
            hype_session(enrolled.plan), station, station, recorder, answered=enrolled.answered
        ).value
    except SessionStopped:
        return "quit"


def probe_station(study: Study) -> DisplayFacts:
    """Open the study's window for a moment, to see that display and keyboard are fit.

    Raises
    ------
    SessionProblem
        They are not.
    """
    Keyboard()
    window, facts = open_window(appearance_of(study, Seating(simulated=False)), virtual=False)
    window.close()
    return facts


@contextmanager
def window_of(config: StationConfig, seating: Seating) -> Iterator[tuple[Any, DisplayFacts]]:
    """Open the window, and close it whatever happens."""
    window, facts = open_window(config.appearance, virtual=seating.virtual_display)
    try:
        yield window, facts
    finally:
        window.close()


def mind_of(study: Study, pools: Pools, enrolled: Enrolled, seed: int) -> Observer:
    """Give the simulated evaluator, who goes on where they stopped."""
    who = enrolled.assignment
    rng = np.random.default_rng(seed_sequence(seed, who.evaluator, Purpose.OBSERVER))
    observer = Observer(population(study, pools), who.cell.condition, rng)
    observer.skip(len(enrolled.answered))
    return observer


@contextmanager
def seated(mind: Observer | None, keys: Keys, window_id: int) -> Iterator[Person]:
    """Seat the person at the keyboard: a robot with a mind, or somebody with one of their own."""
    if mind is None:
        yield Somebody()
        return
    robot = Robot(mind, keys, window_id=window_id, reading_ms=READING_MS)
    try:
        yield robot
    finally:
        robot.leave()


def station_config(study: Study, enrolled: Enrolled, seating: Seating) -> StationConfig:
    """Take from the study and the command what the station needs to know."""
    settings = study.settings
    keys = settings.keys
    return StationConfig(
        keys=Keys(
            left=keys.left,
            right=keys.right,
            go_on=keys.go_on,
            pause=keys.pause,
            left_means=enrolled.assignment.left_means,
        ),
        appearance=appearance_of(study, seating),
        texts=settings.texts.model_dump(),
        load_stimulus=lambda path: decode(study.stimuli_folder / path),
        load_mask=lambda path: decode((study.masks_folder or study.folder) / path),
        countdown_from=settings.time.countdown_from,
        countdown_ms=settings.time.countdown_ms,
    )


def appearance_of(study: Study, seating: Seating) -> Appearance:
    """Take the look of the window from the study, and from the command where it says otherwise."""
    display, monitor = study.settings.display, study.settings.monitor
    return Appearance(
        size_px=display.size_px,
        size_deg=display.size_deg,
        monitor_cm=(monitor.width_cm, monitor.distance_cm) if monitor else None,
        screen=display.screen if seating.screen is None else seating.screen,
        fullscreen=display.fullscreen and not seating.windowed,
        window_px=display.window_px,
        refresh_hz=display.refresh_hz,
        background_rgb=display.background_rgb,
        text_rgb=display.text_rgb,
        font=display.font,
    )
