"""What `hype score` and `hype report` do with judgements: read, score, lay out, write a page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.answers.sources import (
    bootstrap,
    doubted,
    one_kind_only,
    provenance_of,
    stimuli_of,
    store_of,
    study_or_table,
)
from hype.console import drawn_on, progress
from hype.errors import InputError
from hype.protocols.hype.exclusion import treatment_in
from hype.tables.codebook import codebook_of

if TYPE_CHECKING:
    import pandas as pd

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.hype.answers import JudgementAnswers
    from hype.protocols.hype.condition_scores import Options
    from hype.protocols.hype.exclusion import Treatment
    from hype.protocols.hype.results import Score
    from hype.protocols.hype.study import Study
    from hype.protocols.studies import AnyStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table
    from hype.tables.answers import CheckedTable
    from hype.tables.codebook import Codebook

DRAWS: Final = 10_000
"""Of the bootstrap of judgements, unless it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Judgements to be scored, and what is known of them beyond their rows."""

    frame: pd.DataFrame  # as `hype.analysis.check_judgements` returns it
    title: str
    provenance: Mapping[str, str]
    table: CheckedTable | None = None  # as it was read, where they are of one
    spoiled: Treatment = "keep"  # what is to become of trials that the screen spoiled
    stimuli: Path | None = None  # the folder of the stimuli, where a study tells it and is here
    study: Study | None = None
    said: tuple[str, ...] = ()  # sentences on what was registered, if anything was

    def with_manifest(self) -> Judgements:
        """Add what the manifest of the stimuli says of the images, where a study names one."""
        if self.stimuli is None:
            return self
        from hype.protocols.hype.facets import with_manifest
        from hype.stimuli.manifest import read_extra_columns

        joined = with_manifest(self.frame, read_extra_columns(self.stimuli))
        return replace(self, frame=joined)


def load_judgements(
    source: Opened,
    *,
    simulated: bool,
    people: bool,
    column: str | None = None,
    codebook: Codebook | None = None,
) -> Judgements:
    """Read judgements from where a study keeps its answers, or from a table.

    ``column`` is one that is needed beside those that are scored; a study has it in its record or
    in the manifest of its stimuli. ``codebook`` is what a table calls things.
    """
    wanted = one_kind_only(simulated=simulated, people=people)
    opened = study_or_table(source)
    if isinstance(opened, Path):
        return judgements_of_table(opened, wanted, codebook)
    return judgements_of_study(judged_in(opened), simulated=simulated, column=column)


def judgements_of_table(
    path: Path, simulated: bool | None, codebook: Codebook | None
) -> Judgements:
    from hype.protocols.hype.table import load_judgements
    from hype.tables.codebook import Codebook

    codebook = codebook or Codebook()
    table = load_judgements(path, simulated=simulated, codebook=codebook)
    return Judgements(
        frame=table.frame,
        title=path.stem,
        provenance={"source": path.name, **codebook.said()},
        table=table,
        spoiled=treatment_in(table.frame),
    )


def judged_in(study: AnyStudy) -> Study:
    """Take a study for one of judgements; InputError where it is of another kind."""
    from hype.protocols.hype.study import Study

    if isinstance(study, Study) and study.settings.only_qualifies:
        problem = "is a study of the qualification alone, and scores nobody"
        raise InputError(study.path, problem, "hype status says who passed, and when")
    if isinstance(study, Study):
        return study
    raise InputError(study.path, f"is a study of {study.answers}", "one of judgements")


def judgements_of_study(study: Study, *, simulated: bool, column: str | None = None) -> Judgements:
    from hype.protocols.hype.table import check_judgements
    from hype.registration import registered_sentences, registration_of
    from hype.session.records import require_folder, where_of

    frame, kept_in = frame_of(study, simulated=simulated, column=column)
    registration = registration_of(study)
    checked = check_judgements(frame, where=where_of(study), simulated=simulated)
    judgements = Judgements(
        frame=checked,
        title=study.settings.study.name,
        provenance={
            **provenance_of(study, registration.sha256 if registration else None),
            **kept_in,
        },
        spoiled=treatment_in(checked),
        stimuli=stimuli_of(study),
        study=study,
        said=tuple(registered_sentences(registration, study)) if registration else (),
    )
    if column is None or column in frame:
        return judgements
    require_folder(study, f"--by {column}, which no answer has,")
    return judgements.with_manifest()


def frame_of(
    study: Study, *, simulated: bool, column: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    import pandas as pd

    from hype.protocols.hype.export import exported_judgements, no_judgements
    from hype.protocols.hype.rows import COLUMNS
    from hype.session.outgoing import shared_text
    from hype.session.records import reading

    names = {*(declared.name for declared in COLUMNS), column or ""}
    with reading(study) as engine:
        exported = exported_judgements(engine, study, simulated=simulated, columns=names)
        frame = pd.DataFrame(list(shared_text(exported.rows)), columns=list(exported.columns))
        kept_in = store_of(study, engine, simulated=simulated)
        kept_in |= doubted(study, engine, simulated=simulated)
    if frame.empty:
        raise no_judgements(study, simulated=simulated)
    return frame, kept_in


def judgements_for(source: Opened, choices: Choices) -> Judgements:
    return load_judgements(
        source,
        simulated=choices.simulated,
        people=choices.people,
        column=choices.by,
        codebook=codebook_of(choices),
    )


def score_judgements(judgements: Judgements, choices: Choices) -> tuple[Score, ...]:
    """Score judgements as their study says, or as the command line overrules it."""
    from hype.protocols.hype.scoring import score_checked

    options = options_of(judgements, choices)
    if options.thresholds_at is None:
        scores = score_checked(judgements.frame, options)
    else:
        with progress() as bar:
            shown = drawn_on(bar, "psychometric functions")
            scores = score_checked(judgements.frame, replace(options, progress=shown))
    return tuple(map(judgements.table.beside, scores)) if judgements.table else scores


def options_of(judgements: Judgements, choices: Choices) -> Options:
    from hype.protocols.hype.condition_scores import Options
    from hype.protocols.hype.metrics import read_metrics

    return Options(
        draws=choices.draws or DRAWS,
        seed=choices.seed,
        spoiled=spoiled_by(judgements, choices),
        two_way=choices.two_way,
        thresholds_at=choices.at if choices.thresholds else None,
        mixed=choices.mixed,
        order=conditions_in(choices.order),
        metrics=read_metrics(choices.metrics) if choices.metrics else None,
        by=choices.by,
        processes=os.cpu_count() or 1,
    )


def spoiled_by(judgements: Judgements, choices: Choices) -> Treatment:
    if choices.keep_spoiled is None:
        return judgements.spoiled
    return "keep" if choices.keep_spoiled else "leave-out"


def conditions_in(order: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in order.split(",")) if order else ()


@dataclass(frozen=True, kw_only=True)
class JudgementReport:
    """Judgements that were scored, and what a report makes of them."""

    judgements: Judgements
    scores: tuple[Score, ...]
    background: Background | None
    spoiled: Treatment

    @property
    def simulated(self) -> bool:
        return any(score.simulated for score in self.scores)

    def write_page(self, path: Path) -> Path:
        from hype.answers.pictures import pictures_in, why_not_pictured
        from hype.protocols.hype.report import gallery_images, write_report
        from hype.session.facts import versions

        judgements, scores = self.judgements, self.scores
        return write_report(
            scores,
            path,
            answers=self._answers,
            title=judgements.title,
            provenance={**judgements.provenance, **bootstrap(scores[0]), **versions()},
            background=why_not_pictured(self.background, judgements.stimuli),
            pictured=pictures_in(judgements.stimuli, gallery_images(scores)),
        )

    @cached_property
    def _answers(self) -> JudgementAnswers:
        from hype.protocols.hype.answers import answers_behind

        return answers_behind(self.scores, self.judgements.frame, self.spoiled)

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.hype.figures import drawings, timing_drawings

        settles_at = self.background.settles_at if self.background else None
        answers = self._answers
        of_scores = (
            drawings(score, answers.of_protocols[score.protocol], settles_at=settles_at)
            for score in self.scores
        )
        return (*chain.from_iterable(of_scores), *timing_drawings(answers.measured))

    def tables(self) -> Sequence[Table]:
        from hype.protocols.hype.further_tables import answer_times, file_tables
        from hype.report import terminal as timing

        of_protocols, measured = self._answers.of_protocols, self._answers.measured
        besides = [
            *(answer_times(s, of_protocols[s.protocol].response_times) for s in self.scores),
            timing.durations(measured.timing),
        ]
        return (
            *(table for score in self.scores for table in file_tables(score)),
            *(table for table in besides if table.says_something),
        )


def judgement_report(source: Opened, choices: Choices, stimuli: Path | None) -> JudgementReport:
    """Read judgements and score them; ``stimuli`` is where images lie if not where a study says."""
    from hype.protocols.hype.description import background_of

    judgements = judgements_for(source, choices)
    study = judgements.study
    if stimuli:
        judgements = replace(judgements, stimuli=stimuli)
    return JudgementReport(
        judgements=judgements,
        scores=score_judgements(judgements, choices),
        background=background_of(study, simulated=choices.simulated) if study else None,
        spoiled=spoiled_by(judgements, choices),
    )
