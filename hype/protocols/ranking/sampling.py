"""The plan of a session of rankings: the groups and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from hype.errors import InputError
from hype.protocols.prompted.pools import (
    PromptedPools,
    TestImages,
    draw_test,
    first_conditions,
    keep_conditions,
    manifest_of,
    newcomers,
    read_pools,
)
from hype.protocols.prompted.settings import practice_in, session_minutes, shares_of, split_evenly
from hype.protocols.prompted.trial import PlannedBlock, Prompt
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import MOST_RANKED, Group, RankingPlan, RankingTask
from hype.session.plans import session_members
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence, study_sequence

TOP: Final = 2
"""In a test, a ranking is right if its first image is one of this many best images."""
PLACING_S: Final = 4.0
"""Expected time to place an image, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPools(PromptedPools):
    """The images of a study of rankings."""

    test: tuple[Group, ...]  # the groups that everybody ranks first
    best: frozenset[str] = frozenset()  # the best images of the test's groups, if known
    shares: tuple[tuple[Group, ...], ...]  # all other groups of the design, divided into shares
    # The prompts that are kept for testing preference models
    held_out: frozenset[str] = frozenset()

    @property
    def groups(self) -> Mapping[str, Group]:
        return {group.name: group for share in self.shares for group in share}


def groups_of(
    settings: RankingFile,
    prompts: Sequence[Prompt],
    size: int | None,
    draws: Draws,
    newcomer: tuple[str, ...] = (),
) -> list[Group]:
    """List the groups of a design in a random order, which is the same for everybody.

    The first images of all conditions form a group, then the second images, and so on. A group has
    at most ``size`` images (None: no limit). If there are more conditions, groups use them in turn,
    so that all are ranked about equally often. A ``newcomer`` (a model that joined later) is in
    every group.
    """
    alike: dict[tuple[str, ...], list[Prompt]] = {}
    for prompt in prompts:
        if set(newcomer) <= set(prompt.images):
            names = tuple(name for name in prompt.images if name not in newcomer)
            alike.setdefault(names, []).append(prompt)
    groups, each = [], settings.ranking.images
    for names, some in alike.items():
        number = min(size or len(names), len(names) + len(newcomer)) - len(newcomer)
        for place, row in enumerate(draws.rounds(len(names), len(some) * each, number).tolist()):
            prompt, at = some[place // each], place % each
            chosen = (*(names[other] for other in sorted(row)), *newcomer)
            images = tuple(prompt.images[name][at] for name in chosen)
            groups.append(Group(prompt=prompt.text, images=images))
    return [groups[at] for at in draws.permutation(len(groups)).tolist()]


def ranking_pools(
    settings: RankingFile, conditions: Sequence[str], prompts: Sequence[Prompt]
) -> RankingPools:
    """Divide all groups into sessions as evenly as possible, always in the same way.

    A test without its own images uses the first groups.
    """
    asked, rule = settings.ranking, settings.screening
    test = 0 if rule.stimuli else rule.test
    most, began = asked.blocks * asked.groups, first_conditions(conditions, settings.added)
    design = Draws(study_sequence(settings.study.seed, Purpose.DESIGN))
    groups = groups_of(settings, keep_conditions(prompts, began), asked.group, design)
    shares = shares_of(groups[test:], most) if groups[test:] else ()
    size = min(asked.group or len(began), len(began))
    for name, before in newcomers(conditions, settings.added):
        draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, f"joined {name}"))
        met = keep_conditions(prompts, (*before, name))
        own = groups_of(settings, met, size, draws, newcomer=(name,))
        shares += shares_of(own, most) if shares and own else ()
    kept = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, "held out"))
    held_out = kept.sample(len(prompts), round(len(prompts) * asked.held_out))
    return RankingPools(
        conditions=tuple(conditions),
        prompts=tuple(prompts),
        test=tuple(groups[:test]),
        shares=shares,
        held_out=frozenset(prompts[at].text for at in held_out),
    )


CHECKERS: Final = Cell(condition="", methods=("ranking",))
"""The cell of checkers, who have no share of the design."""


def plan_rankings(
    settings: RankingFile, pools: RankingPools, assignment: Assignment
) -> RankingPlan:
    """Draw the plan of one evaluator. The same arguments give the same plan on every machine.

    Raises KeyError: a checker was assigned a group that is not in the design.
    """
    asked = settings.ranking
    draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
    checks = assignment.cell == CHECKERS
    share, groups = assignment.cell.share, pools.groups
    own = [groups[name] for name in assignment.groups] if checks else pools.shares[share - 1]
    planned = [shuffle(own[at], draws) for at in draws.permutation(len(own)).tolist()]
    test = [shuffle(group, draws) for group in pools.test if not assignment.is_exempt]
    practised = [] if checks else practice_in(pools.shares, share, asked.practice, draws)
    practice = [shuffle(group, draws) for group in practised]
    task = RankingTask.CHECK if checks else RankingTask.RANKING
    counted = split_evenly(planned, asked.blocks)
    seconds = PLACING_S * sum(len(group.images) for group in (*test, *planned))
    return RankingPlan(
        **session_members(settings, assignment, session_minutes(seconds)),
        blocks=(
            *(
                PlannedBlock(number=1, items=tuple(groups), task=own)
                for groups, own in ((practice, RankingTask.PRACTICE), (test, RankingTask.TEST))
                if groups
            ),
            *(
                PlannedBlock(number=n, items=tuple(some), task=task)
                for n, some in enumerate(counted, start=1)
            ),
        ),
        ties=asked.ties,
        best=pools.best if test else frozenset(),
    )


def shuffle(group: Group, draws: Draws) -> Group:
    order = draws.permutation(len(group.images)).tolist()
    return Group(prompt=group.prompt, images=tuple(group.images[at] for at in order))


def read_ranking_pools(study: RankingStudy) -> RankingPools:
    """Read the images.

    Raises InputError: a manifest is wrong; there are no prompts, too few conditions or too few
    images; the study names an unknown condition; a group is too large or shows a picture twice.
    """
    drawn = read_pools(study)
    names, prompts = drawn.conditions, drawn.prompts
    asked = study.settings.ranking
    began = len(names) - len(study.added)
    if asked.group is None and began > MOST_RANKED:
        problem = f"has {began} conditions, but a group has at most {MOST_RANKED} images"
        raise InputError(
            study.path,
            problem,
            "set the number of images that are ranked together: ranking.group",
        )
    if asked.group is not None and asked.group > len(names):
        problem = f"ranking.group = {asked.group}, but there are {len(names)} conditions"
        raise InputError(study.path, problem, f"at most {len(names)}")
    pools = ranking_pools(study.settings, names, prompts)
    if tested := draw_test(study, partial(list_groups, asked.group or began)):
        best = frozenset(path for _, some in tested for path in some)
        pools = replace(pools, test=tuple(group for group, _ in tested), best=best)
    refuse_copies(study, pools)
    if not pools.shares:
        raise InputError(
            study.path,
            f"screening.test = {study.settings.screening.test} leaves no group to rank: there are "
            f"only {len(pools.test)} groups",
            "a smaller test, or more prompts",
        )
    return pools


def list_groups(most: int, prompt: str, images: TestImages) -> Iterator[tuple[Group, list[str]]]:
    """Yield a group of test images, with the paths of its best; nothing if all are equally good.

    The group has at most ``most`` images: the best, and others in even steps down to the worst.
    """
    known = {image.path: float(row["quality"]) for image, row in images}
    ordered, size = sorted(known, key=known.__getitem__), min(most, len(known))
    top = min(TOP, size - 1)
    others = np.linspace(0, len(ordered) - top - 1, size - top).round().astype(int)
    chosen = [*(ordered[at] for at in others), *ordered[len(ordered) - top :]]
    best = [path for path in chosen if known[path] >= known[chosen[-top]]]
    if len(best) < size:
        shown = tuple(image for image, _ in images if image.path in chosen)
        yield Group(prompt=prompt, images=shown), best


def refuse_copies(study: RankingStudy, pools: RankingPools) -> None:
    """Refuse a group that shows a picture twice, since nobody could put the two in order."""
    for group in (*pools.test, *pools.groups.values()):
        seen: dict[str, str] = {}
        for image in group.images:
            if image.sha256 in seen:
                raise InputError(
                    manifest_of(study),
                    f"would show one picture twice in a group of {group.prompt!r}: "
                    f"{seen[image.sha256]} and {image.path}",
                    "replace one of them",
                )
            seen[image.sha256] = image.path
