"""What a new study makes of the images that there are: trials, blocks, steps, or another method.

The paper's rule needs 130 trials or more to come from 500 ms to where it settles. Where images do
not suffice for blocks of so many, the same number of trials is made into fewer blocks, and the
steps are enlarged; where there are too few for that too, the study has no time limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from hype.errors import InputError
from hype.observers.settling import settling
from hype.observers.workable import TimedDesign, workable
from hype.protocol.staircase import PRESETS
from hype.sessions.check_settling import reach, shortcoming
from hype.study.fitting import PAPER, TIME_BLOCKS, fitting_trials
from hype.study.template import Timed, Trials

RULE: Final = PRESETS["hype"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDesign:
    """What stands in the study file.

    Attributes
    ----------
    without_time
        Why the timed method is not there though nobody declined it; else empty.
    """

    methods: tuple[str, ...]
    trials: Trials = PAPER
    timed: Timed = Timed()  # noqa: RUF009
    without_time: str = ""


def fitted_design(counts: Mapping[str, int], methods: Sequence[str] | None) -> FittedDesign:
    """Give a design that the images suffice for, and that can measure something.

    Parameters
    ----------
    counts
        Images by condition, the real ones under "".
    methods
        As they were asked for; None where nobody did: then it is the timed one, if it can be.

    Raises
    ------
    InputError
        There are too few images for what was asked for, or for any study.
    """
    if methods and "time" not in methods:
        return untimed(counts, methods)
    wanted = tuple(methods or ("time",))
    found = timed_trials(counts, wanted)
    if found:
        trials, design = found
        return FittedDesign(
            methods=wanted,
            trials=replace(trials, time=design.trials),
            timed=timed_of(trials, design),
        )
    why = too_few(counts, wanted)
    if methods:
        raise InputError("--method time", why, "more images, or --method infinity alone")
    return untimed(counts, ("infinity",), f'"time" is left out: {why}.')


def untimed(
    counts: Mapping[str, int], methods: Sequence[str], without_time: str = ""
) -> FittedDesign:
    """Give a design without a staircase; what it would be stays the paper's."""
    trials = replace(fitting_trials(counts, methods), time=PAPER.time)
    return FittedDesign(methods=tuple(methods), trials=trials, without_time=without_time)


def timed_trials(
    counts: Mapping[str, int], methods: Sequence[str]
) -> tuple[Trials, TimedDesign] | None:
    """Give the numbers of trials that images suffice for, and what is made of the timed ones."""
    try:
        trials = fitting_trials(counts, methods)
    except InputError:
        return None
    design = workable(RULE, TIME_BLOCKS, trials.time)
    return (trials, design) if design else None


def timed_of(trials: Trials, design: TimedDesign) -> Timed:
    """Say what of a design is not the paper's, and why."""
    rule, given = design.rule, settling(RULE, trials.time)
    if given is None or given.settles:
        return Timed()
    times = rule.up_ms / RULE.up_ms
    blocks = "1 block" if design.blocks == 1 else f"{design.blocks} blocks"
    steps = (
        f" and steps {times:g} times the paper's, which settle at the same {rule.settles_at:.0%}"
        if times > 1
        else ""
    )
    return Timed(
        blocks=design.blocks,
        steps_ms=(rule.down_ms, rule.up_ms) if times > 1 else None,
        why=(
            f"There are images for {TIME_BLOCKS * trials.time} trials. In {TIME_BLOCKS} blocks, "
            f"{shortcoming(given)}. So the study has {blocks} of {design.trials} trials{steps}; "
            f"{reach(design.played)} (docs/methods.md)."
        ),
    )


def too_few(counts: Mapping[str, int], methods: Sequence[str]) -> str:
    """Say why images do not suffice for the timed method, and how many would."""
    fewest = min(counts.values())
    enough = next(
        n
        for n in count(fewest + 1)
        if timed_trials({name: max(n, have) for name, have in counts.items()}, methods)
    )
    return (
        f"with {fewest} images of a kind no staircase settles, whatever the blocks and steps; with "
        f"{enough} one would"
    )
