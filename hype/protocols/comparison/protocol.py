"""Comparisons, as the program asks of every protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError, NothingRecorded
from hype.protocols.prompted.protocol import PromptedProtocol
from hype.protocols.protocol import Json, TextsIf

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import LoadedAnswers, Opened
    from hype.asking.questions import ImageQuestion
    from hype.check.findings import Preflight
    from hype.export.kind import ExportKind
    from hype.leaderboard.boards import Measured
    from hype.planning.planned import PlannedScore
    from hype.protocols.comparison.course import ComparisonCourse
    from hype.protocols.comparison.report import ComparisonReport
    from hype.protocols.comparison.results import PairwiseScore
    from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
    from hype.protocols.comparison.verify import Comparisons
    from hype.protocols.prompted.protocol import PromptedTemplate
    from hype.report.methods import Paragraph
    from hype.statistics.agreement import Alpha
    from hype.status.progress import Telling
    from hype.store.columns import RecordedAnswers
    from hype.study.texts import Pack

TESTS: Final = (
    "pairs: differences of strengths, max-|t| over all pairs stepping down, or Holm's rule where "
    "people or prompts are few",
    "win rates: Wilson's interval for as many comparisons as these are worth, 95%",
    "strengths: Bradley and Terry's model, sandwich of evaluators and prompts or images, 95%",
)
SIDES: Final = frozenset(("left", "right", "left_source", "right_source"))


class ComparisonProtocol(PromptedProtocol):
    """Which of two, all pairs or an arena."""

    name = "comparison"
    answers = "comparisons"
    drawn = "choices were drawn from strengths of the conditions that the study sets"
    asks = "which of two, all pairs (comparison) or chosen pairs (arena)"
    own_choices = frozenset(("ties", "strengths", "judges", "margin"))

    @property
    def settings(self) -> type[ComparisonFile]:
        from hype.protocols.comparison.settings import ComparisonFile

        return ComparisonFile

    def study(self, file: Path, settings: Any) -> ComparisonStudy:
        from hype.protocols.comparison.settings import ComparisonStudy

        return ComparisonStudy(path=file, settings=settings)

    def course(self, study: ComparisonStudy) -> ComparisonCourse:
        from hype.protocols.comparison.course import ComparisonCourse

        return ComparisonCourse(study)

    def joining(self, study: ComparisonStudy, votes: int | None) -> Mapping[str, object]:
        if study.settings.comparison.arena is None:
            return super().joining(study, votes)
        from hype.protocols.comparison.arena import joining
        from hype.protocols.comparison.sampling import read_comparison_pools
        from hype.store.record import RECORD_FILE, reading_record

        names = read_comparison_pools(study).conditions
        try:
            with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as record:
                return joining(record, study, names, votes)
        except NothingRecorded:
            return joining(None, study, names, votes)

    @property
    def recorded(self) -> RecordedAnswers:
        from hype.protocols.comparison.record import COMPARISONS

        return COMPARISONS

    def worded(self, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        from hype.study.texts import asking

        given = tables.get("comparison", {})
        if not isinstance(given, Mapping):
            return super().worded(tables, pack)
        question = pack.questions[self.name].get(str(given.get("criterion", "preference")), "")
        return {**super().worded(tables, pack), "comparison": asking(question, given)}

    def texts_if(self, settings: ComparisonFile) -> Iterator[TextsIf]:
        yield from super().texts_if(settings)
        asked = settings.comparison
        yield asked.ties, ("tie", "instructions_ties")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice", "correct", "wrong")
        yield asked.min_ms > 0, ("hasty",)
        yield asked.limit_ms is not None, ("missed",)

    def words_asked(self, study: ComparisonStudy) -> Iterator[tuple[str, str]]:
        yield "comparison.question", study.settings.comparison.asked
        yield from super().words_asked(study)

    @property
    def templates(self) -> Mapping[str, PromptedTemplate]:
        from hype.protocols.comparison.template import TEMPLATES

        return TEMPLATES

    def prompts(self, study: ComparisonStudy) -> Iterator[str]:
        from hype.protocols.comparison.sampling import read_comparison_pools

        return (prompt.text for prompt in read_comparison_pools(study).prompts)

    def questions(self, study: ComparisonStudy) -> Iterator[ImageQuestion]:
        from hype.protocols.comparison.export import questions_of

        return questions_of(study)

    def check(self, study: ComparisonStudy) -> Preflight:
        """Check a study, and whether it asks often enough."""
        from hype.protocols.comparison.checks import check_comparison_study, check_votes

        flight = check_comparison_study(study)
        if "votes_per_pair" in flight.facts and study.settings.comparison.arena is None:
            check_votes(flight, study)
        return flight

    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        from hype.protocols.comparison.checks import lines_of_comparisons

        return lines_of_comparisons(facts) if "prompts" in facts else iter(())

    def planned_analysis(self, study: ComparisonStudy) -> Json:
        settings = study.settings
        asked, rule, arena = settings.comparison, settings.validation, settings.comparison.arena
        bound = f"evaluators with fewer than {rule.min_correct:.0%} of validation comparisons right"
        return {
            "methods": list(settings.study.methods),
            "seed": settings.study.seed,
            "criterion": asked.criterion,
            "question": asked.asked,
            "votes": None if asked.arena else asked.votes,
            "arena": arena and arena.model_dump(exclude=None if arena.reserve else {"reserve"}),
            **settings.analysis.model_dump(mode="json"),
            "not_scored": [
                "evaluators who declined or did not finish",
                *([bound] if rule.kind != "off" else []),
                "practice and validation",
                "comparisons that were not answered in time",
            ],
            "hasty": f"answers before {asked.min_ms:g} ms are counted, marked and scored",
            "tests": list(TESTS),
        }

    def fixed_files(self, study: ComparisonStudy) -> Mapping[str, Path]:
        from hype.confine import inside

        rule = study.settings.validation
        return {"validation": inside(study.folder, rule.file)} if rule.kind == "listed" else {}

    def look(self, connection: Connection, study: ComparisonStudy, *, simulated: bool) -> Telling:
        from hype.protocols.comparison.status import look_at_comparisons

        return look_at_comparisons(connection, study, simulated=simulated)

    @property
    def verified(self) -> Comparisons:
        from hype.protocols.comparison.verify import Comparisons

        return Comparisons()

    def alike(self, study: ComparisonStudy, /) -> dict[str, object]:
        if study.settings.comparison.arena is not None:
            problem = "is an arena, whose votes were counted until its own rule stopped it"
            raise InputError(study.path, problem, "score it alone")
        return super().alike(study)

    def exported(self, _study: ComparisonStudy, /) -> ExportKind:
        from hype.protocols.comparison.export import COMPARING

        return COMPARING

    def is_table_of(self, names: Collection[str]) -> bool:
        others = {"axis"} if "truth" in names else {"axis", "item", "rank"}
        return not SIDES.isdisjoint(names) and others.isdisjoint(names) and "condition" not in names

    def read(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        from hype.protocols.comparison.scoring import comparisons_for

        return comparisons_for(source, choices)

    def score(self, answers: LoadedAnswers[Any], choices: Choices) -> PairwiseScore:
        from hype.protocols.comparison.scoring import score_comparisons_loaded

        return score_comparisons_loaded(answers, choices)

    def agreement(self, answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
        from hype.protocols.comparison.agreement import comparison_agreement
        from hype.protocols.comparison.scoring import options_for, scored_votes

        rows = scored_votes(answers.frame, options_for(answers, choices)).rows
        found = comparison_agreement(rows, images=choices.images)
        return found.basis if found else None

    def group_measures(
        self, answers: LoadedAnswers[Any], choices: Choices
    ) -> Iterator[GroupMeasure]:
        from hype.protocols.comparison.scoring import comparison_measures

        return comparison_measures(answers, choices)

    def measured(
        self, answers: LoadedAnswers[Any], scored: PairwiseScore, choices: Choices, /
    ) -> Iterator[Measured]:
        from hype.leaderboard.boards import Measured, entry_of
        from hype.protocols.comparison.scoring import options_for, scored_votes
        from hype.protocols.prompted.scoring import people_by_condition

        rows = scored_votes(answers.frame, options_for(answers, choices)).rows
        people = people_by_condition(rows, "left", "right")
        yield Measured(
            title=f"Comparisons: {scored.criterion}" if scored.criterion else "Comparisons",
            unit="Elo",
            decimals=0,
            about="Strengths by Bradley and Terry, on Elo's scale: 400 points are odds of 10 to 1.",
            simulated=scored.simulated,
            entries=tuple(
                entry_of(
                    row.condition,
                    row.elo,
                    evaluators=people.get(row.condition),
                    answers=row.comparisons,
                    ranks=(row.rank_low, row.rank_high),
                )
                for row in scored.conditions
            ),
            pairs=scored.pairs,
        )

    def design_in_words(
        self, study: ComparisonStudy, conditions: Sequence[str], /
    ) -> Sequence[Paragraph]:
        from hype.protocols.comparison.wording import design_in_words

        return design_in_words(study.settings, conditions)

    def statistics_in_words(self, scored: PairwiseScore, /) -> Sequence[Paragraph]:
        from hype.protocols.comparison.wording import statistics_in_words

        return statistics_in_words(scored, drawn=())

    def planned(self, study: ComparisonStudy, _of: str | None, /) -> PlannedScore:
        from hype.protocols.comparison.planning import planned_comparisons

        return planned_comparisons(study)

    def laid_out(self, answers: LoadedAnswers[Any], scored: PairwiseScore) -> RenderableType:
        from hype.protocols.comparison.wording import comparison_table

        return comparison_table(scored, background=answers.said)

    def report(
        self,
        answers: LoadedAnswers[Any],
        scored: PairwiseScore,
        choices: Choices,
        stimuli: Path | None = None,
    ) -> ComparisonReport:
        from hype.protocols.comparison.report import comparison_report

        return comparison_report(answers, scored, choices, stimuli)
