"""Rankings: images of one prompt put in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, groupby, product
from operator import attrgetter, itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row

from hype.asking.questions import ImageQuestion, OrderQuestion
from hype.export.kind import (
    ANSWER,
    Ballot,
    ExportedColumn,
    ExportKind,
    Fact,
    Items,
    PreferredPairs,
    Tally,
    TaskWords,
    Vote,
    documented_columns,
    only_image,
)
from hype.export.people import answered, flag, prompted_facts, scored
from hype.protocols.prompted.wording import PROMPT, one_line, task_words
from hype.protocols.ranking.course import texts_of
from hype.protocols.ranking.exclusion import (
    SCREENED,
    failed_screening,
    split_of,
)
from hype.protocols.ranking.rows import OF_EVALUATORS, why_excluded
from hype.protocols.ranking.sampling import read_ranking_pools
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import RankingTask
from hype.study.phrases import percent
from hype.tables.columns import CellType

LABELS: Final = {
    RankingTask.PRACTICE.value: "practice",
    RankingTask.TEST.value: "rankingtest",
    RankingTask.RANKING.value: "ranking",
    RankingTask.CHECK.value: "rankingcheck",
}
"""What tasks are called in the names of files."""


def tasks_in_words(settings: RankingFile) -> dict[str, TaskWords]:
    texts, question = texts_of(settings), settings.ranking.question
    share = percent(settings.screening.check_share)
    described = {
        RankingTask.PRACTICE: ("practice", "Rankings to learn how it goes, not scored."),
        RankingTask.TEST: (
            "test",
            "Rankings that everybody made first, checkers too, so that evaluators can be held "
            "against them; not scored.",
        ),
        RankingTask.RANKING: ("block", " ".join(sentences(settings))),
        RankingTask.CHECK: (
            "block",
            f"Rankings by checkers of {share} of what each evaluator had ranked before; not "
            "scored.",
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
        "where each stood on the screen was random. The question was: "
        f"{one_line(asked.question)}"
    )
    if asked.ties:
        yield "Images could share a place."
    yield PROMPT[asked.prompt]


ITEMS: Final = documented_columns(SCREENED, "group", "prompt", "image", "condition", "split")
"""The columns of the images that judges are asked about."""

JUDGES: Final = {
    "scores": "one CSV file with the columns judge, image and score, a row for each image, higher "
    "is better",
    "then": "hype score STUDY --judges FILE",
}
"""What judges are to give."""


def items_of(study: RankingStudy) -> Items:
    """List all images of the design, group by group; those of the test are not scored."""
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
        asked={
            "question": asked.question,
            "prompt": asked.prompt,
            "ties": asked.ties,
            "judges": JUDGES,
        },
    )


def questions_of(study: RankingStudy) -> Iterator[ImageQuestion]:
    """Ask for the order of every group of the design, shown by checksums and in the reverse."""
    pools, asked = read_ranking_pools(study), study.settings.ranking
    for group, turned in product(chain.from_iterable(pools.shares), (False, True)):
        yield OrderQuestion(
            kind="ranking",
            item=group.name,
            images=tuple(sorted(group.images, key=attrgetter("sha256"), reverse=turned)),
            prompt=group.prompt if asked.prompt == "shown" else "",
            text=asked.question,
        )


NOT_SCORED: Final = {reason.name: reason.meaning for reason in OF_EVALUATORS}


def facts_of_people(
    connection: Connection, study: RankingStudy, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    """Say who they are, whether they are checkers, and how much they did."""
    failed = failed_screening(connection.engine, study, simulated=simulated)

    def is_checker(who: Row[Any]) -> bool:
        return study.settings.screening.is_checker(who.evaluator)

    def why_not(who: Row[Any]) -> str:
        return why_excluded(
            status=who.status, checker=is_checker(who), failed=who.evaluator in failed
        )

    did = (
        flag("checker", "whether they are a checker, whom others are held against", is_checker),
        answered(
            tally,
            "rankings",
            "how many rankings they began, accepted or not, practice and test included",
        ),
        *scored(tally, "rankings", NOT_SCORED, why_not),
    )
    return prompted_facts(connection, study, did, simulated=simulated)


CELLS: Final = (
    *("excluded", "evaluator", "prompt", "group", "split", "rank"),
    *("image", "condition", "image_sha256"),
)

ABOUT: Final = documented_columns(SCREENED, "group", "split")
"""What is said of a pair beside its images and votes."""


def votes_of(engine: Engine, study: RankingStudy, simulated: bool) -> Ballot:
    """Collect the rankings that are scored, each two images of one as a comparison."""
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
    ballot.told = {"rankings_scored": rankings}
    return ballot


def pairs_in(ranked: Sequence[tuple[Any, ...]]) -> Iterator[Vote]:
    """Yield a vote for each two images of a ranking; a lower rank is better, equals are a tie."""
    for image, other in combinations(ranked, 2):
        _, _, prompt, group, split, rank, *seen = image
        verdict = (rank < other[5]) - (rank > other[5])
        yield Vote(prompt, tuple(seen), other[6:], verdict, (group, split or None))


def what_was_asked(settings: RankingFile) -> Mapping[str, str]:
    return {"question": settings.ranking.question}


RANKING: Final = ExportKind(
    outgoing=SCREENED,
    columns=documented_columns(SCREENED),
    answered=ExportedColumn(
        "ranked", "how many rankings ended in the session, accepted or not", CellType.WHOLE
    ),
    images=(only_image(),),
    summary=(
        "Rankings of images of one prompt, which were made in different ways, from the best to "
        "the worst. The design is that of Wu et al. (2023, arXiv:2306.09341)."
    ),
    reference="Wu et al. (2023), Human Preference Score v2, https://arxiv.org/abs/2306.09341",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels=LABELS,
    people=facts_of_people,
    per_answer=(
        "a row for each image that was ranked, with the times of the whole ranking; the acts of "
        "which rankings are made, each with its time, are rows of `placements.jsonl` in the record"
    ),
    pairs=PreferredPairs(votes=votes_of, columns=ABOUT, by_place=False),
    items=items_of,
    questions=questions_of,
)


def export_kind(_study: object) -> ExportKind:
    return RANKING
