"""A session at a station's window, by a person or by a simulated evaluator whose keys are real."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from PIL import Image
from sqlalchemy import Engine

from hype.errors import SessionProblem
from hype.observers.observer import Observer
from hype.protocol.loop import SessionStopped, run_session
from hype.protocol.script import hype_session
from hype.protocol.timing_table import TimingTable
from hype.sessions.check_exposures import refuse_rounding
from hype.sessions.enrol import Enrolled, begin_session, enrol
from hype.sessions.integrity import check_plan_files
from hype.sessions.pools import population, read_pools
from hype.sessions.timing import timing_of_session
from hype.station.config import Appearance, Keys, PatchLook, StationConfig
from hype.station.keyboard import Keyboard
from hype.station.person import Person, Robot, Somebody
from hype.station.pictures import Want, fitted, upcoming
from hype.station.quiet import allowed_priority
from hype.station.station import WindowStation
from hype.station.triggers import TriggerPorts, open_triggers
from hype.station.window import DisplayFacts, open_window, x_window_id
from hype.stimuli.images import decode
from hype.stimuli.prefetch import Prefetcher
from hype.store import people
from hype.store.recorder import DurableRecorder
from hype.study.draws import Purpose, seed_sequence
from hype.study.load import Study
from hype.study.sampling import Pools

READING_MS: Final = 600.0
"""How long a simulated evaluator looks at a screen of a real window."""
PICTURES_AHEAD: Final = 10
"""Pictures that are decoded before they are wanted: those of two trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """How a session is to be held: options of the command, not of the study."""

    simulated: bool
    virtual_display: bool = False
    windowed: bool = False
    screen: int | None = None
    observer_seed: int = 0
    allow_unsynced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How a session ended (complete, unqualified, declined or quit), and how exact it was."""

    ended: str
    timing: TimingTable


def hold_session(
    engine: Engine,
    study: Study,
    evaluator: str,
    seating: Seating,
    *,
    remark: Callable[[str], None] | None = None,
) -> Held:
    """Hold one session at this station's window, or go on with one that was left.

    ``remark`` is told what the experimenter should know of the display.

    Raises
    ------
    SessionProblem
        The evaluator is done already, or the display, the keyboard or a trigger is not fit.
    InputError
        An image of the plan is missing or changed, or the plan did; or the display cannot show
        the study's exposures as exactly as the study asks.
    """
    pools = read_pools(study)
    enrolled = admit(engine, study, pools, evaluator, simulated=seating.simulated)
    seed = seating.observer_seed
    mind = mind_of(study, pools, enrolled, seed) if seating.simulated else None
    config = station_config(study, seating, left_means=enrolled.assignment.left_means)
    with ExitStack() as stack:
        window, facts = stack.enter_context(window_of(config, seating))
        refuse_unfit(study, seating, facts)
        if remark and facts.sync == "software":
            remark(software_sync(facts))
        triggers = stack.enter_context(open_triggers(trigger_ports(study)))
        pictures = stack.enter_context(pictures_of(study, enrolled, facts.image_side_px))
        person = stack.enter_context(seated(mind, config.keys, x_window_id(window)))
        keyboard = Keyboard()
        session = open_session(engine, study, enrolled, seating, facts)
        recorder = DurableRecorder(engine, enrolled.owner(session))
        on_pause = partial(recorder.note, "paused")
        station = WindowStation(
            window, facts, config, keyboard, person, pictures, triggers, on_pause=on_pause
        )
        ended = conduct(station, recorder, enrolled)
    if remark and triggers.problem:
        remark(triggers.problem)
    return close_session(engine, session, ended)


def close_session(engine: Engine, session: int, ended: str) -> Held:
    """Write the end of the session, and how exact its exposures were, into the record."""
    with engine.begin() as connection:
        timing = timing_of_session(connection, session)
        people.end_session(
            connection, session, ended=ended, unix_s=time.time(), timing=timing.to_json()
        )
    return Held(ended=ended, timing=timing)


def refuse_unfit(study: Study, seating: Seating, facts: DisplayFacts) -> None:
    """Refuse a display on which exposures would not be what the study asks for."""
    refuse_rounding(study, facts.refresh_hz)
    if facts.on_screen not in (None, facts.screen):
        raise SessionProblem(
            f"the window is on screen {facts.on_screen}, and {facts.screen} is wanted; take "
            "display.fullscreen = true, or keep the window manager from moving windows"
        )
    if facts.sync == "software" and not (seating.simulated or seating.allow_unsynced):
        raise SessionProblem(
            f"{software_sync(facts)}; for a session with a person use a display that makes flips "
            "wait (vertical sync on, no compositor), or accept it with --allow-unsynced"
        )


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
            display=facts.as_dict() | {"priority": allowed_priority()},
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


def station_config(study: Study, seating: Seating, *, left_means: str) -> StationConfig:
    """Take from the study and the command what the station needs to know."""
    settings = study.settings
    keys, patch = settings.keys, settings.timing.patch
    return StationConfig(
        keys=Keys(
            left=keys.left,
            right=keys.right,
            go_on=keys.go_on,
            pause=keys.pause,
            left_means=left_means,
        ),
        appearance=appearance_of(study, seating),
        texts=settings.texts.model_dump(),
        countdown_from=settings.time.countdown_from,
        countdown_ms=settings.time.countdown_ms,
        tolerance_ms=settings.timing.tolerance_ms,
        patch=PatchLook(**patch.model_dump()) if patch else None,
    )


def trigger_ports(study: Study) -> TriggerPorts:
    """Take from the study whom to tell of images coming and going."""
    return TriggerPorts(**study.settings.timing.triggers.model_dump())


def pictures_of(study: Study, enrolled: Enrolled, side_px: int) -> Prefetcher[Want, Image.Image]:
    """Give the worker that decodes what the session will want, and scales it to ``side_px``."""
    order = upcoming(enrolled.plan, enrolled.answered)
    return Prefetcher(partial(load_picture, study, side_px), order, ahead=PICTURES_AHEAD)


def load_picture(study: Study, side_px: int, want: Want) -> Image.Image:
    """Read a picture as it will be shown."""
    folder = (study.masks_folder or study.folder) if want.mask else study.stimuli_folder
    return fitted(decode(folder / want.path), side_px, cover=want.mask)


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
