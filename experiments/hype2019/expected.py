"""Expected results of HYPE_infinity by numerical integration, and observers for given results.

People's ability and bias are standard normal. All rates are shares, 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import ndtr, ndtri

Array = NDArray[np.float64]

EVALUATORS: Final = 30
TRIALS_OF_A_KIND: Final = 50
LAPSE: Final = 0.01
BIAS_SPREAD: Final = 0.15
MOST_CERTAIN_Z: Final = 4.26
"""The program caps accuracy just above this z."""
BELOW_HALF_Z: Final = -1e-4
"""Just below the z of a ceiling of ½; with such a ceiling people may be worse than guessing."""
ABILITY: Final = np.linspace(-5, 5, 241)
BIAS: Final = np.linspace(-4, 4, 17)
DENSITY: Final = np.exp(-(ABILITY[:, None] ** 2 + BIAS**2) / 2).ravel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Untimed:
    """The typical observer of one condition without a time limit, and how people differ."""

    ceiling: float
    bias: float
    ceiling_spread: float

    @property
    def least(self) -> float:
        """The lowest z(ceiling) of a person (see `hype.protocols.hype.observer.shifted`)."""
        return 0.0 if self.ceiling >= 0.5 else -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Errors on fakes and on reals, and the bootstrap standard deviation of the score."""

    fakes_error: float
    reals_error: float
    std: float

    def missed_by(self, found: Figures) -> Array:
        """Return how far ``found`` is off: errors in Stds, and the ratio of the Stds minus 1."""
        return np.array(
            [
                (found.fakes_error - self.fakes_error) / self.std,
                (found.reals_error - self.reals_error) / self.std,
                found.std / self.std - 1,
            ]
        )


def errors(observer: Untimed) -> tuple[Array, Array]:
    """Return each person's rate of error on fakes and on reals, shape (people,) each."""
    shifted = ndtri(observer.ceiling) + observer.ceiling_spread * ABILITY
    half_d = np.maximum(observer.least, shifted)[:, None]
    criterion = observer.bias + BIAS_SPREAD * BIAS
    return with_lapses(ndtr(criterion - half_d)), with_lapses(ndtr(-criterion - half_d))


def with_lapses(rate: Array) -> Array:
    """Return error rates if the share `LAPSE` of answers are guesses."""
    return ((1 - LAPSE) * rate + LAPSE / 2).ravel()


def expected(observer: Untimed, weight: Array = DENSITY) -> Figures:
    """Return the expected figures of 30 people; ``weight``: how common each ability and bias is."""
    fakes, reals = errors(observer)
    share = weight / weight.sum()
    scores = (fakes + reals) / 2
    chance = (fakes * (1 - fakes) + reals * (1 - reals)) / (4 * TRIALS_OF_A_KIND)
    variance = share @ ((scores - share @ scores) ** 2 + chance)
    return Figures(
        fakes_error=float(share @ fakes),
        reals_error=float(share @ reals),
        std=float(np.sqrt(variance * (EVALUATORS - 1)) / EVALUATORS),
    )


def solve(target: Figures) -> Untimed:
    """Find the observer whose expected figures are ``target``, or as close as possible.

    The spread is 0 if chance alone would make equal people differ by more than the Std.
    """

    def observer(unknowns: Array) -> Untimed:
        z, bias, spread = unknowns.tolist()
        return Untimed(ceiling=float(ndtr(z)), bias=bias, ceiling_spread=spread)

    rates = np.array([target.fakes_error, target.reals_error])
    z_fake, z_real = -ndtri(np.clip((rates - LAPSE / 2) / (1 - LAPSE), 1e-4, 1))
    hyper_realistic = z_fake + z_real < 0
    least, most = (-3.0, BELOW_HALF_Z) if hyper_realistic else (0.0, MOST_CERTAIN_Z)
    begin = np.clip((z_fake + z_real) / 2, least + 0.01, most - 1e-5), (z_real - z_fake) / 2, 0.3
    found = least_squares(
        lambda unknowns: target.missed_by(expected(observer(unknowns))),
        begin,
        bounds=([least, -3, 0], [most, 3, 5]),
    )
    return observer(found.x)
