"""Rankings as they leave a study: whose they are, what they test, and why one is not scored."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Boolean, Engine, String

from hype.protocols.ranking.pools import read_ranking_pools
from hype.protocols.ranking.trial import RankingTask
from hype.protocols.studies import RankingStudy
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.session.records import has_folder
from hype.store.columns import column
from hype.store.reading import RANKINGS

FAILED_SCREENING: Final = "failed-screening"
REASONS: Final = {
    "unfinished": "the evaluator has begun and not finished",
    "declined": "the evaluator did not consent",
    "practice": "practice is never scored",
    "test": "the test is never scored",
    "check": "what checkers rank after others is never scored",
    "unfinished-ranking": "the order was not accepted",
    FAILED_SCREENING: "the evaluator's first choices too often were not among a checker's first "
    "two, by the study's rule",
}
"""Why a ranking is not scored; where several hold, the first. The last is found by the analysis."""
SPLITS: Final = {
    "train": "preference models may be trained on it",
    "test": "held out, for testing preference models",
}
BY_STATUS: Final = {"active": "unfinished", "declined": "declined"}
ADDED: Final = (
    column("checker", Boolean, "whether a checker ranked it"),
    column(
        "split",
        String(8),
        "what the prompt may be used for; empty where none is held out",
        blank=True,
        levels=SPLITS,
    ),
    column(
        "excluded",
        String(32),
        "why the ranking is not scored under the study's rules; empty where it is",
        blank=True,
        levels=REASONS,
    ),
)
"""The columns that the study file makes."""


def split_of(prompt: object, held_out: Collection[str]) -> str:
    """Say what a prompt may be used for; nothing where none is held out."""
    if not held_out:
        return ""
    return "test" if prompt in held_out else "train"


def what_is_added(_engine: Engine, study: RankingStudy, _simulated: bool) -> Adding:
    """Give what the study says of a ranking, beside why it is not scored; "" if it is.

    Which prompts are held out is drawn from the images: of a study that is not here none is marked.
    """
    settings = study.settings
    drawn = settings.ranking.held_out and has_folder(study)
    held_out = read_ranking_pools(study).held_out if drawn else frozenset()

    def added(
        evaluator: object, status: object, task: object, prompt: object, rank: object
    ) -> Cells:
        reason = BY_STATUS.get(str(status)) or ("" if task == SCORED else str(task))
        left = "unfinished-ranking" if rank is None else ""
        is_checker = settings.screening.is_checker(str(evaluator))
        return (is_checker, split_of(prompt, held_out), reason or left)

    return added


SCORED: Final = RankingTask.RANKING.value
RANKED: Final = Outgoing(
    answers=RANKINGS,
    added=ADDED,
    needed=("evaluator", "status", "task", "prompt", "rank"),
    adding=what_is_added,
)
"""How rankings leave a study."""
