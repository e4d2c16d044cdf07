"""Images: how often each was called fake, if they differ, and how evaluators agree on them.

Agreement is Krippendorff's α. Units are the images of the condition, real and fake ones alike;
observers are its evaluators; values are the answers, real or fake. Evaluators who all see through
the images agree too: α tells consensus, not deception.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr

from hype.errors import InputError
from hype.statistics.agreement import Alpha, unit_alpha
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.estimate import FEWEST_SHOWN, Estimate
from hype.statistics.proportions import wilson
from hype.statistics.resampling import FEWEST_PEOPLE

IMAGE_SCORE_COLUMNS = (
    "condition",
    "task",
    "truth",
    "image",
    "shown",
    "called_fake",
    "share",
    "low",
    "high",
    "mean_exposure_ms",
)
"""The columns of `image_scores`; `ImageScore` says what they mean."""


@dataclass(frozen=True, kw_only=True)
class ImageScore:
    """One image in one condition."""

    # condition, task, truth, image: which image, and among what it was shown; a real image has one
    # score per condition
    condition: str
    task: str
    truth: str
    image: str
    shown: int  # number of judgements, at least 1; an evaluator who judged it twice counts twice
    called_fake: int  # how many of them said fake
    share: float  # `called_fake` over `shown`, 0 to 1
    # low, high: Wilson's interval of the share, 0 to 1; it takes the judgements as
    # independent
    low: float
    high: float
    mean_exposure_ms: float | None  # mean requested exposure over the judgements; None for infinity


def label_codes(cells: pd.Series) -> tuple[IntArray, list[str]]:
    """Number the labels of a column, text or categorical, in the order of their names.

    Gives positions in the names, shape (rows,), -1 where a cell is missing or blank, and the names,
    sorted, unused categories among them.
    """
    if isinstance(cells.dtype, pd.CategoricalDtype):
        codes, values = cells.cat.codes.to_numpy(), cells.cat.categories
    else:
        codes, values = pd.factorize(pd.Index(cells))
    texts = list(map(str, values.to_numpy(dtype=object)))
    # Categories are sorted as a rule, which makes sorting them again quick.
    names = sorted(dict.fromkeys(filter(str.strip, texts)))
    if names == texts:
        return codes.astype(np.int64), names
    position = dict(zip(names, range(len(names)), strict=True))
    # The last place answers for the code -1, by which pandas marks a missing cell.
    lookup = np.array([*(position.get(text, -1) for text in texts), -1], dtype=np.int64)
    return lookup[codes], names


def image_scores(judgements: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count how often every image was called fake, in each condition and protocol.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them; all rows that name an image are counted.
    confidence
        Of the intervals, as a proportion.

    Returns
    -------
    DataFrame
        One row per condition, task, truth and image, sorted by these; the columns are
        `IMAGE_SCORE_COLUMNS`. The four labels are categorical, the counts whole numbers, and
        mean_exposure_ms is NaN but for the time protocol. Without a row wherever the judgements
        name no images.
    """
    keys = ["condition", "task", "truth", "image"]
    labels = [label_codes(judgements[key]) for key in keys] if "image" in judgements else []
    named = labels[-1][0] >= 0 if labels else np.zeros(len(judgements), dtype=bool)
    if not named.any():
        return pd.DataFrame(columns=list(IMAGE_SCORE_COLUMNS))
    shape = tuple(len(names) for _, names in labels)
    flat = np.ravel_multi_index(tuple(codes[named] for codes, _ in labels), shape)
    group, distinct = pd.factorize(flat, sort=True)
    codes_found = np.unravel_index(distinct, shape)
    tables = zip(keys, codes_found, (names for _, names in labels), strict=True)
    index = {key: pd.Categorical.from_codes(at, pd.Index(names)) for key, at, names in tables}
    return pd.DataFrame({**index, **_tallies(judgements, named, group, confidence)})


def _tallies(
    judgements: pd.DataFrame, named: BoolArray, group: IntArray, confidence: float
) -> dict[str, npt.NDArray[np.generic]]:
    called = judgements["answer"].eq("fake").to_numpy()[named]
    shown, called_fake = np.bincount(group), np.bincount(group[called], minlength=group.max() + 1)
    low, high = wilson(called_fake, shown, confidence=confidence)
    exposures_ms = np.bincount(group, weights=_exposures_ms(judgements)[named])
    return {
        "shown": shown,
        "called_fake": called_fake,
        "share": called_fake / shown,
        "low": low,
        "high": high,
        "mean_exposure_ms": exposures_ms / shown,
    }


def _exposures_ms(judgements: pd.DataFrame) -> FloatArray:
    if "exposure_ms" not in judgements:
        return np.full(len(judgements), np.nan)
    timed = judgements["task"].eq("time").to_numpy()
    return np.where(timed, judgements["exposure_ms"].to_numpy(dtype=float), np.nan)


def most_convincing(
    scores: pd.DataFrame, condition: str, n: int, *, task: str | None = None
) -> tuple[ImageScore, ...]:
    """Name at most ``n`` fakes of a condition that are surest to be taken for real.

    The smallest upper bound of "called fake" first, so that one of one does not beat 29 of 30;
    where that is equal, the smaller share, then the image shown less often (the bound is then 1:
    less speaks against it), then the name. Empty for an unknown condition. ``task`` is None where
    the scores are of one protocol only.
    """
    return _first(scores, _fakes(scores, condition, task), ("high", "share"), 1, n)


def least_convincing(
    scores: pd.DataFrame, condition: str, n: int, *, task: str | None = None
) -> tuple[ImageScore, ...]:
    """Name the fakes of a condition that are surest to be found out.

    As `most_convincing`, but the largest lower bound of "called fake" first; where that is equal,
    the larger share, then the image shown less often, then the name.
    """
    return _first(scores, _fakes(scores, condition, task), ("low", "share"), -1, n)


def _fakes(scores: pd.DataFrame, condition: str, task: str | None) -> IntArray:
    wanted = scores["condition"].eq(condition) & scores["truth"].eq("fake")
    return np.flatnonzero(wanted if task is None else wanted & scores["task"].eq(task))


def _first(
    scores: pd.DataFrame, rows: IntArray, keys: tuple[str, str], sign: int, n: int
) -> tuple[ImageScore, ...]:
    """Rank rows by two columns, rising or falling by the sign; then by times shown and name."""
    if n < 0:
        raise InputError("number of images", str(n), "allowed is a whole number, 0 or more")
    bound, share = (sign * scores[key].to_numpy()[rows] for key in keys)
    names = scores["image"].iloc[rows].astype("category").cat.codes.to_numpy()
    order = np.lexsort((names, scores["shown"].to_numpy()[rows], share, bound))[:n]
    columns = scores[list(IMAGE_SCORE_COLUMNS)].iloc[rows[order]].to_dict("list")
    return tuple(
        ImageScore(
            **dict(zip(IMAGE_SCORE_COLUMNS, row, strict=False)),
            mean_exposure_ms=None if math.isnan(mean_ms) else mean_ms,
        )
        for *row, mean_ms in zip(*columns.values(), strict=True)
    )


@dataclass(frozen=True, kw_only=True)
class ImageDifferences:
    """Whether the fakes of a condition differ."""

    images: int  # how many were judged
    # fewest, most: judgements of the image that has the fewest, and the most
    fewest: int
    most: int
    # z, p: Tarone's statistic, and its one-sided p. None where no image was judged twice, or all
    # judgements are the same.
    z: float | None
    p: float | None


def image_differences(judgements: pd.DataFrame) -> dict[str, ImageDifferences]:
    """Ask of each condition whether its fakes differ; empty where the images have no names.

    Parameters
    ----------
    judgements
        Rows of one protocol, as `check_judgements` returns them.

    Notes
    -----
    Judgements are taken as independent. In the time protocol exposures differ between them, which
    is no difference between images as long as chance pairs the two.
    """
    scores = image_scores(judgements)
    if scores.empty:
        return {}
    fakes = scores[scores["truth"].eq("fake")]
    return {
        str(name): _differences(rows["called_fake"].to_numpy(), rows["shown"].to_numpy())
        for name, rows in fakes.groupby("condition", observed=True, sort=True)
    }


def _differences(called_fake: IntArray, shown: IntArray) -> ImageDifferences:
    z = tarone_z(called_fake, shown)
    return ImageDifferences(
        images=len(shown),
        fewest=int(shown.min()),
        most=int(shown.max()),
        z=z,
        p=None if z is None else float(ndtr(-z)),
    )


def tarone_z(successes: npt.ArrayLike, trials: npt.ArrayLike) -> float | None:
    """Give Tarone's statistic of counts: above 0 where they scatter more than binomial ones.

    None where no count has two trials, or all trials have one outcome.
    """
    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    share = k.sum() / n.sum()
    pairs = 2 * (n * (n - 1)).sum()
    if pairs == 0 or share in (0.0, 1.0):
        return None
    scatter = ((k - n * share) ** 2).sum() / (share * (1 - share))
    return float((scatter - n.sum()) / np.sqrt(pairs))


NAMED: Final = 5
"""How many of each are named."""
ROUNDING: Final = 1e-9
"""Shares that differ from their mean by no more are the mean."""


@dataclass(frozen=True, kw_only=True)
class Convincing:
    """The fakes that were most, and least, often taken for real; best of their kind first.

    Of those shown `FEWEST_SHOWN` times or more, and called fake less, or more, often than the mean
    of them: where all are alike there is no end.
    """

    most: tuple[ImageScore, ...]
    least: tuple[ImageScore, ...]
    fakes: int  # how many were shown at all
    seldom: int  # how many of them were shown less often


def convincing_by_condition(judgements: pd.DataFrame) -> dict[str, Convincing]:
    """Find the extreme images of each condition; empty where the images have no names."""
    scores = image_scores(judgements)
    if scores.empty:
        return {}
    fakes = scores[scores["truth"].eq("fake")]
    often = fakes[fakes["shown"] >= FEWEST_SHOWN]
    known, shown = (Counter(map(str, rows["condition"])) for rows in (often, fakes))
    away = often["share"] - often.groupby("condition", observed=True)["share"].transform("mean")
    most, least = often[away < -ROUNDING], often[away > ROUNDING]
    return {
        name: Convincing(
            most=most_convincing(most, name, NAMED) if known[name] else (),
            least=least_convincing(least, name, NAMED) if known[name] else (),
            fakes=number,
            seldom=number - known[name],
        )
        for name, number in shown.items()
    }


def seldom_notes(convincing: Sequence[Convincing | None]) -> Iterator[str]:
    """Say of how many fakes too little is known to name one; ``found``: of each condition."""
    fakes = sum(ends.fakes for ends in convincing if ends)
    seldom = sum(ends.seldom for ends in convincing if ends)
    if seldom:
        yield (
            f"{seldom:,} of {fakes:,} fakes were shown fewer than {FEWEST_SHOWN} times, which says "
            "too little of a single image: they are not named."
        )


NO_IMAGES = "the judgements do not say which image was shown"
NOT_PAIRABLE = "no image was judged by two evaluators"
ALL_THE_SAME = "all answers to the images judged by two evaluators or more are the same"
LONE_IMAGE = "no interval: only one image was judged by two evaluators or more"
FEW_PEOPLE = f"no interval: fewer than {FEWEST_PEOPLE} evaluators judged images that others judged"
NO_DISSENT = "no interval: on every image all gave one answer"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Agreement among the evaluators of a condition."""

    alpha: float | None  # Krippendorff's α, at most 1; None where it is undefined
    # low, high: for other evaluators and, unless images are fixed, other images; None where
    # there is none
    low: float | None
    high: float | None
    images: int  # images that were judged at all
    units: int  # those judged by two evaluators or more; only these tell of agreement
    judgements: int  # judgements of these units, one per evaluator and image
    evaluators: int
    confidence: float  # coverage the interval aims at, as a proportion
    draws: int = 0  # nothing is drawn
    reason: str = ""  # why there is no α or no interval; else empty

    @property
    def basis(self) -> Alpha | None:
        """Give α, and what it is of; None where there is none."""
        if self.alpha is None:
            return None
        return Alpha(
            unit="images",
            alpha=Estimate(value=self.alpha, low=self.low, high=self.high),
            units=self.units,
            n=self.judgements,
            evaluators=self.evaluators,
        )


def agreement_by_condition(
    judgements: pd.DataFrame, *, images: Images = "sample", confidence: float = 0.95
) -> dict[str, Agreement]:
    """Compute Krippendorff's α for each condition of the rows of one protocol, sorted.

    Rows that name no image tell nothing. Of an evaluator who judged an image several times, the
    last judgement counts, by block and trial where these are given, else by the order of the rows:
    agreement of an evaluator with himself is another thing, and a trial shown again replaces a
    spoiled one.
    """
    judged = dict(_judged(judgements))
    return {
        name: _agreement(judged.get(name), images, confidence)
        for name in sorted(map(str, judgements["condition"].unique()))
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judged:
    """One judgement of each evaluator and image of a condition, in numbers, shape (judgements,)."""

    image: IntArray
    evaluator: IntArray
    fake: BoolArray


def _agreement(judged: _Judged | None, images: Images, confidence: float) -> Agreement:
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    own = judged or _Judged(image=nothing, evaluator=nothing, fake=nothing > 0)
    number = np.bincount(own.image)
    paired = (number >= 2)[own.image]
    items = own.image if images == "sample" else None
    by = own.image, own.fake.astype(float), own.evaluator, items
    alpha = unit_alpha(*by, what="items", level="nominal", confidence=confidence)
    units, people = int((number >= 2).sum()), len(np.unique(own.evaluator[paired]))
    reason = _why_not(judged, alpha, units, people)
    low, high = alpha.alpha.ends if alpha and not reason else (None, None)
    return Agreement(
        alpha=alpha.alpha.value if alpha else None,
        low=low,
        high=high,
        images=len(number),
        units=units,
        judgements=int(paired.sum()),
        evaluators=people,
        confidence=confidence,
        reason=reason,
    )


def _why_not(judged: _Judged | None, alpha: Alpha | None, units: int, people: int) -> str:
    """Say why there is no α, or no interval; empty where there are both."""
    if judged is None:
        return NO_IMAGES
    if alpha is None:
        return ALL_THE_SAME if units else NOT_PAIRABLE
    if units == 1:
        return LONE_IMAGE
    if people < FEWEST_PEOPLE:
        return FEW_PEOPLE
    return NO_DISSENT if alpha.alpha.value == 1 else ""


def _judged(judgements: pd.DataFrame) -> Iterator[tuple[str, _Judged]]:
    if "image" not in judgements:
        return
    labels = [label_codes(judgements[key]) for key in ("condition", "truth", "image", "evaluator")]
    named = np.flatnonzero(labels[2][0] >= 0)
    if not len(named):
        return
    shape = tuple(len(names) for _, names in labels)
    cell = np.ravel_multi_index(tuple(codes[named] for codes, _ in labels), shape)
    last = np.flatnonzero(_last_of_each(cell, judgements, named))
    # Sums depend on their order in the last digit, and the order of the rows is to change nothing.
    last = last[np.argsort(cell[last])]
    fake = judgements["answer"].eq("fake").to_numpy()[named[last]]
    image, evaluator = np.divmod(cell[last], shape[3])
    condition = image // (shape[1] * shape[2])
    ends = np.searchsorted(condition, np.arange(shape[0] + 1))
    for name, start, end in zip(labels[0][1], ends, ends[1:], strict=False):
        if end > start:
            numbers = np.unique(image[start:end], return_inverse=True)[1]
            yield (
                str(name),
                _Judged(image=numbers, evaluator=evaluator[start:end], fake=fake[start:end]),
            )


def _last_of_each(cell: IntArray, judgements: pd.DataFrame, named: IntArray) -> BoolArray:
    repeated = pd.Series(cell).duplicated(keep=False).to_numpy()
    rows = np.flatnonzero(repeated)
    trials = judgements.iloc[named[rows]]
    ordered = rows[np.lexsort((_trial_numbers(trials), _block_places(trials), cell[rows]))]
    last = np.append(cell[ordered][1:] != cell[ordered][:-1], np.ones(min(1, len(rows)), bool))
    keep = ~repeated
    keep[ordered[last]] = True
    return keep


def _trial_numbers(judgements: pd.DataFrame) -> FloatArray:
    if "trial" not in judgements:
        return np.zeros(len(judgements))
    return judgements["trial"].fillna(0).to_numpy(dtype=float)


def _block_places(judgements: pd.DataFrame) -> IntArray:
    """Return where each row's block comes: numbered ones by their number, then others by name."""
    codes, names = label_codes(judgements["block"])
    numbers = [int(name) if name.isdecimal() else math.inf for name in names]
    order = sorted(range(len(names)), key=lambda code: (numbers[code], names[code]))
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    return np.asarray(places[codes])
