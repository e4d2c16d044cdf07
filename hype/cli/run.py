"""`hype run`: one session at this station."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from hype.answers.choices import shell_option
from hype.cli.options import NewVersion, OnScreen, StudyPath, Windowed, check_seed
from hype.console import err, out, warn
from hype.errors import HypeError, InputError, SessionProblem, quote_path
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.report.terminal import timing_lines
from hype.session.admitting import change_place
from hype.session.enrol import check_evaluator_id
from hype.session.live import hold_pilot, hold_session
from hype.session.stage import Seating
from hype.station.display import ensure_display
from hype.store.record import record_of

ENDINGS = {
    "complete": "The session is complete.",
    "unqualified": "The evaluator did not pass the qualification; the base pay is due.",
    "waiting": "The test is over; hype status {} --admit CODE lets the evaluator continue.",
    "declined": "The evaluator did not agree to take part.",
    "full": "The study has enough people in this evaluator's group.",
    "misunderstood": "The question about the instructions was answered wrongly twice.",
    "quit": "The session was stopped and can be resumed: run the same command again.",
}


def run(
    study: StudyPath,
    evaluator: Annotated[
        str | None, shell_option("--evaluator ID", "the evaluator's code, not a name")
    ] = None,
    pilot: Annotated[
        bool,
        shell_option("--pilot", "try the study with five trials of each kind; nothing is recorded"),
    ] = False,
    simulate: Annotated[
        bool, shell_option("--simulate", "a simulated evaluator presses the keys")
    ] = False,
    windowed: Windowed = False,
    screen: OnScreen = None,
    allow_unsynced: Annotated[
        bool,
        shell_option("--allow-unsynced", "allow people even if flips do not wait for the screen"),
    ] = False,
    new_version: NewVersion = False,
    again: Annotated[
        bool, shell_option("--again", "let an evaluator who declined take part after all")
    ] = False,
    seed: Annotated[int, shell_option("--seed S", "seed of the simulated answers")] = 0,
) -> None:
    """Run one session at this station; it resumes where the evaluator left off."""
    check_seed(seed)
    if pilot and (again or new_version):
        problem = "cannot be used with --again or --new-version, which change the record"
        raise InputError("--pilot", problem)
    if evaluator is None and not pilot:
        raise InputError("--evaluator", "is missing", "the evaluator's code, or --pilot")
    evaluator = "pilot" if evaluator is None else evaluator
    check_evaluator_id(evaluator)
    loaded = load_any(study)
    if simulate:
        err.print("[bold yellow]SIMULATED: no person takes part in this session[/]")
    seating = Seating(
        simulated=simulate,
        virtual_display=ensure_display(virtual_allowed=simulate),
        windowed=windowed,
        screen=screen,
        observer_seed=seed,
        allow_unsynced=allow_unsynced,
        pilot=pilot,
    )
    if pilot:
        held, answered = hold_pilot(course_of(loaded), evaluator, seating, remark=warn)
        counts = ", ".join(f"{number} {task}" for task, number in answered.items())
        out.print(f"Pilot: nothing was recorded. Answered trials: {counts or 'none'}.")
        if held.timing.trials:
            out.print(timing_lines(held.timing))
        return
    if again:
        change_place(loaded, evaluator, "again", simulated=simulate)
    record = record_of(loaded)
    with explain_faults(record.where), record.writing() as engine:
        held = hold_session(
            *(engine, course_of(loaded), evaluator, seating), remark=warn, new_version=new_version
        )
    out.print(ENDINGS[held.ended].format(quote_path(study)), markup=False)
    if held.timing.trials:
        out.print(timing_lines(held.timing))


@contextmanager
def explain_faults(record: str) -> Iterator[None]:
    """If a fault ends a session, print it, and explain what is saved: a participant is waiting.

    Raises SessionProblem: the program, a library or a driver is at fault.
    """
    try:
        yield
    except HypeError:
        raise
    except Exception as fault:
        traceback.print_exc()
        raise SessionProblem(
            f"a fault ended the session ({type(fault).__name__}); every answer before it is in "
            f"{record}: run the same command again to continue"
        ) from None
