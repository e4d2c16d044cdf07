"""The pre-flight of a study of comparisons: what is compared, how often, and what gives it away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Final

from hype.protocol.comparison import Candidate, ComparisonPlan, ComparisonTask, Prompt
from hype.protocol.steps import Stimulus
from hype.sessions.check_images import ALIKE, Trait, check_images, few, stimuli_of, traits_of
from hype.sessions.comparison_pools import (
    obvious_of,
    read_comparison_pools,
    require_all,
)
from hype.sessions.findings import Preflight
from hype.sessions.prompted import by_prompt, chosen_images, taking_part
from hype.sessions.protocols.comparison import ComparisonProtocol
from hype.stimuli.manifest import StimulusSet
from hype.study.asking import images_by_condition
from hype.study.assignment import Assignment
from hype.study.comparing import ComparisonPools, times_met
from hype.study.comparison_settings import ComparisonSettings
from hype.study.studies import ComparisonStudy

ANYBODY: Final = "anybody"
"""Whose plan stands for everybody's: how long a session takes."""

PairCounts = Mapping[tuple[str, str], int]


def check_comparison_study(study: ComparisonStudy) -> Preflight:
    """Check a study's stimuli and design."""
    flight = Preflight()
    stimuli = stimuli_of(flight, study)
    if not stimuli:
        return flight
    traits = check_images(flight, study, stimuli)
    if pools := pools_of(flight, study, stimuli):
        warn_of_giveaways(flight, stimuli, pools, traits)
        warn_of_copies(flight, study, pools)
        check_design(flight, ComparisonProtocol(study, pools))
    return flight


def pools_of(
    flight: Preflight, study: ComparisonStudy, stimuli: StimulusSet
) -> ComparisonPools | None:
    """Gather what a study draws from as its sessions do, or say which part is in the way."""
    names = flight.attempt("condition-unknown", lambda: taking_part(study, stimuli))
    if not names:
        return None
    made = flight.attempt("prompts-unfit", lambda: by_prompt(study, stimuli, names))
    if not made:
        return None
    obvious = flight.allows("validation-wrong", lambda: tuple(obvious_of(study, stimuli, made)))
    prompts = flight.attempt(
        "too-few-images",
        lambda: tuple(chosen_images(study, text, images) for text, images in made.items()),
    )
    if prompts is None or not obvious:
        return None
    arena = study.settings.comparison.arena
    if arena and not flight.allows("too-few-images", lambda: require_all(study, prompts, names)):
        return None
    return flight.attempt("validation-wrong", lambda: read_comparison_pools(study))


def warn_of_giveaways(
    flight: Preflight, stimuli: StimulusSet, pools: ComparisonPools, traits: Mapping[str, Trait]
) -> None:
    """Warn of what could tell conditions apart without looking at the picture."""
    by_path = {stimulus.path: stimulus for stimulus in stimuli.stimuli}
    images_of: dict[str, list[Stimulus]] = {name: [] for name in pools.conditions}
    for prompt in pools.prompts:
        for name, images in prompt.images.items():
            images_of[name] += [by_path[image.path] for image in images]
    for name, trait in traits.items():
        found: dict[str, list[str]] = {}
        for condition, some in images_of.items():
            if values := traits_of(some, trait):
                found.setdefault(few(values), []).append(condition)
        if len(found) > 1:
            said = "; ".join(f"{values}: {', '.join(who)}" for values, who in found.items())
            flight.warn(
                f"giveaway-{name}",
                f"{stimuli.folder}: conditions differ in {name} ({said}), which may give away "
                "what made an image",
                ALIKE,
            )


def warn_of_copies(flight: Preflight, study: ComparisonStudy, pools: ComparisonPools) -> None:
    """Warn of comparisons of a picture with itself, in files of two names."""
    same = list(copies(pools))
    if same:
        what = "1 comparison shows" if len(same) == 1 else f"{len(same):,} comparisons show"
        one, other = (image.path for image in same[0])
        flight.warn(
            "image-with-itself",
            f"{study.stimuli_folder}: {what} one picture twice: {one} and {other}"
            + (" among them" if len(same) > 1 else ""),
            "put another image in the place of one of them",
        )


def copies(pools: ComparisonPools) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield all images that can meet and are the same picture."""
    for prompt in pools.prompts:
        alike: dict[str, list[Candidate]] = {}
        for image in chain.from_iterable(prompt.images.values()):
            alike.setdefault(image.sha256, []).append(image)
        for some in alike.values():
            pairs = combinations(some, 2)
            yield from (pair for pair in pairs if pair[0].condition != pair[1].condition)
    beside = ((one.better, one.worse) for one in pools.obvious)
    yield from (pair for pair in beside if pair[0].sha256 == pair[1].sha256)


def check_design(flight: Preflight, protocol: ComparisonProtocol) -> None:
    """Say what is compared, how often, by how many, and what a session takes."""
    pools, settings = protocol.pools, protocol.study.settings
    asked, arena = settings.comparison, settings.comparison.arena
    counts = {pair: times_met(pools, *pair) for pair in combinations(pools.conditions, 2)}
    plan = plan_of_anybody(protocol)
    tasks = Counter(one.task for block in plan.blocks for one in block.planned)
    flight.facts |= {
        "conditions": list(pools.conditions),
        "prompts": len(pools.prompts),
        "images_compared": dict(images_by_condition(pools.prompts)),
        "pairs": len(counts),
        "comparisons": sum(counts.values()),
        "comparisons_per_prompt": per_prompt(pools),
        "cells": len(protocol.cells),
        "evaluators": len(protocol.cells) * protocol.evaluators_per_cell,
        "votes": arena.most_votes if arena else sum(counts.values()) * asked.votes,
        "votes_per_pair": votes_per_pair(asked, counts),
        "arena": arena.model_dump() if arena else None,
        "session": {task.value: tasks[task] for task in ComparisonTask},
        "obvious": len(pools.obvious),
        "minutes": {"comparison": plan.minutes},
    }
    if not arena:
        warn_of_uneven_pairs(flight, protocol.study, pools, counts)


def plan_of_anybody(protocol: ComparisonProtocol) -> ComparisonPlan:
    """Plan a session that stands for all of them."""
    asked = protocol.study.settings.comparison
    pairs = [*combinations(protocol.pools.conditions, 2)] * (asked.blocks * asked.trials)
    chosen = tuple(islice(pairs, asked.blocks * asked.trials)) if asked.arena else ()
    return protocol.plan(Assignment(evaluator=ANYBODY, cell=protocol.cells[0], pairs=chosen))


def per_prompt(pools: ComparisonPools) -> dict[str, int]:
    """Give the fewest and the most comparisons of a prompt."""
    numbers = [comparisons_of(prompt) for prompt in pools.prompts]
    return {"least": min(numbers), "most": max(numbers)}


def comparisons_of(prompt: Prompt) -> int:
    """Count the comparisons that a prompt's images make."""
    numbers = map(len, prompt.images.values())
    return sum(one * other for one, other in combinations(numbers, 2))


def votes_per_pair(asked: ComparisonSettings, counts: PairCounts) -> dict[str, int]:
    """Give the fewest and the most votes of a pair of conditions; their mean in an arena."""
    if asked.arena:
        mean = asked.arena.most_votes // len(counts)
        return {"least": mean, "most": mean}
    return {
        "least": min(counts.values()) * asked.votes,
        "most": max(counts.values()) * asked.votes,
    }


def warn_of_uneven_pairs(
    flight: Preflight,
    study: ComparisonStudy,
    pools: ComparisonPools,
    counts: PairCounts,
) -> None:
    """Warn of prompts that lack a condition, so that pairs are not compared equally often."""
    if len(set(counts.values())) == 1:
        return
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    text, name = lacking(pools.prompts, pools.conditions)
    flight.warn(
        "pairs-uneven",
        f"{study.stimuli_folder}: {' and '.join(least)} are compared {counts[least]:,} times, and "
        f"{' and '.join(most)} {counts[most]:,} times: the prompt {text!r} has no image of "
        f"{name!r}",
        "add the images, or compare only conditions that have all prompts: stimuli.conditions",
    )


def lacking(prompts: Sequence[Prompt], conditions: Sequence[str]) -> tuple[str, str]:
    """Name the first prompt that lacks a condition, and the condition."""
    every = ((p.text, name) for p in prompts for name in conditions if name not in p.images)
    return next(every, ("", ""))


def check_votes(flight: Preflight, study: ComparisonStudy, needed: int) -> None:
    """Warn of fewer votes than the planned analysis needs; an arena has a rule of its own.

    ``needed`` is how many votes tell the planned win rate from one half.
    """
    planned = study.settings.analysis
    asked = study.settings.comparison
    found = flight.facts.get("votes_per_pair")
    if found is None or asked.arena:
        return
    flight.facts["planned"] = {
        "win_rate": planned.win_rate,
        "alpha": planned.alpha,
        "power": planned.power,
        "votes_needed_per_pair": needed,
    }
    if found["least"] < needed:
        enough = -(-needed * asked.votes // found["least"])
        flight.warn(
            "too-few-votes",
            f"{study.path}: a pair of conditions gets {found['least']:,} votes, and telling a win "
            f"rate of {planned.win_rate:.1%} from 50% takes {needed:,} (α = {planned.alpha:g}, "
            f"power {planned.power:g}), even if votes of one evaluator were independent",
            f"set comparison.votes to {enough} or more, add prompts or images, or plan for a "
            "larger win rate: analysis.win_rate",
        )
