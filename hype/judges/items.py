"""What a judge said of the items that people rated: matched by name, or refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.judges.table import place_of
from hype.protocols.rating.rows import NOT_RELEVANT
from hype.tables.columns import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.judges.people import People
    from hype.judges.results import Shape
    from hype.judges.table import Judges

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_MOST_SHOWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """What one judge said, over the items and axes of `People`.

    Parameters
    ----------
    judge, shape
        Who, and whether it answers or scores images.
    values
        Shape (I, k): answers as numbers, or scores (of pairs: the first image's less the second's);
        NaN where it said nothing, or not relevant.
    answered
        Shape (I, k), not relevant included.
    """

    judge: str
    shape: Shape
    values: FloatArray
    answered: BoolArray


def judged(judges: Judges, people: People, *, overall: str) -> Iterator[Judged]:
    """Match judges with people's items; those who answer come first.

    Parameters
    ----------
    judges
        As their files say.
    people
        Whose items count.
    overall
        The axis of scores that name none.

    Raises
    ------
    InputError
        An item, image or axis is unknown, an answer is not on the scale, or scores name no axis
        where it is not clear which is meant. Images that come with a prompt may be unknown: they
        are of a benchmark.
    """
    yield from _answers(judges.answers, people)
    yield from _scores(judges.scores, people, overall)


def _answers(table: pd.DataFrame, people: People) -> Iterator[Judged]:
    if table.empty:
        return
    item = _known(table, "item", people.items, "an item that people rated")
    axis = _known(table, "axis", people.axes, _axes_said(people))
    given, values = _values(table, axis, people)
    for judge, rows in by_judge(table):
        found = np.full((len(people.items), len(people.axes)), np.nan)
        answered = np.zeros(found.shape, dtype=bool)
        found[item[rows], axis[rows]] = values[rows]
        answered[item[rows], axis[rows]] = given[rows]
        yield Judged(judge=judge, shape="answers", values=found, answered=answered)


def _scores(table: pd.DataFrame, people: People, overall: str) -> Iterator[Judged]:
    if table.empty:
        return
    names = sorted({name for place in people.images for name in place if name})
    if not names:
        problem = "scores images, and people's ratings do not say which images they are of"
        allowed = "ratings need the columns first_image and second_image, or image"
        raise InputError(table["file"].iloc[0], problem, allowed)
    image = known_images(table, names)
    axis = _known(table, "axis", people.axes, _axes_said(people), empty=_axis(people, overall))
    if (axis == -1).any():
        _refuse_no_axis(table, axis == -1, people)
    for judge, every in by_judge(table):
        rows = every[image[every] >= 0]
        scores = np.full((len(names) + 1, len(people.axes)), np.nan)  # the last one: no image
        scores[image[rows], axis[rows]] = table["score"].to_numpy()[rows]
        found = _of_items(scores, names, people)
        yield Judged(judge=judge, shape="scores", values=found, answered=~np.isnan(found))


def known_images(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Number the images of a table of scores; -1 for those of a benchmark that are not among them.

    Raises
    ------
    InputError
        An image is unknown and comes without a prompt.
    """
    codes = _numbered(table["image"], names)
    unknown = (codes < 0) & table["prompt"].eq("").to_numpy()
    if unknown.any():
        allowed = "allowed is an image that people saw; images of a benchmark need a prompt"
        _refuse_cell(table, unknown, "image", allowed)
    return codes


def _of_items(scores: FloatArray, names: Sequence[str], people: People) -> FloatArray:
    """Turn scores of images into those of items: a pair has the difference."""
    place = {name: number for number, name in enumerate(names)}
    of_place = [scores[[place.get(name, -1) for name in each]] for each in people.images]
    found = of_place[0] - of_place[1] if people.pairs else of_place[0]
    return np.where(people.asked, found, np.nan)


def _values(table: pd.DataFrame, axis: IntArray, people: People) -> tuple[BoolArray, FloatArray]:
    """Say which cells hold an answer, and the numbers they stand for."""
    cells = table["answer"].cat
    texts = [str(text).strip() for text in cells.categories]
    codes = cells.codes.to_numpy()
    plain = [people.scale.plain_answer(text, pairs=people.pairs) for text in texts]
    numbers = [people.scale.value(text or "", pairs=people.pairs) for text in plain]
    allowed = np.array(
        [
            [not texts[i] or text == NOT_RELEVANT or text in people.scale.answers(kind)]
            for kind in people.kinds
            for i, text in enumerate(plain)
        ]
    ).reshape(len(people.axes), len(texts))
    refused = ~allowed[axis, codes]
    if refused.any():
        kind = people.kinds[int(axis[int(refused.argmax())])]
        answers = people.scale.answers(kind)
        said = " or ".join(answers) if kind == "yes-no" else f"{answers[0]} to {answers[-1]}"
        _refuse_cell(table, refused, "answer", f"allowed is {said}, or {NOT_RELEVANT}")
    filled = np.array([bool(text) for text in texts])
    return filled[codes], np.array(numbers)[codes]


def _axis(people: People, overall: str) -> int:
    """Say which axis is meant where none is named; -1 where that is not clear."""
    if overall in people.axes:
        return people.axes.index(overall)
    return 0 if len(people.axes) == 1 else -1


def by_judge(table: pd.DataFrame) -> Iterator[tuple[str, IntArray]]:
    """Give each judge of a table, and its rows."""
    codes = table["judge"].cat.codes.to_numpy()
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(table["judge"].cat.categories) + 1))
    for number, name in enumerate(table["judge"].cat.categories):
        yield str(name), order[ends[number] : ends[number + 1]]


def _known(
    table: pd.DataFrame, name: str, names: Sequence[str], allowed: str, *, empty: int | None = None
) -> IntArray:
    """Number the cells of a column; an empty one gets `empty`, where that is given."""
    codes = _numbered(table[name], names)
    blank = table[name].eq("").to_numpy()
    unknown = (codes < 0) if empty is None else (codes < 0) & ~blank
    if unknown.any():
        _refuse_cell(table, unknown, name, f"allowed is {allowed}")
    return codes if empty is None else np.where(blank, empty, codes)


def _numbered(cells: pd.Series, names: Sequence[str]) -> IntArray:
    known = pd.Index(np.array(names, dtype=object))
    places = known.get_indexer(cells.cat.categories.astype(object))
    return np.asarray(places[cells.cat.codes.to_numpy()], dtype=np.int64)


def _axes_said(people: People) -> str:
    more = len(people.axes) - _MOST_SHOWN
    listed = ", ".join(map(shortened, people.axes[:_MOST_SHOWN]))
    return f"an axis that people rated: {listed}" + (f" and {more} more" if more > 0 else "")


def _refuse_cell(table: pd.DataFrame, refused: BoolArray, name: str, allowed: str) -> NoReturn:
    row = int(refused.argmax())
    text = shortened(str(table[name].iloc[row]))
    judge = shortened(str(table["judge"].iloc[row]))
    problem = f"{text!r} of the judge {judge!r} is not allowed"
    if name in ("item", "image", "axis"):
        problem = f"the {name} {text!r} of the judge {judge!r} is unknown"
    raise InputError(f"{place_of(table, row)}, column {name}", problem, allowed)


def _refuse_no_axis(table: pd.DataFrame, refused: BoolArray, people: People) -> NoReturn:
    problem = "the score names no axis, and it is not clear which is meant"
    allowed = f"the column axis says it; allowed is {_axes_said(people)}"
    raise InputError(place_of(table, int(refused.argmax())), problem, allowed)
