"""How judges were held against people who rate, in words for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report.bibliography import Said, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.judges.results import RatingJudgesScore

Paragraph = tuple[Said, ...]


def judges_said(score: RatingJudgesScore | None) -> tuple[Paragraph, ...]:
    """Write the paragraph on judges; none without any."""
    return (tuple(_judges(score)),) if score else ()


def _judges(score: RatingJudgesScore) -> Iterator[Said]:
    answers = any(judge.shape == "answers" for judge in score.judges)
    yield said(
        "Automated judges ({number:,}) were held against people's ratings axis by axis "
        "({Parthasarathy2025}): every rating is met with the judge's answer to its item, by "
        "Pearson's r.",
        number=len(score.judges),
    )
    if answers:
        yield said(
            "Cohen's κ ({Cohen1960}) takes levels for names; weighted, it counts squared distances "
            "({Cohen1968})."
        )
    if any(judge.shape == "scores" for judge in score.judges) and score.pairs:
        yield said(
            "A judge that scores images prefers the one with the higher score; its r is that of "
            "the difference."
        )
    yield said(
        "Intervals take evaluators, and items with several ratings, for the independent units "
        "({Cameron2011}); p is corrected by Holm's rule ({Holm1979}) over the axes of a judge."
    )
    if any(person.r for person in score.people):
        yield said(
            "A second person's agreement is that of every two people who rated the same item, each "
            "rating counting once."
        )
    if any(judge.matrix for judge in score.judges):
        yield said(
            "How far a judge's correlations between axes are from people's is the root of the mean "
            "squared difference; what is to be expected comes from halves of people, brought to "
            "the judge's number of answers."
        )
    if any(judge.position for judge in score.judges):
        yield said(
            "Whether a judge prefers the first image more often than people do was tested by "
            "McNemar's exact test over items ({McNemar1947}), with Holm's rule over judges."
        )
