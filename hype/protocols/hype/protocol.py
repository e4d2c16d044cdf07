"""HYPE's own methods, as the program asks of every protocol (Zhou et al. 2019)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError
from hype.protocols.about_you import texts_if_asked
from hype.protocols.protocol import ALPHA, Json, StudyProtocol, TextsIf

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import Opened
    from hype.asking.questions import ImageQuestion
    from hype.check.findings import Preflight
    from hype.export.kind import ExportKind
    from hype.leaderboard.boards import Measured
    from hype.planning.planned import PlannedScore
    from hype.protocols.hype.course import HypeCourse
    from hype.protocols.hype.judgements import JudgementReport, Judgements
    from hype.protocols.hype.results import Score
    from hype.protocols.hype.settings import ExclusionSettings, Study, StudyFile
    from hype.protocols.hype.verify import VerifiedJudgements
    from hype.report.methods import Paragraph
    from hype.session.timing import Rounding
    from hype.statistics.agreement import Alpha
    from hype.status.progress import Telling
    from hype.stimuli.manifest import StimulusSet
    from hype.store.columns import RecordedAnswers

TESTS: Final = (
    "scores: 95% intervals for other evaluators and other images",
    "pairs of conditions: t-test for other evaluators and other images, the studentised range of "
    "three conditions or more",
    "beside these, over evaluators alone: percentile bootstrap, one-way ANOVA, Tukey's HSD or "
    "Student's t-test",
)


class HypeProtocol(StudyProtocol):
    """Single images, flashed or at leisure: real or fake."""

    name = "hype"
    answers = "judgements"
    drawn = "answers were drawn from psychometric functions"
    asks = (
        "real or fake (hype), or that only to find who may take part in other studies "
        "(qualification)"
    )
    own_choices = frozenset(
        (
            *("draws", "keep_spoiled", "two_way", "thresholds", "at", "order"),
            *("metrics", "real", "fake", "judges", "margin"),
        )
    )

    @property
    def settings(self) -> type[StudyFile]:
        from hype.protocols.hype.settings import StudyFile

        return StudyFile

    def study(self, file: Path, settings: Any) -> Study:
        from hype.protocols.hype.settings import Study

        return Study(path=file, settings=settings)

    def named_folders(self, settings: StudyFile) -> Iterator[tuple[str, str]]:
        if settings.masks.folder:
            yield "masks.folder", settings.masks.folder
        if settings.qualification.stimuli:
            yield "qualification.stimuli", settings.qualification.stimuli
        if settings.catch.stimuli:
            yield "catch.stimuli", settings.catch.stimuli
        for name in settings.qualification.valid_from:
            yield "qualification.valid_from", name

    def course(self, study: Study) -> HypeCourse:
        from hype.protocols.hype.course import HypeCourse

        return HypeCourse(study)

    @property
    def recorded(self) -> RecordedAnswers:
        from hype.protocols.hype.record import JUDGEMENTS

        return JUDGEMENTS

    def texts_if(self, settings: StudyFile) -> Iterator[TextsIf]:
        timed = "time" in settings.study.methods
        untimed = "infinity" in settings.study.methods
        test, practice = settings.qualification, settings.practice.trials > 0
        feedback = (
            practice,
            timed and settings.time.feedback,
            untimed and settings.infinity.feedback,
        )
        yield from texts_if_asked(settings)
        yield timed, ("question", "instructions_timed")
        yield untimed or test.enabled, ("question_untimed", "instructions_untimed")
        yield practice, ("practice",)
        yield test.enabled, ("qualification", "qualified", "unqualified")
        yield any(feedback) or (test.enabled and test.feedback), ("correct", "wrong")
        yield settings.timing.spoiled_trials == "repeat", ("again",)

    def conditions(self, study: Study, stimuli: StimulusSet) -> tuple[str, ...]:
        from hype.protocols.hype.pools import conditions
        from hype.session.materials import read_others

        others = tuple(read_others(study)) if study.settings.qualification.stimuli else ()
        return conditions(study, stimuli, others)

    def questions(self, study: Study) -> Iterator[ImageQuestion]:
        from hype.protocols.hype.export import questions_of

        return questions_of(study)

    def check(self, study: Study) -> Preflight:
        from hype.protocols.hype.checks import check_study

        return check_study(study)

    def check_triggers(self, flight: Preflight, study: Study) -> None:
        """Open what it sends triggers to, and let go of it."""
        from hype.protocols.hype.course import trigger_ports
        from hype.station.triggers import open_triggers

        def open_and_close() -> None:
            with open_triggers(trigger_ports(study)):
                pass

        flight.attempt("trigger-missing", open_and_close)

    def check_exposures(self, flight: Preflight, study: Study, refresh_hz: float | None) -> None:
        from hype.protocols.hype.checks import check_exposures

        check_exposures(flight, study, refresh_hz or study.settings.display.refresh_hz)

    def roundings(self, study: Study, refresh_hz: float) -> Iterator[tuple[str, Rounding]]:
        from hype.protocols.hype.checks import roundings

        return roundings(study, refresh_hz)

    def flashes(self, settings: StudyFile) -> bool:
        return "time" in settings.study.methods

    def check_web(self, flight: Preflight, study: Study) -> None:
        from hype.protocols.hype.checks import check_web

        check_web(flight, study)

    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        from hype.protocols.hype.checks import lines_of_study

        return lines_of_study(facts)

    def planned_analysis(self, study: Study) -> Json:
        settings = study.settings
        rule = settings.rule
        timed = "time" in settings.study.methods
        return {
            "methods": list(settings.study.methods),
            "seed": settings.study.seed,
            "staircase": asdict(rule) | {"settles_at": rule.settles_at} if timed else None,
            "not_scored": not_scored(study),
            "spoiled_trials": settings.timing.spoiled_trials,
            **({"conditions_each": settings.study.conditions_each} if settings.within else {}),
            **careless_plan(settings.exclusion),
            "alpha": ALPHA,
            "tests": list(TESTS),
        }

    def look(self, connection: Connection, study: Study, *, simulated: bool) -> Telling:
        from hype.protocols.hype.status import look_at_judgements

        return look_at_judgements(connection, study, simulated=simulated)

    @property
    def verified(self) -> VerifiedJudgements:
        from hype.protocols.hype.verify import VerifiedJudgements

        return VerifiedJudgements()

    def alike(self, study: Study, /) -> dict[str, object]:
        """Give settings, and of what is here: how masks were made, and which images are real."""
        from hype.protocols.hype.trial import SCORED_TASKS
        from hype.session.materials import describe_materials

        idle = tuple(
            f"{task}." for task in SCORED_TASKS if task not in study.settings.study.methods
        )
        kept = {k: v for k, v in super().alike(study).items() if not k.startswith(idle)}
        return kept | describe_materials(study)

    def exported(self, _study: Study, /) -> ExportKind:
        from hype.protocols.hype.export import JUDGING

        return JUDGING

    def is_table_of(self, names: Collection[str]) -> bool:
        return "truth" in names

    def read(self, source: Opened, choices: Choices) -> Judgements:
        from hype.protocols.hype.judgements import judgements_for

        return judgements_for(source, choices)

    def score(self, answers: Judgements, choices: Choices) -> tuple[Score, ...]:
        from hype.protocols.hype.judgements import score_judgements

        return score_judgements(answers, choices)

    def agreement(self, answers: Judgements, choices: Choices) -> Alpha | None:
        from hype.protocols.hype.scoring import alpha_of_all

        return alpha_of_all(answers.frame, choices.images)

    def group_measures(self, answers: Judgements, choices: Choices) -> Iterator[GroupMeasure]:
        from hype.protocols.hype.groups import judgement_measures
        from hype.protocols.hype.judgements import options_of

        return judgement_measures(answers.frame, options_of(answers, choices))

    def as_object(self, scored: tuple[Score, ...]) -> object:
        """Give one object, or a list of those of both methods."""
        objects = [score.to_json() for score in scored]
        return objects[0] if len(objects) == 1 else objects

    def laid_out(self, answers: Judgements, scored: tuple[Score, ...]) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        from hype.protocols.hype.further_tables import score_table

        return Group(score_table(scored), *map(Text, answers.said))

    def report(
        self,
        answers: Judgements,
        scored: tuple[Score, ...],
        choices: Choices,
        stimuli: Path | None = None,
    ) -> JudgementReport:
        from hype.protocols.hype.judgements import judgement_report

        return judgement_report(answers, scored, choices, stimuli)

    def measured(
        self, _answers: Judgements, scored: tuple[Score, ...], _choices: Choices, /
    ) -> Iterator[Measured]:
        from hype.leaderboard.boards import Measured, entry_of

        for score in scored:
            timed = score.protocol == "time"
            yield Measured(
                title="HYPE_time" if timed else "HYPE_∞",
                unit=score.unit,
                decimals=1,
                about="The modal exposure (the score of Zhou et al.): a longer one means more "
                "convincing images."
                if timed
                else "How often people are wrong about images without a time limit; at 50 % they "
                "guess.",
                simulated=score.simulated,
                entries=tuple(
                    entry_of(
                        row.condition,
                        row.interval,
                        value=row.score,
                        evaluators=row.evaluators,
                        answers=row.judgements,
                    )
                    for row in score.conditions
                ),
                pairs=score.pairwise,
            )

    def design_in_words(self, study: Study, conditions: Sequence[str], /) -> Sequence[Paragraph]:
        from hype.protocols.hype.wording import design_in_words
        from hype.session.materials import mask_methods

        return design_in_words(study.settings, conditions, masks_made=mask_methods(study))

    def statistics_in_words(self, scored: tuple[Score, ...], /) -> Sequence[Paragraph]:
        from hype.protocols.hype.wording import statistics_in_words

        return statistics_in_words(scored, curves=False)

    def planned(self, study: Study, of: str | None) -> PlannedScore:
        from hype.protocols.hype.planning import planned_judgements

        return planned_judgements(study, of)

    def image_table(self, judgements: Judgements) -> pd.DataFrame:
        """Say how often each image was shown and called fake.

        Raises
        ------
        InputError
            The judgements name no images.
        """
        from hype.protocols.hype.exclusion import counted
        from hype.protocols.hype.images import image_scores
        from hype.protocols.hype.trial import SCORED_TASKS

        frame = judgements.frame[counted(judgements.frame)]
        table = image_scores(frame[frame["task"].isin(SCORED_TASKS)])
        if table.empty:
            raise InputError("--images", "the judgements name no images", "a column 'image'")
        return table

    def write_images(self, judgements: Judgements, path: Path) -> None:
        """Write what `image_table` gives."""
        from hype.files import write_table
        from hype.tables.spreadsheet_text import as_cell

        table = self.image_table(judgements)
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        cells = ({str(key): as_cell(value) for key, value in row.items()} for row in rows)
        write_table(path, list(table.columns), cells)


def careless_plan(exclusion: ExclusionSettings) -> Json:
    """Give who is called careless, and what becomes of them; nothing where there is no rule."""
    rules = list(exclusion.rules.said)
    return {"careless": rules, "careless_left_out": exclusion.leave_out} if rules else {}


def not_scored(study: Study) -> list[str]:
    """List who and what is not scored."""
    qualification = study.settings.qualification
    unqualified = f"evaluators below {qualification.pass_rate:.0%} in the qualification"
    return [
        "evaluators who declined or did not finish",
        *([unqualified] if qualification.enabled else []),
        *(["careless evaluators"] if study.settings.exclusion.leave_out else []),
        "practice, qualification and catch trials"
        if study.settings.catch.trials
        else "practice and qualification",
    ]
