"""Scores by group: sentences, tables and figures, the same for all protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType

from hype.errors import few
from hype.report import tabular, wording
from hype.report.figures.drawing import (
    INK,
    STRONGEST,
    VERMILLION,
    Axes,
    Drawing,
    Margins,
    Panel,
    fit_names,
)
from hype.report.parts import Paragraph, Part, Section, Tabled, heading
from hype.report.tabular import ColumnKind, Table
from hype.report.terminal import lay_titled
from hype.statistics.cells import CellScores, GroupScores, GroupTests, Interaction
from hype.statistics.resampling import FEWEST_PEOPLE
from hype.study.phrases import join_names, spell_count

ALPHA: Final = 0.05
_MOST_NAMED: Final = 6
_MOST_PANELS: Final = 12
_ENDS: Final = (30, 10)
_TEMPLATE: Final = Path(__file__).parent / "templates" / "groups.txt"


def sentences_on(group: GroupScores) -> Iterator[str]:
    """State what the groups are, and the number of answers without a known group."""
    what = "Groups of evaluators" if group.of_evaluators else "Classes of images or prompts"
    yield f"{what}, by {group.column}: {join_names(group.groups)}."
    if group.left_out:
        several = "" if group.of_evaluators else ", or are about images of several classes,"
        yield (
            f"Of {spell_count(group.answers, 'answer')}, {group.left_out:,} have no {group.column}"
            f"{several} and are left out."
        )


def sentences_of(group: GroupScores, scores: CellScores) -> Iterator[str]:
    """State the result of the test, and which groups of a condition have too few evaluators."""
    if scores.incomparable:
        yield scores.incomparable
    elif len({cell.condition for cell in scores.cells}) > 1:
        yield _describe_test(group.column, scores.interaction)
    for name in scores.cells[0].parts:
        if all(cell.parts[name] is None for cell in scores.cells):
            kind = name.partition("s_")[0]
            yield f"No {kind} image has a {group.column}, so errors do not count {kind} images."
    small = [c for c in scores.cells if c.evaluators is not None and c.evaluators < FEWEST_PEOPLE]
    if small:
        named = [f"{cell.condition} ({cell.group})" for cell in small]
        yield f"Fewer than {FEWEST_PEOPLE} evaluators, so no interval: {few(named, _MOST_NAMED)}."


_TOO_FEW: Final = "too few groups of a condition have two or more evaluators with different answers"


def _describe_test(column: str, test: Interaction | None) -> str:
    if test is None:
        return (
            f"There is no test of whether the difference between conditions depends on {column}: "
            f"{_TOO_FEW}."
        )
    p = test.p if test.p_holm is None else test.p_holm
    holm = wording.probability(test.p_holm)
    corrected = "" if test.p_holm in (None, test.p) else f"; by Holm's rule {holm}"
    depends = "depends" if p < ALPHA else "is not shown to depend"
    df = f"{test.df_between:.1f} and {test.df_within:.1f} degrees of freedom"
    return (
        f"The difference between conditions {depends} on {column} (interaction): "
        f"F = {test.f:.2f} with {df}, {wording.probability(test.p)}{corrected}."
    )


def _title(scores: CellScores) -> str:
    return scores.measure[0].upper() + scores.measure[1:]


def _decimals(scores: CellScores) -> int:
    return 2 if scores.unit == "points" else 1


def _name(group: GroupScores, scores: CellScores, what: str = "") -> str:
    return tabular.slug("by", group.column, scores.protocol, scores.measure, *filter(None, [what]))


def cell_table(group: GroupScores, scores: CellScores) -> Table:
    decimals = _decimals(scores)
    return tabular.tabulate(
        scores.cells,
        name=_name(group, scores),
        title=f"{_title(scores)} by {group.column} ({scores.unit})",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.name(group.column, "group"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.whole("Answers", "answers"),
            tabular.number("Score", "score", decimals, measure=scores.unit),
            tabular.interval("95% CI", "", decimals, of="score"),
            *(
                tabular.number(
                    part.replace("_", "\n").capitalize(), part, of=f"parts.{part}", measure="%"
                )
                for part in scores.cells[0].parts  # such as fakes_error
            ),
        ),
    )


def test_table(group: GroupScores, scores: CellScores) -> Table:
    def separable(tests: GroupTests) -> str:
        found = [f"{pair.a} > {pair.b}" for pair in tests.pairwise if pair.separable]
        return few(found, _MOST_NAMED) or ("none" if tests.pairwise else "")

    tested = [tests for tests in scores.tests if tests.anova]
    return tabular.tabulate(
        tested,
        name=_name(group, scores, "tests"),
        title=f"The paper's tests of all conditions within each {group.column}",
        columns=(
            tabular.name(group.column, "group"),
            tabular.number("F", "f", 2, of="anova.f"),
            tabular.whole("df\nbetween", "df_between", of="anova.df_between"),
            tabular.whole("df\nwithin", "df_within", of="anova.df_within"),
            tabular.probability("p", "p", of="anova.p"),
            tabular.words("Separable pairs", "separable", of=separable),
        ),
    )


def pair_table(group: GroupScores, scores: CellScores) -> Table:
    decimals = _decimals(scores)
    return tabular.tabulate(
        ({"group": tests.group, "pair": pair} for tests in scores.tests for pair in tests.pairwise),
        name=_name(group, scores, "pairs"),
        title=f"The paper's tests of pairs of conditions within each {group.column}",
        columns=(
            tabular.name(group.column, "group"),
            tabular.name("A", "a", of="pair.a"),
            tabular.name("B", "b", of="pair.b"),
            tabular.number(
                "A minus B", "difference", decimals, of="pair.difference", measure=scores.unit
            ),
            tabular.interval(
                "95% CI", "", decimals, of=lambda row: (row["pair"].ci_low, row["pair"].ci_high)
            ),
            tabular.probability("p", "p", of="pair.p"),
            tabular.yes_or_no("Separable", "separable", of="pair.separable"),
        ),
    )


def interaction_table(group: GroupScores, scores: CellScores) -> Table:
    several = len({cell.condition for cell in scores.cells}) > 1
    untested = _TOO_FEW if several and not scores.interaction else ""
    return tabular.tabulate(
        [{"test": scores.interaction, "reason": scores.incomparable or untested}],
        name=_name(group, scores, "interaction"),
        title=f"Whether differences between conditions depend on {group.column}",
        columns=(
            tabular.number("F", "f", 2, of="test.f"),
            tabular.number("df\nbetween", "df_between", 1, of="test.df_between"),
            tabular.number("df\nwithin", "df_within", 1, of="test.df_within"),
            tabular.probability("p", "p", of="test.p"),
            tabular.probability("p, Holm", "p_holm", of="test.p_holm"),
            tabular.words("Why not tested", "reason"),
        ),
    )


def total_table(group: GroupScores, scores: CellScores) -> Table:
    shares = [f"{name} {wording.share(share, 1)}" for name, share in (group.weights or {}).items()]
    note = f"Shares: {', '.join(shares)}."
    if lacking := [total["condition"] for total in scores.totals if not total["score"]]:
        note += f" No total for {join_names(lacking)}, because a group has no answers."
    return tabular.tabulate(
        scores.totals,
        name=_name(group, scores, "total"),
        title=f"{_title(scores)} in a population with given shares of groups ({scores.unit})",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Total", "score", _decimals(scores), measure=scores.unit),
            tabular.interval("95% CI", "", _decimals(scores), of="score"),
        ),
        note=note,
    )


def tables_of(group: GroupScores, scores: CellScores) -> tuple[Table, ...]:
    """Make the tables of one measure, grouped by one column, for terminal and page."""
    further = test_table(group, scores), total_table(group, scores)
    return (cell_table(group, scores), *tabular.keep_filled(further))


_DEPEND: Final = "Whether differences between conditions depend on the group"
_STACKED: Final = (
    ("scores", "Scores by group", cell_table),
    ("interactions", _DEPEND, interaction_table),
    ("tests", "The paper's tests of all conditions within groups", test_table),
    ("pairs", "The paper's tests of pairs of conditions within groups", pair_table),
    ("totals", "Scores in a population with given shares of groups", total_table),
)
"""Tables for files, frames and JSON: each covers all groupings and all measures of a protocol."""


def group_tables(grouped: Sequence[GroupScores]) -> tuple[Table, ...]:
    """Make the tables for files, frames and JSON, with the columns ``by`` and ``measure``."""
    found = [(group, scores) for group in grouped for scores in group.measures]
    tables = []
    for protocol in dict.fromkeys(scores.protocol for _, scores in found):
        own = [(group, scores) for group, scores in found if scores.protocol == protocol]
        for name, title, make in _STACKED:
            parts = [(group, scores, make(group, scores)) for group, scores in own]
            tables.append(_stack(tabular.slug(protocol, "group", name), title, parts))
        tables.append(_names_table(protocol, grouped))
    return tabular.keep_filled(tables)


def _stack(name: str, title: str, tables: Sequence[tuple[GroupScores, CellScores, Table]]) -> Table:
    """Join the tables of several columns and measures into one long table."""
    columns = {(c.key, c.kind): c for _, _, table in tables for c in table.columns}
    if group := columns.get(("group", ColumnKind.NAME)):
        columns["group", ColumnKind.NAME] = replace(group, heading="Group")
    rows = []
    for of, scores, table in tables:
        keys = [(column.key, column.kind) for column in table.columns]
        for row in table.rows:
            cells = dict(zip(keys, row, strict=True))
            rows.append((of.column, scores.measure, scores.unit, *map(cells.get, columns)))
    return Table(
        name=name,
        title=title,
        columns=(
            tabular.name("By", "by"),
            tabular.name("Measure", "measure"),
            tabular.words("Unit", "unit"),
            *columns.values(),
        ),
        rows=tuple(rows),
    )


def _names_table(protocol: str, grouped: Sequence[GroupScores]) -> Table:
    rows = [
        {"by": group, "group": name, "share": (group.weights or {}).get(name)}
        for group in grouped
        for name in group.groups
    ]
    return tabular.tabulate(
        rows,
        name=tabular.slug(protocol, "groups"),
        title="Groups, and answers without a group",
        columns=(
            tabular.name("By", "by", of="by.column"),
            tabular.name("Group", "group"),
            tabular.yes_or_no("Of evaluators", "of_evaluators", of="by.of_evaluators"),
            tabular.share("Share", "share"),
            tabular.whole("Answers by\nthis column", "answers", of="by.answers"),
            tabular.whole("In no\ngroup", "left_out", of="by.left_out"),
        ),
    )


def lay_out(group: GroupScores) -> Iterator[RenderableType]:
    """Arrange scores by group for a terminal of at least 80 columns."""
    from rich.text import Text

    yield Text(f"By {group.column}", style="bold")
    yield from map(Text, sentences_on(group))
    for scores in group.measures:
        cells, *further = tables_of(group, scores)
        yield from lay_titled(cells, _ENDS)
        yield from map(Text, sentences_of(group, scores))
        for table in further:
            yield from lay_titled(table, _ENDS)
    yield Text()


def cell_drawing(group: GroupScores, scores: CellScores) -> Drawing | None:
    """Draw the scores of each condition by group; None if there are too many conditions."""
    from hype.report.figures.rows import PANEL_WIDTH_IN, DotPanel, DotPanels

    conditions = tuple(dict.fromkeys(cell.condition for cell in scores.cells))
    if len(conditions) > _MOST_PANELS:
        return None
    seen = {(cell.condition, cell.group): cell.score for cell in scores.cells}
    panels = DotPanels(
        names=group.groups,
        panels=tuple(
            DotPanel(title=own, dots=tuple(seen.get((own, name)) for name in group.groups))
            for own in conditions
        ),
    )
    return Drawing(
        name=_name(group, scores),
        title=f"{_title(scores)} by {group.column}",
        caption="Scores of each group with 95% intervals, condition by condition.",
        alt=f"{_title(scores)} of each {group.column} in {join_names(conditions)}; "
        "the same numbers are in the table.",
        panels=panels.make_panels(),
        width_in=PANEL_WIDTH_IN,
        height_in=panels.height_in,
        x_label=f"{_title(scores)} ({scores.unit})",
        margins=panels.margins,
    )


_ERRORS: Final = {"fakes_error": "Fakes called real", "reals_error": "Reals called fake"}
_MOST_CELLS: Final = 40
"""A heat map has at most this many classes, and at most this many conditions."""
_CELL_IN: Final = 0.44
_ROW_IN: Final = 0.24
_ABOVE_IN: Final = 0.3
_LONGEST: Final = 14
"""Names next to a heat map have at most this many letters."""


def confusion_drawing(group: GroupScores, scores: CellScores) -> Drawing | None:
    """Draw errors on fakes and on reals by class of image and condition, as a heat map.

    None if groups are of people, if answers are not real or fake, and if there are too many classes
    or conditions.
    """
    conditions = tuple(dict.fromkeys(cell.condition for cell in scores.cells))
    known = [
        name for name in _ERRORS if any(cell.parts.get(name) is not None for cell in scores.cells)
    ]
    many = max(len(conditions), len(group.groups)) > _MOST_CELLS
    if group.of_evaluators or many or not known:
        return None
    errors = {
        name: {(cell.group, cell.condition): cell.parts[name] for cell in scores.cells}
        for name in known
    }
    worst = {
        name: max((e, *at) for at, e in own.items() if e is not None)
        for name, own in errors.items()
    }
    names_in = 0.075 * min(_LONGEST, max(map(len, group.groups))) + 0.15
    below_in = 0.075 * min(_LONGEST, max(map(len, conditions))) + 0.15
    return Drawing(
        name=_name(group, scores, "confusion"),
        title=f"Confusion by {group.column}",
        caption=f"Percent of wrong answers about the images of each {group.column}, condition by "
        "condition; darker cells have more. A dash means no answers. The same numbers are in the "
        f"table of {scores.measure}.",
        alt=" ".join(
            f"{_ERRORS[name]}: most often {at} in {condition}, {wording.number(error, 0)}%."
            for name, (error, at, condition) in worst.items()
        ),
        panels=tuple(
            Panel(
                title=_ERRORS[name] if len(known) > 1 else "",
                draw=partial(_draw_squares, errors=own, rows=group.groups, columns=conditions),
            )
            for name, own in errors.items()
        ),
        width_in=names_in + max(_CELL_IN * len(conditions), 1.2) + 0.1,
        height_in=_ABOVE_IN + _ROW_IN * len(group.groups) + below_in,
        margins=Margins(left_in=names_in, right_in=0.1, bottom_in=below_in, top_in=_ABOVE_IN),
        by_condition=False,
    )


def _draw_squares(
    axes: Axes,
    errors: Mapping[tuple[str, str], float | None],
    rows: Sequence[str],
    columns: Sequence[str],
) -> None:
    from matplotlib.patches import Rectangle

    most = max(error for error in errors.values() if error is not None) or 1.0
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)
    for (row, column), error in errors.items():
        x, y = columns.index(column), rows.index(row)
        if error is not None:
            dark = STRONGEST * error / most
            axes.add_patch(Rectangle((x, y), 1, 1, color=VERMILLION, alpha=dark, linewidth=0))
        shown = wording.number(error, 0)
        axes.text(x + 0.5, y + 0.5, shown, ha="center", va="center_baseline", color=INK)
    for axis, names in ((axes.xaxis, columns), (axes.yaxis, rows)):
        places = [place + 0.5 for place in range(len(names))]
        axis.set_ticks(places, fit_names(names, _LONGEST))
        axis.set_tick_params(length=0)
    axes.tick_params(axis="x", labelrotation=90)
    axes.spines[:].set_visible(False)


def group_drawings(grouped: Iterable[GroupScores]) -> tuple[Drawing, ...]:
    return tuple(
        drawing
        for group in grouped
        for scores in group.measures
        for drawing in (cell_drawing(group, scores), confusion_drawing(group, scores))
        if drawing
    )


def group_sections(grouped: Iterable[GroupScores]) -> tuple[Section, ...]:
    return tuple(
        Section(
            key=tabular.slug("by", group.column),
            title=heading(f"By {group.column}"),
            meaning=" ".join(sentences_on(group)),
            parts=tuple(part for scores in group.measures for part in _parts(group, scores)),
        )
        for group in grouped
    )


def _parts(group: GroupScores, scores: CellScores) -> Iterator[Part]:
    from hype.report.page import page_figure

    drawing, confusion = cell_drawing(group, scores), confusion_drawing(group, scores)
    table, *further = tables_of(group, scores)
    yield Part(
        key=_name(group, scores),
        title=heading(f"{_title(scores)} by {group.column}"),
        sentences=tuple(sentences_of(group, scores)),
        figure=page_figure(drawing) if drawing else None,
        table=table,
        blocks=tuple(Tabled(table=one) for one in further),
    )
    if confusion:
        figure = page_figure(confusion)
        yield Part(key=confusion.name, title=heading(confusion.title), figure=figure)


def groups_in_words(grouped: Sequence[GroupScores]) -> tuple[Paragraph, ...]:
    """Describe the statistics by group, for a paper."""
    if not grouped:
        return ()
    from hype.report.methods import paragraphs_of

    every = [scores for group in grouped for scores in group.measures]
    return paragraphs_of(
        _TEMPLATE,
        columns=[group.column for group in grouped],
        tested=[one for scores in every if (one := scores.interaction)],
        papers=any(scores.tests for scores in every),
        weighed=any(scores.totals for scores in every),
    )
