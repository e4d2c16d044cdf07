"""Checks of a study of comparisons before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations, cycle, islice
from typing import Final

from hype.check.findings import Preflight
from hype.check.record import lines_of_gate
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.design import votes_wanted
from hype.protocols.comparison.power import comparisons_needed
from hype.protocols.comparison.sampling import (
    ARENA,
    ComparisonPools,
    obvious_of,
    read_comparison_pools,
    times_met,
)
from hype.protocols.comparison.settings import ArenaSettings, ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.facets import Checks
from hype.protocols.prompted.checks import (
    ANYBODY,
    Facts,
    check_materials,
    copies_in,
    copies_of_references,
    count_conditions,
    evaluators_in,
    gather_images,
    prompts_in,
    prompts_of,
    session_in,
    spread,
    warn_of_copies,
    warn_of_uneven_pairs,
    write_range,
)
from hype.protocols.prompted.pools import require_all
from hype.protocols.prompted.settings import images_by_condition
from hype.protocols.prompted.trial import Candidate
from hype.statistics.crossed import FEWEST_ITEMS
from hype.statistics.looks import FIRST_LOOK
from hype.stimuli.manifest import StimulusSet
from hype.study.assignment import Assignment
from hype.study.phrases import write_count

FEWEST_PROMPTS: Final = 10
"""With fewer prompts, only large differences (2.7 SE or more) allow claims about other prompts."""


def check_comparison_study(study: ComparisonStudy) -> Preflight:
    flight = Preflight()
    if pools := check_materials(flight, study, partial(pools_of, flight, study)):
        same = list(copies(pools))
        warn_of_copies(flight, study, same, one="comparison", many="comparisons")
        check_design(flight, ComparisonCourse(study, pools))
    return flight


def pools_of(
    flight: Preflight, study: ComparisonStudy, stimuli: StimulusSet
) -> ComparisonPools | None:
    """Read the images of a study's sessions. If there is a problem, report it and return None."""
    asked = gather_images(flight, study, stimuli)
    if not asked:
        return None
    names, made = asked
    obvious = flight.allows("validation-wrong", lambda: tuple(obvious_of(study, stimuli, made)))
    prompts = prompts_of(flight, study, made)
    if prompts is None or not obvious:
        return None
    arena = study.settings.comparison.arena
    complete = partial(require_all, study, prompts, names, design=ARENA)
    if arena and not flight.allows("too-few-images", complete):
        return None
    return flight.attempt("validation-wrong", lambda: read_comparison_pools(study))


def copies(pools: ComparisonPools) -> Iterator[tuple[Candidate, Candidate]]:
    yield from chain(copies_in(pools.prompts), copies_of_references(pools))
    obvious = ((pair.better, pair.worse) for pair in pools.obvious)
    yield from (pair for pair in obvious if pair[0].sha256 == pair[1].sha256)


def check_design(flight: Preflight, protocol: ComparisonCourse) -> None:
    pools, settings = protocol.pools, protocol.study.settings
    asked, arena = settings.comparison, settings.comparison.arena
    counts = {pair: times_met(pools, *pair) for pair in combinations(pools.conditions, 2)}
    every = islice(cycle(counts), asked.blocks * asked.trials if arena else 0)
    somebody = Assignment(evaluator=ANYBODY, cell=protocol.cells[0], pairs=tuple(every))
    plan = protocol.plan(somebody)
    tasks = Counter(trial.task for block in plan.blocks for trial in plan.trials(block))
    flight.facts |= {
        "conditions": list(pools.conditions),
        "prompts": len(pools.prompts),
        "images_compared": dict(images_by_condition(pools.prompts)),
        "pairs": len(counts),
        "comparisons": sum(counts.values()),
        "comparisons_per_prompt": count_conditions(pools.prompts),
        "cells": len(protocol.cells),
        "evaluators": len(protocol.cells) * protocol.evaluators_per_cell,
        "criteria": [*asked.questions],
        "votes": votes_wanted(protocol) or settings.most_votes,
        # In an arena, only the mean number of votes per pair is known
        "votes_per_pair": dict.fromkeys(("least", "most"), settings.most_votes // len(counts))
        if arena
        else spread(counts, asked.votes),
        "arena": arena.model_dump() if arena else None,
        "session": {task.value: tasks[task] for task in ComparisonTask},
        "obvious": len(pools.obvious),
        "minutes": {"comparison": plan.minutes},
        "paid_answers": {"comparison": plan.paid},
    }
    if arena:
        check_arena(flight, protocol, arena)
    else:
        warn_of_uneven_pairs(flight, protocol.study, pools, counts, done="compared")
        check_votes(flight, protocol.study)


def check_arena(flight: Preflight, protocol: ComparisonCourse, arena: ArenaSettings) -> None:
    """Warn if the stopping rule can test only at the end, or if there are few prompts."""
    asked, path = protocol.study.settings.comparison, protocol.study.path
    planned, prompts = protocol.evaluators_per_cell, protocol.pools.prompts
    if planned < FIRST_LOOK:
        flight.warn(
            "arena-evaluators",
            f"{path}: {planned:,} evaluators give all {arena.most_votes:,} votes, but the "
            f"stopping rule first tests after {FIRST_LOOK} evaluators, so it tests only at the end",
            f"comparison.arena.most_votes = {FIRST_LOOK * asked.blocks * asked.trials:,} or more",
        )
    if arena.images == "sample" and 1 < len(prompts) < FEWEST_PROMPTS:
        flight.warn(
            "arena-prompts",
            f"{path}: the arena's result should apply to other prompts, but {len(prompts)} "
            "prompts are too few for this, however many people vote"
            + (
                ": the result will only apply to these images"
                if len(prompts) < FEWEST_ITEMS
                else ""
            ),
            f'{FEWEST_PROMPTS} prompts or more; or comparison.arena.images = "fixed", for '
            "results about these images only",
        )


def check_votes(flight: Preflight, study: ComparisonStudy) -> None:
    """Warn if a design would have too few votes even if all of them were independent."""
    planned, votes = study.settings.analysis, flight.facts["votes_per_pair"]
    needed = comparisons_needed(planned.win_rate, alpha=planned.alpha, power=planned.power)
    flight.facts["planned"] = {
        "win_rate": planned.win_rate,
        "alpha": planned.alpha,
        "power": planned.power,
        "votes_needed_per_pair": needed,
    }
    if votes["least"] >= needed:
        return
    enough = -(-needed * study.settings.comparison.votes // votes["least"])
    flight.warn(
        "too-few-votes",
        f"{study.path}: a pair of conditions gets {votes['least']:,} votes, but {needed:,} "
        f"independent votes are needed to distinguish a win rate of {planned.win_rate:.1%} from "
        f"50% (α = {planned.alpha:g}, power {planned.power:g}; hype power shows what the design "
        "can detect)",
        f"set comparison.votes to {enough}, or plan for a larger analysis.win_rate; "
        "more votes do not make up for few prompts",
    )


def lines_of_comparisons(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the numbers of comparisons, pairs, votes and evaluators."""
    yield "prompts", prompts_in(facts, "images_compared")
    few = facts["prompts"] if facts["prompts"] > 1 else min(facts["images_compared"].values())
    if few < FEWEST_ITEMS and not facts["arena"]:
        yield "", f"verdicts will be about these images only; use {FEWEST_ITEMS} prompts or more"
    met = write_range(facts["comparisons_per_prompt"])
    pairs = f"{write_count(facts['pairs'], 'pair')} of {len(facts['conditions']):,} conditions"
    can = " are possible" if facts["arena"] else ""
    yield "comparisons", f"{facts['comparisons']:,}{can}, {met} a prompt; {pairs}"
    votes = write_range(facts["votes_per_pair"])
    if arena := facts["arena"]:
        until = "the ranking is known" if arena["goal"] == "ranking" else "the best is known"
        yield "arena", f"{arena['pairs']} pairs; ends when {until} or at {facts['votes']:,} votes"
        yield "evaluators", f"{facts['evaluators']:,} at most"
    else:
        each = f" on each of {len(facts['criteria'])} criteria" if facts["criteria"][1:] else ""
        yield "votes", f"{facts['votes']:,} in all, {votes} for each pair of conditions{each}"
        yield "evaluators", evaluators_in(facts)
    if needed := facts.get("planned"):
        rule = f"α = {needed['alpha']:g}, power {needed['power']:g}"
        yield (
            "",
            f"a pair needs {needed['votes_needed_per_pair']:,} votes to distinguish a win rate of "
            f"{needed['win_rate']:.1%} from 50% ({rule}) if each vote is by another person and "
            "about another prompt; hype power shows what this study can detect",
        )
    yield "session", session_in(facts)
    yield from lines_of_gate(facts)


CHECKS: Final = Checks(
    study=check_comparison_study,
    lines=lambda facts: lines_of_comparisons(facts) if "prompts" in facts else iter(()),
)
