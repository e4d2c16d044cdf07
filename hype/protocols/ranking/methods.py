"""What was run and computed, in words for a paper; the words are in design.txt, statistics.txt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.protocols.ranking.tables import models_of
from hype.report.methods import Paragraph, paragraphs_of
from hype.study.phrases import counted, percent

if TYPE_CHECKING:
    from hype.protocols.ranking.results import RankingScore
    from hype.protocols.ranking.settings import RankingFile

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RankingScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    models = models_of(score)
    pairs_of_models = (pair for judge in models.judges for pair in judge.pairs) if models else ()
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        models=models,
        drawn=drawn,
        strong=any(strengths),
        of_two=False,
        all_strong=all(strengths),
        bradley_terry=any(row.bt_strength is not None for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        models_tested=any(pair.p_holm is not None for pair in pairs_of_models),
    )


def design_in_words(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{counted(asked.group, 'image')}, each of another condition"
    checked = f"{percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{counted(asked.rankings, 'ranking')} of each group"),
        ("Test", counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )
