"""The items that people rated, and a judge's answers about them, matched by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import pandas as pd

from hype.errors import InputError, few
from hype.judges.benchmark import mean_scores
from hype.judges.files import Judges, place_of
from hype.judges.results import RowUnits, Shape
from hype.report.tabular import Row
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.study.scales import NO, NOT_RELEVANT, YES, AnswerKind, Scale, axes_in_order, is_pairs
from hype.tables.cells import codes_of
from hype.tables.columns import shorten

_MOST_SHOWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeAnswers:
    """A judge's answers or scores for the items and axes of `People`."""

    judge: str
    shape: Shape
    # Shape (I, k): answers as numbers, or scores (for pairs: the first image's minus the second's);
    # NaN for no answer, or for "not relevant"
    numbers: FloatArray
    answered: BoolArray  # whether there is an answer (even "not relevant"), shape (I, k).
    # Facts about pairs shown in both orders; None if there are none. `first`, `item`: for each
    # answer that prefers an image, whether that image was shown first (1 or 0), and the item.
    # `both`: for how many items and axes the judge preferred an image in both orders; `same`: for
    # how many of these it was the same image
    both_orders: Row | None = None
    # −1 for pairs whose second image was usually shown first, else 1, shape (I,); None if all are 1
    shown: FloatArray | None = None
    missing: Mapping[str, int] = field(default_factory=dict)  # number of missing answers by reason


def match_judges(judges: Judges, people: People, *, overall: str) -> Iterator[JudgeAnswers]:
    """Match judges with people's items; judges with answers come first.

    ``overall``: the axis to which scores without an axis belong.

    Raises InputError: an item, image or axis is unknown; an answer is not on the scale; scores name
    no axis although there are several. Unknown images with a prompt are allowed: they belong to a
    benchmark.
    """
    yield from _answers(judges.answers, people)
    yield from _scores(judges.scores, people, overall)


def _answers(table: pd.DataFrame, people: People) -> Iterator[JudgeAnswers]:
    if table.empty:
        return
    item = _number_names(table["item"], people.items)
    if (item < 0).any():
        _refuse_cell(table, item < 0, "item", f"it must be {people.called}", column=people.column)
    axis = _axes(table, people)
    given, values = _values(table, axis, people)
    turned = table["first_side"].eq("right").to_numpy()
    for judge, rows in group_by_judge(table):
        cell = item[rows] * len(people.axes) + axis[rows]
        shape = (len(people.items), len(people.axes))
        numbers, answered = _means(cell, values[rows], given[rows], people)
        is_turned = people.pairs and turned[rows].any()
        # Whether the second image was shown first in most answers to an item
        sides = np.where(turned[rows], 1.0, -1.0)
        second = np.bincount(item[rows], weights=sides, minlength=shape[0]) > 0
        missing = table["missing"].iloc[rows] if "missing" in table else pd.Series(dtype=object)
        yield JudgeAnswers(
            judge=judge,
            shape="answers",
            numbers=numbers.reshape(shape),
            answered=answered.reshape(shape),
            both_orders=_both_orders(cell, values[rows], turned[rows], shape)
            if is_turned
            else None,
            shown=np.where(second, -1.0, 1.0) if is_turned else None,
            missing={str(k): int(n) for k, n in missing.value_counts().items() if k and n},
        )


def _means(
    cell: IntArray, values: FloatArray, given: BoolArray, people: People
) -> tuple[FloatArray, BoolArray]:
    """Return the judge's mean answer for each item and axis, and whether there is an answer.

    An axis is not relevant if most answers are "not relevant". A tie of yes and no has no mean.
    """
    size = len(people.items) * len(people.axes)
    is_number = ~np.isnan(values)
    number = np.bincount(cell[is_number], minlength=size)
    total = np.bincount(cell[is_number], weights=values[is_number], minlength=size)
    answers = np.bincount(cell[given], minlength=size)
    means = np.where(2 * number >= answers, total / np.maximum(number, 1), np.nan)
    means[number == 0] = np.nan
    words = np.tile([kind == "yes-no" for kind in people.kinds], len(people.items))
    undecided = words & (means == 0.5)
    means = np.where(words & ~np.isnan(means), np.rint(means), means)
    means[undecided] = np.nan
    return means, (answers > 0) & ~undecided


def _both_orders(
    cell: IntArray, values: FloatArray, turned: BoolArray, shape: tuple[int, int]
) -> Row | None:
    """Collect the answers about pairs that were shown in both orders; None if there are none.

    ``values``: above 0 for the item's first image, below 0 for the second, 0 or NaN for neither.
    """
    size, known = shape[0] * shape[1], ~np.isnan(values)
    orders = [np.bincount(cell[known & side], minlength=size) for side in (turned, ~turned)]
    twice = ((orders[0] > 0) & (orders[1] > 0))[cell]
    if not twice.any():
        return None
    cell, turned, prefers = cell[twice], turned[twice], np.sign(np.nan_to_num(values[twice]))
    first = np.where(turned, -prefers, prefers)
    one, other = (
        np.sign(np.bincount(cell[side], weights=prefers[side], minlength=size))
        for side in (turned, ~turned)
    )
    both = (one != 0) & (other != 0)
    return {
        "first": (first[first != 0] > 0).astype(float),
        "item": cell[first != 0] // shape[1],
        "same": int((both & (one == other)).sum()),
        "both": int(both.sum()),
    }


def _scores(table: pd.DataFrame, people: People, overall: str) -> Iterator[JudgeAnswers]:
    if table.empty:
        return
    names = sorted({name for place in people.images for name in place if name})
    if not names:
        problem = "scores images, but people's ratings do not name their images"
        allowed = "ratings need the columns first_image and second_image, or image"
        raise InputError(table["file"].iloc[0], problem, allowed)
    image, place = number_images(table, names), {name: at for at, name in enumerate(names)}
    axis = _axes(table, people, overall)
    for judge, every in group_by_judge(table):
        rows = every[image[every] >= 0]
        cell, size = image[rows] * len(people.axes) + axis[rows], len(names) * len(people.axes)
        scores = mean_scores(cell, table["score"].to_numpy()[rows], size).reshape(len(names), -1)
        # unknown images (-1) get the last row, which is NaN
        scores = np.vstack([scores, np.full(len(people.axes), np.nan)])
        of_sides = [scores[[place.get(name, -1) for name in side]] for side in people.images]
        values = of_sides[0] - of_sides[1] if people.pairs else of_sides[0]
        values = np.where(people.asked, values, np.nan)
        yield JudgeAnswers(judge=judge, shape="scores", numbers=values, answered=~np.isnan(values))


def number_images(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Number the images of a table of scores by their place in ``names``; -1 for unknown images.

    Raises InputError: an unknown image has no prompt, so it cannot belong to a benchmark.
    """
    codes = _number_names(table["image"], names)
    unknown = (codes < 0) & table["prompt"].eq("").to_numpy()
    if unknown.any():
        allowed = "it must be an image that people saw; images of a benchmark need a prompt"
        _refuse_cell(table, unknown, "image", allowed)
    return codes


def _values(table: pd.DataFrame, axis: IntArray, people: People) -> tuple[BoolArray, FloatArray]:
    """Return which cells contain an answer, and the answers as numbers."""
    cells = table["answer"].cat
    texts = [str(text).strip() for text in cells.categories]
    codes = cells.codes.to_numpy()
    plain = [people.scale.plain_answer(text, pairs=people.pairs) for text in texts]
    numbers = [people.scale.value(text or "", pairs=people.pairs) for text in plain]
    allowed = np.array(
        [
            [not texts[i] or text == NOT_RELEVANT or scale.fits(text or "", kind)]
            for scale, kind in zip(map(people.scale.on, people.axes), people.kinds, strict=True)
            for i, text in enumerate(plain)
        ]
    ).reshape(len(people.axes), len(texts))
    refused = ~allowed[axis, codes]
    if refused.any():
        number = int(axis[int(refused.argmax())])
        kind, scale = people.kinds[number], people.scale.on(people.axes[number])
        ends = scale.ends(kind) if kind == "numbers" else (1, scale.levels)
        levels = f"{ends[0]:g} to {ends[1]:g}" if ends and kind != "yes-no" else f"{YES} or {NO}"
        _refuse_cell(table, refused, "answer", f"it must be {levels}, or {NOT_RELEVANT}")
    filled = np.array([bool(text) for text in texts])
    return filled[codes], np.array(numbers)[codes]


def group_by_judge(table: pd.DataFrame) -> Iterator[tuple[str, IntArray]]:
    codes = table["judge"].cat.codes.to_numpy()
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(table["judge"].cat.categories) + 1))
    for number, name in enumerate(table["judge"].cat.categories):
        yield str(name), order[ends[number] : ends[number + 1]]


def _axes(table: pd.DataFrame, people: People, overall: str | None = None) -> IntArray:
    """Number each row's axis. Rows without an axis belong to ``overall`` or to the only axis."""
    axis = _number_names(table["axis"], people.axes)
    blank = table["axis"].eq("").to_numpy()
    rated = few([*map(shorten, people.axes)], _MOST_SHOWN)
    allowed = f"an axis that people rated: {rated}"
    if ((axis < 0) & ~blank).any():
        _refuse_cell(table, (axis < 0) & ~blank, "axis", f"it must be {allowed}")
    if overall in people.axes:
        return np.where(blank, people.axes.index(overall), axis)
    if blank.any() and len(people.axes) > 1:
        problem = "the score names no axis, but people rated several axes"
        place = place_of(table, int(blank.argmax()))
        raise InputError(place, problem, f"a column 'axis' that names {allowed}")
    return np.where(blank, 0, axis)


def _number_names(cells: pd.Series, names: Sequence[str]) -> IntArray:
    index = pd.Index(np.array(names, dtype=object))
    places = index.get_indexer(cells.cat.categories.astype(object))
    return np.asarray(places[cells.cat.codes.to_numpy()], dtype=np.int64)


def _refuse_cell(
    table: pd.DataFrame, refused: BoolArray, name: str, allowed: str, *, column: str = ""
) -> NoReturn:
    """Refuse a cell; ``column``: the column's name in the file, if it is not ``name``."""
    row = int(refused.argmax())
    text = shorten(str(table[name].iloc[row]))
    judge = shorten(str(table["judge"].iloc[row]))
    problem = f"{text!r} of the judge {judge!r} is not allowed"
    if name in ("item", "image", "axis"):
        noun = "pair" if column == "left_image" else column or name
        problem = f"the {noun} {text!r} of the judge {judge!r} is unknown"
    raise InputError(f"{place_of(table, row)}, column {column or name}", problem, allowed)


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """Ratings of I items on k axes, in R rows: one for each evaluator and item."""

    items: tuple[str, ...]  # I names
    axes: tuple[str, ...]  # k names
    kinds: tuple[AnswerKind, ...]  # the kind of answer on each axis
    ratings: FloatArray  # shape (R, k); NaN if not relevant or not asked
    item: IntArray  # the item of each row, shape (R,)
    evaluator: IntArray | None  # the person of each row, shape (R,); None if unknown
    asked: BoolArray  # whether anyone answered, shape (I, k).
    # The correct answers, shape (I, k), NaN if unknown; None if the table has none
    truth: FloatArray | None
    # The images of each item: a tuple of length I for the first image and, for pairs, another for
    # the second; empty text if unknown
    images: tuple[tuple[str, ...], ...]
    pairs: bool  # whether items are pairs
    scale: Scale  # the allowed answers
    called: str = "an item that people rated"  # what messages call an item
    column: str = "item"  # the column of the item in judges' files

    @property
    def has_repeats(self) -> bool:
        return len(self.item) > len(np.unique(self.item))

    @property
    def units(self) -> RowUnits:
        """The evaluator of each row and, unless every item has only one row, its item."""
        return RowUnits(evaluator=self.evaluator, item=self.item if self.has_repeats else None)

    def levels(self, axis: int) -> int:
        """Return the number of allowed answers on an axis, without "not relevant"."""
        return len(self.scale.on(self.axes[axis]).answers(self.kinds[axis]))

    def level(self, values: FloatArray, axis: int) -> IntArray:
        return self.scale.on(self.axes[axis]).places(values, self.kinds[axis])


def people_in(
    table: pd.DataFrame,
    scale: Scale,
    *,
    first: tuple[str, ...] = (),
    called: str = People.called,
    column: str = People.column,
) -> People:
    """Arrange all answers by item and axis.

    ``table``: ratings, as `check_ratings` returns them. ``first``: the first axes, in order; other
    axes follow in the order in which they appear.
    """
    axes = axes_in_order(table, first)
    place = table["axis"].cat.categories.get_indexer(pd.Index(axes))
    axis = np.argsort(place)[codes_of(table["axis"])]
    items, item = tuple(map(str, table["item"].cat.categories)), codes_of(table["item"])
    # Number the rows of ratings, and find each row's first answer.
    frame = pd.DataFrame({"item": item, "axis": axis})
    frame["who"] = codes_of(table["evaluator"]) if "evaluator" in table else 0
    frame["time"] = frame.groupby(["item", "who", "axis"]).cumcount()  # counts repeated answers
    row = frame.groupby(["item", "who", "time"], sort=True).ngroup().to_numpy()
    starts = np.unique(row, return_index=True)[1]
    wide = np.full((len(starts), len(axes)), np.nan)
    wide[row, axis] = table["value"].to_numpy()
    asked = np.zeros((len(items), len(axes)), dtype=bool)
    asked[item, axis] = True
    truth = np.full(asked.shape, np.nan)
    if "truth_value" in table:
        truth[item, axis] = table["truth_value"].to_numpy()
    pairs = is_pairs(table)
    shown = ("first_image", "second_image") if pairs else ("first_image",)
    head = table.iloc[np.unique(item, return_index=True)[1]]
    words = table["answer"].isin([YES, NO]).to_numpy()
    return People(
        items=items,
        axes=axes,
        kinds=tuple(
            "levels" if pairs else "yes-no" if words[axis == i].any() else "numbers"
            for i in range(len(axes))
        ),
        ratings=wide,
        item=item[starts],
        evaluator=codes_of(table["evaluator"])[starts] if "evaluator" in table else None,
        asked=asked,
        truth=truth if "truth_value" in table else None,
        images=tuple(
            tuple(head[name].astype(str)) if name in table else ("",) * len(items) for name in shown
        ),
        pairs=pairs,
        scale=scale,
        called=called,
        column=column,
    )
