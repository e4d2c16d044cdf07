"""How many trials a set of images has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from hype.errors import InputError
from hype.study.template import Trials

PAPER: Final = Trials()
STEPS: Final = 100
FEWEST: Final = 10
"""A block or a qualification of fewer trials would say nothing."""
BOTH: Final = ("time", "infinity")
TIME_BLOCKS: Final = 3


def fitting_trials(counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> Trials:
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


def scaled(share: float) -> Trials:
    """Scale the paper's numbers and make them even; practice stays what it is."""
    return Trials(
        time=2 * int(share * PAPER.time / 2),
        infinity=2 * int(share * PAPER.infinity / 2),
        qualification=2 * int(share * PAPER.qualification / 2),
        practice=PAPER.practice,
    )


def fits(trials: Trials, counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> bool:
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


def reals_of(trials: Trials, methods: Sequence[str]) -> int:
    """Count the real images that one evaluator sees at most."""
    return scored_of(trials, methods) + 2 * (trials.practice // 2) + trials.qualification // 2


def scored_of(trials: Trials, methods: Sequence[str]) -> int:
    """Count the fakes, and as many reals, that are scored."""
    scored = {"time": TIME_BLOCKS * trials.time, "infinity": trials.infinity}
    return max(scored[method] for method in methods) // 2


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
