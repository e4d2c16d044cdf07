"""Export of ratings, and the meaning of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Engine

from hype.asking.questions import ChoiceQuestion, ImageQuestion, Level
from hype.errors import InputError
from hype.export.kind import (
    Ballot,
    ExportKind,
    Fact,
    Items,
    PreferredPairs,
    Tally,
    TaskWords,
    Vote,
    describe_columns,
    image_of,
)
from hype.export.people import answers_fact, evaluator_facts, scoring_facts
from hype.protocols.prompted.course import texts_shown
from hype.protocols.prompted.trial import Candidate
from hype.protocols.prompted.wording import PROMPT, REFERENCE, TESTED, one_line, task_words
from hype.protocols.rating.record import KEPT
from hype.protocols.rating.rows import why_excluded
from hype.protocols.rating.sampling import axes_of, read_rating_pools
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.trial import NOT_RELEVANT, YES_NO, Axis, RatedItem, RatingTask
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.study.phrases import join_names, spell_count
from hype.tables.columns import Column, Kind
from hype.tables.reasons import OF_PEOPLE


def adding_reasons(_engine: Engine, _study: RatingStudy, _simulated: bool) -> Adding:
    """Return a function that says why a rating is not scored ("" if it is scored)."""
    return lambda status, task: (why_excluded(status=status, task=task),)


RATED: Final = Outgoing(answers=KEPT, needed=("status", "task"), adding=adding_reasons)
"""How the ratings of a study are read from the record."""


def facts_of_people(
    connection: Connection, study: RatingStudy, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    """State who the evaluators are, and how many ratings they gave."""
    did = (
        answers_fact(tally, "ratings", "number of ratings, practice included"),
        *scoring_facts(
            *(connection, study, tally, KEPT, OF_PEOPLE),
            lambda who: why_excluded(status=who.status),
            simulated=simulated,
        ),
    )
    return evaluator_facts(connection, study, did, simulated=simulated)


ITEMS: Final = {
    "pairs": "Two images of one prompt, made in different ways, were shown side by side, in random "
    "order.",
    "images": "One image was shown at a time.",
}

ORDER: Final = {
    "fixed": "one after the other",
    "random": "in a random order, drawn for each evaluator",
}

FIRST: Final = (
    "The lowest answer means that the pair's first image is much better, and the highest answer "
    "that its second image is much better, no matter which image was on the left."
)

LABELS: Final = {
    RatingTask.PRACTICE.value: "practice",
    RatingTask.TEST.value: "ratingtest",
    RatingTask.RATING.value: "rating",
}
"""The names of tasks in file names."""


def tasks_in_words(study: RatingStudy) -> dict[str, TaskWords]:
    texts, axes = texts_shown(study), axes_of(study.settings)
    questions = [axis.question for axis in axes]
    return {
        LABELS[RatingTask.PRACTICE.value]: task_words(
            "Practice ratings, which are not scored.",
            *(texts["instructions"], texts["practice"], *questions),
        ),
        LABELS[RatingTask.TEST.value]: task_words(TESTED, texts["instructions"], *questions),
        LABELS[RatingTask.RATING.value]: task_words(
            " ".join(sentences(study.settings, axes)),
            *(texts["instructions"], texts["block"], *questions),
        ),
    }


def sentences(settings: RatingFile, axes: tuple[Axis, ...]) -> Iterator[str]:
    asked = settings.rating
    yield ITEMS[asked.of]
    how = f", {ORDER[asked.axis_order]}" if len(axes) > 1 else ""
    questions = "; ".join(f"{axis.name}, {one_line(axis.question)} ({ends(axis)})" for axis in axes)
    each = "pair" if asked.of == "pairs" else "image"
    yield f"Each {each} was rated on {spell_count(len(axes), 'axis', 'axes')}{how}: {questions}."
    if asked.of == "pairs":
        yield FIRST
    if optional := [axis.name for axis in axes if axis.optional]:
        yield (
            f"People could answer that an axis is not relevant ({join_names(optional)}); this "
            "counts as a missing answer, not as the middle."
        )
    if asked.show_reference:
        yield REFERENCE
    yield PROMPT[asked.prompt]


def ends(axis: Axis) -> str:
    """Return the lowest and the highest of the possible answers, or both if there are two."""
    lowest, *others, highest = axis.levels
    how = " on a slider" if axis.is_slider else ""
    return f"{lowest} to {highest}{how}" if others else f"{lowest} or {highest}"


OVERALL: Final = "overall"

CELLS: Final = (
    *("excluded", "axis", "evaluator", "prompt", "answer"),
    *("first_image", "first", "first_sha256", "second_image", "second", "second_sha256"),
)


def axis_of(study: RatingStudy) -> str:
    """Return the axis of the overall quality.

    Raises InputError: there are several axes, and none is called `OVERALL`.
    """
    names = study.settings.axis_names
    if OVERALL not in names and len(names) > 1:
        raise InputError(
            study.path,
            f"has several axes, and none is named {OVERALL!r}, so the preferred image is unknown",
            f"--format csv exports the answers on {', '.join(names)}",
        )
    return OVERALL if OVERALL in names else names[0]


def votes_of(engine: Engine, study: RatingStudy, simulated: bool) -> Ballot:
    """Collect the scored ratings on the overall axis as votes; count answers "not relevant".

    A vote states which image is better, but not how much better.
    """
    axis, middle = axis_of(study), (study.settings.rating.levels + 1) // 2
    exported = RATED.read(engine, study, simulated=simulated)
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    ballot, not_relevant = Ballot(), 0
    for excluded, rated, evaluator, prompt, answer, *images in map(cells, exported.rows):
        if excluded or rated != axis:
            continue
        if answer == NOT_RELEVANT:
            not_relevant += 1
        elif answer.isdecimal():
            level, first, second = int(answer), tuple(images[:3]), tuple(images[3:])
            verdict = (level < middle) - (level > middle)
            ballot.cast(evaluator, Vote(prompt, first, second, verdict))
    ballot.facts = {"axis": axis, "not_relevant_left_out": not_relevant}
    return ballot


def answers_of(axis: Axis, *, pairs: bool) -> Mapping[str, str]:
    """Return the answers of an axis with their meanings; for a slider, only the ends."""
    levels = (axis.levels[0], axis.levels[-1]) if axis.is_slider else axis.levels
    meanings = {
        level: (describe_pair if pairs else describe_image)(level, at, len(levels))
        for at, level in enumerate(levels)
    }
    return meanings | ({NOT_RELEVANT: "does not apply: a missing answer"} if axis.optional else {})


def describe_pair(_level: str, at: int, number: int) -> str:
    """Return the meaning of a level of a pair; ``at`` is its index among the levels."""
    middle = number // 2
    if at == middle:
        return "no difference"
    which, steps = ("first" if at < middle else "second"), abs(at - middle)
    if steps == middle > 1:
        return f"the {which} image is much better"
    of = f", {steps} of {middle} steps" if middle > 2 else ""
    return f"the {which} image is better{of}"


def describe_image(level: str, at: int, number: int) -> str:
    """Return the meaning of an answer about an image; ``at`` is its index in order."""
    if level in YES_NO:
        return f"the answer is {level}"
    end = {0: ", the lowest", number - 1: ", the highest"}.get(at, "")
    return f"{level} on the scale{end}"


NO_IMAGE: Final = Candidate(path="", condition="", sha256="")

COLUMNS: Final = describe_columns(
    RATED, "item", "prompt", "first_image", "second_image", "first", "second"
)
"""The columns of the items that judges are asked about."""


def items_of(study: RatingStudy) -> Items:
    """List all items of the design, and the axes with their questions and answers."""
    settings, pools = study.settings, read_rating_pools(study)
    rows = sorted(row_of(item) for share in pools.shares for item in share)
    pairs = settings.rating.of == "pairs"
    axes = [
        {
            "name": axis.name,
            "question": axis.question,
            "answers": dict(answers_of(axis, pairs=pairs)),
        }
        for axis in pools.axes
    ]
    asked = {"rated": settings.rating.of, "prompt": settings.rating.prompt, "axes": axes}
    return Items(rows=tuple(rows), columns=COLUMNS, name="items", asked=asked)


def row_of(item: RatedItem) -> Cells:
    """Return an item's row, in the order of `COLUMNS`."""
    first, second, *_ = (*item.images, NO_IMAGE)
    return (
        *(item.name, item.prompt, first.path, second.path),
        *(first.condition, second.condition),
    )


def questions_of(study: RatingStudy) -> Iterator[ImageQuestion]:
    """Ask judges about every item of the design on each axis; show pairs in both orders.

    A judge answers about the image shown first; the stored answer is about the item's first image.
    """
    pools, asked = read_rating_pools(study), study.settings.rating
    levels = {
        (axis.name, turned): tuple(levels_of(axis, pairs=asked.of == "pairs", turned=turned))
        for axis, turned in product(pools.axes, (False, True))
    }
    for item in chain.from_iterable(pools.shares):
        for axis, turned in product(pools.axes, (False, True)[: len(item.images)]):
            side = {"first_side": "right" if turned else "left"} if item.images[1:] else {}
            of = "rating-number" if axis.is_slider else "rating-image"
            yield ChoiceQuestion(
                kind="rating-pair" if item.images[1:] else of,
                item=item.name,
                images=item.images[::-1] if turned else item.images,
                prompt=item.prompt if asked.prompt == "shown" else "",
                text=axis.question,
                reference=pools.references.get(item.prompt),
                levels=levels[axis.name, turned],
                cells={"item": item.name, "axis": axis.name, **side},
            )


def levels_of(axis: Axis, *, pairs: bool, turned: bool) -> Iterator[Level]:
    meanings = answers_of(axis, pairs=pairs)
    cells = axis.levels[::-1] if turned else axis.levels
    for answer, cell in zip(axis.levels, cells, strict=True):
        meaning = meanings.get(answer, "") if pairs or answer not in YES_NO else answer
        yield Level(answer=answer, meaning=meaning, cell=cell)
    if axis.optional:
        meaning = "this does not apply at all"
        yield Level(answer=NOT_RELEVANT, meaning=meaning, cell=NOT_RELEVANT)


OF_PAIRS: Final = ("second", "second_image", "second_sha256", "first_side")
"""Columns that are empty if single images are rated."""


def what_was_asked(settings: RatingFile) -> Mapping[str, str]:
    return {"rated": settings.rating.of, "axes": ", ".join(settings.axis_names)}


RATING: Final = ExportKind(
    outgoing=RATED,
    columns=describe_columns(RATED),
    answered=Column("rated", Kind.WHOLE, "number of ratings in the session"),
    images=(image_of("first", "the first image"), image_of("second", "the second image")),
    summary=(
        "Images, made in different ways, were rated on several axes. The design is that of "
        "Parthasarathy, Collins and Stephenson (2025, arXiv:2509.12750)."
    ),
    reference="Parthasarathy, Collins & Stephenson (2025), What Makes a Good Generated Image?, "
    "https://arxiv.org/abs/2509.12750",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels=LABELS,
    people=facts_of_people,
    items=items_of,
    questions=questions_of,
)
"""How ratings of any study are exported; `export_kind` adds the axes of one study."""


def export_kind(study: RatingStudy) -> ExportKind:
    """Return the export of a study's ratings, in which the columns name its axes and answers."""
    settings = study.settings
    pairs = settings.rating.of == "pairs"
    axes = axes_of(settings)
    answers = {
        key: meaning for axis in axes for key, meaning in answers_of(axis, pairs=pairs).items()
    }
    if any(axis.is_slider for axis in axes):
        answers = {}  # too many to list
    levels = {"axis": {axis.name: axis.question for axis in axes}, "answer": answers}
    columns = (
        replace(column, levels=levels.get(column.name, column.levels)) for column in RATING.columns
    )
    return replace(
        RATING,
        columns=tuple(
            replace(c, null=c.null and not (pairs and c.name in OF_PAIRS)) for c in columns
        ),
        images=RATING.images if pairs else RATING.images[:1],
        pairs=PreferredPairs(votes=votes_of) if pairs else None,
    )
