"""Rankings, as the program asks of every protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.protocols.prompted.protocol import PromptedProtocol
from hype.protocols.protocol import ALPHA, Json, TextsIf

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
    from hype.protocols.prompted.protocol import PromptedTemplate
    from hype.protocols.ranking.course import RankingCourse
    from hype.protocols.ranking.report import RankingReport
    from hype.protocols.ranking.results import RankingScore
    from hype.protocols.ranking.settings import RankingFile, RankingStudy
    from hype.protocols.ranking.verify import Rankings
    from hype.report.methods import Paragraph
    from hype.statistics.agreement import Alpha
    from hype.status.progress import Telling
    from hype.store.columns import RecordedAnswers
    from hype.study.texts import Pack

TESTS: Final = (
    "strengths: Plackett and Luce's model, and Bradley and Terry's of the pairs that a ranking "
    "comes to, for other evaluators and other images, 95%",
    "pairs: differences of strengths, max-|t| over all pairs stepping down, or Holm's rule where "
    "people or prompts are few",
    "agreement: of two people, and of one with the others' mean",
    "annotators against checkers: recall@2, Wilson's interval, 95%",
)


class RankingProtocol(PromptedProtocol):
    """A group of images put in order."""

    name = "ranking"
    answers = "rankings"
    drawn = "orders were drawn from strengths of the conditions that the study sets"
    asks = "the order (ranking)"
    own_choices = frozenset(("ties", "strengths", "judges", "margin"))

    @property
    def settings(self) -> type[RankingFile]:
        from hype.protocols.ranking.settings import RankingFile

        return RankingFile

    def study(self, file: Path, settings: Any) -> RankingStudy:
        from hype.protocols.ranking.settings import RankingStudy

        return RankingStudy(path=file, settings=settings)

    def course(self, study: RankingStudy) -> RankingCourse:
        from hype.protocols.ranking.course import RankingCourse

        return RankingCourse(study)

    @property
    def recorded(self) -> RecordedAnswers:
        from hype.protocols.ranking.record import RANKINGS

        return RANKINGS

    def worded(self, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        given = tables.get("ranking", {})
        if not isinstance(given, Mapping):
            return super().worded(tables, pack)
        question = pack.questions[self.name]["order"]
        return {**super().worded(tables, pack), "ranking": {"question": question, **given}}

    def texts_if(self, settings: RankingFile) -> Iterator[TextsIf]:
        yield from super().texts_if(settings)
        asked = settings.ranking
        yield asked.ties, ("tie", "tying", "instructions_ties")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice",)
        yield settings.screening.test > 0, ("test",)

    def words_asked(self, study: RankingStudy) -> Iterator[tuple[str, str]]:
        yield "ranking.question", study.settings.ranking.question
        yield from super().words_asked(study)

    @property
    def held(self) -> Mapping[str, str]:
        return {"rankings": "answer = 'accept'", "acts": ""}

    @property
    def templates(self) -> Mapping[str, PromptedTemplate]:
        from hype.protocols.ranking.template import TEMPLATES

        return TEMPLATES

    def prompts(self, study: RankingStudy) -> Iterator[str]:
        from hype.protocols.ranking.sampling import read_ranking_pools

        return (prompt.text for prompt in read_ranking_pools(study).prompts)

    def questions(self, study: RankingStudy) -> Iterator[ImageQuestion]:
        from hype.protocols.ranking.export import questions_of

        return questions_of(study)

    def check(self, study: RankingStudy) -> Preflight:
        from hype.protocols.ranking.checks import check_ranking_study

        return check_ranking_study(study)

    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        from hype.protocols.ranking.checks import lines_of_rankings

        return lines_of_rankings(facts) if "prompts" in facts else iter(())

    def planned_analysis(self, study: RankingStudy) -> Json:
        settings = study.settings
        asked, rule = settings.ranking, settings.screening
        bound = rule.min_recall
        below = f"evaluators below {bound or 0:.0%} of recall@2 in the test"
        return {
            "methods": list(settings.study.methods),
            "seed": settings.study.seed,
            "question": asked.question,
            "rankings": asked.rankings,
            "ties": asked.ties,
            "held_out": asked.held_out,
            "screening": rule.model_dump(mode="json"),
            "alpha": ALPHA,
            "margin": settings.analysis.margin,
            "judge_margin": settings.analysis.judge_margin,
            "not_scored": [
                "evaluators who declined or did not finish",
                *([below] if bound is not None else []),
                "practice, the test, and what checkers rank",
                "rankings that were not accepted",
            ],
            "tests": list(TESTS),
        }

    def look(self, connection: Connection, study: RankingStudy, *, simulated: bool) -> Telling:
        from hype.protocols.ranking.status import look_at_rankings

        return look_at_rankings(connection, study, simulated=simulated)

    @property
    def verified(self) -> Rankings:
        from hype.protocols.ranking.verify import Rankings

        return Rankings()

    def exported(self, _study: RankingStudy, /) -> ExportKind:
        from hype.protocols.ranking.export import RANKING

        return RANKING

    def is_table_of(self, names: Collection[str]) -> bool:
        return "rank" in names and "truth" not in names

    def read(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        from hype.protocols.ranking.scoring import rankings_for

        return rankings_for(source, choices)

    def score(self, answers: LoadedAnswers[Any], choices: Choices) -> RankingScore:
        from hype.protocols.ranking.scoring import score_rankings_loaded

        return score_rankings_loaded(answers, choices)

    def agreement(self, answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
        from hype.protocols.ranking.agreement import rank_alpha, shared_ranks
        from hype.protocols.ranking.scoring import options_for, scored_rankings

        options = options_for(answers, choices)
        shared = shared_ranks(scored_rankings(answers.frame, options).rows, options.images)
        return rank_alpha(shared, confidence=options.confidence) if shared else None

    def group_measures(
        self, answers: LoadedAnswers[Any], choices: Choices
    ) -> Iterator[GroupMeasure]:
        from hype.protocols.ranking.scoring import ranking_measures

        return ranking_measures(answers, choices)

    def measured(
        self, answers: LoadedAnswers[Any], scored: RankingScore, choices: Choices, /
    ) -> Iterator[Measured]:
        from hype.leaderboard.boards import Measured, entry_of
        from hype.protocols.prompted.scoring import people_by_condition
        from hype.protocols.ranking.scoring import options_for, scored_rankings

        rows = scored_rankings(answers.frame, options_for(answers, choices)).rows
        people = people_by_condition(rows, "condition")
        yield Measured(
            title="Rankings",
            unit="Elo",
            decimals=0,
            about="Strengths by Plackett and Luce, on Elo's scale: 400 points are odds of 10 to 1.",
            simulated=scored.simulated,
            entries=tuple(
                entry_of(
                    row.condition,
                    row.elo,
                    evaluators=people.get(row.condition),
                    answers=row.images,
                    ranks=(row.rank_low, row.rank_high),
                )
                for row in scored.conditions
            ),
            pairs=scored.pairs,
        )

    def design_in_words(
        self, study: RankingStudy, conditions: Sequence[str], /
    ) -> Sequence[Paragraph]:
        from hype.protocols.ranking.wording import design_in_words

        return design_in_words(study.settings, conditions)

    def statistics_in_words(self, scored: RankingScore, /) -> Sequence[Paragraph]:
        from hype.protocols.ranking.wording import statistics_in_words

        return statistics_in_words(scored, drawn=())

    def planned(self, study: RankingStudy, _of: str | None, /) -> PlannedScore:
        from hype.protocols.prompted.planning import planned_strengths
        from hype.protocols.ranking.course import RankingCourse
        from hype.protocols.ranking.exclusion import RANKED
        from hype.protocols.ranking.rows import RANKING_COLUMNS
        from hype.protocols.ranking.scoring import count_groups, differences_alone, options_of_study
        from hype.protocols.ranking.table import check_rankings

        planned = planned_strengths(
            RankingCourse(study),
            partial(differences_alone, options=options_of_study(study)),
            title="Rankings",
            outgoing=RANKED,
            columns=RANKING_COLUMNS,
            check=check_rankings,
        )
        return replace(planned, paid=count_groups, numbered="ranking")

    def laid_out(self, answers: LoadedAnswers[Any], scored: RankingScore) -> RenderableType:
        from hype.protocols.ranking.wording import ranking_table

        return ranking_table(scored, background=answers.said)

    def report(
        self,
        answers: LoadedAnswers[Any],
        scored: RankingScore,
        choices: Choices,
        stimuli: Path | None = None,
    ) -> RankingReport:
        from hype.protocols.ranking.report import ranking_report

        return ranking_report(answers, scored, choices, stimuli)
