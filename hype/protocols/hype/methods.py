"""What was run and computed, in words; the words are in design.txt, statistics.txt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.staircase import PRESETS, Staircase
from hype.protocols.hype.texts import Texts
from hype.report.methods import Methods, Paragraph, methods_of, paragraphs_of, true_of, works_of
from hype.report.parts import SIMULATED, Background
from hype.session.materials import conditions_known, mask_methods
from hype.session.participation import (
    Arrivals,
    Participation,
    participation,
    people_sentences,
    period,
)
from hype.session.records import reading
from hype.statistics.estimate import FEWEST_SHOWN
from hype.study.assignment import design
from hype.study.phrases import listed
from hype.study.texts import pack_of

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.protocols.hype.settings import Study

FOLDER: Final = Path(__file__).parent

METHOD_NAMES: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}


def methods(
    scores: Sequence[Score],
    *,
    background: Background | None = None,
    curves: bool = False,
    programs: Mapping[str, str] | None = None,
) -> Methods:
    """Write the methods of a report on one protocol or both, with ``curves`` if they are shown."""
    return methods_of(
        statistics_in_words(scores, curves=curves), background=background, programs=programs
    )


def statistics_in_words(scores: Sequence[Score], *, curves: bool) -> tuple[Paragraph, ...]:
    """Write what was computed for all protocols of a report."""
    rows = [row for score in scores for row in score.conditions]
    untimed = [row for score in scores if score.protocol != "time" for row in score.conditions]
    timed = [row for score in scores if score.protocol == "time" for row in score.conditions]
    reversals = [row.reversals for row in timed if row.reversals]
    tested = [score for score in scores if score.anova and score.anova.f is not None]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        scores=scores,
        curves=curves,
        protocols={score.protocol for score in scores},
        reversals=any(each.reversals_ms is not None for each in reversals),
        last_reversals=max((each.last for each in reversals), default=0),
        signal_detection=any(row.signal_detection for row in untimed),
        agreement=any(row.agreement for row in untimed),
        bootstrap=any(row.bootstrap for row in rows),
        precision=any(row.precision for row in rows),
        two_way={s.protocol for s in scores if any(row.two_way for row in s.conditions)},
        tested=tested,
        papers_methods={score.tests.method for score in tested},
        repeated=any(score.anova.epsilon is not None for score in tested if score.anova),
        compared=[score for score in scores if score.letters],
        images={score.images for score in scores},
        margins=[score for score in scores if score.margin],
        unequal_numbers=any(
            len({row.evaluators for row in score.conditions}) > 1 for score in tested
        ),
        trend=any(score.trend for score in scores),
        settle_points=[row.settle_point for row in rows if row.settle_point],
        thresholds=[row.thresholds for row in rows if row.thresholds],
        convincing=any(row.convincing and row.convincing.most for row in rows),
        fewest_shown=FEWEST_SHOWN,
        mixed_model=any(score.mixed_model for score in scores),
        metrics=[metric for score in scores for metric in score.metrics if metric.method],
        facets=dict.fromkeys(score.facets.column for score in scores if score.facets),
    )


def design_in_words(
    settings: StudyFile, conditions: Sequence[str], *, masks_made: Sequence[str] = ()
) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known.

    ``masks_made`` are the methods by which its masks were made, as their manifest names them.
    """
    methods, tested = settings.study.methods, is_tested(settings, conditions)
    untimed = tested or "infinity" in methods
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        alone=len(conditions) == 1,
        methods=[METHOD_NAMES.get(method, method) for method in methods],
        places=places(settings, conditions),
        tested=tested,
        earlier=[PurePosixPath(name).name for name in settings.qualification.valid_from],
        practised=[*(["untimed"] if untimed else []), *(["timed"] if "time" in methods else [])],
        told_timed=is_told_of_halves(settings, "instructions_timed"),
        told_untimed=is_told_of_halves(settings, "instructions_untimed"),
        mask_method=masks_made[0] if len(masks_made) == 1 else "",
        printed_steps=has_printed_steps(settings.time.staircase.rule),
    )


def methods_in_words(methods: Sequence[str]) -> str:
    return listed([METHOD_NAMES.get(method, method) for method in methods])


def places(settings: StudyFile, conditions: Sequence[str]) -> str:
    """Say of what there were several that evaluators were assigned to; empty if of nothing."""
    several = {
        "condition": settings.within or len(settings.evaluated(conditions)) != 1,
        "method": len(settings.methods_of_one_evaluator()) > 1,
    }
    return " and ".join(name for name, are in several.items() if are)


def is_tested(settings: StudyFile, conditions: Sequence[str]) -> bool:
    """Whether a qualification is held: not on what all judge, unless that is asked for."""
    test = settings.qualification
    others = not conditions or len(conditions) > settings.study.conditions_each
    others = others or settings.only_qualifies
    return test.enabled and bool(others or test.stimuli or test.on_own_condition)


def is_told_of_halves(settings: StudyFile, page: str) -> bool:
    """Whether the words on the screen are those that state the ratio."""
    own = Texts.model_fields[page].default
    usual = pack_of(settings.study.language).texts_of(("all", "hype")).get(page, own)
    return bool(getattr(settings.texts, page) == usual)


def has_printed_steps(rule: Staircase) -> bool:
    """Whether a rule's steps are those that the paper prints."""
    printed = PRESETS["hype"]
    steps = rule.down_ms, rule.up_ms, rule.correct_to_descend
    return steps == (printed.down_ms, printed.up_ms, printed.correct_to_descend)


FLOW_COLUMNS: Final = (
    *("Condition", "Method", "Came", "Declined", "Not qualified", "Unfinished", "Complete"),
)


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    met = (came.cell.condition for came in found.flow)
    conditions = conditions_known(study, met).names
    described = design_in_words(study.settings, conditions, masks_made=mask_methods(study))
    paragraphs = true_of(described, found.modes, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=flow_rows(study.settings, conditions, found.flow),
        flow_columns=FLOW_COLUMNS,
        works=works_of(paragraphs),
        facts=tuple(facts_of(study.settings, conditions, found, simulated=simulated)),
        settles_at=study.settings.time.staircase.rule.settles_at,
    )


def flow_rows(
    settings: StudyFile, conditions: Sequence[str], flow: Sequence[Arrivals]
) -> tuple[tuple[str | int, ...], ...]:
    """Give the rows of the design in its order, then those of places that it has no more."""
    planned = design(settings.evaluated(conditions), settings.methods_of_one_evaluator())
    by_cell = {came.cell: came for came in flow}
    cells = dict.fromkeys((*planned, *by_cell))
    several = f"{settings.study.conditions_each} of {len(conditions)}" if settings.within else ""
    return tuple(row_of(by_cell.get(cell, Arrivals(cell=cell)), several) for cell in cells)


def row_of(came: Arrivals, several: str) -> tuple[str | int, ...]:
    numbers = (came.came, came.declined, came.unqualified, came.active, came.complete)
    names = came.cell.condition or several, methods_in_words(came.cell.methods)
    return (*names, *numbers)


def facts_of(
    settings: StudyFile, conditions: Sequence[str], found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    yield "Protocols", methods_in_words(settings.study.methods)
    yield "Conditions", f"{len(conditions):,}"
    yield "Simulated evaluators" if simulated else "Evaluators", f"{found.whole.complete:,}"
    yield "Judgements", f"{found.judgements:,}"
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
