"""Export of rankings, with the screening of evaluators by checkers.

Exported rows include unscored ones, with task and status, for comparisons with checkers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, groupby, product
from operator import attrgetter, itemgetter
from typing import Any, Final

import numpy as np
import pandas as pd
from sqlalchemy import Connection, Engine
from sqlalchemy import Row as RecordRow

from hype.asking.questions import ImageQuestion, OrderQuestion
from hype.export.kind import (
    ANSWER,
    Ballot,
    ExportKind,
    Fact,
    Items,
    PreferredPairs,
    Tally,
    TaskWords,
    Vote,
    describe_columns,
    only_image,
)
from hype.export.people import answers_fact, evaluator_facts, flag, scoring_facts
from hype.protocols.prompted.course import texts_shown
from hype.protocols.prompted.wording import PROMPT, one_line, task_words
from hype.protocols.ranking.record import KEPT
from hype.protocols.ranking.rows import OF_EVALUATORS, REASONS, why_excluded
from hype.protocols.ranking.sampling import TOP, read_ranking_pools
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.table import check_rankings, joint, member_codes
from hype.protocols.ranking.trial import RankingTask
from hype.report.tabular import Row
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.paired_counts import orders
from hype.statistics.proportions import shares
from hype.store.record import record_of
from hype.study.phrases import percent
from hype.tables.cells import codes_of
from hype.tables.columns import Column, Kind
from hype.tables.reasons import LeftOut, count_by_reason, reasons_of

_ROUNDING: Final = 1e-9


def screening(
    rankings: pd.DataFrame,
    *,
    min_recall: float | None = None,
    check_share: float = 0.1,
    confidence: float = 0.95,
) -> Row | None:
    """Compare annotators with checkers by recall@2, as in Wu et al. (2023), section 3.3.

    Recall@2 is how often the annotator's first choice in a group is among a checker's first two.
    Tied images share places: of two images tied for the first place, each is half a first choice;
    of two tied for the second place, each is half among the first two. If several checkers ranked a
    group, their mean is used. By chance, recall@2 is 2 divided by the group's size.
    Rankings of a test have their own task. A cross-check is a group from an annotator's work that a
    checker also ranked, without the annotator's knowledge.

    Returns the rule, the number of ``checkers``, the mean recall@2 by ``chance`` in groups that a
    checker ranked, the annotators who ``failed`` the rule, those without a test or check
    (``unscreened``), and ``evaluators``: a row for each annotator, those below the bound first,
    then by recall@2. Returns None if evaluators are unknown, or there is no checker.

    ``rankings``: from `check_rankings`, with those of checkers, tests and practice. ``min_recall``:
    the lowest recall@2 of a scored annotator; None for no rule. ``check_share``: the share of each
    person's work that should be checked.
    """
    checker = rankings["checker"].to_numpy()
    real = rankings["finished"].to_numpy() & rankings["task"].ne("practice").to_numpy()
    if "evaluator" not in rankings or not (checker & real).any():
        return None
    work = rankings["task"].isin(["ranking", "test"]).to_numpy()
    each = _recalls(rankings, real & checker, real & ~checker & work)
    rows = [
        _screen(str(name), own, min_recall, check_share, confidence)
        for name, own in each.groupby("evaluator", sort=True)
    ]
    compared = each["recall"].notna()
    return {
        "check_share": check_share,
        "min_recall": min_recall,
        "checkers": int(rankings["evaluator"][checker & real].nunique()),
        "chance": float(each["chance"][compared].mean()) if compared.any() else None,
        "failed": tuple(row["evaluator"] for row in rows if row["failed"]),
        "unscreened": tuple(r["evaluator"] for r in rows if not (r["test"] or r["check"])),
        "evaluators": tuple(sorted(rows, key=_lowest_first)),
    }


def _lowest_first(row: Row) -> tuple[bool, float]:
    judged = row["test"] or row["check"]
    return not row["failed"], judged["recall"].value if judged else math.inf


def _recalls(rankings: pd.DataFrame, checked: BoolArray, work: BoolArray) -> pd.DataFrame:
    """Return each annotator's rankings and their recall (NaN if no checker ranked the group)."""
    key = joint([codes_of(rankings["group"]), member_codes(rankings)])
    number, _ = pd.factorize(key)
    by_checker, own = orders(rankings[checked]), orders(rankings[work])
    in_top = np.clip(TOP + 1 - by_checker.rank, 0, by_checker.tied) / by_checker.tied
    tops = np.bincount(number[checked][by_checker.row], in_top, minlength=int(number.max()) + 1)
    times = np.bincount(number[checked], minlength=len(tops))
    mean = np.divide(tops, times, out=np.full(len(tops), np.nan), where=times > 0)
    first = (own.rank == 1) / own.tied
    hits = np.bincount(own.ranking, first * mean[number[work][own.row]], minlength=len(own.sizes))
    head = rankings[work].iloc[own.row[own.starts]]
    return pd.DataFrame(
        {
            "evaluator": head["evaluator"].astype(str).to_numpy(),
            "test": head["task"].eq("test").to_numpy(),
            "recall": hits,
            "chance": np.minimum(1.0, TOP / own.sizes),
        }
    )


def _screen(
    name: str, own: pd.DataFrame, min_recall: float | None, check_share: float, confidence: float
) -> Row:
    """Return an annotator's recall@2 in the ``test``, and in cross-checks (``check``).

    ``rankings``: the number of rankings with the task ranking; ``checked``: how many of these a
    checker also ranked; ``enough``: whether ``checked`` is enough. ``failed``: whether the rule
    leaves the annotator out.
    """
    is_test, recall, chance = (own[name].to_numpy() for name in ("test", "recall", "chance"))
    compared = ~np.isnan(recall)
    test, check = (
        _recall(recall[which], chance[which], confidence)
        for which in (compared & is_test, compared & ~is_test)
    )
    rankings, checked = int((~is_test).sum()), check["groups"] if check else 0
    share = checked / rankings if rankings else None
    judged = test or check
    too_low = judged is not None and min_recall is not None and judged["recall"].value < min_recall
    return {
        "evaluator": name,
        "test": test,
        "check": check,
        "rankings": rankings,
        "checked": checked,
        "enough": None if share is None else share >= check_share - _ROUNDING,
        "failed": too_low,
    }


def _recall(recall: FloatArray, chance: FloatArray, confidence: float) -> Row | None:
    """Return the number of groups, and the mean recall@2 with its interval; None without groups."""
    (share,) = shares(float(recall.sum()), len(recall), confidence=confidence)
    if share is None:
        return None
    return {"groups": len(recall), "recall": share, "chance": float(chance.mean())}


def ranking_reasons(rankings: pd.DataFrame, *, failed: Collection[str] = ()) -> pd.Series:
    """Return the reason why each row's ranking is not scored, or `SCORED`.

    ``rankings``: from `check_rankings`. ``failed``: evaluators who failed the study's rule. If one
    row of a ranking has a reason in the column excluded, it applies to the whole ranking.
    """
    facts: dict[str, Any] = {}
    if failed:
        facts["failed"] = rankings["evaluator"].isin(list(failed))
    if "excluded" in rankings:
        names = rankings["excluded"].cat.categories  # sorted, so the empty text comes first
        last = codes_of(rankings["excluded"])
        of_ranking = np.zeros(int(rankings["ranking"].max()) + 1, dtype=np.int64)
        np.maximum.at(of_ranking, rankings["ranking"].to_numpy(), last)
        facts["excluded"] = pd.Categorical.from_codes(
            of_ranking[rankings["ranking"].to_numpy()], categories=names
        )
    return reasons_of(rankings, REASONS, **facts)


def count_left_out_rankings(rankings: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOut, ...]:
    number = rankings["ranking"]
    return count_by_reason(rankings, reasons, REASONS, lambda rows: int(number[rows].nunique()))


def split_of(prompt: object, held_out: Collection[str]) -> str:
    """Return what a prompt is for, "test" or "train"; empty if no prompt is held out."""
    if not held_out:
        return ""
    return "test" if prompt in held_out else "train"


def what_is_added(
    _engine: Engine, study: RankingStudy, _simulated: bool, *, failed: Collection[str] = ()
) -> Adding:
    """Return a function that computes a ranking's columns ``checker``, ``split`` and ``excluded``.

    Images are read only to find held-out prompts. A checker's rankings need no extra reason,
    because their task already marks them as not scored.
    """
    settings = study.settings
    drawn = settings.ranking.held_out
    held_out = read_ranking_pools(study).held_out if drawn else frozenset()

    def added(
        evaluator: object, status: object, task: object, prompt: object, rank: object
    ) -> Cells:
        reason = why_excluded(
            status=status, task=task, finished=rank is not None, failed=evaluator in failed
        )
        is_checker = settings.is_checker(str(evaluator))
        return (is_checker, split_of(prompt, held_out), reason)

    return added


def what_is_added_and_screened(engine: Engine, study: RankingStudy, simulated: bool) -> Adding:
    """Make the columns of `what_is_added`, but also exclude evaluators who failed the screening."""
    failed = find_failed(engine, study, simulated=simulated)
    return what_is_added(engine, study, simulated, failed=failed)


RANKED: Final[Outgoing[RankingStudy]] = Outgoing(
    answers=KEPT, needed=("evaluator", "status", "task", "prompt", "rank"), adding=what_is_added
)
"""How rankings are read for scoring; the scoring itself does the screening."""
SCREENED: Final = replace(RANKED, adding=what_is_added_and_screened)
"""How rankings are read for an export."""
TO_SCREEN: Final = (
    *("evaluator", "session", "status", "task", "block", "group", "condition", "image", "rank"),
    "simulated",
)
"""The columns of the record that the screening needs."""


def screening_in(engine: Engine, study: RankingStudy, *, simulated: bool) -> Row | None:
    """Compare a record's evaluators with its checkers, as `hype score` does.

    Raises InputError: the rankings cannot be read.
    """
    exported = RANKED.read(engine, study, simulated=simulated, columns=TO_SCREEN)
    frame = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
    if not frame["rank"].notna().any():
        return None
    rule = study.settings.screening
    rankings = check_rankings(frame, where=record_of(study).where, simulated=simulated)
    return screening(rankings, min_recall=rule.min_recall, check_share=rule.check_share)


def find_failed(engine: Engine, study: RankingStudy, *, simulated: bool) -> frozenset[str]:
    """Return the evaluators who failed the study's rule."""
    if study.settings.screening.min_recall is None:
        return frozenset()
    screened = screening_in(engine, study, simulated=simulated)
    return frozenset(screened["failed"]) if screened else frozenset()


LABELS: Final = {
    RankingTask.PRACTICE.value: "practice",
    RankingTask.TEST.value: "rankingtest",
    RankingTask.RANKING.value: "ranking",
    RankingTask.CHECK.value: "rankingcheck",
}
"""Names of tasks in file names."""


def tasks_in_words(study: RankingStudy) -> dict[str, TaskWords]:
    settings, texts = study.settings, texts_shown(study)
    question, share = settings.ranking.question, percent(settings.screening.check_share)
    described = {
        RankingTask.PRACTICE: ("practice", "Rankings to learn the task, not scored."),
        RankingTask.TEST: (
            "test",
            "Rankings that everyone made first, including checkers, to compare evaluators with "
            "checkers; not scored.",
        ),
        RankingTask.RANKING: ("block", " ".join(sentences(settings))),
        RankingTask.CHECK: (
            "block",
            f"Checkers ranked {share} of each evaluator's groups again; not scored.",
        ),
    }
    return {
        LABELS[task.value]: task_words(
            text, texts["instructions"], texts[page], question, question=question
        )
        for task, (page, text) in described.items()
    }


def sentences(settings: RankingFile) -> Iterator[str]:
    asked = settings.ranking
    yield (
        "Images of one prompt, made in different ways, were put in order, the best one first; "
        f"their places on the screen were random. The question was: {one_line(asked.question)}"
    )
    if asked.ties:
        yield "Images could share a place."
    yield PROMPT[asked.prompt]


ITEMS: Final = describe_columns(SCREENED, "group", "prompt", "image", "condition", "split")
"""The columns of the images that judges are asked about."""


def items_of(study: RankingStudy) -> Items:
    """List the images of the design by group, without those of a test, which are not scored."""
    asked, pools = study.settings.ranking, read_ranking_pools(study)
    rows = sorted(
        (name, group.prompt, image.path, image.condition, split_of(group.prompt, pools.held_out))
        for name, group in pools.groups.items()
        for image in group.images
    )
    return Items(
        rows=tuple(rows),
        columns=ITEMS,
        name="images",
        asked={"question": asked.question, "prompt": asked.prompt, "ties": asked.ties},
    )


def questions_of(study: RankingStudy) -> Iterator[ImageQuestion]:
    """Ask judges to order each group twice: with images sorted by checksum, and reversed."""
    pools, asked = read_ranking_pools(study), study.settings.ranking
    for group, turned in product(chain.from_iterable(pools.shares), (False, True)):
        yield OrderQuestion(
            kind="ranking",
            item=group.name,
            images=tuple(sorted(group.images, key=attrgetter("sha256"), reverse=turned)),
            prompt=group.prompt if asked.prompt == "shown" else "",
            text=asked.question,
        )


def facts_of_people(
    connection: Connection, study: RankingStudy, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    """State who the evaluators are, whether they are checkers, and how much they did."""
    failed = find_failed(connection.engine, study, simulated=simulated)

    def is_checker(who: RecordRow[Any]) -> bool:
        return study.settings.is_checker(who.evaluator)

    def why_not(who: RecordRow[Any]) -> str:
        return why_excluded(
            status=who.status, checker=is_checker(who), failed=who.evaluator in failed
        )

    did = (
        flag(
            "checker",
            "whether the evaluator is a checker, with whom others are compared",
            is_checker,
        ),
        answers_fact(
            tally,
            "rankings",
            "number of rankings, accepted or not, practice and test included",
        ),
        *scoring_facts(
            *(connection, study, tally, KEPT, OF_EVALUATORS, why_not), simulated=simulated
        ),
    )
    return evaluator_facts(connection, study, did, simulated=simulated)


CELLS: Final = (
    *("excluded", "evaluator", "prompt", "group", "split", "rank"),
    *("image", "condition", "image_sha256"),
)

ABOUT: Final = describe_columns(SCREENED, "group", "split")
"""Further columns of a pair."""


def votes_of(engine: Engine, study: RankingStudy, simulated: bool) -> Ballot:
    """Collect the scored rankings, with each pair of images as a comparison."""
    exported = SCREENED.read(engine, study, simulated=simulated)
    name: Any = itemgetter(*map(exported.columns.index, ANSWER))
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    ballot, rankings = Ballot(), 0
    for _, rows in groupby(exported.rows, name):
        ranked = [tuple(cells(row)) for row in rows]
        excluded, evaluator, *_ = ranked[0]
        if excluded:
            continue
        rankings += 1
        for vote in pairs_in(ranked):
            ballot.cast(evaluator, vote)
    ballot.facts = {"rankings_scored": rankings}
    return ballot


def pairs_in(ranked: Sequence[tuple[Any, ...]]) -> Iterator[Vote]:
    for image, other in combinations(ranked, 2):
        _, _, prompt, group, split, rank, *seen = image
        verdict = (rank < other[5]) - (rank > other[5])
        yield Vote(prompt, tuple(seen), other[6:], verdict, (group, split or None))


def what_was_asked(settings: RankingFile) -> Mapping[str, str]:
    return {"question": settings.ranking.question}


RANKING: Final = ExportKind(
    outgoing=SCREENED,
    columns=describe_columns(SCREENED),
    answered=Column(
        "ranked", Kind.WHOLE, "number of rankings that ended in the session, accepted or not"
    ),
    images=(only_image(),),
    summary=(
        "Images of one prompt, made in different ways, were ranked from the best to the worst. "
        "The design is that of Wu et al. (2023, arXiv:2306.09341)."
    ),
    reference="Wu et al. (2023), Human Preference Score v2, https://arxiv.org/abs/2306.09341",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels=LABELS,
    people=facts_of_people,
    per_answer=(
        "a row for each ranked image, with the times of the whole ranking; each step (an image "
        "placed or moved, a tie, an undo, the acceptance) is a row of `placements.jsonl`"
    ),
    pairs=PreferredPairs(votes=votes_of, columns=ABOUT, by_place=False),
    items=items_of,
    questions=questions_of,
)


def export_kind(_study: object) -> ExportKind:
    return RANKING
