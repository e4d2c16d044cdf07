"""One preference model held against people's choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.judges.clustered import share, share_and_p
from hype.judges.preference_results import PairAccuracy, PreferenceAgreement
from hype.judges.verdicts import Figure, Verdict
from hype.statistics.proportions import even_chance_p, holm

if TYPE_CHECKING:
    from hype.judges.choices import Choices, Compared

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def preference_agreement(
    judge: str, scores: FloatArray, compared: Compared, *, confidence: float
) -> PreferenceAgreement:
    """Hold a model's scores against people's choices.

    Parameters
    ----------
    judge
        Its name.
    scores
        Of each image of `Compared.images`; NaN where it gave none.
    compared
        What people said.
    confidence
        Of the intervals.
    """
    choices = compared.choices
    ahead = scores[choices.better] - scores[choices.worse]
    known = ~np.isnan(ahead)
    hits = _hits(ahead)
    units = choices.units.of(known)
    accuracy, p = share_and_p(hits[known], units, confidence)
    shared = ~np.isnan(compared.single) & known
    return PreferenceAgreement(
        judge=judge,
        images=int((~np.isnan(scores[compared.ranked])).sum()),
        of_images=len(compared.ranked),
        comparisons=int(known.sum()),
        of_comparisons=len(known),
        accuracy=accuracy,
        p=p,
        single=_or_none(share(compared.single[shared], choices.units.of(shared), confidence)),
        average=_or_none(_average(scores, compared.average, confidence)),
        first_choice=_or_none(_first_choice(scores, compared, confidence)),
        log_loss=_log_loss(ahead[known]),
        pairs=_pairs(hits, known, compared),
        verdict=Verdict.UNKNOWN,
        said=(),
    )


def _hits(ahead: FloatArray) -> FloatArray:
    """Give 1 where the score is on the side of the choice, a half where scores are equal."""
    hits: FloatArray = (ahead > 0) + 0.5 * (ahead == 0)
    return hits


def _or_none(found: Figure) -> Figure | None:
    return found if found.n else None


def _average(scores: FloatArray, average: Choices, confidence: float) -> Figure:
    ahead = scores[average.better] - scores[average.worse]
    known = ~np.isnan(ahead)
    return share(_hits(ahead[known]), average.units.of(known), confidence)


def _first_choice(scores: FloatArray, compared: Compared, confidence: float) -> Figure:
    """Give how often its best image is a person's best; of equal ones each counts in part."""
    firsts = compared.firsts
    values = scores[firsts.image]
    sizes = np.diff(np.append(firsts.starts, len(values)))
    highest = np.maximum.reduceat(values, firsts.starts)  # NaN where any image has no score
    top = values == np.repeat(highest, sizes)
    known = ~np.isnan(highest)
    right = np.add.reduceat((top & firsts.best).astype(float), firsts.starts)[known]
    tops = np.add.reduceat(top.astype(float), firsts.starts)[known]
    return share(right / tops, firsts.units.of(known), confidence)


def _log_loss(ahead: FloatArray) -> float | None:
    """Give the mean of −ln softmax at the choice, as of 004 eq. 2 for two images."""
    if not ahead.size:
        return None
    return float((np.log1p(np.exp(-np.abs(ahead))) + np.maximum(-ahead, 0)).mean())


def _pairs(
    hits: FloatArray, known: npt.NDArray[np.bool_], compared: Compared
) -> tuple[PairAccuracy, ...]:
    size = len(compared.conditions)
    across = known & (compared.pair >= 0)
    pair, own = compared.pair[across], hits[across]
    made = np.bincount(pair, minlength=size**2)
    right = np.bincount(pair, weights=own, minlength=size**2)
    cells = len(compared.pair_of_cell)
    sides = np.sign(np.bincount(compared.cell[across], weights=own - 0.5, minlength=cells))
    of_cell = compared.pair_of_cell
    won, lost = (np.bincount(of_cell[sides == side], minlength=size**2) for side in (1, -1))
    asked = np.unique(compared.pair[compared.pair >= 0])
    decided = won[asked] + lost[asked]
    p = np.where(decided > 0, even_chance_p(won[asked], decided), np.nan)
    return tuple(
        PairAccuracy(
            a=compared.conditions[code // size],
            b=compared.conditions[code % size],
            accuracy=float(right[code] / made[code]) if made[code] else None,
            comparisons=int(made[code]),
            groups_right=int(won[code]),
            groups_wrong=int(lost[code]),
            p=None if np.isnan(one) else float(one),
            p_holm=None if np.isnan(corrected) else float(corrected),
        )
        for code, one, corrected in zip(asked.tolist(), p, holm(p), strict=True)
    )
