"""How far a study of comparisons is: its evaluators, its votes, and what an arena knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, case, func, select, union

from hype.errors import InputError
from hype.protocols.comparison.arena import arena_votes, latest_separation, next_look, why_enough
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.record import Validated, comparisons
from hype.protocols.comparison.sampling import METHODS, evaluators_per_cell, times_met
from hype.protocols.comparison.settings import ComparisonStudy, ValidationSettings
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.status import (
    AskedStanding,
    SharedProgress,
    cells_by_share,
    in_money,
    listing,
    of_anybody,
    share_of,
    shares_in_words,
    standing_object,
    telling,
)
from hype.protocols.prompted.trial import Choice
from hype.session.participation import all_evaluators, number_of
from hype.session.steps import Due, Pay
from hype.status.progress import Listing, Shown, Telling, counts, remaining_of, together
from hype.study.assignment import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparer(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the comparisons they were given; 0 in an arena.
    trials
        Votes: comparisons that they answered and whose answer is not obvious.
    """

    # hasty, unanswered: comparisons, the obvious ones included, that they answered too fast, or not
    # in time
    hasty: int
    unanswered: int
    # validation, passed: how they did where the answer is obvious, and whether that is enough by
    # the study's rule; None where it does not ask, or has not yet
    validation: Validated
    passed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonCounts:
    """Comparisons of one evaluator: all; votes; answers that are paid; and the rest."""

    all: int = 0
    votes: int = 0
    paid: int = 0
    hasty: int = 0
    unanswered: int = 0
    met: int = 0
    correct: int = 0
    last_unix_s: float | None = None


def comparers(connection: Connection, study: ComparisonStudy, *, simulated: bool) -> list[Comparer]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counted = connection.execute(counting_query(simulated=simulated)).all()
    counts = {row.evaluator_id: ComparisonCounts(**cells_of(row)) for row in counted}
    pay, rule = study.settings.pay.pay(), study.settings.validation
    return [
        comparer_of(row, pay, rule, counts.get(row.id, ComparisonCounts()))
        for row in all_evaluators(connection, study, simulated=simulated)
    ]


def counting_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    cells = comparisons.c
    answered = cells.answer != Choice.NONE.value
    counted = cells.task != ComparisonTask.PRACTICE.value
    obvious = cells.task == ComparisonTask.VALIDATION.value
    return (
        select(
            cells.evaluator_id,
            func.count().label("all"),
            number_of(answered & (cells.task == ComparisonTask.COMPARISON.value), "votes"),
            number_of(answered & counted, "paid"),
            number_of(cells.hasty & counted, "hasty"),
            number_of(~answered & counted, "unanswered"),
            number_of(obvious, "met"),
            number_of(obvious & cells.correct, "correct"),
            func.max(cells.onset_unix_s).label("last_unix_s"),
        )
        .where(cells.simulated == simulated)
        .group_by(cells.evaluator_id)
    )


def cells_of(row: Row[Any]) -> dict[str, Any]:
    """Give the counts of a row, without whose they are."""
    return {name: value for name, value in row._mapping.items() if name != "evaluator_id"}


def comparer_of(
    who: Row[Any], pay: Pay, rule: ValidationSettings, counts: ComparisonCounts
) -> Comparer:
    """Give the standing of a row of evaluators. The base is due once they compared anything."""
    due = pay.parts(counts.paid) if counts.all else Due()
    validation = Validated(met=counts.met, correct=counts.correct)
    return Comparer(
        **of_anybody(who, due, counts.last_unix_s),
        trials=counts.votes,
        hasty=counts.hasty,
        unanswered=counts.unanswered,
        validation=validation,
        passed=validation.passes(rule) if counts.met and rule.kind != "off" else None,
    )


ARENA = Cell(condition="", methods=METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDesign:
    """What a study asks for, as far as its stimuli can be read.

    ``wanted``: votes of each pair of conditions; None where nobody can say, and in an arena.
    """

    conditions: tuple[str, ...]
    cells: tuple[Cell, ...]
    wanted: Mapping[tuple[str, str], int] | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVotes:
    """Votes on two conditions, ties included; ``wanted`` is None where no number is planned."""

    one: str
    other: str
    votes: int
    wanted: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaProgress:
    """What an arena knows.

    ``votes``, ``most_votes``: votes so far, and those at which it ends in any case.
    ``evaluators``, ``next_look``: how many have finished, and how many must have when the stopping
    rule looks next; None where it does not. ``goal``, ``reached``: what is to be known, and whether
    it is. ``top``, ``order``: the best condition, and all of them from the best; None where that is
    not known. ``enough``: why nobody more is needed; nothing where somebody is.
    """

    votes: int
    most_votes: int
    evaluators: int
    next_look: int | None
    goal: str
    reached: bool
    top: str | None
    order: tuple[str, ...] | None
    enough: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCounts:
    """All answers of comparisons that count, by what they are, and how many were hasty."""

    left: int
    right: int
    tie: int
    none: int
    hasty: int

    @property
    def votes(self) -> int:
        return self.left + self.right + self.tie


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparingProgress(SharedProgress):
    """How far a study is.

    ``failed`` is how many evaluators failed the validation, of those whom it ``tested``.
    """

    pairs: tuple[PairVotes, ...]
    arena: ArenaProgress | None
    given: AnswerCounts
    tested: int
    failed: int


def design_known(connection: Connection, study: ComparisonStudy) -> ComparisonDesign:
    """Give what a study asks for, whether or not its stimuli can be read.

    Where they cannot, conditions and shares are those that were met in the record.
    """
    asked = study.settings.comparison
    try:
        protocol = ComparisonCourse(study)
    except InputError as error:
        names = tuple(sorted(met_conditions(connection) | {*study.settings.stimuli.conditions}))
        cells = (ARENA,) if asked.arena else ()
        return ComparisonDesign(conditions=names, cells=cells, wanted=None, problem=str(error))
    names, pools = protocol.pools.conditions, protocol.pools
    wanted = {pair: times_met(pools, *pair) * asked.votes for pair in combinations(names, 2)}
    return ComparisonDesign(
        conditions=names, cells=protocol.cells, wanted=None if asked.arena else wanted
    )


def met_conditions(connection: Connection) -> set[str]:
    sides = union(select(comparisons.c.left), select(comparisons.c.right))
    return set(connection.execute(sides).scalars())


def comparing_progress(
    connection: Connection,
    study: ComparisonStudy,
    design: ComparisonDesign,
    standing: Sequence[Comparer],
    *,
    simulated: bool,
) -> ComparingProgress:
    rows = votes_in(connection, simulated=simulated)
    arena = arena_progress(connection, study, design, simulated=simulated)
    wanted = evaluators_per_cell(study.settings)
    cells = cells_by_share(design.cells, standing, wanted, done=bool(arena and arena.enough))
    return ComparingProgress(
        cells=cells,
        whole=together([cell.places for cell in cells]),
        pairs=tuple(pairs_of(design, rows)),
        arena=arena,
        given=given_of(rows),
        tested=sum(comparer.passed is not None for comparer in standing),
        failed=sum(comparer.passed is False for comparer in standing),
        remaining=remaining_of(standing, cells),
    )


def votes_in(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count answers by what met, on which side, and what was answered; validation is no vote."""
    cells = comparisons.c
    what = (cells.left, cells.right, cells.answer)
    hasty = func.sum(case((cells.hasty, 1), else_=0)).label("hasty")
    query = select(*what, func.count().label("times"), hasty).where(
        cells.simulated == simulated, cells.task == ComparisonTask.COMPARISON.value
    )
    return connection.execute(query.group_by(*what)).all()


def given_of(rows: Iterable[Row[Any]]) -> AnswerCounts:
    counts: Counter[str] = Counter()
    hasty = 0
    for row in rows:
        counts[row.answer] += row.times
        hasty += row.hasty
    return AnswerCounts(**{choice.value: counts[choice.value] for choice in Choice}, hasty=hasty)


def pairs_of(design: ComparisonDesign, rows: Iterable[Row[Any]]) -> Iterable[PairVotes]:
    """Yield the votes on each pair of conditions, in the order of the conditions."""
    votes: Counter[frozenset[str]] = Counter()
    for row in rows:
        if row.answer != Choice.NONE.value:
            votes[frozenset((row.left, row.right))] += row.times
    for one, other in combinations(design.conditions, 2):
        wanted = design.wanted[one, other] if design.wanted else None
        number = votes[frozenset((one, other))]
        yield PairVotes(one=one, other=other, votes=number, wanted=wanted)


def arena_progress(
    connection: Connection, study: ComparisonStudy, design: ComparisonDesign, *, simulated: bool
) -> ArenaProgress | None:
    """Say what an arena knows; None where there is none, or nothing to compare."""
    settings, names = study.settings, design.conditions
    arena = settings.comparison.arena
    if arena is None or len(names) < 2:
        return None
    votes = arena_votes(connection, study, names, simulated=simulated)
    known = latest_separation(settings, votes, names)
    enough = why_enough(settings, votes, names)
    reached = known is not None and known.settled
    top, order = (known.top, known.order) if known and reached else (None, None)
    return ArenaProgress(
        votes=int(votes.points.sum()),
        most_votes=settings.most_votes,
        goal=arena.goal,
        evaluators=votes.finished.number,
        next_look=None if enough else next_look(settings, votes, names),
        reached=reached,
        top=None if top is None else names[top],
        order=None if order is None else tuple(names[place] for place in order),
        enough=enough,
    )


VOTES: Final = "votes"
PASSED: Final = {True: "yes", False: "no", None: "–"}


def validation_object(
    study: ComparisonStudy, standing: Sequence[Comparer], progress: ComparingProgress
) -> dict[str, object]:
    rule = study.settings.validation
    return {
        "kind": rule.kind,
        "min_correct": rule.min_correct,
        "met": sum(comparer.validation.met for comparer in standing),
        "correct": sum(comparer.validation.correct for comparer in standing),
        "evaluators_tested": progress.tested,
        "evaluators_failed": progress.failed,
    }


def lines_of(
    study: ComparisonStudy, standing: Sequence[Comparer], progress: ComparingProgress
) -> Iterator[str]:
    """Say how many votes there are, what they are, and who looked."""
    if progress.arena:
        yield from lines_of_arena(progress.arena)
    yield from shares_in_words(progress.cells)
    yield f"Votes: {votes_in_words(progress)}"
    given = progress.given
    if given.votes:
        parts = [f"{given.left:,} left", f"{given.right:,} right"]
        if given.tie:
            parts.append(f"{given.tie:,} ties")
        if given.none:
            parts.append(f"{given.none:,} out of time")
        parts.append(f"{given.hasty / (given.votes + given.none):.1%} of all hasty")
        yield f"Answers: {', '.join(parts)}"
    if progress.tested:
        met = sum(comparer.validation.met for comparer in standing)
        correct = sum(comparer.validation.correct for comparer in standing)
        least = study.settings.validation.min_correct
        yield (
            f"Validation: {correct:,} of {met:,} correct ({correct / met:.0%}); "
            f"{progress.failed} of {progress.tested} evaluators below {least:.0%}"
        )


def lines_of_arena(arena: ArenaProgress) -> Iterator[str]:
    """Say what an arena knows, and whether anybody more is needed."""
    if arena.enough:
        yield f"Arena: {arena.enough}; nobody more is needed"
        return
    what = "the ranking" if arena.goal == "ranking" else "the top"
    yield f"Arena: {what} is not known yet; {arena.votes:,} of at most {arena.most_votes:,} votes"
    if arena.next_look is not None:
        finished = f"{arena.evaluators:,} evaluators finished"
        yield f"Looks: {finished}; the next one is at {arena.next_look:,}"


def votes_in_words(progress: ComparingProgress) -> str:
    """Say how many votes there are, of how many, and how they are spread over pairs."""
    pairs, number = progress.pairs, f"{progress.given.votes:,}"
    wanted = [pair.wanted for pair in pairs if pair.wanted is not None]
    if wanted:
        number += f" of {sum(wanted):,}"
    if len(pairs) < 2:
        return number
    least, most = min(pairs, key=votes_of), max(pairs, key=votes_of)
    if least.votes == most.votes:
        return f"{number}; {least.votes:,} of each pair of conditions"
    return (
        f"{number}; from {least.votes:,} ({least.one} and {least.other}) to {most.votes:,} "
        f"({most.one} and {most.other}) of a pair"
    )


def votes_of(pair: PairVotes) -> int:
    return pair.votes


def list_of_comparers(listed: Sequence[Comparer]) -> Listing:
    """Make the table of evaluators; shares and validation only where there are any."""
    tested = any(comparer.passed is not None for comparer in listed)

    def cells(comparer: Comparer) -> tuple[Shown, ...]:
        seen = (
            f"{comparer.validation.correct}/{comparer.validation.met}"
            if comparer.validation.met
            else "–"
        )
        return (
            *counts((comparer.trials, comparer.hasty)),
            *((seen, PASSED[comparer.passed]) if tested else ()),
            *in_money(comparer.base, comparer.bonus, comparer.pay),
        )

    validation = ("Valida-\ntion", "Passed") if tested else ()
    return listing(
        [(comparer, cells(comparer)) for comparer in listed],
        ("Votes", "Hasty", *validation, "Base", "Bonus", "Pay"),
        share_of if any(comparer.share for comparer in listed) else None,
    )


def look_at_comparisons(
    connection: Connection, study: ComparisonStudy, *, simulated: bool
) -> Telling:
    standing_comparers = comparers(connection, study, simulated=simulated)
    design = design_known(connection, study)
    progress = comparing_progress(
        connection, study, design, standing_comparers, simulated=simulated
    )

    def members() -> dict[str, object]:
        return {
            "pairs": [asdict(pair) for pair in progress.pairs],
            "arena": asdict(progress.arena) if progress.arena else None,
            "answers": asdict(progress.given),
            "validation": validation_object(study, standing_comparers, progress),
        }

    def standing(comparer: Comparer) -> dict[str, object]:
        met, correct = comparer.validation.met, comparer.validation.correct
        more = {"validation_met": met, "validation_correct": correct}
        return standing_object(comparer, VOTES, "validation", **more)

    return telling(
        study,
        standing_comparers,
        progress,
        answers=VOTES,
        problem=design.problem,
        simulated=simulated,
        members=members,
        standing=standing,
        lines=lambda: lines_of(study, standing_comparers, progress),
        people=lambda: list_of_comparers(standing_comparers),
    )
