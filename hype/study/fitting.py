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

    Practice comes once untimed and once timed; its fakes and those of the qualification come from
    all conditions, the others from one.
    """
    main = max(TIME_BLOCKS * trials.time, trials.infinity) // 2
    mixed = [trials.practice // 2] * 2 + [trials.qualification // 2]
    fakes = [number for name, number in counts.items() if name]
    from_each = sum(ceil(n / len(fakes)) for n in mixed)
    return counts[""] >= main + sum(mixed) and min(fakes) >= main + from_each
