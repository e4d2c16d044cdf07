"""What was run and computed, in words for a paper; the words are in design.txt, statistics.txt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.report.methods import Paragraph, paragraphs_of
from hype.study.phrases import counted

if TYPE_CHECKING:
    from hype.protocols.comparison.results import PairwiseScore
    from hype.protocols.comparison.settings import ComparisonFile

FOLDER: Final = Path(__file__).parent
SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown, in a few words."""


def statistics_in_words(score: PairwiseScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        drawn=drawn,
        of_two=True,
        tied=any(row.ties for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        strong=any(strengths),
        all_strong=all(strengths),
        demographics_tested=any(question.p is not None for question in score.demographics),
    )


def design_in_words(settings: ComparisonFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: ComparisonFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked = settings.comparison
    limit = "none" if asked.limit_ms is None else f"{asked.limit_ms:g} ms"
    return (
        ("Criterion", asked.criterion),
        ("Prompt", SHOWN[asked.shown_prompt]),
        ("Ties", f"an answer of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", design_in_short(settings)),
        ("Time limit", limit),
    )


def design_in_short(settings: ComparisonFile) -> str:
    """Name the design."""
    asked = settings.comparison
    if asked.arena is None:
        images = counted(asked.images, "image")
        return f"all pairs, {images} of each condition and prompt, {counted(asked.votes, 'vote')}"
    rule = "chosen adaptively" if asked.arena.pairs == "adaptive" else "drawn at random"
    return f"arena, pairs {rule}, until the {asked.arena.goal} is known"
