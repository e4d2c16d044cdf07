"""Common tables of comparisons, ratings and rankings: matrices of conditions, extreme images."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from hype.protocols.prompted.strengths import SCALES, StrengthScale
from hype.protocols.prompted.wording import shared
from hype.report import tabular
from hype.report.parts import (
    MOST_ROOMY,
    MOST_SQUARE,
    Block,
    Folded,
    Pictured,
    share_cell,
    share_square,
)
from hype.report.scores import Scores
from hype.report.tabular import Column, Interval, Row, Rows, Table
from hype.statistics.estimate import FEWEST_SHOWN

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.prompted.scoring import AnalysisOptions
    from hype.tables.reasons import LeftOut


@dataclass(frozen=True, kw_only=True)
class EndImages(Block):
    """The extreme images of each prompt, the most extreme one first.

    The template reads an image's ``name``, ``condition``, ``often`` (such as "31 of 48"), ``ties``
    (such as "7 ties", or empty), ``alt``, and a small copy: ``uri`` (as ``data:``), ``width_px``,
    ``height_px``. Without a picture, these are None and 0.
    """

    template: ClassVar[str] = "end_images.html"

    explained: str
    prompts: Mapping[str, Mapping[str, Sequence[Row]]]

    @property
    def pictured(self) -> bool:
        ends = (images for ends in self.prompts.values() for images in ends.values())
        return any(image["uri"] for images in ends for image in images)


FAKES: Final = "fake/"
MOST_PROMPTS: Final = 12
EACH: Final = 3
"""The maximum numbers of prompts in a table, and of a prompt's images at each end."""


def end_table(
    counted: pd.DataFrame,
    ends: Mapping[str, Mapping[str, bool]],
    times: str,
    *,
    columns: Sequence[Column],
    name: str,
    title: str,
    note: str = "",
) -> Table:
    """List the extreme images of the prompts that were shown most, the most extreme one first.

    Only images shown at least `FEWEST_SHOWN` times are listed; the note counts the others. No image
    is at both ends. ``counted``: a row for each image. ``ends``: for each of the two ends, the
    columns to sort by, and whether each ascends. ``times``: the column that says how often an image
    was shown. ``columns``: further columns of the table.
    """
    enough = counted[counted[times] >= FEWEST_SHOWN]
    by_prompt = enough.groupby("prompt", sort=True)
    sizes = by_prompt[times].agg(["size", "sum"])
    several = sizes[sizes["size"] > 1].sort_values("sum", ascending=False, kind="stable")
    prompts = several.index[:MOST_PROMPTS]
    rows: list[Row] = []
    for prompt in prompts:
        own = by_prompt.get_group(prompt)
        number = min(EACH, len(own) // 2)
        for end, order in ends.items():
            chosen = own.sort_values([*order], ascending=[*order.values()]).head(number)
            own = own.drop(chosen.index)
            images: list[Any] = chosen.to_dict("records")
            rows += (image | {"end": end} for image in images)
    met = counted[counted["prompt"].isin(prompts)] if rows else counted
    seldom = int((met[times] < FEWEST_SHOWN).sum())
    about: Row = {"prompts": len(prompts), "of": counted["prompt"].nunique(), "seldom": seldom}
    unnamed = shared("images", named=rows, shown=len(met), fewest=FEWEST_SHOWN, **about)
    return tabular.tabulate(
        rows,
        name=name,
        title=title,
        columns=(
            tabular.name("Prompt", "prompt"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.words("Condition", "condition"),
            *columns,
        ),
        note=f"{note} {unnamed}".strip() if rows else unnamed,
    )


def end_images(
    scores: Scores, pictured: Pictured, often: Callable[[Row], tuple[str, str, str]], explained: str
) -> Iterator[Block]:
    """Show the extreme images if there are pictures; otherwise, a table lists their names.

    ``often``: returns an image's count, its ties, and both in words for the alternative text.
    """

    def describe(image: Row) -> Row:
        uri, width_px, height_px = pictured(image["image"]) or (None, 0, 0)
        name = image["image"].removeprefix(FAKES)
        times, ties, in_words = often(image)
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

    prompts: dict[str, dict[str, list[Row]]] = {}
    for row in scores.rows("extreme-images"):
        prompts.setdefault(row["prompt"], {}).setdefault(row["end"], []).append(describe(row))
    table = scores.table("extreme-images")
    note = table.note if table else ""
    images = EndImages(explained=f"{explained} {note}".strip(), prompts=prompts)
    if images.pictured:
        yield images


def list_unnamed_images(scores: Scores) -> Sequence[str]:
    """Return the note on why no image is listed; empty if images are listed."""
    table = scores.table("extreme-images")
    return [table.note] if table and table.note and not table.rows else []


def pair_columns(options: AnalysisOptions, *, tested: bool = True) -> tuple[Column, ...]:
    """Declare the columns of pairs; ``tested``: whether there is a p-value (arenas have none)."""
    return (
        tabular.name("Condition", "a"),
        tabular.name("over", "b"),
        *SCALES[options.strengths].difference_columns(f"{options.confidence:.0%} CI"),
        *((tabular.probability("p, all\npairs", "p", of="p_adjusted"),) if tested else ()),
        tabular.whole("Won", "wins_a"),
        tabular.whole("Lost", "wins_b"),
    )


def further_pair_columns() -> tuple[Column, ...]:
    """Declare the further columns of pairs, which only files, frames and JSON have."""
    return tabular.further(
        tabular.probability("p, not corrected for other pairs", "p_alone", of="p"),
        tabular.probability("p, equivalent", "p_equivalent"),
        tabular.yes_or_no("Separable", "separable"),
        tabular.whole("Compared", "comparisons"),
    )


def count_columns() -> tuple[Column, ...]:
    """Declare columns of counts and ranks, which only files, frames and JSON have."""
    return tabular.further(
        tabular.whole("Wins", "wins"),
        tabular.whole("Losses", "losses"),
        tabular.whole("Ties", "ties"),
        tabular.interval("Possible ranks", "rank", 0, of=open_ranks),
    )


POINTS: Final = "points of the scale"
"""The unit of ratings of single images."""


def strength_columns(model: str = "") -> tuple[Column, ...]:
    """Declare columns of log-strengths, which files, frames and JSON have with every scale."""
    key = f"{model}strength"
    return tabular.further(
        tabular.number("Log-strength", key, 3, measure="log-odds"),
        tabular.interval("Log-strength", key, 3),
    )


def rate_columns(confidence: float) -> tuple[Column, ...]:
    """Declare the columns of ties and win rates; a rate without an interval is not shown."""

    def counted(pair: Row) -> Any:
        return pair["win_rate"] if pair["win_rate"] and pair["win_rate"].low is not None else None

    return (
        tabular.whole("Ties", "ties"),
        tabular.percent("Win\nrate", "win_rate", of=counted),
        tabular.percents(f"{confidence:.0%} CI", "win_rate", of=counted),
    )


def tests_note(options: AnalysisOptions, rule: str | None, over: str) -> str:
    """Explain differences of strengths and p; ``over``: the pairs that are tested together."""
    scale = SCALES[options.strengths]
    return shared("tests", scale=scale, rule=rule, margin=options.margin, over=over)


def matrix_of_axes(
    axes: Rows,
    names: Iterable[str],
    scale: StrengthScale,
    *,
    protocol: str,
    by: str = "axis",
    pairs: bool = True,
) -> Table:
    """Lay out the strengths or means of conditions by axis; ``by``: the word for an axis."""
    rows: dict[str, Row] = {name: {"condition": name} for name in names}
    for axis in axes:
        for row in axis["conditions"]:
            rows[row["condition"]][axis["axis"]] = scale.estimate(row) if pairs else row["value"]

    def column(axis: str, heading: str, key: str) -> Column:
        decimals, unit = (scale.decimals, scale.unit) if pairs else (2, POINTS)
        return tabular.number(heading, key, decimals, of=lambda row: row.get(axis), measure=unit)

    every = [axis["axis"] for axis in axes]
    headed = tabular.columns_of_names("score" if pairs else "mean", every, tabular.number)
    heading = scale.name[:1].upper() + scale.name[1:]
    return tabular.tabulate(
        rows.values(),
        name=f"{protocol}-{'strengths' if pairs else 'means'}-by-{by}",
        title=f"{heading} on each {by}" if pairs else "Mean on each axis",
        columns=(
            tabular.name("Condition", "condition"),
            *(column(axis, one.heading, one.key) for axis, one in zip(every, headed, strict=True)),
        ),
        note="" if pairs else "If answers are yes or no, the number is the share of yes (0 to 1).",
    )


def open_ranks(row: Row) -> Interval:
    return row.get("rank_low"), row.get("rank_high")


def exclusion_table(exclusions: Iterable[LeftOut], answers: str) -> Table:
    return tabular.tabulate(
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


def win_square(scores: Scores, *, chosen: str, over: str, alpha: float | None) -> Iterator[Block]:
    """Show win rates as a matrix, and pairs in a folded table (only neighbours if there are many).

    ``chosen``, ``over``: words such as "chosen over" and "over". ``alpha``: the level of the tests;
    None if a stopping rule decides.
    """
    cells = {}
    pairs = scores.rows("pairs")
    for pair in pairs:
        if pair["win_rate"] is not None:
            verdict = f", {pair['verdict']}" if pair["verdict"] else ""
            won = pair["win_rate"].value
            one, other = pair["a"], pair["b"]
            for a, b, rate in ((one, other, won), (other, one, 1 - won)):
                sentence = f"{a} {over} {b}"
                cells[a, b] = share_cell(rate, pair["comparisons"], sentence, verdict=verdict)
    names = [row["condition"] for row in scores.rows("conditions")]
    counted, ties = len(names) <= MOST_ROOMY, scores.facts["ties"]
    square = share_square(
        names,
        cells,
        key=f"{scores.protocol}-pairs",
        label="Win rates of each pair of conditions",
        explained=shared("square", chosen=chosen, counted=counted, ties=ties, alpha=alpha),
        ends=(f"row never {chosen} column", f"row always {chosen} column"),
        unmet="never compared",
    )
    if square:
        yield square
    table = scores.table("pairs")
    if table and pairs:
        summary = "Every pair in a table"
        if len(pairs) > MOST_SQUARE:
            summary, table = (
                "Each condition and the next in the ranking, in a table",
                neighbours(table, names),
            )
        yield Folded(summary=summary, table=table)


def neighbours(pairs: Table, ranking: Sequence[str]) -> Table:
    place = {name: at for at, name in enumerate(ranking)}
    steps = [abs(place[pair["a"]] - place[pair["b"]]) for pair in pairs.records]
    return replace(
        pairs,
        rows=tuple(row for row, step in zip(pairs.rows, steps, strict=True) if step == 1),
        records=tuple(one for one, step in zip(pairs.records, steps, strict=True) if step == 1),
    )
