"""Strengths of many tables at once, all near a table whose strengths are known.

Newton's steps with the known table's information instead of each one's own ("chords"): no matrix
is inverted twice, and an error shrinks by about the part by which the two differ. Tables for which
that is too slow are left to the caller; those without finite strengths are among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.protocol.strengths import SMALLEST_STEP

if TYPE_CHECKING:
    from hype.analysis.pairwise.bradley_terry import Fitted

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_MOST_CHORDS: Final = 30
_TRIED: Final = 4
"""Steps after which a table is given up unless it will be fitted in `_MOST_CHORDS` at its pace."""


def refit(
    fitted: Fitted, points: FloatArray, ties: FloatArray, comparisons: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Fit tables.

    Parameters
    ----------
    fitted
        The strengths to begin at.
    points
        Of each condition in each table, half a point for a tie; shape (tables, K).
    ties
        Number of ties in each table; looked at for Davidson's model only.
    comparisons
        Of each two conditions, shape (tables, K, K).

    Returns
    -------
    found
        Log-strengths, and log ν for Davidson's model; shape (tables, K) or (tables, K + 1).
    done
        Which tables were fitted, to steps of at most `SMALLEST_STEP`; shape (tables,).
    """
    start = fitted.log_strengths
    davidson = fitted.log_nu is not None
    if fitted.log_nu is not None:
        start, points = np.append(start, fitted.log_nu), np.column_stack([points, ties])
    found = np.tile(start, (len(points), 1))
    done = np.zeros(len(points), dtype=bool)
    going = np.arange(len(points))
    inverse = fitted.inverse
    before = np.full(len(points), np.inf)
    for taken in range(1, _MOST_CHORDS + 1):
        own = comparisons if len(going) == len(points) else comparisons[going]
        step = (points[going] - _expected(found[going], own, davidson=davidson)) @ inverse
        found[going] += step
        width = np.abs(step).max(axis=1)
        done[going] = width <= SMALLEST_STEP
        going, before = _worth_going_on(going, width, before, taken)
        if not len(going):
            break
    return found, done


def _worth_going_on(
    going: IntArray, width: FloatArray, before: FloatArray, taken: int
) -> tuple[IntArray, FloatArray]:
    """Leave the tables that need more steps and are on their way; with the last one's width."""
    kept = width > SMALLEST_STEP
    if taken >= _TRIED:
        with np.errstate(divide="ignore", invalid="ignore"):
            pace = np.log(width / before)
            kept &= pace * (_MOST_CHORDS - taken) < np.log(SMALLEST_STEP / width)
    return going[kept], width[kept]


def _expected(found: FloatArray, comparisons: FloatArray, *, davidson: bool) -> FloatArray:
    """Give the points to be expected of each condition; and the ties, last, by Davidson's model."""
    if not davidson:
        strengths = np.exp(found)
        chances = strengths[:, :, np.newaxis] + strengths[:, np.newaxis, :]
        np.divide(comparisons, chances, out=chances)
        points: FloatArray = strengths * np.einsum("tij->ti", chances)
        return points
    return _expected_with_ties(found, comparisons)


def _expected_with_ties(found: FloatArray, comparisons: FloatArray) -> FloatArray:
    roots, nu = np.exp(found[:, :-1] / 2), np.exp(found[:, -1])
    whole = roots[:, :, np.newaxis] ** 2 + roots[:, np.newaxis, :] ** 2
    tied = roots[:, :, np.newaxis] * roots[:, np.newaxis, :] * nu[:, np.newaxis, np.newaxis]
    whole += tied
    np.divide(comparisons, whole, out=whole)
    tied *= whole
    per_condition = np.einsum("tij->ti", tied)
    points = roots**2 * np.einsum("tij->ti", whole) + per_condition / 2
    return np.column_stack([points, per_condition.sum(axis=1) / 2])
