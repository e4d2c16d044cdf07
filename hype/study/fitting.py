"""How many trials a set of images has room for."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Final

from hype.errors import InputError
from hype.study.template import Trials

PAPER: Final = Trials()
STEPS: Final = 100
FEWEST: Final = 10
"""A block or a qualification of fewer trials would say nothing."""
TIME_BLOCKS: Final = 3


def fitting_trials(counts: Mapping[str, int]) -> Trials:
    """Give the paper's numbers of trials, or as large a share of them as the images allow.

    Parameters
    ----------
    counts
        Images by condition, the real ones under "".

    Raises
    ------
    InputError
        There are too few for any study.
    """
    for step in range(STEPS, 0, -1):
        trials = scaled(step / STEPS)
        if min(trials.time, trials.infinity, trials.qualification) < FEWEST:
            break
        if fits(trials, counts):
            return trials
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        "a study needs at least 32 of each kind",
    )


def scaled(share: float) -> Trials:
    """Scale the paper's numbers and make them even; practice stays what it is."""
    return Trials(
        time=2 * int(share * PAPER.time / 2),
        infinity=2 * int(share * PAPER.infinity / 2),
        qualification=2 * int(share * PAPER.qualification / 2),
        practice=PAPER.practice,
    )


def fits(trials: Trials, counts: Mapping[str, int]) -> bool:
    """Whether every evaluator finds enough images, whichever method they are given.

    Practice comes once untimed and once timed, with fakes of all conditions; the fakes of the
    qualification come from the other conditions than the evaluator's, if there are any.
    """
    main = max(TIME_BLOCKS * trials.time, trials.infinity) // 2
    fakes = [number for name, number in counts.items() if name]
    practice, others = trials.practice // 2, len(fakes) - 1
    test = trials.qualification // 2 if others else 0
    of_each = 2 * ceil(practice / len(fakes)) + max(main, ceil(test / others) if others else 0)
    return counts[""] >= main + 2 * practice + test and min(fakes) >= of_each


def fitting_qualification(counts: Mapping[str, int]) -> Trials:
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
            return Trials(qualification=trials)
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        f"a qualification needs at least {FEWEST // 2 + practice} of each kind",
    )
