"""What always stands beside the paper's table: uncertainty, answers, staircases, images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.words_table import Table

if TYPE_CHECKING:
    from hype.analysis import ConditionScore, ImageScore, Score

_IMAGES_NAMED: Final = 2


def uncertainty(score: Score) -> Table:
    """Lay out BCa intervals, letters, and what varies when images do."""
    both = any(row.two_way for row in score.conditions)
    return Table(
        title="Uncertainty and groups",
        columns=(
            *("Condition", "Group", f"BCa\n{score.confidence:.0%} CI"),
            *(("Std.\n× images", "CI\n× images") if both else ()),
        ),
        rows=tuple(
            (
                row.condition,
                score.letters(row.condition) or wording.NOT_KNOWN,
                _bca(row),
                *(_over_both(row) if both else ()),
            )
            for row in score.conditions
        ),
        note="Conditions that share a letter are not separable."
        + (" × images: images vary as well as evaluators." if both else ""),
    )


def _bca(row: ConditionScore) -> str:
    if row.bootstrap is None:
        return wording.NOT_KNOWN
    return wording.interval(row.bootstrap.bca_low, row.bootstrap.bca_high)


def _over_both(row: ConditionScore) -> tuple[str, str]:
    both = row.two_way
    if both is None:
        return wording.NOT_KNOWN, wording.NOT_KNOWN
    return wording.number(both.std), wording.interval(both.ci_low, both.ci_high)


def answers(score: Score) -> Table:
    """Lay out d′, criterion and agreement, for HYPE_infinity."""
    confidence = f"{score.confidence:.0%} CI"
    return Table(
        title="Answers",
        columns=("Condition", "d′", confidence, "c", confidence, "α", confidence),
        rows=tuple(_answers_row(row) for row in score.conditions),
        note="d′ and criterion c (above 0: says real more often) are means over evaluators; α is "
        "Krippendorff's, among evaluators.",
    )


def _answers_row(row: ConditionScore) -> tuple[str, ...]:
    found, alpha = row.signal_detection, row.agreement
    detection = (
        (
            wording.number(found.d_prime, 2),
            wording.interval(found.d_prime_low, found.d_prime_high, 2),
            wording.number(found.criterion, 2),
            wording.interval(found.criterion_low, found.criterion_high, 2),
        )
        if found
        else (wording.NOT_KNOWN,) * 4
    )
    agreement = (
        (wording.number(alpha.alpha, 2), wording.interval(alpha.ci_low, alpha.ci_high, 2))
        if alpha
        else (wording.NOT_KNOWN,) * 2
    )
    return (row.condition, *detection, *agreement)


def convincing(score: Score) -> Table:
    """Name the most and the least convincing fakes."""
    return Table(
        title="Fakes at either end",
        columns=("Condition", "Most convincing (called fake)", "Least convincing"),
        rows=tuple(
            (
                row.condition,
                _images(row.convincing.most if row.convincing else ()),
                _images(row.convincing.least if row.convincing else ()),
            )
            for row in score.conditions
        ),
        note="By the bounds of Wilson's interval; hype score --images writes all images.",
        prose=True,
    )


def _images(images: tuple[ImageScore, ...]) -> str:
    named = [f"{one.image} ({one.called_fake} of {one.shown})" for one in images[:_IMAGES_NAMED]]
    return "\n".join(named) or wording.NOT_KNOWN


def staircases(score: Score) -> Table:
    """Lay out how the staircases behaved, for HYPE_time."""
    last = max((row.reversals.last for row in score.conditions if row.reversals), default=0)
    return Table(
        title="Staircases",
        columns=(
            *("Condition", "Last rever-\nsals (ms)", "Blocks", "without\nreversals"),
            *("mode on\nfloor", "on\nceiling", "tied"),
        ),
        rows=tuple(_staircases_row(row) for row in score.conditions),
        note=f"Mean of the last {last} reversals; blocks without two reversals have none."
        if last
        else "",
    )


def _staircases_row(row: ConditionScore) -> tuple[str, ...]:
    stairs, turns = row.staircases, row.reversals
    if stairs is None:
        return (row.condition, *(wording.NOT_KNOWN,) * 6)
    return (
        row.condition,
        wording.number(turns.reversals_ms if turns else None),
        str(stairs.blocks),
        str(turns.blocks_without) if turns else wording.NOT_KNOWN,
        wording.share(stairs.shortest_share),
        wording.share(stairs.longest_share),
        str(stairs.tied_modes),
    )
