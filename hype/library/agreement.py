"""How well people agree, computed from arrays: Krippendorff's α and Cohen's κ."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.judges.results import RowUnits, kappa_of
from hype.library.result import library_function
from hype.statistics.agreement import quadratic, unit_alpha, weigh_names
from hype.statistics.alpha import Level
from hype.statistics.estimate import Estimate

CONFIDENCE = 0.95


@library_function
def alpha(
    units: npt.ArrayLike,
    values: npt.ArrayLike,
    evaluators: npt.ArrayLike | None = None,
    *,
    level: Level = "nominal",
    confidence: float = CONFIDENCE,
) -> Estimate | None:
    """Compute Krippendorff's α: the agreement of several people.

    Parameters
    ----------
    units, values, evaluators : array_like, shape (answers,)
        The unit, the value and the evaluator of each answer. NaN or None is a missing answer.
        An evaluator need not answer about every unit.
    level
        "nominal": answers are equal or not; "ordinal": answers have an order; "interval": answers
        are numbers.
    confidence
        Level of the interval, which generalises to other evaluators and units; above 0 and below 1.

    Returns
    -------
    Estimate or None
        The ``value`` is 1 if all agree, and about 0 if answers agree only by chance. ``low`` and
        ``high`` are None if evaluators are unknown or too few. The result is None if no unit has
        two answers, or all answers are the same.

    Raises
    ------
    InputError
        The arrays differ in length, an argument is out of range, or ordinal or interval answers are
        not numbers.

    References
    ----------
    Krippendorff (2004), "Content Analysis", 2nd ed., chapter 11.

    Examples
    --------
    >>> import hype
    >>> images, answers = [1, 1, 2, 2, 3, 3], ["real", "real", "fake", "fake", "real", "fake"]
    >>> round(hype.alpha(images, answers).value, 3)
    0.444
    """
    given = pd.Series(np.asarray(values, dtype=object))
    _check(confidence, units=units, values=given, evaluators=evaluators)
    if level == "nominal":
        codes, _ = pd.factorize(given)
        numbers = np.where(codes < 0, np.nan, codes)
    elif level in ("ordinal", "interval"):
        try:
            numbers = given.astype(float).to_numpy()
        except (TypeError, ValueError):
            raise InputError("values", "are not numbers", f"numbers for level={level}") from None
    else:
        raise InputError("level", repr(level), "one of nominal, ordinal, interval")
    unit = pd.factorize(np.asarray(units))[0]
    people = None if evaluators is None else pd.factorize(np.asarray(evaluators))[0]
    found = unit_alpha(
        unit, numbers, people, unit, what="items", level=level, confidence=confidence
    )
    return found.alpha if found else None


@library_function
def kappa(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    weights: Literal["quadratic"] | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate | None:
    """Compute Cohen's κ: the agreement of two raters beyond what their base rates predict.

    Parameters
    ----------
    a, b : array_like, shape (items,)
        The answers of both raters about the same items.
    weights
        "quadratic" counts similar answers as partial agreement: the fewer ranks apart, the more
        similar. Answers are ranked by size if they are numbers, else alphabetically.
    confidence
        Level of the interval, which generalises to other items; above 0 and below 1.

    Returns
    -------
    Estimate or None
        With ``value``, ``low`` and ``high``. None without items, or if all answers of both raters
        are the same.

    Raises
    ------
    InputError
        The arrays differ in length, or an argument is out of range.

    References
    ----------
    Cohen (1960), "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20; (1968), "Weighted kappa", Psychological Bulletin 70.

    Examples
    --------
    >>> import hype
    >>> people, judge = ["real", "fake", "fake", "real"] * 9, ["real", "fake", "real", "real"] * 9
    >>> hype.kappa(people, judge).value
    0.5
    """
    _check(confidence, a=a, b=b)
    if weights not in (None, "quadratic"):
        raise InputError("weights", repr(weights), "None or quadratic")
    one, other = np.asarray(a), np.asarray(b)
    codes, levels = pd.factorize(np.concatenate([one, other]), sort=True)
    weigh = weigh_names if weights is None else quadratic
    found = kappa_of(
        codes[: len(one)], codes[len(one) :], weigh(len(levels)), RowUnits(), confidence
    )
    return found.estimate


def _check(confidence: float, **arrays: npt.ArrayLike | None) -> None:
    sizes = {name: np.asarray(each).shape for name, each in arrays.items() if each is not None}
    if len({*sizes.values()}) > 1 or any(len(size) != 1 for size in sizes.values()):
        problem = "have the shapes " + ", ".join(map(str, sizes.values()))
        raise InputError(", ".join(sizes), problem, "one-dimensional arrays of equal length")
    if not 0 < confidence < 1:
        raise InputError("confidence", f"{confidence:g}", "above 0 and below 1")
