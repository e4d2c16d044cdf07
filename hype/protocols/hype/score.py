"""Scores of judgements, also by group, for the terminal, the leaderboard and planning.

For planning, it also tests pairs of conditions, and shifts the skill of simulated observers.

Zhou et al. (2019, section 5.1) score five ImageNet classes separately, with one analysis of
variance each; so this module computes the paper's tests of HYPE_infinity within each group. A
HYPE_time score is the mode of a staircase over images of all classes: the trials of one class are
not a staircase and have no mode. So HYPE_time has scores only for groups of evaluators; for classes
of images there are error rates instead. Error rates compare classes within a condition, at the same
exposures. Error rates cannot compare conditions, since each staircase sets its own exposures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from hype.answers.choices import Choices, ReadingChoices, names_in
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Opened, Reader
from hype.console import draw_on, progress
from hype.errors import InputError
from hype.files import cell_value, write_table
from hype.judges.results import JudgeOptions
from hype.leaderboard import Board, entry_of
from hype.planning.planned import PairVerdict, PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.hype import tables
from hype.protocols.hype.condition_scores import ALPHA, JudgementRows, Options, select_rows
from hype.protocols.hype.counterbalancing import conditions_of_cell
from hype.protocols.hype.images import agreement_by_condition, image_scores, label_codes
from hype.protocols.hype.inference import OWNER
from hype.protocols.hype.layout import score_table
from hype.protocols.hype.metrics import read_metrics
from hype.protocols.hype.observer import MOST_CERTAIN
from hype.protocols.hype.rows import ROW
from hype.protocols.hype.scoring import compare_pairs, score_checked, select_scored
from hype.protocols.hype.separability import papers_tests
from hype.protocols.hype.settings import Method, ObserverSettings, Study
from hype.protocols.hype.settling import find_unsettled
from hype.protocols.hype.table import (
    TABLE,
    are_counted,
    are_finished,
    are_left_out,
    check_judgements,
    treatment_in,
)
from hype.protocols.hype.trial import SCORED_TASKS
from hype.protocols.hype.wording import DIFFERENCE_UNITS, METHOD_NAMES, SCORE_UNITS, meaning_of
from hype.report.scores import Scores
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, GroupTests
from hype.study.assignment import Cell
from hype.study.differences import common_settings
from hype.study.draws import STANDARD_NORMAL
from hype.study.table import LONGEST_MS
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    from hype.session.outgoing import Outgoing


def lay_out(answers: Judgements, scored: tuple[Scores, ...], *, whole: bool) -> RenderableType:
    said = answers.said if answers.registration else ()
    return Group(score_table(scored, whole=whole), *map(Text, said))


def measure(_answers: Judgements, scored: tuple[Scores, ...], _choices: Choices) -> Iterator[Board]:
    for score in scored:
        meaning = meaning_of(score)
        yield Board(
            title=METHOD_NAMES[score.protocol],
            unit=SCORE_UNITS[score.protocol],
            decimals=1,
            about=f"{meaning[0].upper()}{meaning[1:]}.",
            simulated=score.simulated,
            entries=tuple(
                entry_of(
                    row["condition"],
                    row["interval"],
                    value=row["score"],
                    evaluators=row["evaluators"],
                    answers=row["judgements"],
                )
                for row in score.rows("conditions")
            ),
            pairs=score.rows("pairs"),
        )


def settings_and_materials(study: Study) -> dict[str, object]:
    """Return what studies must share to be scored together: settings, masks and real images."""
    from hype.session.materials import describe_materials

    methods = study.settings.study.methods
    idle = tuple(f"{task}." for task in SCORED_TASKS if task not in methods)
    return common_settings(study, idle) | describe_materials(study)


def image_table(judgements: Judgements) -> pd.DataFrame:
    """Count how often each image was shown and called fake.

    Raises InputError: the judgements name no images.
    """
    frame = judgements.frame[are_counted(judgements.frame)]
    table = image_scores(frame[frame["task"].isin(SCORED_TASKS)])
    if table.empty:
        raise InputError("--image-table", "the judgements name no images", "a column 'image'")
    return table


def write_images(judgements: Judgements, path: Path) -> None:
    table = image_table(judgements)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    cells = ({str(key): cell_value(value) for key, value in row.items()} for row in rows)
    write_table(path, list(table.columns), cells)


Judgements = LoadedAnswers[Study]

DRAWS: Final = 10_000
"""Default number of bootstrap draws."""


def read_source(source: Opened, choices: ReadingChoices) -> Judgements:
    """Read the judgements of a table or a study.

    Raises InputError: the study has other answers than judgements, or only a qualification.
    """
    if not isinstance(source, FrameTable | Study):
        raise InputError(source.path, f"is a study of {source.answers}", "a study of judgements")
    if isinstance(source, Study) and source.settings.only_qualifies:
        problem = "only contains a qualification, so it has no scores"
        raise InputError(source.path, problem, "hype status shows who passed, and when")
    return Reader(outgoing=outgoing, table=TABLE).answers(source, choices)


def outgoing() -> Outgoing[Study]:
    from hype.protocols.hype.export import JUDGED

    return JUDGED


def score_judgements(judgements: Judgements, choices: Choices) -> tuple[Scores, ...]:
    """Score judgements; if there are automated judges, compare them with people.

    Options on the command line override those of the study.
    """
    options = options_of(judgements, choices)
    if options.thresholds_at is None or not judgements.frame["task"].eq("time").any():
        scores = score_checked(judgements.frame, options)
    else:
        with progress() as bar:
            shown = draw_on(bar, "psychometric functions")
            scores = score_checked(judgements.frame, replace(options, progress=shown))
    if choices.judges:
        scores = compare_judges(scores, judgements, choices, options)
    frame = judgements.frame
    reasoned = (each.add_reasons(frame[frame["task"].eq(each.protocol)]) for each in scores)
    return tuple(map(judgements.add_notes, reasoned))


def compare_judges(
    scores: tuple[Scores, ...], judgements: Judgements, choices: Choices, options: Options
) -> tuple[Scores, ...]:
    from hype.judges.choices import judge_judgements, name_images
    from hype.judges.files import drop_items, judges_in, margin_of
    from hype.protocols.hype.export import questions_of

    rows = {
        each.protocol: select_scored(judgements.frame, each.protocol, options) for each in scores
    }
    names = {protocol: name_images(own) for protocol, own in rows.items()}
    every = frozenset().union(*names.values())
    study = judgements.study
    asked = questions_of(study) if study else ()
    judges = judges_in(choices.judges or (), study, asked, rated=every)
    planned = study.settings.analysis if study else None
    chosen = JudgeOptions(margin=margin_of(choices.margin, planned))
    compared = [
        judge_judgements(rows[protocol], drop_items(judges, every - own), chosen)
        for protocol, own in names.items()
    ]
    return tuple(
        replace(
            each, judges=found, tables=(*each.tables, *tables.judge_tables(each.protocol, found))
        )
        for each, found in zip(scores, compared, strict=True)
    )


def options_of(judgements: Judgements, choices: Choices) -> Options:
    by = choices.by_columns[0] if len(choices.by_columns) == 1 else None
    settings = judgements.study.settings if judgements.study else None
    return Options(
        draws=choices.draws or DRAWS,
        seed=choices.seed,
        spoiled=choices.spoiled or treatment_in(judgements.frame),
        two_way=choices.two_way,
        images=choices.images,
        margins=settings.analysis.margins(settings.study.methods) if settings else {},
        thresholds_at=choices.at if choices.thresholds else None,
        order=names_in("--order", choices.order),
        metrics=read_metrics(choices.metrics, by) if choices.metrics else None,
        by=by,
    )


TIMED_CLASSES = (
    "HYPE_time has no score within a class of images, since a staircase uses all classes. The "
    "table shows error rates instead: compare classes within a condition, not conditions, since "
    "each condition has its own exposures."
)


def judgement_measures(answers: Judgements, choices: Choices) -> Iterator[GroupMeasure]:
    judgements, options = answers.frame, options_of(answers, choices)
    for task in SCORED_TASKS:
        own = are_finished(judgements) & judgements["task"].eq(task) & are_counted(judgements)
        if not own.any():
            continue
        rows = select_rows(judgements[own & ~are_left_out(judgements)], task, options).scored
        if task == "infinity":
            yield GroupMeasure(
                protocol=task,
                title="HYPE_∞",
                unit=SCORE_UNITS[task],
                rows=rows,
                cells=partial(_error_cells, options),
                tests=_papers_tests,
            )
            continue
        yield GroupMeasure(
            protocol=task,
            title="HYPE_time",
            unit=SCORE_UNITS[task],
            rows=rows,
            cells=partial(_cells, task, options),
            groups_of="people",
        )
        yield GroupMeasure(
            protocol=task,
            title="errors in HYPE_time",
            unit="%",
            rows=rows,
            cells=partial(_error_cells, options),
            groups_of="images",
            incomparable=TIMED_CLASSES,
        )


def _cells(
    task: str, options: Options, rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]
) -> CellEstimates:
    """Score each group as if it were a condition; a fake in two groups counts as one image."""
    codes, conditions = label_codes(rows["condition"])
    cell = codes * len(names) + group
    labels = np.char.zfill(cell.astype(str), 12)  # zeros in front, so that labels sort as numbers
    own = rows.assign(condition=labels)
    own[OWNER] = rows["condition"].astype(str)
    inferred = JudgementRows(protocol=task, shown=own, scored=own).infer(options.images)
    place = np.array(list(map(int, inferred.conditions)))
    return CellEstimates(
        conditions=tuple(conditions),
        groups=names,
        condition=place // len(names),
        group=place % len(names),
        values=inferred.score,
        people=np.array(inferred.evaluators),
        answers=np.unique(cell, return_counts=True)[1],
        crossed=inferred.scores,
        whole=100.0 if task == "infinity" else None,
    )


def _error_cells(
    options: Options, rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]
) -> CellEstimates:
    """Compute each condition's error rates in each group: on all images, fakes and real images."""
    cells = _cells("infinity", options, rows, group, names)
    codes, _ = label_codes(rows["condition"])
    real = rows["truth"].eq("real").to_numpy()
    wrong = real != rows["answer"].eq("real").to_numpy()
    size = len(cells.conditions) * len(names)
    place = cells.condition * len(names) + cells.group
    parts = {}
    for name, kind in (("fakes_error", ~real), ("reals_error", real)):
        of = (codes * len(names) + group)[kind]
        shown, missed = np.bincount(of, minlength=size), np.bincount(of, wrong[kind], size)
        with np.errstate(invalid="ignore"):
            parts[name] = (100 * missed / shown)[place]
    return replace(cells, parts=parts)


def _papers_tests(group: str, rows: pd.DataFrame) -> GroupTests:
    """Compute the paper's tests within a group; conditions with the highest error come first."""
    people = JudgementRows(protocol="infinity", shown=rows, scored=rows).people()
    tests = papers_tests(people, alpha=ALPHA)
    return GroupTests(group=group, anova=tests.anova, pairwise=tests.pairwise)


def compute_agreement(judgements: Judgements, choices: Choices) -> Alpha | None:
    """Compute α over all conditions, for untimed judgements or, if there are none, timed ones."""
    options = options_of(judgements, choices)
    for task in SCORED_TASKS[::-1]:
        if judgements.frame["task"].eq(task).any():
            rows = select_scored(judgements.frame, task, options)
            alphas = agreement_by_condition(rows.assign(condition="all"), images=options.images)
            return alphas.get("all")
    return None


SCORING: Final = Scoring(
    read=read_source,
    score=score_judgements,
    laid_out=lay_out,
    common_settings=settings_and_materials,
    group_measures=judgement_measures,
    measured=measure,
    compute_agreement=compute_agreement,
)
SHORTEST_MS: Final = 0.001
"""The lowest threshold that is simulated; lower ones would have the same effect."""


def plan_judgements(study: Study, method: str | None) -> PlannedScore:
    """Plan one method of a study, by default HYPE_∞ if the study has it.

    Raises InputError: the study does not have this method, has only a qualification, or its
    staircase cannot settle.
    """
    from hype.protocols.hype.course import HypeCourse

    own = choose_method(study, method)
    timed = own == "time"
    problem = find_unsettled(study.settings.time) if timed else None
    if problem:
        raise InputError(study.path, problem.message, problem.remedy)
    course = HypeCourse(study)
    course.require_enough()
    conditions = tuple(course.pools.fake)
    groups: dict[tuple[str, ...], tuple[Cell, ...]] = {}
    for cell in course.cells:
        if own in cell.methods:
            serves = tuple(sorted(conditions_of_cell(study.settings, conditions, cell)))
            groups[serves] = (*groups.get(serves, ()), cell)
    return PlannedScore(
        course=course,
        title="HYPE_time" if timed else "HYPE_∞",
        unit=DIFFERENCE_UNITS[own],
        conditions=conditions,
        groups=groups,
        outgoing=outgoing(),
        columns=frozenset(column.name for column in ROW.read),
        check=check_judgements,
        pairs=partial(pairs_by, own),
        pay=study.settings.pay.pay(),
        paid=count_correct,
        parameter="threshold_ms" if timed else "ceiling",
        move=move_threshold if timed else move_ceiling,
        sign=1 if timed else -1,
        setting="study.evaluators",
    )


def choose_method(study: Study, method: str | None) -> Method:
    methods = study.settings.study.methods
    if study.settings.only_qualifies:
        raise InputError(
            study.path, "only has a qualification", f"the method {' or '.join(DIFFERENCE_UNITS)}"
        )
    if method is None:
        return "infinity" if "infinity" in methods else methods[0]
    for known in methods:
        if known == method:
            return known
    allowed = " or ".join(
        f"{known} (a difference in {DIFFERENCE_UNITS[known]})" for known in methods
    )
    raise InputError("--method", f"{method!r} is not a method of {study.path}", allowed)


def pairs_by(method: Method, frame: pd.DataFrame) -> list[PairVerdict]:
    pairs = compare_pairs(frame, method, Options(spoiled=treatment_in(frame)))
    return [PairVerdict(pair.a, pair.b, pair.difference, bool(pair.separable)) for pair in pairs]


def count_correct(frame: pd.DataFrame) -> int:
    correct = frame["truth"].astype(str).eq(frame["answer"].astype(str))
    return int((correct & frame["task"].isin(SCORED_TASKS)).sum())


def move_threshold(observer: ObserverSettings, by: float) -> dict[str, float]:
    """Shift the threshold on a logarithmic scale, on which simulated people differ."""
    threshold_ms = observer.threshold_ms * math.exp(by)
    return {"threshold_ms": float(np.clip(threshold_ms, SHORTEST_MS, LONGEST_MS))}


def move_ceiling(observer: ObserverSettings, by: float) -> dict[str, float]:
    """Shift the ceiling on the scale of normal quantiles, on which simulated people differ."""
    z = STANDARD_NORMAL.inv_cdf(float(np.clip(observer.ceiling, 1 - MOST_CERTAIN, MOST_CERTAIN)))
    moved = STANDARD_NORMAL.cdf(z - by)
    return {"ceiling": float(np.clip(moved, 1 - MOST_CERTAIN, MOST_CERTAIN))}


PLANNED: Final = plan_judgements
