"""The plan of a session of ratings: the items and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Final

from hype.errors import InputError
from hype.protocols.prompted.pools import (
    PromptedPools,
    TestImages,
    draw_test,
    first_conditions,
    manifest_of,
    newcomers,
    read_pools,
    require_references,
)
from hype.protocols.prompted.settings import (
    practice_in,
    session_minutes,
    shares_of,
    split_evenly,
    take_turns,
)
from hype.protocols.prompted.trial import Candidate, Meeting, PlannedBlock, Prompt, meetings
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.trial import YES_NO, Axis, PlannedItem, RatedItem, RatingPlan, RatingTask
from hype.session.materials import read_columns
from hype.session.plans import session_members
from hype.study.assignment import Assignment
from hype.study.draws import Draws, Purpose, seed_sequence, study_sequence

LOOKING_S: Final = 3.0
"""Expected time for looking at an item, in seconds."""
ANSWERING_S: Final = 4.0
"""Expected time for the answer on one axis, in seconds."""

Truths = Mapping[str, tuple[tuple[str, str], ...]]
"""Maps the path of each image to its right answers, as pairs (axis, answer)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPools(PromptedPools):
    """The images of a study of ratings.

    ``test``: the items of the test, which comes first. ``shares``: all items of the design; each
    session rates one share of them.
    """

    axes: tuple[Axis, ...]
    test: tuple[RatedItem, ...] = ()
    shares: tuple[tuple[RatedItem, ...], ...]


def axes_of(settings: RatingFile) -> tuple[Axis, ...]:
    return tuple(
        Axis(
            name=name,
            question=settings.axis(name).question or settings.known_axes[name],
            levels=settings.levels_of(name),
            optional=settings.optional(name),
        )
        for name in settings.axis_names
    )


def list_items(
    settings: RatingFile, conditions: Sequence[str], prompts: Sequence[Prompt], truths: Truths
) -> tuple[RatedItem, ...]:
    """List the items in the order in which they are divided into shares.

    The items of each pair of conditions (or each condition) are shuffled; then one item of each
    pair is taken in turn, so that every section of the list has all pairs about equally often.
    """
    draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN))
    kinds = (
        map(pairs_in, meetings(conditions, prompts).values())
        if settings.rating.of == "pairs"
        else singles_of(conditions, prompts, truths)
    )
    return tuple(take_turns(kinds, draws))


def items_of_newcomer(
    settings: RatingFile,
    name: str,
    before: Sequence[str],
    prompts: Sequence[Prompt],
    truths: Truths,
) -> list[RatedItem]:
    """List the items of a model that joined, in the order in which they are divided into shares.

    The items are the model's pairs with earlier models, or its single images. Single images
    alternate with images of earlier models, because people who see only one model would use the
    whole scale for it.
    """
    draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, f"joined {name}"))
    if settings.rating.of == "pairs":
        found = meetings((*before, name), prompts)
        own = (pairs_in(some) for pair, some in found.items() if name in pair)
        return take_turns(own, draws)
    new = next(singles_of((name,), prompts, truths))
    others = take_turns(singles_of(before, prompts, truths), draws)
    return take_turns((new, others[: len(new)]), draws)


def pairs_in(some: Sequence[Meeting]) -> list[RatedItem]:
    """Make items from pairs of images.

    The image with the lower checksum is the first, so that a judge that prefers first images does
    not seem to prefer a condition.
    """
    by_sum = (sorted((each.other, each.one), key=attrgetter("sha256")) for each in some)
    return [
        RatedItem(prompt=each.prompt, images=tuple(images))
        for each, images in zip(some, by_sum, strict=True)
    ]


def singles_of(
    conditions: Sequence[str], prompts: Sequence[Prompt], truths: Truths
) -> Iterator[list[RatedItem]]:
    def alone(prompt: str, image: Candidate) -> RatedItem:
        return RatedItem(prompt=prompt, images=(image,), truths=truths.get(image.path, ()))

    for name in conditions:
        images = ((p.text, image) for p in prompts for image in p.images.get(name, ()))
        yield [alone(text, image) for text, image in images]


def rating_pools(
    settings: RatingFile, conditions: Sequence[str], prompts: Sequence[Prompt], truths: Truths
) -> RatingPools:
    """Divide all items into shares of about equal size; each session rates one share."""
    asked = settings.rating
    most = asked.blocks * asked.items
    began = first_conditions(conditions, settings.added)
    shares = shares_of(list_items(settings, began, prompts, truths), most)
    for name, before in newcomers(conditions, settings.added):
        shares += shares_of(items_of_newcomer(settings, name, before, prompts, truths), most)
    return RatingPools(
        conditions=tuple(conditions), prompts=tuple(prompts), axes=axes_of(settings), shares=shares
    )


def plan_ratings(settings: RatingFile, pools: RatingPools, assignment: Assignment) -> RatingPlan:
    """Draw the plan of one evaluator. The same arguments give the same plan on every machine."""
    asked = settings.rating
    draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
    share = pools.shares[assignment.cell.share - 1]
    order = draws.permutation(len(share)).tolist()
    planned = list(choose_sides([share[at] for at in order], draws))
    practised = practice_in(pools.shares, assignment.cell.share, asked.practice, draws)
    practice = tuple(choose_sides(practised, draws))
    axes = pools.axes
    if asked.axis_order == "random":
        axes = tuple(axes[at] for at in draws.permutation(len(axes)).tolist())
    test = () if assignment.is_exempt else tuple(choose_sides(pools.test, draws))
    counted = split_evenly(planned, asked.blocks)
    each_s = ANSWERING_S + settings.follow_up.seconds
    seconds = (len(test) + len(planned)) * (LOOKING_S + len(axes) * each_s)
    return RatingPlan(
        **session_members(settings, assignment, session_minutes(seconds)),
        blocks=(
            *(
                PlannedBlock(number=1, items=items, task=task)
                for items, task in ((practice, RatingTask.PRACTICE), (test, RatingTask.TEST))
                if items
            ),
            *(
                PlannedBlock(number=n, items=tuple(some), task=RatingTask.RATING)
                for n, some in enumerate(counted, start=1)
            ),
        ),
        axes=axes,
        references=pools.references,
    )


def choose_sides(items: Sequence[RatedItem], draws: Draws) -> Iterator[PlannedItem]:
    """Choose the sides of images; each condition of a pair is on the left equally often (±1)."""
    seen: dict[tuple[str, ...], int] = {}
    for item in items:
        if len(item.images) == 1:
            yield PlannedItem(item=item)
            continue
        names = tuple(image.condition for image in item.images)
        pair = tuple(sorted(names))
        if pair not in seen:
            seen[pair] = int(draws.uniform(1)[0] < 0.5)  # which of the two is left first
        on_left = pair[seen[pair] % 2]
        yield PlannedItem(item=item, swapped=names[0] != on_left)
        seen[pair] += 1


def read_rating_pools(study: RatingStudy) -> RatingPools:
    """Read the images and right answers.

    Raises InputError: a manifest is wrong; there are no prompts; a prompt has too few conditions or
    images; the study names an unknown condition; a right answer is not a possible answer.
    """
    pools = read_pools(study)
    drawn = rating_pools(study.settings, pools.conditions, pools.prompts, truths_of(study))
    columns, pairs = columns_of_truth(study.settings), study.settings.rating.of == "pairs"
    test = draw_test(study, partial(list_known, study), columns, numbers=pairs)
    require_references(study, pools.references, (item.prompt for item in test))
    return replace(drawn, references=pools.references, test=test)


def list_known(study: RatingStudy, prompt: str, images: TestImages) -> Iterator[RatedItem]:
    """Yield the test items that have a right answer; a pair of equal images has none."""
    for some in combinations(images, 2 if study.settings.rating.of == "pairs" else 1):
        shown, rows = zip(*some, strict=True)
        truths = {
            axis: truth_of(study, axis, shown[0].path, [row[axis] for row in rows])
            for axis in study.settings.axis_names
            if all(axis in row for row in rows)
        }
        if known := tuple((axis, truth) for axis, truth in truths.items() if truth):
            yield RatedItem(prompt=prompt, images=shown, truths=known)


def truth_of(study: RatingStudy, axis: str, path: str, cells: Sequence[str]) -> str:
    """Return the right answer for one cell (an image) or two (a pair; "" if they are equal)."""
    if len(cells) == 1:
        return read_truth(study, axis, path, cells[0])
    levels, (first, second) = study.settings.levels_of(axis), map(float, cells)
    return "" if first == second else levels[0] if first > second else levels[-1]


def columns_of_truth(settings: RatingFile) -> dict[str, str]:
    named = {name: settings.axis(name).truth_column for name in settings.axis_names}
    return {axis: column for axis, column in named.items() if column}


def truths_of(study: RatingStudy) -> Truths:
    """Read the right answers of each image, on the axes that have a column for them.

    Raises InputError: the manifest lacks the column, or a cell is not an answer of the axis.
    """
    columns = columns_of_truth(study.settings)
    if not columns or study.settings.rating.of == "pairs":
        return {}
    cells = read_columns(study)
    for axis, column in columns.items():
        if not (study.other_sets or any(column in row for row in cells.values())):
            problem = f"has no column {column!r}, which axes.{axis}.truth_column names"
            raise InputError(manifest_of(study), problem)
    return {
        path: tuple(
            (axis, read_truth(study, axis, path, row[column]))
            for axis, column in columns.items()
            if row.get(column)
        )
        for path, row in cells.items()
    }


def read_truth(study: RatingStudy, axis: str, path: str, cell: str) -> str:
    """Read the right answer of an image: an answer of the axis, or any number within its scale."""
    levels = study.settings.levels_of(axis)
    allowed = f"one of {', '.join(levels)}, the answers of the axis {axis!r}; or empty"
    if levels != YES_NO:
        with suppress(ValueError):
            number = float(cell)
            if float(levels[0]) <= number <= float(levels[-1]):
                return f"{number:.9g}"
        allowed = f"a number from {levels[0]} to {levels[-1]}, as on the axis {axis!r}; or empty"
    elif cell in levels:
        return cell
    column = study.settings.axis(axis).truth_column
    raise InputError(
        manifest_of(study), f"contains {cell!r} in the column {column!r} of {path}", allowed
    )
