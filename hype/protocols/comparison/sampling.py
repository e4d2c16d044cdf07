"""The plan of a session of comparisons: pairs of images, their sides and their order.

Every image is compared with all images of the other conditions. With K conditions and m images of
each, a prompt has K·(K−1)/2·m² comparisons: 96 for four conditions with four images. The
comparisons are divided into shares in which all pairs of conditions are equally frequent, as far as
possible. Each share is given to ``comparison.votes`` evaluators.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Final, TypeVar

from hype.errors import InputError
from hype.files import inside, read_table
from hype.protocols.comparison.settings import ComparisonFile, ComparisonSettings, ComparisonStudy
from hype.protocols.comparison.trial import ComparisonBlock, ComparisonPlan, ComparisonTask, Planned
from hype.protocols.prompted.pools import (
    Made,
    PromptedPools,
    TestImages,
    candidate,
    cells_of_shares,
    choose_images,
    draw_test,
    first_conditions,
    group_by_prompt,
    newcomers,
    read_references,
    require_all,
    require_references,
    taking_part,
)
from hype.protocols.prompted.settings import session_minutes, shares_of, split_evenly, take_turns
from hype.protocols.prompted.trial import Candidate, Choice, Meeting, Prompt, meetings
from hype.session.materials import read_stimuli
from hype.session.plans import session_members
from hype.stimuli.manifest import StimulusSet
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence, study_sequence

METHODS: Final = ("comparison",)

Thing = TypeVar("Thing")

ARENA: Final = "an arena"
"""The design's name in messages about prompts that lack images of a condition."""
DECIDING_S: Final = 4.0
"""Expected seconds for a comparison after the prompt has appeared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obvious:
    """A comparison with an obvious answer."""

    prompt: str
    better: Candidate
    worse: Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPools(PromptedPools):
    """The images of a study of comparisons.

    ``obvious``: comparisons for practice and validation. ``test``: comparisons with known answers,
    which come before the scored ones. ``shares``: all comparisons of the design, from `share_out`;
    none in an arena.
    """

    obvious: tuple[Obvious, ...]
    shares: tuple[tuple[Meeting, ...], ...]
    test: tuple[Obvious, ...] = ()


def share_out(
    settings: ComparisonFile, conditions: Sequence[str], prompts: Sequence[Prompt]
) -> tuple[tuple[Meeting, ...], ...]:
    """Divide all comparisons into shares, one for each session, as evenly as possible.

    The comparisons of each pair of conditions are shuffled; then pairs take turns, so that any part
    of the list contains all pairs about equally often. If a model joins later, its comparisons with
    earlier models are added as shares at the end.
    """
    most, seed = settings.comparison.blocks * settings.comparison.trials, settings.study.seed
    began = meetings(first_conditions(conditions, settings.added), prompts)
    everything = take_turns(began.values(), Draws(study_sequence(seed, Purpose.DESIGN)))
    shares = shares_of(everything, most)
    for name, before in newcomers(conditions, settings.added):
        draws = Draws(study_sequence(seed, Purpose.DESIGN, f"joined {name}"))
        own = (some for pair, some in meetings((*before, name), prompts).items() if name in pair)
        shares += shares_of(take_turns(own, draws), most)
    return shares


def comparison_cells(settings: ComparisonFile, pools: ComparisonPools) -> tuple[Cell, ...]:
    """List the cells of the design: one for each share; in an arena, one cell for everybody."""
    if settings.comparison.arena:
        return (Cell(condition="", methods=METHODS),)
    return cells_of_shares("comparison", pools.shares)


def plan_comparisons(
    settings: ComparisonFile, pools: ComparisonPools, assignment: Assignment
) -> ComparisonPlan:
    """Draw the plan of one evaluator. The same arguments give the same plan on every machine."""
    asked = settings.comparison
    draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
    arena = assignment.pairs
    planned = battles(pools, arena, draws) if arena else place_images(pools, assignment, draws)
    counted = [
        (mix(settings, pools, some, draws) if asked.checked in criteria else tuple(some), criteria)
        for criteria, pairs in take_criteria(asked, planned, draws)
        for some in split_evenly(pairs, asked.blocks)
    ]
    tested = () if assignment.is_exempt else pools.test
    blocks = (
        *obvious_block(asked, pools.obvious, asked.practice, ComparisonTask.PRACTICE, draws),
        *obvious_block(asked, tested, len(tested), ComparisonTask.TEST, draws),
        *(
            ComparisonBlock(number=n, items=some, task=ComparisonTask.COMPARISON, criteria=criteria)
            for n, (some, criteria) in enumerate(counted, start=1)
        ),
    )
    return ComparisonPlan(
        **session_members(settings, assignment, estimate_minutes(settings, pools, blocks)),
        blocks=blocks,
        neither=asked.neither,
        word_ms=asked.word_ms if asked.shown_prompt == "words" else 0.0,
        hasty_ms=asked.min_ms,
        wait_ms=asked.wait_ms,
        limit_ms=asked.limit_ms,
        references=pools.references,
        checked=asked.checked,
    )


def take_criteria(
    asked: ComparisonSettings, planned: Sequence[Planned], draws: Draws
) -> Iterator[tuple[Mapping[str, str], Sequence[Planned]]]:
    """Yield questions with their pairs: all questions together, or one criterion after another.

    In the second case, the order of the criteria and of each criterion's pairs is random.
    """
    questions = list(asked.questions.items())
    if asked.criterion_order == "pairs" or len(questions) == 1:
        yield dict(questions), planned
        return
    for which in draws.permutation(len(questions)):
        yield dict([questions[which]]), [planned[at] for at in draws.permutation(len(planned))]


def battles(
    pools: ComparisonPools, pairs: Sequence[tuple[str, str]], draws: Draws
) -> list[Planned]:
    """Draw a prompt, images and sides for each of an arena's pairs."""
    planned = []
    for pair in pairs:
        which, *images, side = draws.uniform(4)
        shared = [p for p in pools.prompts if all(name in p.images for name in pair)]
        prompt = pick(shared, which)
        one, other = (pick(prompt.images[name], at) for name, at in zip(pair, images, strict=True))
        meeting = Meeting(prompt=prompt.text, one=one, other=other)
        planned.append(sided(meeting, one_left=side < 0.5))
    return planned


def pick(things: Sequence[Thing], draw: float) -> Thing:
    return things[int(draw * len(things))]


def place_images(pools: ComparisonPools, assignment: Assignment, draws: Draws) -> list[Planned]:
    """Put an evaluator's comparisons in random order, and choose the side of each image.

    Both conditions of a pair are on the left equally often (plus or minus one).
    """
    share = pools.shares[assignment.cell.share - 1]
    by_pair: dict[tuple[str, str], list[Meeting]] = {}
    for meeting in share:
        pair = (meeting.one.condition, meeting.other.condition)
        by_pair.setdefault(pair, []).append(meeting)
    slots: list[Planned] = []
    for some in by_pair.values():
        # If the number is odd, one condition is on the left once more
        odd = draws.uniform(1)[0] < 0.5
        order = draws.permutation(len(some)).tolist()
        slots.extend(sided(some[at], one_left=place % 2 == odd) for place, at in enumerate(order))
    return [slots[at] for at in draws.permutation(len(slots))]


def sided(meeting: Meeting, *, one_left: bool) -> Planned:
    left, right = (meeting.one, meeting.other) if one_left else (meeting.other, meeting.one)
    return Planned(task=ComparisonTask.COMPARISON, prompt=meeting.prompt, left=left, right=right)


def mix(
    settings: ComparisonFile, pools: ComparisonPools, slots: Sequence[Planned], draws: Draws
) -> tuple[Planned, ...]:
    """Mix validation comparisons into a block at random places."""
    rule = settings.validation
    if rule.kind == "off":
        return tuple(slots)
    number = max(1, round(len(slots) * rule.share / (1 - rule.share)))
    chosen = place_obvious(pools.obvious, number, ComparisonTask.VALIDATION, draws)
    places = set(draws.sample(len(slots) + number, number))
    theirs, others = iter(chosen), iter(slots)
    return tuple(
        next(theirs) if at in places else next(others) for at in range(len(slots) + number)
    )


def obvious_block(
    asked: ComparisonSettings,
    some: Sequence[Obvious],
    number: int,
    task: ComparisonTask,
    draws: Draws,
) -> Iterator[ComparisonBlock]:
    """Draw the practice or the test, if the study has it and obvious comparisons exist."""
    if number and some:
        slots = place_obvious(some, number, task, draws)
        criteria = {asked.checked: asked.questions[asked.checked]}
        yield ComparisonBlock(number=1, items=tuple(slots), task=task, criteria=criteria)


def place_obvious(
    some: Sequence[Obvious], number: int, task: ComparisonTask, draws: Draws
) -> list[Planned]:
    """Draw comparisons with an obvious answer; in half of them, the better image is on the left."""
    rounds = math.ceil(number / len(some))
    order = chain.from_iterable(draws.permutation(len(some)) for _ in range(rounds))
    odd = draws.uniform(1)[0] < 0.5  # if number is odd, one side gets one more
    lefts = draws.permutation(number) % 2 == odd
    planned = []
    for at, better_left in zip(order, lefts, strict=False):
        one = some[at]
        left, right = (one.better, one.worse) if better_left else (one.worse, one.better)
        obvious = Choice.LEFT if better_left else Choice.RIGHT
        planned.append(
            Planned(task=task, prompt=one.prompt, left=left, right=right, obvious=obvious)
        )
    return planned


def estimate_minutes(
    settings: ComparisonFile, pools: ComparisonPools, blocks: Sequence[ComparisonBlock]
) -> int:
    """Estimate the duration of a session in whole minutes, for the welcome screen.

    A pair's prompt appears only once, even if several questions are asked about the pair.
    """
    asked = settings.comparison
    lengths = [len(prompt.text.split()) for prompt in pools.prompts]
    words_s = asked.word_ms / 1000 * sum(lengths) / len(lengths)
    shown_s = words_s if asked.shown_prompt == "words" else 0.0
    each_s = DECIDING_S + settings.follow_up.seconds
    paid = [block for block in blocks if block.task is not ComparisonTask.PRACTICE]
    return session_minutes(
        sum(len(block.items) * (len(block.criteria) * each_s + shown_s) for block in paid)
    )


def times_met(pools: ComparisonPools, one: str, other: str) -> int:
    images = [prompt.images for prompt in pools.prompts]
    return sum(len(some.get(one, ())) * len(some.get(other, ())) for some in images)


LISTED: Final = ("prompt", "better", "worse")
"""Columns of the file of validation comparisons: the prompt, and the paths of two images."""


def read_comparison_pools(study: ComparisonStudy) -> ComparisonPools:
    """Read the images and the comparisons with an obvious answer.

    Raises InputError: a manifest is wrong; there is no prompt; a prompt has only one condition, or
    too few images; the study names an unknown condition; a listed comparison is impossible.
    """
    stimuli = read_stimuli(study)
    names = taking_part(study, stimuli)
    made = group_by_prompt(study, stimuli, names)
    prompts = tuple(choose_images(study, text, images) for text, images in made.items())
    arena = study.settings.comparison.arena is not None
    if arena:
        require_all(study, prompts, names, design=ARENA)
    began = first_conditions(names, study.added)
    of_these = {t: {n: i for n, i in some.items() if n in began} for t, some in made.items()}
    obvious = tuple(obvious_of(study, stimuli, of_these))
    if study.settings.validation.kind != "off" and not obvious:
        raise InputError(
            study.path,
            'validation.kind "mismatch" needs a second prompt for the wrong image',
            'two prompts or more, or "listed", or "off"',
        )
    references = read_references(study, stimuli, made)
    shares = () if arena else share_out(study.settings, names, prompts)
    test = draw_test(study, list_better)
    require_references(study, references, (one.prompt for one in (*obvious, *test)))
    return ComparisonPools(
        conditions=names,
        prompts=prompts,
        references=references,
        obvious=obvious,
        test=test,
        shares=shares,
    )


def list_better(prompt: str, images: TestImages) -> Iterator[Obvious]:
    """Yield all pairs of a better and a worse image for the test."""
    for (worse, low), (better, high) in permutations(images, 2):
        if float(low["quality"]) < float(high["quality"]):
            yield Obvious(prompt=prompt, better=better, worse=worse)


def obvious_of(study: ComparisonStudy, stimuli: StimulusSet, made: Made) -> Iterator[Obvious]:
    kind = study.settings.validation.kind
    if kind == "mismatch":
        yield from mismatches(study.settings, made)
    elif kind == "listed":
        yield from read_listed(study, stimuli)


def mismatches(settings: ComparisonFile, made: Made) -> Iterator[Obvious]:
    """Pair an image of each prompt and condition with the condition's image of another prompt."""
    draws = Draws(study_sequence(settings.study.seed, Purpose.DESIGN, "mismatch"))
    texts = list(made)
    for at, text in enumerate(texts):
        for name, right in made[text].items():
            others = [t for t in (*texts[at + 1 :], *texts[:at]) if name in made[t]]
            if not others:
                continue
            which, better, worse = draws.uniform(3)
            wrong = pick(made[pick(others, which)][name], worse)
            yield Obvious(prompt=text, better=pick(right, better), worse=wrong)


def read_listed(study: ComparisonStudy, stimuli: StimulusSet) -> Iterator[Obvious]:
    """Read the obvious comparisons that the study's own file lists.

    Raises InputError: a row names an unknown image or the same picture twice; there is no row.
    """
    path = inside(study.folder, study.settings.validation.file)
    images = {stimulus.path: candidate(stimulus) for stimulus in stimuli.stimuli}
    rows = read_table(path, LISTED, made_by="a spreadsheet with the columns prompt, better, worse")
    is_listed = False
    for where, row in rows:
        if unknown := [row[side] for side in LISTED[1:] if row[side] not in images]:
            raise InputError(where, f"{unknown[0]!r} is not an image of {study.stimuli_folder}")
        if images[row["better"]].sha256 == images[row["worse"]].sha256:
            problem = f"{row['better']!r} is compared with itself or a copy"
            raise InputError(where, problem, "two images")
        is_listed = True
        yield Obvious(
            prompt=row["prompt"], better=images[row["better"]], worse=images[row["worse"]]
        )
    if not is_listed:
        raise InputError(path, "lists no comparison")
