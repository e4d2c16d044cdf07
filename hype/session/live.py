"""A session at a station's window, by a person or a simulated evaluator with real keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from time import monotonic
from typing import Any, Final

from sqlalchemy import Connection, Engine, select, union_all

from hype.check.texts import require_glyphs
from hype.errors import HypeError, SessionProblem
from hype.session.admitting import admit, expect, study_for
from hype.session.course import Course, PlanT
from hype.session.enrol import Enrolled, begin_session, group_has_room
from hype.session.loop import Script, SessionStopped, SimulatedEvaluator, run_session, shorten
from hype.session.stage import PICTURES_AHEAD, Seating, load_picture, software_sync, window_of
from hype.station.config import StationConfig
from hype.station.frame_clock import find_priority
from hype.station.input_devices import Keyboard
from hype.station.interrupts import SessionInterrupted, end_with_display, note_signals
from hype.station.pictures import Prefetcher
from hype.station.presenting import presentation
from hype.station.respondent import HumanRespondent, Respondent, SimulatedRespondent
from hype.station.station import WindowStation
from hype.station.triggers import open_triggers
from hype.station.window import DisplayFacts, x_window_id
from hype.store import people
from hype.store.columns import object_in
from hype.store.kept import answer_tables
from hype.store.record import ignore, pilot_record, record_of
from hype.store.recorder import DurableRecorder, HeldSession, close_session
from hype.store.schema import Event
from hype.store.seats import evaluator_seat

READING_MS: Final = 600.0
"""Time for which a simulated evaluator looks at a screen of a real window."""


class PlanTaken(Exception):
    """In the meantime, another evaluator took the place, so this evaluator needs a new plan."""


def hold_session(
    engine: Engine,
    course: Course[Any],
    evaluator: str,
    seating: Seating,
    *,
    remark: Callable[[str], None] = ignore,
    new_version: bool = False,
) -> HeldSession:
    """Run one session at this station's window, or continue an earlier one.

    An evaluator who began with another version of the study continues with that version. ``remark``
    receives messages for the experimenter. ``new_version``: see
    `hype.session.admitting.find_place`.

    Raises SessionProblem: the evaluator has finished or is in another session; or the display, the
    keyboard, a trigger or the fonts cannot be used; or the record cannot be written any more.

    Raises InputError: an image is missing or changed, at the beginning or during the session; or
    the plan changed; or the display cannot show the exposures as exactly as the study requires.
    """
    study = course.study
    seat = evaluator_seat(evaluator, simulated=seating.simulated)
    with record_of(study).hold_seat(engine, seat, f"the session of {evaluator!r}"):
        theirs = study_for(engine, study, evaluator, simulated=seating.simulated, remark=remark)
        if theirs is not study:
            course = course.of(theirs)
        if not seating.simulated:
            require_glyphs(theirs, course.prompts)
        while True:
            with suppress(PlanTaken):
                return hold(*(engine, course, evaluator, seating, remark), new_version=new_version)


def hold_pilot(
    course: Course[Any], evaluator: str, seating: Seating, *, remark: Callable[[str], None] = ignore
) -> tuple[HeldSession, Counter[str]]:
    """Run a pilot: the first trials of each kind, with a temporary record.

    Also returns the number of answered trials of each task. Raises the errors of `hold_session`.
    """
    if not seating.simulated:
        require_glyphs(course.study, course.prompts)
    with pilot_record() as (_, engine):
        held = hold(engine, course, evaluator, seating, remark, new_version=False)
        with engine.connect() as connection:
            tasks = (select(table.c.task) for table in answer_tables())
            answered = Counter(connection.execute(union_all(*tasks)).scalars())
    return held, answered


def hold(
    engine: Engine,
    course: Course[Any],
    evaluator: str,
    seating: Seating,
    remark: Callable[[str], None],
    *,
    new_version: bool,
) -> HeldSession:
    """Open the window, enrol the evaluator once all checks have passed, and hold the session.

    Raises PlanTaken: another evaluator took the place while the window opened.
    """
    how = {"simulated": seating.simulated, "new_version": new_version}
    expected = expect(engine, course, evaluator, **how)
    study, config = course.study, course.station_config(seating, expected.assignment)
    seed = seating.observer_seed
    observer = simulate_evaluator(course, expected, seed) if seating.simulated else None

    def begin(connection: Connection, enrolled: Enrolled[Any]) -> int:
        if enrolled.plan.checksum() != expected.plan.checksum():
            raise PlanTaken
        return begin_session(
            *(connection, enrolled, study),
            mode="simulated-window" if seating.simulated else "person",
            display=asdict(facts) | {"priority": find_priority()},
            observer_seed=seed if seating.simulated else None,
        )

    with ExitStack() as stack:
        interrupts = stack.enter_context(note_signals())
        stack.enter_context(end_with_display())
        window, facts = stack.enter_context(fit_window(course, config, seating, remark))
        triggers = stack.enter_context(open_triggers(course.trigger_ports()))
        pictures = stack.enter_context(
            Prefetcher(
                partial(load_picture, course.study, facts.image_side_px),
                expected.plan.upcoming(expected.answered),
                ahead=max(PICTURES_AHEAD, 2 * config.appearance.images_shown),
            )
        )
        respondent = stack.enter_context(respondent_at(observer, x_window_id(window)))
        keyboard = Keyboard()
        keyboard.require(config.keys.names)
        station = WindowStation(
            *(window, facts, config, keyboard, respondent, pictures, triggers),
            on_pause=lambda shown, response: recorder.note(Event.PAUSED.value, shown, response),
            interrupts=interrupts,
        )
        note = other_size(engine, expected, facts.image_side_px) if expected.answered else ""
        enrolled, session = admit(engine, course, evaluator, begin, **how)
        if note:
            remark(note)
        recorder = DurableRecorder(
            *(engine, enrolled.owner(session)),
            stops=interrupts.stops.take,
            has_room=partial(group_has_room, study),
            wait=station.wait_for_store,
        )
        script = course.script(enrolled.plan)
        ended = perform(station, recorder, shorten(script) if seating.pilot else script, enrolled)
        held = close_session(engine, session, ended, recorder.answers, recorder.wait)
    if triggers.problem:
        remark(triggers.problem)
    return held


@contextmanager
def fit_window(
    course: Course[PlanT], config: StationConfig, seating: Seating, remark: Callable[[str], None]
) -> Iterator[tuple[Any, DisplayFacts]]:
    """Open the window, and refuse a display that cannot be used for the study."""
    with window_of(config, seating) as (window, facts):
        course.refuse_display(facts.refresh_hz)
        refuse_unfit(seating, facts, flashes=course.study.flashes)
        if facts.sync == "software":
            remark(software_sync(facts))
        yield window, facts


def refuse_unfit(seating: Seating, facts: DisplayFacts, *, flashes: bool) -> None:
    """Refuse a wrong screen, and flashes without vertical sync unless options allow them."""
    if facts.on_screen not in (None, facts.screen):
        raise SessionProblem(
            f"the window is on screen {facts.on_screen}, not on screen {facts.screen}; set "
            "display.fullscreen = true, or keep the window manager from moving windows"
        )
    accepted = seating.simulated or seating.allow_unsynced
    if flashes and facts.sync == "software" and not accepted:
        raise SessionProblem(
            f"flips do not wait for this screen ({facts.flip_hz:.0f} flips a second), so "
            "the duration of a flashed image is unknown. Switch on vertical sync in the graphics "
            "driver's settings, switch off the desktop's effects (compositor) and run `hype "
            "check`, or accept less certain exposures with --allow-unsynced"
        )


def other_size(engine: Engine, enrolled: Enrolled[PlanT], side_px: int) -> str:
    """Return a remark if an evaluator continues with images of another size, else ""."""
    with engine.connect() as connection:
        before = people.latest_session(connection, enrolled.number)
    before_px = object_in(before.display).get("image_side_px", side_px) if before else side_px
    if before_px == side_px:
        return ""
    return (
        f"images were up to {before_px} px in the previous session and are up to {side_px} px in "
        "this one"
    )


def perform(
    station: WindowStation, recorder: DurableRecorder, script: Script, enrolled: Enrolled[PlanT]
) -> str:
    """Run the session loop at the station; return how it ended.

    If the session cannot continue (the record cannot be written, an image is gone), the window
    shows this before it closes. After a bug the window closes immediately, since the program may
    not be able to show anything.
    """
    try:
        return run_session(
            *(script, station, station, recorder),
            answered=enrolled.answered,
            cut_off=enrolled.cut_off,
        ).value
    except SessionInterrupted as stopped:
        recorder.wait = None
        recorder.note(Event(stopped.interrupt.value).value, presentation(monotonic()))
        return "quit"
    except SessionStopped:
        recorder.wait = None
        return "quit"
    except HypeError:
        with suppress(SessionStopped):
            station.show_trouble()
        raise


def simulate_evaluator(
    course: Course[PlanT], enrolled: Enrolled[PlanT], seed: int
) -> SimulatedEvaluator:
    observer = course.observer(enrolled.plan, seed=seed)
    observer.skip(len(enrolled.answered))
    return observer


@contextmanager
def respondent_at(
    simulated_evaluator: SimulatedEvaluator | None, window_id: int
) -> Iterator[Respondent]:
    if simulated_evaluator is None:
        yield HumanRespondent()
        return
    respondent = SimulatedRespondent(
        simulated_evaluator, window_id=window_id, reading_ms=READING_MS
    )
    try:
        yield respondent
    finally:
        respondent.leave()
