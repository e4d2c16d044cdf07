"""What the page says of ratings, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import rating_wording as said
from hype.report.page.heat_map import heat_maps
from hype.report.page.judge_parts import judge_parts
from hype.report.page.parts import Findings, Folded, PartMaker, Section, gathered
from hype.report.page.typeset import heading
from hype.report.tables import judge_details, rating_axes, rating_tables
from hype.report.tables.rating_catalogue import rating_judges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hype.analysis.ratings.scores import RatingScore
    from hype.report.page.asked_axes import AskedAxes
    from hype.report.page.page_figures import PageFigure
    from hype.report.page.parts import Part

KEY: Final = "rating"
MEANINGS: Final = {
    "pairs": "How much better one of two images is, asked axis by axis. A strength says how likely "
    "the images of a condition are called better; where all are alike, every strength is 0.",
    "images": "Single images, rated axis by axis: by yes and no, or by a number.",
}
_ORDER: Final = (
    *("asked", "registered", "strengths", "means", "yes", "conditions", "correlations"),
    *("answers", "agreement", "truth", "leaderboard"),
    *("judges", "judge-agreement", "judge-axes", "judge-truth", "judge-position"),
)
"""Parts that have a place; the others follow."""
_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "strengths": "How good conditions are found",
    "conditions": "Conditions in numbers",
    "correlations": "How axes go together",
    "answers": "How people answered",
    "agreement": "Do people agree?",
    "truth": "Against what is right",
    "leaderboard": "Beside the leaderboard",
}
_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def rating_section(
    score: RatingScore,
    figures: Iterable[PageFigure],
    *,
    asked: AskedAxes | None,
    registered: Sequence[str],
) -> Section:
    """Put together what there is to say.

    Parameters
    ----------
    score
        What was scored.
    figures
        Those that have their data.
    asked
        What the evaluators were asked, where that is known.
    registered
        Sentences on what was fixed before anybody came.
    """
    judges = rating_judges(score)
    parts = (
        _asked(score, asked),
        *([_part("registered", sentences=registered)] if registered else []),
        *map(_part.of_figure, figures),
        _conditions(score),
        *_correlations(score),
        *_folded(score),
        *_truth(score),
        *_leaderboard(score),
        *(judge_parts(judges, KEY) if judges else ()),
    )
    return Section(
        key=KEY,
        title=heading("Ratings"),
        meaning=MEANINGS[score.what],
        parts=gathered(parts, KEY, _ORDER),
    )


def _asked(score: RatingScore, asked: AskedAxes | None) -> Part:
    """Say what was asked; where the questions are known they name the axes."""
    if asked is None:
        return _part("asked", sentences=said.asked_sentences(score))
    sentences = (said.answers_sentence(score), said.counted_sentence(score))
    return _part("asked", sentences=sentences, blocks=(asked,))


def _conditions(score: RatingScore) -> Part:
    table = rating_tables.by_axis(score)
    every = Folded(
        summary="Every condition on every axis, with intervals",
        table=rating_tables.conditions(score),
    )
    notes = (*said.problem_sentences(score), *score.notes)
    found = Findings(sentences=tuple(said.rank_sentences(score)), notes=notes)
    title = (
        "Elo’s numbers, whose mean is 1000."
        if score.what == "pairs"
        else "Mean numbers, or shares of yes."
    )
    return _part("conditions", sentences=(title,), table=table, blocks=(every, found))


def _correlations(score: RatingScore) -> Iterator[Part]:
    if score.correlations is None:
        return
    judges = rating_judges(score)
    maps = heat_maps(score.correlations, judges.judges if judges else ())
    distances = judge_details.structure(judges) if judges else None
    told = distances is not None and distances.says_something
    yield _part(
        "correlations",
        sentences=filter(None, [said.correlation_sentence(score)]),
        blocks=(
            maps,
            *([Folded(summary=distances.title, table=distances)] if distances and told else []),
            Folded(
                summary="Every two axes in a table",
                table=rating_axes.correlations(score),
            ),
        ),
    )


def _folded(score: RatingScore) -> Iterator[Part]:
    """Put the numbers beneath the figures of answers and of agreement."""
    answers = Folded(summary="Every answer in numbers", table=rating_axes.answers(score))
    yield _part("answers", blocks=(answers,))
    table = rating_axes.alphas(score)
    if table.rows:
        yield _part("agreement", blocks=(Folded(summary="In numbers", table=table),))


def _truth(score: RatingScore) -> Iterator[Part]:
    table = rating_axes.truth(score)
    if table.rows:
        yield _part("truth", table=table)


def _leaderboard(score: RatingScore) -> Iterator[Part]:
    if score.leaderboard is not None:
        yield _part(
            "leaderboard",
            sentences=said.leaderboard_sentences(score),
            table=rating_axes.leaderboard(score),
        )
