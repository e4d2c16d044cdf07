"""Checks of a study of ratings before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations
from typing import Final

from hype.check.findings import Preflight
from hype.check.record import lines_of_gate
from hype.protocols.facets import Checks
from hype.protocols.prompted.checks import (
    ANYBODY,
    Facts,
    Line,
    check_materials,
    copies_in,
    copies_of_references,
    count_conditions,
    evaluators_in,
    fold,
    gather_or_report,
    prompts_in,
    session_in,
    spread,
    warn_of_copies,
    warn_of_uneven_pairs,
    write_range,
)
from hype.protocols.prompted.settings import images_by_condition
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.sampling import read_rating_pools
from hype.protocols.rating.settings import RatingStudy
from hype.study.assignment import Assignment
from hype.study.phrases import write_count


def check_rating_study(study: RatingStudy) -> Preflight:
    flight = Preflight()
    read = partial(read_rating_pools, study)
    gather = partial(gather_or_report, flight, study, code="axes-wrong", read=read)
    pools = check_materials(flight, study, gather)
    if pools is None:
        return flight
    asked = study.settings.rating
    met = copies_in(pools.prompts) if asked.of == "pairs" else ()
    same = [*met, *copies_of_references(pools)]
    warn_of_copies(flight, study, same, one=asked.of.removesuffix("s"), many=asked.of)
    check_design(flight, RatingCourse(study, pools))
    return flight


def check_design(flight: Preflight, protocol: RatingCourse) -> None:
    pools, asked = protocol.pools, protocol.study.settings.rating
    items = list(chain.from_iterable(pools.shares))
    number = len(items[0].images)  # images of an item
    made = Counter(frozenset(image.condition for image in item.images) for item in items)
    every = combinations(pools.conditions, number)
    counts = {some: made[frozenset(some)] for some in every}
    singles = [sum(map(len, prompt.images.values())) for prompt in pools.prompts]
    known = Counter(axis for item in items for axis, _ in item.truths)
    plan = protocol.plan(Assignment(evaluator=ANYBODY, cell=protocol.cells[0]))
    shown = {block.task.value: 0 for block in plan.blocks}
    for block in plan.blocks:
        shown[block.task.value] += len(block.items)
    flight.facts |= {
        "conditions": list(pools.conditions),
        "prompts": len(pools.prompts),
        "images_rated": dict(images_by_condition(pools.prompts)),
        "of": asked.of,
        "items": sum(counts.values()),
        "items_per_prompt": count_conditions(pools.prompts)
        if number > 1
        else {"least": min(singles), "most": max(singles)},
        "axes": [
            {"axis": axis.name, "answers": list(axis.answers), "question": axis.question}
            for axis in pools.axes
        ],
        "with_truth": {axis.name: known[axis.name] for axis in pools.axes if known[axis.name]},
        "cells": len(protocol.cells),
        "evaluators": len(protocol.cells) * asked.ratings,
        "ratings_per_item": asked.ratings,
        "ratings_per_axis": spread(counts, asked.ratings),
        "answers": sum(counts.values()) * asked.ratings * len(pools.axes),
        "session": shown,
        "minutes": {"rating": plan.minutes},
        "paid_answers": {"rating": plan.paid},
    }
    if asked.ratings == 1:
        flight.warn(
            "one-rating",
            f"{protocol.study.path}: each item is rated by one evaluator, as in the paper, so it "
            "is unknown how well people agree on an item, and how good a judge can be. α only "
            "shows agreement on conditions",
            "set rating.ratings to 2 or more to measure this agreement",
        )
    if asked.of == "pairs":
        warn_of_uneven_pairs(flight, protocol.study, pools, counts, done="rated")


def lines_of_ratings(facts: Facts) -> Iterator[Line]:
    """Yield the numbers of items, axes, ratings and evaluators."""
    pairs = facts["of"] == "pairs"
    yield "prompts", prompts_in(facts, "images_rated")
    yield (
        "items",
        f"{write_count(facts['items'], 'pair' if pairs else 'image')}, "
        + f"{write_range(facts['items_per_prompt'])} a prompt",
    )
    axes = [axis["axis"] for axis in facts["axes"]]
    yield from fold("axes", axes)
    each = facts["ratings_per_item"]
    what = write_count(len(axes), "axis", "axes")
    yield (
        "answers",
        f"{facts['answers']:,}: each item by {write_count(each, 'evaluator')}, on {what}",
    )
    of = "each pair of conditions" if pairs else "each condition"
    yield "", f"{write_range(facts['ratings_per_axis'])} ratings of {of} on each axis"
    if known := facts["with_truth"]:
        yield from fold("truth", [f"{number:,} on {axis}" for axis, number in known.items()])
    yield "evaluators", evaluators_in(facts)
    yield "session", session_in(facts, "items: ")
    yield from lines_of_gate(facts)


CHECKS: Final = Checks(
    study=check_rating_study,
    lines=lambda facts: lines_of_ratings(facts) if "prompts" in facts else iter(()),
)
