"""A study file to start from, and what it makes of the images that there are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from string import Template
from textwrap import fill
from typing import Final

from hype.errors import InputError
from hype.protocols.hype.settling import TimedDesign, reach, settling, shortcoming, workable
from hype.protocols.hype.staircase import PRESETS
from hype.study.demographics import DEMOGRAPHICS
from hype.study.web_settings import WEB

SCREEN: Final = """\
[keys]
left = "f"
right = "j"
go_on = "space"
pause = "escape"
left_means = "counterbalanced"   # or "real", or "fake", for everyone

[display]
refresh_hz = 60            # of the screen; 100 Hz shows every multiple of 10 ms exactly
fullscreen = true
screen = 0
feedback_ms = 600
# progress = true          # between trials a quiet bar tells how much of the block is done
# size_px = 384            # the square that an image fills; half the window's height by default
# enlarge = true           # also beyond its own pixels, at which it otherwise stays
# size_deg = 8             # the same in degrees of visual angle, which needs:
# [monitor]
# width_cm = 53.0          # visible width of the screen
# distance_cm = 57.0       # eyes to screen
"""

PAY: Final = """\
[pay]
currency = "$"
base = 1.00                # for the qualification
per_correct = 0.02         # for each correct judgement after it
"""

OTHERS: Final = """\
[qualification]            # its fakes come equally from the conditions that are not an evaluator's
enabled = true             # own: who passes is then not chosen for telling what they go on to judge
trials = $trials
pass_rate = 0.65           # of the real images, and of the fake ones
# stimuli = "pool"         # better: a stimulus set of other models, drawn from equally
# valid_from = ["../pool"] # who passed there, made by: hype new DIR --template qualification
# valid_days = 180         # and for how long that counts; both studies lie in a folder that is
#                          # called experiments, or HYPE_FOLDERS names that of the other
"""
"""What a study of several conditions says of its qualification."""
ALONE: Final = """\
[qualification]            # with one model there are no other fakes to test people on: who passed
enabled = false            # a test on its own would be who can tell it, and its score too low
trials = $trials
pass_rate = 0.65           # of the real images, and of the fake ones
# stimuli = "pool"         # to hold one: a stimulus set of other models, drawn from equally,
# valid_from = ["../pool"] # or who passed there (hype new DIR --template qualification);
# valid_days = 180         # and for how long that counts; both studies lie in a folder that is
#                          # called experiments, or HYPE_FOLDERS names that of the other
"""
"""What a study of a single condition says of it."""
TEMPLATE: Final = Template(
    """\
# A HYPE study. What is not written here has the paper's value (Zhou et al. 2019).
#
#   hype check .                    is everything ready?
#   hype simulate . --evaluators 8  try it on simulated evaluators
#   hype run . --evaluator p01      one person at this station
#   hype score .                    the table

[study]
name = $name
seed = 2019                # everything random follows from it and the evaluator's code
${why}methods = [$methods]         # "time" (flashed images), "infinity" (no time limit), or both
evaluator_does = "one-method"   # or "all-methods": both in one session
evaluators = 30            # wanted per condition and method
# conditions_each = 2      # by one evaluator, one after the other and counterbalanced; without it 1
consent = true
breaks = true              # between blocks, ended by the evaluator
# language = "de"          # what people read: en (without it), de, fr, es, ja, zh, ar
# not_from = ["../first"]  # who took part in that study, or is in a CSV table, is not let in
# left_out = {P07 = "wore no glasses"}   # a code and the reason: not let in, and not scored

[stimuli]
folder = "stimuli"         # real/… and fake/<condition>/…, listed by: hype stimuli scan stimuli
# images_per_condition = 5000   # draw so many of each, and of the real ones, once for everybody

[masks]
folder = "masks"           # made by: hype masks make stimuli -o masks -n 100

[time]                     # HYPE_time: a staircase finds the exposure that is just enough
${timed_why}blocks = $time_blocks
trials = $time_trials               # per block, half of them real
countdown_from = 3
countdown_ms = 500         # each numeral
masks = 4                  # after each image
mask_ms = 30               # each
feedback = true
min_ms = 100               # an answer before that is hasty: it counts, and
wait_ms = 5000             # costs this wait; 0 ms for min_ms: no wait

[time.staircase]
preset = "hype"            # as printed, settles at 63 %; "weighted-75" settles at 75 %; "quest+"
${steps}start_ms = 500
min_ms = 100
max_ms = 1000

[infinity]                 # HYPE_infinity: the error rate without a time limit
trials = $infinity_trials
feedback = false
min_ms = 250               # as above, in the qualification too
wait_ms = 5000

$qualification
# Who does not look: obvious images among the others, and rules said before anybody comes.
# [catch]
# trials = 10              # in each scored block, half of them real; 20 where there is one block
# stimuli = "obvious"      # a stimulus set of its own, which everybody can tell
# [exclusion]              # who breaks one of these is named, and scores given with and without
# catch_error = 0.25       # of the catch trials
# fast_share = 0.5         # of all answers, faster than fast_ms = 300
# one_key_share = 0.9
# longest_run = 30         # equal answers in a row
# leave_out = false        # true: the scores are those without them

# [analysis]
# margin = 5               # scores shown to be no further apart are equivalent: ms, or points of %
# judge_margin = 0.05      # a judge may agree so much less than a second person and be as good

[practice]
trials = $practice_trials                 # before the first untimed and the first timed block

$screen
[timing]
spoiled_trials = "keep"    # exposures that were not as requested: or "leave-out", or "repeat"
# rounding_ms = 1          # refuse a screen whose frames are further than this from an exposure
# tolerance_ms = 4         # an exposure is late beyond this; half a frame if it is not given
# [timing.patch]           # a square that is white exactly while an image is on the screen
# corner = "top-left"
# size_px = 48
# [timing.triggers]        # told at the flips with which an image comes and goes
# lsl = "hype"
# serial = "/dev/ttyUSB0"

$pay
# Every word on the screen can be replaced, for instance:
# [texts]
# fake = "artificial"
# question = "Was that image real or artificial?"
"""
    + DEMOGRAPHICS
    + WEB
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialNumbers:
    """Numbers of trials that a study asks for."""

    time: int = 150
    infinity: int = 100
    qualification: int = 100
    practice: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What of the timed method is not the paper's, and why.

    ``steps_ms`` are those down and up.
    """

    blocks: int = 3
    steps_ms: tuple[float, float] | None = None
    why: str = ""


POOL: Final = Template(
    """\
# A qualification alone: who passes may take part in studies whose file has, in [qualification],
# valid_from = [$path]. What is not written here has the paper's value (Zhou et al. 2019).
#
#   hype check .                    is everything ready?
#   hype run . --evaluator p01      one person at this station
#   hype status .                   who passed, and when

[study]
name = $name
seed = 2019                # everything random follows from it and the evaluator's code
methods = ["qualification"]     # and nothing else: nobody is scored
language = "en"            # of all texts; two of them are worded at the end of this file
evaluators = 30            # wanted who pass
consent = true

[stimuli]
folder = "stimuli"         # real/… and fake/<model>/…, of several models that are not evaluated

[qualification]
trials = $trials               # half of them real, the fakes equally from all models
pass_rate = 0.65           # of the real images, and of the fake ones

[practice]
trials = $practice                 # before it

$screen
[pay]
currency = "$$"
base = 1.00                # for the test

[texts]
qualification = """
    + "'''"
    + """
A test

{trials} images, half real and half fake. To pass, {percent} % of the real ones and {percent} % of \
the fake ones must be judged correctly."""
    + "'''\ndebrief = '''"
    + """
Thank you, you passed the test

You judged {correct} of {shown} images correctly.

You receive {currency}{pay}. Please tell the experimenter that you are done."""
    + "'''\n"
    + WEB
)


def pool_text(name: str, trials: TrialNumbers) -> str:
    """Write the commented file of a study of the qualification alone."""
    return POOL.substitute(
        name=json.dumps(name, ensure_ascii=False),
        path=json.dumps(f"../{name}", ensure_ascii=False),
        trials=trials.qualification,
        practice=trials.practice,
        screen=SCREEN,
    )


def study_text(
    name: str,
    methods: Sequence[str],
    trials: TrialNumbers,
    *,
    timed: Timed = Timed(),
    methods_why: str = "",
    alone: bool = False,
) -> str:
    """Write the commented study file; ``alone`` where it has one condition."""
    qualification = Template(ALONE if alone else OTHERS).substitute(trials=trials.qualification)
    down_ms, up_ms = timed.steps_ms or (0.0, 0.0)
    return TEMPLATE.substitute(
        name=json.dumps(name, ensure_ascii=False),  # a JSON string is a TOML string
        methods=", ".join(f'"{method}"' for method in methods),
        why=comment(methods_why),
        timed_why=comment(timed.why),
        time_blocks=timed.blocks,
        time_trials=trials.time,
        steps=f"down_ms = {down_ms:g}\nup_ms = {up_ms:g}\n" if timed.steps_ms else "",
        infinity_trials=trials.infinity,
        qualification=qualification,
        practice_trials=trials.practice,
        screen=SCREEN,
        pay=PAY,
    )


def comment(text: str) -> str:
    """Write lines of comment, with the end of the last; nothing of nothing."""
    return text and fill(text, 98, initial_indent="# ", subsequent_indent="# ") + "\n"


PAPER: Final = TrialNumbers()
STEPS: Final = 100
FEWEST: Final = 10
"""A block or a qualification of fewer trials would say nothing."""
BOTH: Final = ("time", "infinity")
TIME_BLOCKS: Final = 3


def fitting_trials(counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> TrialNumbers:
    """Give the paper's numbers of trials, or as large a share of them as the images allow.

    Parameters
    ----------
    counts
        Images by condition, the real ones under "".
    methods
        Those that evaluators are given, one each.

    Raises
    ------
    InputError
        There are too few for any study.
    """
    sizes = [scaled(step / STEPS) for step in range(STEPS, 0, -1)]
    sizes = [each for each in sizes if min(each.infinity, each.qualification) >= FEWEST]
    for trials in sizes:
        if fits(trials, counts, methods):
            return trials
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        f"a study needs at least {reals_of(sizes[-1], methods)} of each kind",
    )


def scaled(share: float) -> TrialNumbers:
    """Scale the paper's numbers and make them even; practice stays what it is."""
    return TrialNumbers(
        time=2 * int(share * PAPER.time / 2),
        infinity=2 * int(share * PAPER.infinity / 2),
        qualification=2 * int(share * PAPER.qualification / 2),
        practice=PAPER.practice,
    )


def fits(trials: TrialNumbers, counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> bool:
    """Whether every evaluator finds enough images, whichever method they are given.

    Practice comes once untimed and once timed, with fakes of all conditions; the fakes of the
    qualification come from the other conditions than the evaluator's. A single condition has room
    for a test on its own, should the study ask for one.
    """
    main = scored_of(trials, methods)
    fakes = [number for name, number in counts.items() if name]
    practice, test = trials.practice // 2, trials.qualification // 2
    others = len(fakes) - 1
    theirs = max(main, ceil(test / others)) if others else main + test
    of_each = 2 * ceil(practice / len(fakes)) + theirs
    return counts[""] >= reals_of(trials, methods) and min(fakes) >= of_each


def reals_of(trials: TrialNumbers, methods: Sequence[str]) -> int:
    return scored_of(trials, methods) + 2 * (trials.practice // 2) + trials.qualification // 2


def scored_of(trials: TrialNumbers, methods: Sequence[str]) -> int:
    """Count the fakes, and as many reals, that are scored."""
    scored = {"time": TIME_BLOCKS * trials.time, "infinity": trials.infinity}
    return max(scored[method] for method in methods) // 2


def fitting_qualification(counts: Mapping[str, int]) -> TrialNumbers:
    """Give the paper's numbers for a study of the qualification alone, or as many as there are.

    Raises
    ------
    InputError
        There are too few images for any.
    """
    practice = PAPER.practice // 2
    sources = len(counts) - 1
    for trials in range(PAPER.qualification, FEWEST - 2, -2):
        of_each = ceil(practice / sources) + ceil(trials / 2 / sources)
        have = {name: number - (0 if name else practice) for name, number in counts.items()}
        if have[""] >= trials // 2 and min(n for name, n in have.items() if name) >= of_each:
            return TrialNumbers(qualification=trials)
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        f"a qualification needs at least {FEWEST // 2 + practice} of each kind",
    )


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
    trials: TrialNumbers = PAPER
    timed: Timed = Timed()
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
    number = timed_trials(counts, wanted)
    if number:
        trials, design = number
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
) -> tuple[TrialNumbers, TimedDesign] | None:
    """Give the numbers of trials that images suffice for, and what is made of the timed ones."""
    try:
        trials = fitting_trials(counts, methods)
    except InputError:
        return None
    design = workable(RULE, TIME_BLOCKS, trials.time)
    return (trials, design) if design else None


def timed_of(trials: TrialNumbers, design: TimedDesign) -> Timed:
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
            f"{reach(design.played)}."
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
