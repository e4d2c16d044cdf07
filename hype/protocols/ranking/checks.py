"""Checks of a study of rankings before it starts."""

from __future__ import annotations

import math
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
    evaluators_in,
    gather_or_report,
    lacking,
    prompts_in,
    session_in,
    spread,
    write_range,
)
from hype.protocols.prompted.settings import images_by_condition
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.sampling import RankingPools, read_ranking_pools
from hype.protocols.ranking.settings import RankingStudy
from hype.study.assignment import Assignment
from hype.study.phrases import write_count

FEW_IN_TEST: Final = 20
"""With fewer groups in a test than this, recall@2 is too uncertain to tell people apart."""
FEW_PROMPTS: Final = 10
"""With fewer prompts than this, tests of preference models say nothing about other prompts."""


def check_ranking_study(study: RankingStudy) -> Preflight:
    flight = Preflight()
    read = partial(read_ranking_pools, study)
    gather = partial(gather_or_report, flight, study, code="groups-unfit", read=read)
    if pools := check_materials(flight, study, gather):
        check_design(flight, RankingCourse(study, pools))
        for warnings in (check_groups, check_screening, check_held_out):
            for code, message, remedy in warnings(study, pools):
                flight.warn(code, message, remedy)
    return flight


def check_design(flight: Preflight, protocol: RankingCourse) -> None:
    pools, asked = protocol.pools, protocol.study.settings.ranking
    groups = list(chain.from_iterable(pools.shares))
    sizes = [len(group.images) for group in groups]
    pairs = sum(math.comb(len(group.images), 2) for group in groups)
    plan = protocol.plan(Assignment(evaluator=ANYBODY, cell=protocol.cells[0]))
    shown: Counter[str] = Counter()
    for block in plan.blocks:
        shown[block.task.value] += len(block.items)
    met = Counter(
        frozenset(pair)
        for group in groups
        for pair in combinations((image.condition for image in group.images), 2)
    )
    rule = protocol.study.settings.screening
    to_check = sum(math.ceil(rule.check_share * len(s) - 1e-9) for s in pools.shares)
    flight.facts |= {
        "conditions": list(pools.conditions),
        "prompts": len(pools.prompts),
        "images_ranked": dict(images_by_condition(pools.prompts)),
        "groups": len(groups),
        "images_per_group": {"least": min(sizes), "most": max(sizes)},
        "cells": len(protocol.cells),
        "evaluators": len(protocol.cells) * asked.rankings,
        "rankings_per_group": asked.rankings,
        "rankings": len(groups) * asked.rankings,
        "comparisons": pairs * asked.rankings,
        "rankings_per_pair": spread(
            {pair: met[frozenset(pair)] for pair in combinations(pools.conditions, 2)},
            asked.rankings,
        ),
        "held_out": len(pools.held_out),
        "screening": {
            "test": len(pools.test),
            "checkers": list(rule.checkers),
            "check_share": rule.check_share,
            "groups_to_check": to_check,
            "min_recall": rule.min_recall,
        },
        "session": dict(shown),
        "minutes": {"ranking": plan.minutes},
        "paid_answers": {"ranking": plan.paid},
    }


Warned = tuple[str, str, str]
"""A warning: its code, the problem, and a remedy."""


def check_groups(study: RankingStudy, pools: RankingPools) -> Iterator[Warned]:
    wanted = min(study.settings.ranking.group or len(pools.conditions), len(pools.conditions))
    every = (*pools.test, *chain.from_iterable(pools.shares))
    small = [group for group in every if len(group.images) < wanted]
    text, name = lacking(pools)
    if small:
        number = "1 group has" if len(small) == 1 else f"{len(small):,} groups have"
        yield (
            "groups-incomplete",
            f"{study.stimuli_folder}: {number} fewer than {wanted} images: the prompt {text!r} "
            f"has no image of {name!r}",
            "add the images, or list only conditions with all prompts in stimuli.conditions",
        )
    if study.settings.ranking.rankings == 1:
        yield (
            "one-ranking",
            f"{study.path}: each group is ranked by one evaluator, so it is unknown how "
            "well people agree, and how good a preference model can be",
            "set ranking.rankings to 2 or more; the paper has 10",
        )


def check_screening(study: RankingStudy, pools: RankingPools) -> Iterator[Warned]:
    """Warn if a checker is needed but none is named, or if the test is short."""
    rule, test = study.settings.screening, len(pools.test)
    if not rule.checkers and (rule.check_share or (test and not rule.stimuli)):
        yield (
            "no-checkers",
            f"{study.path}: screening.checkers is empty, so no checker can give the right order",
            'name checkers, such as screening.checkers = ["check*"], or set screening.check_share '
            "and screening.test to 0",
        )
    if 0 < test < FEW_IN_TEST:
        yield (
            "few-test-groups",
            f"{study.path}: a test of {write_count(test, 'group')} is too short to compare people",
            f"set screening.test to {FEW_IN_TEST} or more; the paper has 300",
        )


def check_held_out(study: RankingStudy, pools: RankingPools) -> Iterator[Warned]:
    """Warn if there are few prompts for testing preference models, or for training them."""
    share, held = study.settings.ranking.held_out, len(pools.held_out)
    if share and min(held, len(pools.prompts) - held) < FEW_PROMPTS:
        yield (
            "few-held-out",
            f"{study.path}: ranking.held_out = {share:g} keeps {held} of {len(pools.prompts)} "
            "prompts for testing preference models: test results apply only to these prompts",
            f"{FEW_PROMPTS} prompts or more held out, and {FEW_PROMPTS} or more for training",
        )


def lines_of_rankings(facts: Facts) -> Iterator[Line]:
    """Yield the numbers of groups, rankings, evaluators and checks."""
    yield "prompts", prompts_in(facts, "images_ranked")
    size = write_range(facts["images_per_group"])
    yield "groups", f"{facts['groups']:,} of {size} images"
    each = write_count(facts["rankings_per_group"], "evaluator")
    yield "rankings", f"{facts['rankings']:,}: {each} for each group"
    met = write_range(facts["rankings_per_pair"])
    yield "", f"{facts['comparisons']:,} comparisons of images, {met} of each pair of conditions"
    rule = facts["screening"]
    if rule["test"]:
        bound = rule["min_recall"]
        on_bound = f"; people with recall@2 < {bound:g} are not scored" if bound is not None else ""
        yield "test", f"{write_count(rule['test'], 'group')} that everyone ranks first{on_bound}"
    if rule["checkers"]:
        share = f"rank {rule['check_share']:.0%} of each person's groups again"
        number = write_count(rule["groups_to_check"], "group")
        yield "checkers", f"{', '.join(rule['checkers'])}: {share}, at least {number}"
    if held := facts["held_out"]:
        of = f"{held:,} of {facts['prompts']:,} prompts"
        yield "held out", f"{of}, for testing preference models"
    yield "evaluators", evaluators_in(facts)
    yield "session", session_in(facts, "groups: ")
    yield from lines_of_gate(facts)


CHECKS: Final = Checks(
    study=check_ranking_study,
    lines=lambda facts: lines_of_rankings(facts) if "prompts" in facts else iter(()),
)
