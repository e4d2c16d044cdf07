"""What tables of comparisons, ratings and rankings share: squares of conditions, images at ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.wording import shared
from hype.report import tabular
from hype.report.parts import (
    MOST_ROOMY,
    MOST_SQUARE,
    Block,
    Part,
    PartMaker,
    Pictured,
    ShareSquare,
    share_cell,
    share_square,
)
from hype.report.tabular import Column, Interval, Row, Table
from hype.statistics.estimate import FEWEST_SHOWN


@dataclass(frozen=True, kw_only=True)
class EndImages(Block):
    """The images of several prompts at either end, the extreme one first.

    ``prompts``: each with its ends: what an end is called, and its images. Of an image the template
    reads its ``name``, its ``condition``, ``often`` (such as "31 of 48"), ``ties`` (such as "7
    ties", or nothing), ``alt``, and a small copy: ``uri`` (as ``data:``), ``width_px``,
    ``height_px``; None and 0 where there is no picture.
    """

    template: ClassVar[str] = "end_images.html"

    explained: str
    prompts: tuple[tuple[str, tuple[tuple[str, tuple[dict[str, Any], ...]], ...]], ...]

    @property
    def pictured(self) -> bool:
        return any(i["uri"] for _, ends in self.prompts for _, images in ends for i in images)


FAKES: Final = "fake/"


def named_images(ends: Iterable[Row]) -> tuple[str, ...]:
    return tuple(image["image"] for end in ends for image in (*end["first"], *end["last"]))


def end_parts(
    part: PartMaker,
    ends: Sequence[Row],
    pictured: Pictured,
    often: Callable[[Row, int], tuple[str, str, str]],
    table: Table,
    *,
    called: tuple[str, str],
    explained: str,
) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter.

    ``often`` gives of an image at an end, 0 or 1, how often it came there, its ties, and both as
    the text of its picture says them; ``called`` is what the two ends are.
    """

    def shown(image: Row, end: int) -> dict[str, Any]:
        uri, width_px, height_px = pictured(image["image"]) or (None, 0, 0)
        name = image["image"].removeprefix(FAKES)
        times, ties, in_words = often(image, end)
        return {
            "name": name,
            "condition": image["condition"],
            "often": times,
            "ties": ties,
            "alt": f"{name} of {image['condition']}, {in_words}",
            "uri": uri,
            "width_px": width_px,
            "height_px": height_px,
        }

    note = shared(
        "images",
        named=named_images(ends),
        seldom=sum(end["seldom"] for end in ends),
        fewest=FEWEST_SHOWN,
    )
    block = EndImages(
        explained=f"{explained} {note}".strip(),
        prompts=tuple(
            (
                row["prompt"],
                tuple(
                    (words, tuple(shown(image, end) for image in images))
                    for end, (words, images) in enumerate(
                        zip(called, (row["first"], row["last"]), strict=True)
                    )
                ),
            )
            for row in ends
        ),
    )
    if block.pictured:
        yield part("images", blocks=(block,))
    elif named_images(ends):
        yield part("images", table=table)
    elif ends:
        yield part("unnamed", sentences=(note,))


def end_table(
    ends: Iterable[Row],
    columns: Sequence[Column],
    *,
    name: str,
    title: str,
    called: tuple[str, str],
    note: str = "",
) -> Table:
    """List the images at either end; ``columns``: those on an image besides its condition."""
    return tabular.tabulated(
        [
            {**image, "end": end}
            for row in ends
            for end, images in zip(called, (row["first"], row["last"]), strict=True)
            for image in images
        ],
        name=name,
        title=title,
        columns=(
            tabular.name("Prompt", "prompt"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.words("Condition", "condition"),
            *columns,
        ),
        note=note,
    )


def pair_columns(score: Any, *, tested: bool = True) -> tuple[Column, ...]:
    """Declare what tables of pairs say; ``tested``: with p, which an arena's do not have."""
    return (
        tabular.name("Condition", "a"),
        tabular.name("over", "b"),
        *SCALES[score.strengths].difference_columns(f"{score.confidence:.0%} CI"),
        *((tabular.probability("p, all\npairs", "p", of="p_adjusted"),) if tested else ()),
        tabular.whole("Won", "wins_a"),
        tabular.whole("Lost", "wins_b"),
    )


def further_pair_columns() -> tuple[Column, ...]:
    """Declare what only files, frames and JSON say of pairs."""
    return tabular.further(
        tabular.probability("p of this pair alone", "p_alone", of="p"),
        tabular.probability("p, equivalent", "p_equivalent"),
        tabular.yes_or_no("Separable", "separable"),
        tabular.whole("Compared", "comparisons"),
    )


def counted_columns() -> tuple[Column, ...]:
    """Declare the counts and ranks of conditions that only files, frames and JSON have."""
    return tabular.further(
        tabular.whole("Wins", "wins"),
        tabular.whole("Losses", "losses"),
        tabular.whole("Ties", "ties"),
        tabular.interval("Ranks left open", "rank", 0, of=open_ranks),
    )


def strength_columns(model: str = "") -> tuple[Column, ...]:
    """Declare the log-strengths that files, frames and JSON have on whichever scale the rest is."""
    key = f"{model}strength"
    return tabular.further(
        tabular.number("Log-strength", key, 3), tabular.interval("interval", key, 3)
    )


def rate_columns(confidence: float) -> tuple[Column, ...]:
    """Declare the columns on win rates, which have an interval or are only counts."""

    def counted(pair: Any) -> Any:
        return pair.win_rate if pair.win_rate and pair.win_rate.low is not None else None

    return (
        tabular.whole("Ties", "ties"),
        tabular.percent("Win\nrate", "win_rate", of=counted),
        tabular.percents(f"{confidence:.0%} CI", "win_rate", of=counted),
    )


def tests_note(score: Any, rule: str | None) -> str:
    """Explain differences of strengths and, if pairs were tested, p."""
    return shared("tests", scale=SCALES[score.strengths], rule=rule, margin=score.margin)


def open_ranks(row: Any) -> Interval:
    """Give the best and the worst rank that are left open."""
    return tabular.taken(row, "rank_low"), tabular.taken(row, "rank_high")


def by_reason(exclusions: Iterable[object], answers: str) -> Table:
    """Arrange what was not scored; ``answers``: what it is called."""
    return tabular.tabulated(
        exclusions,
        name=f"{answers.removesuffix('s')}-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "meaning"),
            *tabular.further(tabular.words("Code", "reason")),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole(answers.capitalize(), answers, of="answers"),
        ),
    )


def win_square(
    score: Any, *, name: str, chosen: str, over: str, alpha: float | None
) -> ShareSquare | None:
    """Arrange win rates; None if there are no pairs, or too many conditions.

    ``chosen``, ``over``: how it is said that one was, such as "chosen over" and "over".
    ``alpha``: the level of the tests; None where a stopping rule says who differs.
    """
    cells = {}
    for pair in score.pairs:
        if pair.win_rate is not None:
            verdict = f", {pair.verdict}" if pair.verdict else ""
            won = pair.win_rate.value
            for a, b, rate in ((pair.a, pair.b, won), (pair.b, pair.a, 1 - won)):
                cells[a, b] = share_cell(rate, pair.comparisons, f"{a} {over} {b}", verdict=verdict)
    names = [row.condition for row in score.conditions]
    counted = len(names) <= MOST_ROOMY
    return share_square(
        names,
        cells,
        key=f"{name}-pairs",
        label="Win rates of each two conditions",
        explained=shared("square", chosen=chosen, counted=counted, ties=score.ties, alpha=alpha),
        ends=(f"row never {chosen}", f"row always {chosen}"),
        unmet="never compared",
    )


def choose_pairs(score: Any, most: int = MOST_SQUARE) -> Sequence[Any]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return tabular.all_or_neighbours(score.pairs, score.conditions, most=most)
