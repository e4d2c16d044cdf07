"""Images: how often each was chosen, and how much evaluators agree.

Intervals are Wilson's (1927), with a tie as half a win. An image's share depends on the images it
was compared with. If the design has all pairs, all images of one condition are compared with the
same images; in an arena, they are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from scipy import sparse

from hype.protocols.prompted.tables import end_table
from hype.report import tabular
from hype.report.tabular import Row, Table, tabulate
from hype.statistics.agreement import (
    UnitCounts,
    alpha_of_strata,
    even_alpha,
    interval_of_strata,
    kappas,
    measure_agreement,
)
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate, Images
from hype.statistics.proportions import wilson

NEEDED: Final = ("left_image", "right_image")
MOST: Final = {"low": False, "image": True}
LEAST: Final = {"high": True, "image": True}
"""Sort orders with the images chosen most (or least) on top; True means ascending."""

WINS: Final = (
    *("image", "condition", "prompt"),
    *("comparisons", "wins", "ties", "share", "low", "high"),
)
"""The counts of an image; ``share`` is (wins + ties / 2) / comparisons."""


def image_wins(votes: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count how often each image of each prompt was compared, chosen and tied.

    ``votes``: the scored rows. Gives one row for each prompt, image and condition, with the columns
    `WINS`; empty if images have no names.
    """
    if not set(NEEDED) <= set(votes.columns):
        return pd.DataFrame(columns=[*WINS])
    sides = [
        pd.DataFrame(
            {
                "prompt": votes["prompt"].astype(str) if "prompt" in votes else "",
                "image": votes[f"{side}_image"].astype(str),
                "condition": votes[side].astype(str),
                "wins": votes["answer"].eq(side).to_numpy(),
                "ties": votes["answer"].eq("tie").to_numpy(),
            }
        )
        for side in ("left", "right")
    ]
    each = pd.concat(sides, ignore_index=True)
    each = each[each["image"].ne("")]
    keys = ["prompt", "image", "condition"]
    sums = each.groupby(keys, sort=True, observed=True)[["wins", "ties"]].agg(["size", "sum"])
    counted = sums.index.to_frame(index=False)
    counted["comparisons"] = sums["wins", "size"].to_numpy()
    for name in ("wins", "ties"):
        counted[name] = sums[name, "sum"].to_numpy().astype(int)
    won = counted["wins"].to_numpy() + counted["ties"].to_numpy() / 2
    counted["share"] = won / counted["comparisons"].to_numpy()
    ends = wilson(won, counted["comparisons"].to_numpy(), confidence=confidence)
    counted["low"], counted["high"] = ends
    return counted[[*WINS]]


def image_table(wins: pd.DataFrame) -> Table:
    """List the images that were chosen most and least often, for some prompts.

    Chosen most: the lower end of the interval is highest. Least: the upper end is lowest.
    """
    return end_table(
        wins,
        {"most": MOST, "least": LEAST},
        "comparisons",
        columns=(
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.whole("Wins", "wins"),
            tabular.whole("Ties", "ties"),
            tabular.percent("Win\nrate", "win_rate", of="share"),
            tabular.percents("95% CI", "win_rate", of=lambda row: (row["low"], row["high"])),
        ),
        name="comparison-extreme-images",
        title="Images chosen most and least often",
    )


FIRST, SECOND, TIE = range(3)

VALUES: Final = 3
IMAGES: Final = "images"
PROMPTS: Final = "prompt and conditions"
CONDITIONS: Final = "conditions"


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitAnswers:
    """One answer per evaluator and unit (a comparison), in arrays of shape (answers,).

    ``unit``, ``evaluator``, ``pair``: numbers from 0; ``pair`` is the unit's two conditions.
    ``value``: `TIE`, or the chosen condition: `FIRST` or `SECOND` in the order of names. ``item``:
    the prompt, or the unit if there is only one prompt. ``what``: what the answers to a unit have
    in common: `IMAGES`, `PROMPTS` or `CONDITIONS`.
    """

    unit: IntArray
    evaluator: IntArray
    pair: IntArray
    value: IntArray
    item: IntArray
    what: str

    def shared(self) -> UnitAnswers:
        """Keep the units that at least two evaluators answered."""
        return self._where(np.bincount(self.unit, minlength=1)[self.unit] >= 2)

    def telling(self) -> UnitAnswers:
        """Keep only pairs of conditions with at least two units."""
        first = ~pd.Series(self.unit).duplicated().to_numpy()
        return self._where(np.bincount(self.pair[first], minlength=1)[self.pair] >= 2)

    def _where(self, kept: BoolArray) -> UnitAnswers:
        return UnitAnswers(
            unit=_number_rows([self.unit[kept]]),
            evaluator=self.evaluator[kept],
            pair=_number_rows([self.pair[kept]]),
            value=self.value[kept],
            item=self.item[kept],
            what=self.what,
        )


def answers(votes: pd.DataFrame) -> UnitAnswers:
    """Find the units of a table and the answers to each.

    ``votes``: from `check_comparisons`, with evaluators. If an evaluator answered a unit several
    times, only the last row counts, since agreement is between different evaluators.
    """
    given = votes[votes["answer"].ne("none").to_numpy()]
    left, right = (given[side].cat.codes.to_numpy().astype(np.int64) for side in ("left", "right"))
    first, second = np.minimum(left, right), np.maximum(left, right)
    pair = _number_rows([first, second])
    unit = _number_rows([pair, *_content(given, left > right)])
    evaluator = given["evaluator"].cat.codes.to_numpy().astype(np.int64)
    sides = np.array([FIRST, SECOND, TIE])[given["answer"].cat.codes.to_numpy()]
    value = np.where((left > right) & (sides != TIE), 1 - sides, sides)
    last = ~pd.Series(_number_rows([unit, evaluator])).duplicated(keep="last").to_numpy()
    prompts = given["prompt"].cat.codes.to_numpy().astype(np.int64) if "prompt" in given else unit
    return UnitAnswers(
        unit=unit[last],
        evaluator=evaluator[last],
        pair=pair[last],
        value=value[last],
        item=(prompts if len(prompts) and np.ptp(prompts) else unit)[last],
        what=_what(given),
    )


def _what(votes: pd.DataFrame) -> str:
    if {"left_image", "right_image"} <= set(votes.columns):
        return IMAGES
    return PROMPTS if "prompt" in votes else CONDITIONS


def _content(votes: pd.DataFrame, swapped: BoolArray) -> Iterable[IntArray]:
    """Yield the columns that distinguish units of the same two conditions."""
    if "prompt" in votes:
        yield votes["prompt"].cat.codes.to_numpy().astype(np.int64)
    if _what(votes) == IMAGES:
        left, right = (_image(votes[f"{side}_image"]) for side in ("left", "right"))
        yield np.where(swapped, right, left)
        yield np.where(swapped, left, right)


def _image(cells: pd.Series) -> IntArray:
    # Left and right have separate categories, but the same image must get the same number.
    numbers = pd.util.hash_array(cells.cat.categories.to_numpy(dtype=object), categorize=False)
    return np.asarray(numbers.view(np.int64)[cells.cat.codes.to_numpy()])


def _number_rows(keys: Iterable[IntArray]) -> IntArray:
    """Number the distinct rows of some columns from 0, in the order in which they appear."""
    number: IntArray | None = None
    for key in keys:
        codes, distinct_keys = pd.factorize(key)
        if number is not None:
            codes, _ = pd.factorize(number * max(1, len(distinct_keys)) + codes)
        number = codes.astype(np.int64)
    return np.zeros(0, dtype=np.int64) if number is None else number


SHARED: Final = 10
"""The κ of two evaluators counts in the mean if they share at least this many units."""
OF_TWO: Final = 2
"""If there are only two evaluators, this many shared units are enough for κ."""
MOST_EVALUATORS: Final = 500
"""κ is computed for at most this many evaluators (124,750 pairs): those with the most answers."""
NOT_SHARED: Final = "no comparison was answered by two evaluators"
NOTHING_TELLING: Final = "no two comparisons of the same conditions were answered by two evaluators"

UNANIMOUS: Final = (
    "one condition of each pair was always chosen, so the disagreement expected by chance is zero"
)


def comparison_agreement(
    votes: pd.DataFrame,
    *,
    images: Images = "sample",
    confidence: float = 0.95,
    shared: int = SHARED,
) -> Row | None:
    """Compute the agreement of a table's evaluators; None if they are unknown.

    ``votes``: the scored rows, from `check_comparisons`. ``shared``: how many units two evaluators
    must share for their κ to count (`OF_TWO` if there are only two). ``images``: "sample" if the
    interval of α should apply to other images too.

    ``alpha``: Krippendorff's α, at most 1; 0 if everyone answers by the same random rule for each
    pair of conditions; None if undefined, for the ``reason`` given (see `alpha_of_strata` and
    `interval_of_strata`). ``even_alpha``: α with a chance level of one half for each condition, so
    agreement on the better condition counts. ``observed``: how often two answers to the same
    comparison agree. ``units``: how many comparisons have two evaluators
    or more; ``unit``: what answers to the same comparison have in common, `IMAGES`, `PROMPTS` or
    `CONDITIONS`; ``judgements``: the number of answers, one per evaluator and unit; ``evaluators``:
    their number. ``basis``: α with the numbers used for it. ``mean_kappa``: mean of Cohen's κ over
    ``kappa_pairs`` pairs of evaluators who share at least ``kappa_shared`` units; None without any.
    For κ, an answer is the more popular condition of a pair, the less popular one, or a tie.
    ``kappa_undefined``: how many more pairs share as many units, but have no κ, because both
    evaluators always gave the same answer.
    """
    if "evaluator" not in votes:
        return None
    given = answers(votes).shared()
    units = _unit_counts(given)
    telling = given.telling()
    telling_units = _unit_counts(telling)
    alpha = alpha_of_strata(telling_units)
    ends: tuple[float | None, float | None] = (None, None)
    if alpha is not None:
        item = telling.item if images == "sample" else None
        by = telling.unit, telling.value, telling.evaluator, item
        ends = interval_of_strata(telling_units, *by, confidence=confidence)
    evaluators = len(np.unique(given.evaluator))
    shared = OF_TWO if evaluators == 2 else shared
    kappa = _pairwise_kappas(given, shared)
    defined = kappa[~np.isnan(kappa)]
    reason = ""
    if alpha is None:
        known = UNANIMOUS if len(telling_units.counts) else NOTHING_TELLING
        reason = known if len(units.counts) else NOT_SHARED
    estimate, basis = None, None
    if alpha is not None:
        estimate = Estimate(value=alpha, low=ends[0], high=ends[1])
        basis = Alpha(
            unit="comparisons",
            alpha=estimate,
            units=len(units.counts),
            n=len(given.unit),
            evaluators=evaluators,
        )
    return {
        "alpha": estimate,
        "basis": basis,
        "even_alpha": even_alpha(units),
        "observed": measure_agreement(units),
        "units": len(units.counts),
        "judgements": len(given.unit),
        "evaluators": evaluators,
        "unit": given.what,
        "mean_kappa": float(defined.mean()) if len(defined) else None,
        "kappa_pairs": len(defined),
        "kappa_undefined": len(kappa) - len(defined),
        "kappa_shared": shared,
        "reason": reason,
    }


def agreement_table(agreement: Row | None, confidence: float) -> Table:
    return tabulate(
        [agreement] if agreement else [],
        name="comparison-agreement",
        title="Do evaluators agree?",
        columns=(
            tabular.name("Same com-\nparison", "unit"),
            tabular.number("α", "alpha", 3),
            tabular.interval(f"{confidence:.0%} CI", "alpha", 3),
            tabular.number("α with\nwin rates", "even_alpha", 3),
            tabular.number("Cohen's\nκ", "mean_kappa", 3),
            tabular.whole("Compa-\nrisons", "units"),
            tabular.whole("Answers", "judgements"),
            tabular.whole("Evalu-\nators", "evaluators"),
            *tabular.further(
                tabular.number("Observed agreement", "observed", 3),
                tabular.whole("Pairs of evaluators with κ", "kappa_pairs"),
                tabular.whole("without κ", "kappa_undefined"),
                tabular.whole("Comparisons that two people must share", "kappa_shared"),
                tabular.words("No α, because", "reason"),
            ),
        ),
        note="Same comparison: what answers to the same comparison have in common. "
        "α: agreement beyond what win rates explain. α with win rates: agreement on "
        "the better condition counts too.",
    )


def _unit_counts(given: UnitAnswers) -> UnitCounts:
    units = int(given.unit.max(initial=-1)) + 1
    cells = np.bincount(given.unit * VALUES + given.value, minlength=units * VALUES)
    stratum = np.zeros(units, dtype=np.int64)
    stratum[given.unit] = given.pair
    return UnitCounts(counts=cells.reshape(units, VALUES), stratum=stratum)


def _pairwise_kappas(given: UnitAnswers, shared: int) -> FloatArray:
    """Compute κ of all pairs of evaluators who share enough units; NaN if undefined."""
    answered = np.bincount(given.evaluator)
    busiest = np.argsort(-answered, kind="stable")[:MOST_EVALUATORS]
    busiest = busiest[answered[busiest] > 0]
    people, place = len(busiest), np.full(len(answered), -1)
    place[busiest] = np.arange(people)
    who = place[given.evaluator]
    kept = who >= 0
    if people < 2 or not kept.any():
        return np.zeros(0)
    lead = np.bincount(given.pair, (given.value == FIRST).astype(float) - (given.value == SECOND))
    # Swap answers so that the more popular condition comes first
    swapped = (lead < 0)[given.pair] & (given.value != TIE)
    value = np.where(swapped, SECOND - given.value, given.value)[kept]
    shape = (people, int(given.unit.max()) + 1)
    own = [
        sparse.csr_array(
            (np.ones(int(same.sum())), (who[kept][same], given.unit[kept][same])), shape=shape
        )
        for same in (value == v for v in range(VALUES))
    ]
    tables = np.array([[(a @ b.T).toarray() for b in own] for a in own])
    both = np.moveaxis(tables, (0, 1), (-2, -1))[np.triu_indices(people, k=1)]
    return kappas(both[both.sum(axis=(-2, -1)) >= shared])
