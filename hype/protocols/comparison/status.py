"""How far a study of comparisons is: its evaluators, its votes, and what an arena knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, case, func, select, union

from hype.errors import InputError
from hype.protocols.comparison.arena import arena_votes, latest_separation, next_look, why_enough
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.rows import comparisons
from hype.protocols.comparison.sampling import METHODS, evaluators_per_cell, times_met
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.comparison.validation import Validated
from hype.protocols.prompted.status import (
    AskedStanding,
    in_money,
    listing,
    of_anybody,
    share_of,
    shared_progress,
    shares_in_words,
    standing_object,
    telling,
)
from hype.protocols.prompted.trial import Choice
from hype.session.participation import all_evaluators, number_of
from hype.session.steps import Due
from hype.status.progress import Listing, Shown, Telling, counts
from hype.study.assignment import Cell

Facts = Mapping[str, Any]


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

    # How many comparisons with an obvious answer they met, and answered correctly
    validation_met: int
    validation_correct: int
    # hasty, unanswered: comparisons, the obvious ones included, that they answered too fast, or not
    # in time
    hasty: int
    unanswered: int
    # Whether they did well enough where the answer is obvious, by the study's rule; None where it
    # does not ask, or has not yet
    passed: bool | None


def comparers(connection: Connection, study: ComparisonStudy, *, simulated: bool) -> list[Comparer]:
    """Give the standing of every evaluator, in the order of their arrival."""
    cells = comparisons.c
    answered = cells.answer != Choice.NONE.value
    counted = cells.task != ComparisonTask.PRACTICE.value
    obvious = cells.task == ComparisonTask.VALIDATION.value
    query = (
        select(
            cells.evaluator_id,
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
    known = {row.evaluator_id: row._asdict() for row in connection.execute(query)}
    everybody = all_evaluators(connection, study, simulated=simulated)
    return [comparer_of(row, study, known.get(row.id)) for row in everybody]


def comparer_of(who: Row[Any], study: ComparisonStudy, counted: Facts | None) -> Comparer:
    """Give the standing of a row of evaluators. The base is due once they compared anything."""
    known: Facts = counted or Counter()
    due = study.settings.pay.pay().parts(known["paid"]) if counted else Due()
    rule, validation = (
        study.settings.validation,
        Validated(met=known["met"], correct=known["correct"]),
    )
    return Comparer(
        **of_anybody(who, due, known["last_unix_s"] if counted else None),
        trials=known["votes"],
        validation_met=validation.met,
        validation_correct=validation.correct,
        hasty=known["hasty"],
        unanswered=known["unanswered"],
        passed=validation.passes(rule) if validation.met and rule.kind != "off" else None,
    )


ARENA = Cell(condition="", methods=METHODS)


def look_at_comparisons(
    connection: Connection, study: ComparisonStudy, *, simulated: bool
) -> Telling:
    """Look at a study, whether or not its stimuli can be read.

    Where they cannot, conditions and shares are those that were met in the record, and nobody can
    say how many votes are wanted of a pair; nor in an arena.
    """
    asked, people = study.settings.comparison, comparers(connection, study, simulated=simulated)
    wanted: dict[tuple[str, str], int] = {}
    cells: tuple[Cell, ...] = (ARENA,) if asked.arena else ()
    problem = ""
    try:
        course = ComparisonCourse(study)
    except InputError as error:
        names = tuple(sorted(met_conditions(connection) | {*study.settings.stimuli.conditions}))
        problem = str(error)
    else:
        names, cells = course.pools.conditions, course.cells
        if not asked.arena:
            met = ((pair, times_met(course.pools, *pair)) for pair in combinations(names, 2))
            wanted = {pair: times * asked.votes for pair, times in met}
    votes, given = votes_in(connection, simulated=simulated)
    arena = arena_object(connection, study, names, simulated=simulated)
    each = evaluators_per_cell(study.settings)
    progress = shared_progress(cells, people, each, done=bool(arena and arena["enough"]))
    facts = {
        "pairs": [
            {
                "one": one,
                "other": other,
                "votes": votes[frozenset((one, other))],
                "wanted": wanted.get((one, other)),
            }
            for one, other in combinations(names, 2)
        ],
        "arena": arena,
        "answers": given,
        "validation": {
            "kind": study.settings.validation.kind,
            "min_correct": study.settings.validation.min_correct,
            "met": sum(comparer.validation_met for comparer in people),
            "correct": sum(comparer.validation_correct for comparer in people),
            "evaluators_tested": sum(comparer.passed is not None for comparer in people),
            "evaluators_failed": sum(comparer.passed is False for comparer in people),
        },
    }
    return telling(
        study,
        people,
        progress,
        answers=VOTES,
        problem=problem,
        simulated=simulated,
        members=lambda: facts,
        standing=lambda comparer: standing_object(comparer, VOTES),
        lines=lambda: (*shares_in_words(progress.cells), *lines_of(facts)),
        people=lambda: list_of_comparers(people),
    )


def met_conditions(connection: Connection) -> set[str]:
    sides = union(select(comparisons.c.left), select(comparisons.c.right))
    return set(connection.execute(sides).scalars())


def votes_in(
    connection: Connection, *, simulated: bool
) -> tuple[Counter[frozenset[str]], dict[str, int]]:
    """Count votes by what met, and all answers by what they are; validation is no vote."""
    cells = comparisons.c
    what = (cells.left, cells.right, cells.answer)
    hasty = func.sum(case((cells.hasty, 1), else_=0)).label("hasty")
    query = select(*what, func.count().label("times"), hasty).where(
        cells.simulated == simulated, cells.task == ComparisonTask.COMPARISON.value
    )
    votes: Counter[frozenset[str]] = Counter()
    given = dict.fromkeys((*(choice.value for choice in Choice), "hasty"), 0)
    for row in connection.execute(query.group_by(*what)):
        given[row.answer] += row.times
        given["hasty"] += row.hasty
        if row.answer != Choice.NONE.value:
            votes[frozenset((row.left, row.right))] += row.times
    return votes, given


def arena_object(
    connection: Connection, study: ComparisonStudy, names: Sequence[str], *, simulated: bool
) -> Facts | None:
    """Say what an arena knows; None where there is none, or nothing to compare.

    It ends at ``most_votes`` in any case. ``next_look``: how many evaluators must have finished
    when the stopping rule looks next; None where it does not. ``top``, ``order``: the best
    condition, and all of them from the best; None where that is not known. ``enough``: why nobody
    more is needed; nothing where somebody is.
    """
    settings = study.settings
    arena = settings.comparison.arena
    if arena is None or len(names) < 2:
        return None
    votes = arena_votes(connection, study, names, simulated=simulated)
    known = latest_separation(settings, votes, names)
    enough = why_enough(settings, votes, names)
    reached = known is not None and known.settled
    top, order = (known.top, known.order) if known and reached else (None, None)
    return {
        "votes": int(votes.points.sum()),
        "most_votes": settings.most_votes,
        "evaluators": votes.finished.number,
        "next_look": None if enough else next_look(settings, votes, names),
        "goal": arena.goal,
        "reached": reached,
        "top": None if top is None else names[top],
        "order": None if order is None else [names[place] for place in order],
        "enough": enough,
    }


VOTES: Final = "votes"
PASSED: Final = {True: "yes", False: "no", None: "–"}


def lines_of(facts: Facts) -> Iterator[str]:
    """Say how many votes there are, what they are, and who looked."""
    if arena := facts["arena"]:
        yield from lines_of_arena(arena)
    given, tested = facts["answers"], facts["validation"]
    votes = given["left"] + given["right"] + given["tie"]
    yield f"Votes: {votes_in_words(votes, facts['pairs'])}"
    if votes:
        parts = [f"{given['left']:,} left", f"{given['right']:,} right"]
        if given["tie"]:
            parts.append(f"{given['tie']:,} ties")
        if given["none"]:
            parts.append(f"{given['none']:,} out of time")
        parts.append(f"{given['hasty'] / (votes + given['none']):.1%} of all hasty")
        yield f"Answers: {', '.join(parts)}"
    if number := tested["evaluators_tested"]:
        met, correct = tested["met"], tested["correct"]
        yield (
            f"Validation: {correct:,} of {met:,} correct ({correct / met:.0%}); "
            f"{tested['evaluators_failed']} of {number} evaluators below "
            f"{tested['min_correct']:.0%}"
        )


def lines_of_arena(arena: Facts) -> Iterator[str]:
    """Say what an arena knows, and whether anybody more is needed."""
    if arena["enough"]:
        yield f"Arena: {arena['enough']}; nobody more is needed"
        return
    what = "the ranking" if arena["goal"] == "ranking" else "the top"
    so_far = f"{arena['votes']:,} of at most {arena['most_votes']:,} votes"
    yield f"Arena: {what} is not known yet; {so_far}"
    if arena["next_look"] is not None:
        finished = f"{arena['evaluators']:,} evaluators finished"
        yield f"Looks: {finished}; the next one is at {arena['next_look']:,}"


def votes_in_words(votes: int, pairs: Sequence[Facts]) -> str:
    """Say how many votes there are, of how many, and how they are spread over pairs."""
    number = f"{votes:,}"
    wanted = [pair["wanted"] for pair in pairs if pair["wanted"] is not None]
    if wanted:
        number += f" of {sum(wanted):,}"
    if len(pairs) < 2:
        return number
    least, most = (choose(pairs, key=itemgetter("votes")) for choose in (min, max))
    if least["votes"] == most["votes"]:
        return f"{number}; {least['votes']:,} of each pair of conditions"
    return (
        f"{number}; from {least['votes']:,} ({least['one']} and {least['other']}) to "
        f"{most['votes']:,} ({most['one']} and {most['other']}) of a pair"
    )


def list_of_comparers(listed: Sequence[Comparer]) -> Listing:
    """Make the table of evaluators; shares and validation only where there are any."""
    tested = any(comparer.passed is not None for comparer in listed)

    def cells(comparer: Comparer) -> tuple[Shown, ...]:
        met, correct = comparer.validation_met, comparer.validation_correct
        seen = f"{correct}/{met}" if met else "–"
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
