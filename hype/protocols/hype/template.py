"""A study file to start from: every key that a first study may want, with the reason for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from textwrap import fill
from typing import Final

from hype.protocols.prompted.template import STORE

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
consent = true
breaks = true              # between blocks, ended by the evaluator
# language = "de"          # what people read: en (without it), de, fr, es, ja, zh, ar

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
preset = "hype"            # as printed, settles at 63 %; "weighted-75" settles at 75 %
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
    + STORE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
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
    + STORE
)


def pool_text(name: str, trials: Trials) -> str:
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
    trials: Trials,
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
