"""Who the evaluators are, beside whom they are to stand for.

Pearson's chi-squared test of goodness of fit (1900), with Cohen's effect size w (Cohen 1988,
"Statistical power analysis for the behavioral sciences", 2nd ed., section 7.2) and standardised
residuals (Agresti 2013, "Categorical data analysis", 3rd ed., section 3.3). Where expected counts
are small, p is found by drawing groups of evaluators from the reference.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FloatArray = npt.NDArray[np.float64]

SMALL: Final = 5.0
"""Expected counts below this are too small for the chi-squared distribution (Cochran 1954)."""
CHI_SQUARE: Final = "chi-square"
MONTE_CARLO: Final = "monte-carlo"
_DRAWS: Final = 9_999
_ROUNDING: Final = 1e-9
_SUM: Final = 0.01
"""Reference shares may be rounded, and their sum be off by this."""


@dataclass(frozen=True, kw_only=True)
class AnswerGroup:
    """Evaluators who gave the same answer."""

    answer: str
    # count, share: how many, and of those who answered; no share where nobody did
    count: int
    share: float | None
    # Of the reference population, as a proportion; None where the reference does not have it
    reference_share: float | None = None
    # How many of those that the reference knows there would be at that share
    expected: float | None = None
    # Standardised: how many standard errors the count lies above the expected one
    residual: float | None = None


@dataclass(frozen=True, kw_only=True)
class Demographic:
    """One question, such as the age group."""

    question: str
    # answered, withheld: how many answered, and how many would rather not or were not asked
    answered: int
    withheld: int
    # In the order of the reference; then those it does not have, the largest first
    groups: tuple[AnswerGroup, ...]
    # chi_square, df, p: of the goodness of fit to the reference, of the answers that it has; None
    # without one, or without such answers
    chi_square: float | None = None
    df: int | None = None
    p: float | None = None
    cohens_w: float | None = None  # the effect size: .1 is small, .3 medium, .5 large
    # "chi-square", or "monte-carlo" where an expected count is below 5; empty without a test
    method: str = ""
    said: str


def demographic(
    question: str,
    answers: Mapping[str, str],
    *,
    reference: Mapping[str, float] | None = None,
    rng: np.random.Generator,
    alpha: float = 0.05,
) -> Demographic:
    """Count the answers to a question, and compare them with a reference.

    ``answers``: evaluator to answer; empty where it was withheld. ``reference``: answer to its
    share of the reference population: proportions, or percentages. ``rng``: source of randomness,
    for small groups. ``alpha``: the level below which evaluators are said to differ from the
    reference.

    Raises
    ------
    InputError
        Shares that are not above 0, or that do not sum to 1 or to 100; a single one.
    """
    counts = Counter(answer.strip() for answer in answers.values())
    withheld = counts.pop("", 0)
    shares = _shares(question, reference) if reference else {}
    table = _Table(question=question, counts=counts, withheld=withheld, shares=shares)
    return table.tested(rng, alpha) if table.known else table.counted()


def _shares(question: str, reference: Mapping[str, float]) -> dict[str, float]:
    where = f"reference shares of {question}"
    for answer, share in reference.items():
        if not (share > 0 and math.isfinite(share)):
            raise InputError(where, f"{answer}: {share:g}", "allowed is a number above 0")
    total = sum(reference.values())
    whole = next((w for w in (1, 100) if abs(total / w - 1) <= _SUM), None)
    if whole is None or len(reference) < 2:
        problem = f"sum to {total:g}" if whole is None else "have a single answer"
        raise InputError(where, problem, "two answers or more, whose shares sum to 1 or to 100")
    return {answer: share / total for answer, share in reference.items()}


@dataclass(frozen=True, kw_only=True)
class _Table:
    question: str
    counts: Counter[str]
    withheld: int
    shares: dict[str, float]

    @property
    def answered(self) -> int:
        return sum(self.counts.values())

    @property
    def known(self) -> int:
        return sum(self.counts[answer] for answer in self.shares)

    def groups(self) -> tuple[AnswerGroup, ...]:
        others = sorted(answer for answer in self.counts if answer not in self.shares)
        return tuple(self._group(answer) for answer in (*self.shares, *others))

    def _group(self, answer: str) -> AnswerGroup:
        count, share = self.counts[answer], self.shares.get(answer)
        expected = None if share is None else share * self.known
        residual = None
        if share is not None and expected:
            residual = (count - expected) / math.sqrt(expected * (1 - share))
        return AnswerGroup(
            answer=answer,
            count=count,
            share=count / self.answered if self.answered else None,
            reference_share=share,
            expected=expected,
            residual=residual,
        )

    def counted(self) -> Demographic:
        return Demographic(
            question=self.question,
            answered=self.answered,
            withheld=self.withheld,
            groups=self.groups(),
            said=self._counted_said(),
        )

    def tested(self, rng: np.random.Generator, alpha: float) -> Demographic:
        observed = np.array([self.counts[answer] for answer in self.shares], dtype=float)
        shares = np.array(list(self.shares.values()))
        chi_square = float(_chi_squares(observed, shares))
        small = bool((shares * observed.sum()).min() < SMALL)
        df = len(shares) - 1
        p = _drawn_p(observed, shares, rng) if small else float(special.chdtrc(df, chi_square))
        w = math.sqrt(chi_square / observed.sum())
        return Demographic(
            question=self.question,
            answered=self.answered,
            withheld=self.withheld,
            groups=self.groups(),
            chi_square=chi_square,
            df=df,
            p=p,
            cohens_w=w,
            method=MONTE_CARLO if small else CHI_SQUARE,
            said=f"{self._counted_said()} {_difference_said(p, w, alpha)}",
        )

    def _counted_said(self) -> str:
        withheld = f", {self.withheld} withheld it" if self.withheld else ""
        others = self.answered - self.known if self.shares else 0
        apart = f", {others} gave an answer that the reference does not have" if others else ""
        return f"{self.question}: {self.answered} answered{withheld}{apart}."


def _chi_squares(counts: FloatArray, shares: FloatArray) -> FloatArray:
    expected = counts.sum(axis=-1, keepdims=True) * shares
    found: FloatArray = (np.square(counts - expected) / expected).sum(axis=-1)
    return found


def _drawn_p(observed: FloatArray, shares: FloatArray, rng: np.random.Generator) -> float:
    drawn = rng.multinomial(int(observed.sum()), shares, size=_DRAWS).astype(float)
    limit = float(_chi_squares(observed, shares)) * (1 - _ROUNDING)
    return float((1 + (_chi_squares(drawn, shares) >= limit).sum()) / (_DRAWS + 1))


def _difference_said(p: float, w: float, alpha: float) -> str:
    size = "little" if w < 0.3 else "clearly" if w < 0.5 else "strongly"
    if p >= alpha:
        return f"No sign that they differ from the reference (w = {w:.2f})."
    return f"They differ {size} from the reference (w = {w:.2f})."
