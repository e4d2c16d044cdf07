"""How scores change if only the fitted people who pass the paper's qualification are counted.

    python experiments/hype2019/qualified.py

The rule is 65 % correct on 50 real images and on 50 fakes, drawn equally from a study's models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from expected import DENSITY, TRIALS_OF_A_KIND, Array, Untimed, errors, expected
from published import read_runs
from runs import average_observers
from tables import table

PASSING_ERRORS: Final = 17
"""Of 50 images of a kind, 33 answers must be right: the lowest number that is at least 65 %."""
HEADER: Final = ("data set", "pass", "model", "theirs", "Std.", "of those who pass", "Std.")


def passing(fakes: Sequence[Array], reals: Sequence[Array]) -> Array:
    """Return each person's probability of passing the qualification, shape (people,).

    The error rate on real images is the mean of their rates with each model.
    """
    shares = [len(part) for part in np.array_split(np.arange(TRIALS_OF_A_KIND), len(fakes))]
    few_fakes = few_errors(list(zip(fakes, shares, strict=True)))
    few_reals = few_errors([(np.mean(reals, axis=0), TRIALS_OF_A_KIND)])
    return few_fakes * few_reals


def few_errors(parts: Sequence[tuple[Array, int]]) -> Array:
    """Return the probability of at most `PASSING_ERRORS` errors; ``parts``: (rates, trials) each.

    The number of errors is a sum of binomial variables. Their generating functions are multiplied
    at the roots of unity; a Fourier transform gives the probabilities of the sum.
    """
    number = TRIALS_OF_A_KIND + 1
    roots = np.exp(-2j * np.pi * np.arange(number) / number)
    generating = np.prod([(1 + np.outer(p, roots - 1)) ** n for p, n in parts], axis=0)
    probabilities = np.fft.ifft(generating, axis=1).real
    return np.clip(probabilities[:, : PASSING_ERRORS + 1].sum(axis=1), 0, 1)


def main() -> None:
    """Print the share of people who pass, and their scores, for each study."""
    rows = []
    for study, observers in average_observers().items():
        people = {
            condition: Untimed(
                ceiling=o.ceiling, bias=o.bias, ceiling_spread=o.ceiling_spread or 0.0
            )
            for condition, o in observers.items()
        }
        rates = [errors(one) for one in people.values()]
        weight = DENSITY * passing([f for f, _ in rates], [r for _, r in rates])
        share = f"{100 * weight.sum() / DENSITY.sum():.0f} %"
        for run in read_runs():
            if (run.study, run.method) == (study, "infinity"):
                found = expected(people[run.condition], weight)
                score = 50 * (found.fakes_error + found.reals_error)
                their_std = "" if run.std is None else f"{run.std:.1f}"
                cells = (f"{run.score:.1f}", their_std, f"{score:.1f}", f"{100 * found.std:.1f}")
                rows.append((study, share, run.condition, *cells))
    print(table(HEADER, rows))


if __name__ == "__main__":
    main()
