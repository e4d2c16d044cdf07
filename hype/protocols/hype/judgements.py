"""What `hype score` and `hype report` do with judgements: read, score, lay out, write a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers, Opened, Reader
from hype.console import drawn_on, progress
from hype.errors import InputError
from hype.judges.results import JudgeOptions
from hype.protocols.hype.condition_scores import Options
from hype.protocols.hype.exclusion import Treatment, treatment_in
from hype.protocols.hype.metrics import read_metrics
from hype.protocols.hype.results import Score
from hype.protocols.hype.rows import COLUMNS
from hype.protocols.hype.scoring import score_checked, scored_rows
from hype.protocols.hype.settings import Study
from hype.protocols.hype.table import check_judgements, load_judgements
from hype.study.studies import AnyStudy
from hype.tables.table_files import FrameTable
from hype.workers import processes

if TYPE_CHECKING:
    from hype.session.outgoing import Outgoing

Judgements = LoadedAnswers[Study]

DRAWS: Final = 10_000
"""Of the bootstrap of judgements, unless it is said."""


def judgements_for(source: Opened, choices: Choices) -> Judgements:
    if not isinstance(source, Path | FrameTable):
        require_judged(source)
    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in COLUMNS},
        check=check_judgements,
        read=load_judgements,
    )
    return reader.answers(source, choices)


def require_judged(study: AnyStudy) -> None:
    """Refuse a study that scores no judgements."""
    if not isinstance(study, Study):
        raise InputError(study.path, f"is a study of {study.answers}", "one of judgements")
    if study.settings.only_qualifies:
        problem = "is a study of the qualification alone, and scores nobody"
        raise InputError(study.path, problem, "hype status says who passed, and when")


def outgoing() -> Outgoing[Study]:
    from hype.protocols.hype.export import JUDGED

    return JUDGED


def score_judgements(judgements: Judgements, choices: Choices) -> tuple[Score, ...]:
    """Score judgements as their study says, or as the command line overrules it.

    The judges that were given are held against them.
    """
    options = options_of(judgements, choices)
    if options.thresholds_at is None or not judgements.frame["task"].eq("time").any():
        scores = score_checked(judgements.frame, options)
    else:
        with progress() as bar:
            shown = drawn_on(bar, "psychometric functions")
            scores = score_checked(judgements.frame, replace(options, progress=shown))
    if choices.judges:
        scores = beside_judges(scores, judgements, choices, options)
    return tuple(map(judgements.add_notes, scores))


def beside_judges(
    scores: tuple[Score, ...], judgements: Judgements, choices: Choices, options: Options
) -> tuple[Score, ...]:
    """Hold judges against the judgements of each protocol, about the images that these are of."""
    from hype.judges.files import judges_in, margin_of, without_items
    from hype.judges.judgements import judge_judgements, name_images
    from hype.protocols.hype.export import questions_of

    rows = {each.protocol: scored_rows(judgements.frame, each.protocol, options) for each in scores}
    names = {protocol: name_images(own) for protocol, own in rows.items()}
    every = frozenset().union(*names.values())
    study = judgements.study
    asked = questions_of(study) if study else ()
    judges = judges_in(choices.judges or (), study, asked, rated=every)
    planned = study.settings.analysis if study else None
    chosen = JudgeOptions(margin=margin_of(choices.margin, planned))
    return tuple(
        replace(
            each,
            judges=judge_judgements(
                rows[each.protocol], without_items(judges, every - names[each.protocol]), chosen
            ),
        )
        for each in scores
    )


def options_of(judgements: Judgements, choices: Choices) -> Options:
    by = choices.by_columns[0] if len(choices.by_columns) == 1 else None
    return Options(
        draws=choices.draws or DRAWS,
        seed=choices.seed,
        spoiled=spoiled_by(judgements, choices),
        two_way=choices.two_way,
        images=choices.images,
        margins=margins_of(judgements.study),
        thresholds_at=choices.at if choices.thresholds else None,
        order=conditions_in(choices.order),
        metrics=read_metrics(choices.metrics, by) if choices.metrics else None,
        by=by,
        processes=processes(),
    )


def margins_of(study: Study | None) -> Mapping[str, float]:
    return study.settings.analysis.margins(study.settings.study.methods) if study else {}


def spoiled_by(judgements: Judgements, choices: Choices) -> Treatment:
    if choices.keep_spoiled is None:
        return treatment_in(judgements.frame)
    return "keep" if choices.keep_spoiled else "leave-out"


def conditions_in(order: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in order.split(",")) if order else ()
