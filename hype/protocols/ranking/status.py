"""How far a study of rankings is: its evaluators, its rankings, and what waits for a checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from rich.text import Text
from sqlalchemy import Connection

from hype.errors import InputError
from hype.protocols.prompted.shares import (
    cells_by_share,
    said_of_shares,
    shared_view,
    shares_object,
    study_object,
)
from hype.protocols.ranking.checkers import CheckQueue, check_queue
from hype.protocols.ranking.conduct import RankingProtocol
from hype.protocols.ranking.evaluators import Ranker
from hype.protocols.studies import RankingStudy
from hype.session.records import where_of
from hype.status.kit import Heading, Listing, Shown, View, counts
from hype.status.money import due_object, lines_of_money
from hype.status.progress import CellProgress, Places, Remaining, remaining_of, together
from hype.study.assignment import Cell

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from hype.protocols.ranking.screening import Recall, ScreenedEvaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingDesign:
    """What a study asks for, as far as its stimuli can be read.

    Attributes
    ----------
    cells
        The places of the design.
    groups
        The names of all groups but the test's; None where nobody can say.
    problem
        Why the stimuli do not say, if so.
    """

    cells: tuple[Cell, ...] = ()
    groups: frozenset[str] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingProgress:
    """How far a study is.

    Attributes
    ----------
    cells, whole, remaining
        Of those who are no checkers.
    wanted
        Rankings that are planned; None where nobody can say.
    queue
        What waits for a checker.
    """

    cells: tuple[CellProgress, ...]
    whole: Places
    wanted: int | None
    queue: CheckQueue
    remaining: Remaining


def ranking_design(study: RankingStudy) -> RankingDesign:
    """Give what a study asks for, whether or not its stimuli can be read."""
    try:
        protocol = RankingProtocol(study)
    except InputError as error:
        return RankingDesign(problem=str(error))
    return RankingDesign(cells=protocol.cells, groups=frozenset(protocol.pools.groups))


def ranking_progress(
    connection: Connection,
    study: RankingStudy,
    design: RankingDesign,
    found: Sequence[Ranker],
    *,
    simulated: bool,
) -> RankingProgress:
    """Compare what was done with the plan."""
    settings, each = study.settings, study.settings.ranking.rankings
    theirs = [one for one in found if not one.checker]
    cells = cells_by_share(design.cells, theirs, each)
    return RankingProgress(
        cells=cells,
        whole=together([one.places for one in cells]),
        wanted=None if design.groups is None else len(design.groups) * each,
        queue=check_queue(connection, settings, found, known=design.groups, simulated=simulated),
        remaining=remaining_of(theirs, cells),
    )


RANKINGS: Final = "rankings"

Screened = Mapping[str, "ScreenedEvaluator"]

"""What is known of evaluators, against checkers."""


def screened(engine: Engine, study: RankingStudy, *, simulated: bool) -> Screened:
    """Hold evaluators against checkers, as `hype score` does; nothing where nobody can yet."""
    import pandas as pd

    from hype.protocols.ranking.exclusion import RANKED
    from hype.protocols.ranking.rows import RANKING_COLUMNS
    from hype.protocols.ranking.screening import screening
    from hype.protocols.ranking.table import check_rankings

    rule, columns = study.settings.screening, {declared.name for declared in RANKING_COLUMNS}
    try:
        exported = RANKED.read(engine, study, simulated=simulated, columns=columns)
        frame = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
        rankings = check_rankings(frame, where=where_of(study), simulated=simulated)
    except InputError:  # nobody has ranked a group yet, or the stimuli are not at hand
        return {}
    found = screening(rankings, min_recall=rule.min_recall, check_share=rule.check_share)
    return {one.evaluator: one for one in found.evaluators} if found else {}


def ranking_object(
    study: RankingStudy,
    design: RankingDesign,
    found: Sequence[Ranker],
    progress: RankingProgress,
    against_checkers: Screened,
    *,
    simulated: bool,
) -> dict[str, object]:
    """Give everything for programs."""
    return {
        **study_object(study, simulated=simulated),
        "stimuli_problem": design.problem or None,
        **shares_object(progress.cells, progress.whole, RANKINGS),
        "rankings_wanted": progress.wanted,
        "checks": asdict(progress.queue) | {"share": progress.queue.share},
        "remaining": asdict(progress.remaining),
        "evaluators": [ranker_object(one, against_checkers.get(one.evaluator)) for one in found],
        **due_object(study, found),
    }


def ranker_object(one: Ranker, known: ScreenedEvaluator | None) -> dict[str, object]:
    """Give one evaluator."""
    found = asdict(one)
    return {
        "evaluator": found.pop("evaluator"),
        "methods": found.pop("methods"),
        "status": found.pop("status"),
        "share": found.pop("share") or None,
        RANKINGS: found.pop("trials"),
        **found,
        "recall_in_test": asdict(known.test) if known and known.test else None,
        "recall_in_checks": asdict(known.check) if known and known.check else None,
        "failed": known.failed if known else None,
    }


def ranking_view(
    study: RankingStudy,
    design: RankingDesign,
    found: Sequence[Ranker],
    progress: RankingProgress,
    against_checkers: Screened,
    *,
    simulated: bool,
) -> View:
    """Give everything for people."""
    money = lines_of_money(study, found, progress.remaining, progress.whole, simulated=simulated)
    said = lines_of(study, progress, against_checkers, simulated=simulated)
    return shared_view(
        study,
        progress.cells,
        progress.whole,
        answers=RANKINGS,
        problem=design.problem,
        simulated=simulated,
        lines=chain(said, money) if found else (),
        people=list_of_rankers(found, against_checkers) if found else None,
    )


def lines_of(
    study: RankingStudy, progress: RankingProgress, against_checkers: Screened, *, simulated: bool
) -> Iterator[str]:
    """Say how many rankings there are, and what checkers found and are still to do."""
    yield from said_of_shares(progress.cells)
    of = "" if progress.wanted is None else f" of {progress.wanted:,}"
    yield f"Rankings: {progress.whole.judgements:,}{of}"
    least = study.settings.screening.min_recall
    if least is not None and against_checkers:
        failed = sum(one.failed for one in against_checkers.values())
        yield f"Screening: {failed} of {len(against_checkers)} evaluators below {least:.0%}"
    queue = progress.queue
    if queue.wanted and queue.share is not None:
        yield from said_of_checks(queue)
    yield from said_to_do(study, queue, simulated=simulated)


def said_of_checks(queue: CheckQueue) -> Iterator[str]:
    """Say how much of everybody's work was ranked again."""
    number = f"{queue.checked:,} of {queue.rankings:,} rankings ({queue.share:.0%})"
    yield f"Cross-checks: {number} were ranked again"
    if queue.behind:
        who = "1 evaluator has" if queue.behind == 1 else f"{queue.behind:,} evaluators have"
        yield f"{queue.wanted:.0%} of everybody's own are wanted; {who} less so far"


def said_to_do(study: RankingStudy, queue: CheckQueue, *, simulated: bool) -> Iterator[str]:
    """Say what checkers are to do, and by which command."""
    reasons = []
    if queue.test_open:
        reasons.append("no checker has taken the test")
    if queue.waiting:
        number = "1 group waits" if queue.waiting == 1 else f"{queue.waiting:,} groups wait"
        reasons.append(f"{number} for a checker")
    if queue.under_way:
        reasons.append(f"{queue.checker} has {queue.under_way} left to check")
    if not reasons:
        return
    if not queue.checker:
        what = "name one in screening.checkers"
    elif simulated:
        what = "hype simulate lets simulated checkers come"
    else:
        what = f"hype run {study.folder} --evaluator {queue.checker}"
    said = ", and ".join(reasons)
    yield f"{said[:1].upper()}{said[1:]}: {what}"


def list_of_rankers(found: Sequence[Ranker], against_checkers: Screened) -> Listing:
    """Make the table of evaluators; recall@2 only where checkers did the same."""
    known = bool(against_checkers)
    tested = any(one.test for one in against_checkers.values())
    recall = [*(["Recall@2\nin test"] if tested else []), "Recall@2\nin checks"] if known else []
    numbers = ("Rank-\nings", "Sec-\nonds", "Un-\ndone", *recall, "Pay")
    return Listing(
        headings=(
            Heading(name="Evaluator", least=9),
            *(Heading(name="Share", number=True), Heading(name="Status")),
            *(Heading(name=name, number=True) for name in numbers),
        ),
        rows=tuple(
            row_of(one, against_checkers.get(one.evaluator), tested=tested, known=known)
            for one in found
        ),
    )


def row_of(
    one: Ranker, of_them: ScreenedEvaluator | None, *, tested: bool, known: bool
) -> tuple[Shown, ...]:
    """Give the cells of an evaluator."""
    return (
        Text(one.evaluator),
        "checks" if one.checker else str(one.share or "–"),
        Text(one.status),
        *counts([one.checked if one.checker else one.trials]),
        "–" if one.seconds is None else f"{one.seconds:.0f}",
        f"{one.undone / one.acts:.0%}" if one.acts else "–",
        *((recalled(of_them.test if of_them else None),) if tested else ()),
        *((recalled(of_them.check if of_them else None),) if known else ()),
        f"{one.pay:.2f}",
    )


def recalled(found: Recall | None) -> str:
    """Write recall@2, and in how many groups; a dash where there is none."""
    return "–" if found is None else f"{found.recall:.0%} of {found.groups}"
