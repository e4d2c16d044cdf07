"""How far a study of comparisons is, for `hype status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Final

from rich.text import Text

from hype.cli.money import due_object, lines_of_money
from hype.cli.share_status import said_of_shares, shared_view, shares_object, study_object
from hype.cli.status_tables import Cell, Heading, Listing, counts
from hype.cli.status_view import View
from hype.sessions.comparers import Comparer
from hype.sessions.comparing_progress import (
    ArenaProgress,
    ComparingProgress,
    Design,
    PairVotes,
)
from hype.study.studies import ComparisonStudy

VOTES: Final = "votes"
PASSED: Final = {True: "yes", False: "no", None: "–"}


def comparing_object(
    study: ComparisonStudy,
    design: Design,
    found: Sequence[Comparer],
    progress: ComparingProgress,
    *,
    simulated: bool,
) -> dict[str, object]:
    """Give everything for programs."""
    return {
        **study_object(study, simulated=simulated),
        "stimuli_problem": design.problem or None,
        **shares_object(progress.cells, progress.whole, VOTES),
        "pairs": [asdict(pair) for pair in progress.pairs],
        "arena": asdict(progress.arena) if progress.arena else None,
        "answers": asdict(progress.given),
        "validation": validation_object(study, found, progress),
        "remaining": asdict(progress.remaining),
        "evaluators": [comparer_object(one) for one in found],
        **due_object(study, found),
    }


def validation_object(
    study: ComparisonStudy, found: Sequence[Comparer], progress: ComparingProgress
) -> dict[str, object]:
    """Give what became of the comparisons with an obvious answer."""
    rule = study.settings.validation
    return {
        "kind": rule.kind,
        "min_correct": rule.min_correct,
        "met": sum(one.validation.met for one in found),
        "correct": sum(one.validation.correct for one in found),
        "evaluators_tested": progress.tested,
        "evaluators_failed": progress.failed,
    }


def comparer_object(one: Comparer) -> dict[str, object]:
    """Give one evaluator."""
    found = asdict(one)
    validation = found.pop("validation")
    return {
        "evaluator": found.pop("evaluator"),
        "methods": found.pop("methods"),
        "status": found.pop("status"),
        "share": found.pop("share") or None,
        "votes": found.pop("trials"),
        "validation_met": validation["met"],
        "validation_correct": validation["correct"],
        **found,
    }


def comparing_view(
    study: ComparisonStudy,
    design: Design,
    found: Sequence[Comparer],
    progress: ComparingProgress,
    *,
    simulated: bool,
) -> View:
    """Give everything for people."""
    money = lines_of_money(study, found, progress.remaining, progress.whole, simulated=simulated)
    return shared_view(
        study,
        progress.cells,
        progress.whole,
        answers=VOTES,
        problem=design.problem,
        simulated=simulated,
        lines=chain(lines_of(study, found, progress), money) if found else (),
        people=list_of_comparers(found) if found else None,
    )


def lines_of(
    study: ComparisonStudy, found: Sequence[Comparer], progress: ComparingProgress
) -> Iterator[str]:
    """Say how many votes there are, what they are, and who looked."""
    if progress.arena:
        yield f"Arena: {said_of_arena(progress.arena)}"
    yield from said_of_shares(progress.cells)
    yield f"Votes: {said_of_votes(progress)}"
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
        met = sum(one.validation.met for one in found)
        correct = sum(one.validation.correct for one in found)
        least = study.settings.validation.min_correct
        yield (
            f"Validation: {correct:,} of {met:,} correct ({correct / met:.0%}); "
            f"{progress.failed} of {progress.tested} evaluators below {least:.0%}"
        )


def said_of_arena(arena: ArenaProgress) -> str:
    """Say what an arena knows, and whether anybody more is needed."""
    if arena.enough:
        return f"{arena.enough}; nobody more is needed"
    what = "the ranking" if arena.goal == "ranking" else "the top"
    return f"{what} is not known yet; {arena.votes:,} of at most {arena.most_votes:,} votes"


def said_of_votes(progress: ComparingProgress) -> str:
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
    """Give how many votes a pair has."""
    return pair.votes


def list_of_comparers(found: Sequence[Comparer]) -> Listing:
    """Make the table of evaluators; shares and validation only where there are any."""
    shared = any(one.share for one in found)
    tested = any(one.passed is not None for one in found)
    validation = ("Valida-\ntion", "Passed") if tested else ()
    numbers = ("Votes", "Hasty", *validation, "Base", "Bonus", "Pay")
    return Listing(
        headings=(
            Heading(name="Evaluator", least=9),
            *((Heading(name="Share", number=True),) if shared else ()),
            Heading(name="Status"),
            *(Heading(name=name, number=True) for name in numbers),
        ),
        rows=tuple(row_of(one, shared=shared, tested=tested) for one in found),
    )


def row_of(one: Comparer, *, shared: bool, tested: bool) -> tuple[Cell, ...]:
    """Give the cells of an evaluator."""
    seen = f"{one.validation.correct}/{one.validation.met}" if one.validation.met else "–"
    return (
        Text(one.evaluator),
        *((str(one.share or "–"),) if shared else ()),
        Text(one.status),
        *counts((one.trials, one.hasty)),
        *((seen, PASSED[one.passed]) if tested else ()),
        *(f"{amount:.2f}" for amount in (one.base, one.bonus, one.pay)),
    )
