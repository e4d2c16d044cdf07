"""Picking the best of a row, as the program asks of every protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hype.protocols.prompted.protocol import PromptedProtocol
from hype.protocols.protocol import ALPHA, Json
from hype.store.columns import RecordedAnswers

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.sources import LoadedAnswers, Opened
    from hype.check.findings import Preflight
    from hype.export.kind import ExportKind
    from hype.protocols.prompted.protocol import PromptedTemplate
    from hype.status.progress import Telling
    from picking.course import PickingCourse
    from picking.scoring import PickingReport, PickingScore
    from picking.settings import PickingFile, PickingStudy
    from picking.verify import Picks


class PickingProtocol(PromptedProtocol):
    """Which is the best of a row."""

    name = "picking"
    answers = "picks"
    drawn = "picks were drawn from strengths of the conditions that the study sets"
    asks = "which of several is the best (picking)"
    own_choices = frozenset(())

    @property
    def settings(self) -> type[PickingFile]:
        from picking.settings import PickingFile

        return PickingFile

    def study(self, file: Path, settings: Any) -> PickingStudy:
        from picking.settings import PickingStudy

        return PickingStudy(path=file, settings=settings)

    def course(self, study: PickingStudy) -> PickingCourse:
        from picking.course import PickingCourse

        return PickingCourse(study)

    @property
    def recorded(self) -> RecordedAnswers:
        from picking.record import PICKS

        return PICKS

    @property
    def templates(self) -> Mapping[str, PromptedTemplate]:
        from picking.template import PICKING

        return {self.name: PICKING}

    def prompts(self, study: PickingStudy) -> Iterator[str]:
        from picking.course import read_picking_pools

        return (prompt.text for prompt in read_picking_pools(study).prompts)

    def check(self, study: PickingStudy) -> Preflight:
        from picking.checks import check_picking_study

        return check_picking_study(study)

    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if "rows" in facts:
            yield "rows", f"{facts['rows']} of {len(facts['conditions'])} images"
            yield "evaluators", str(facts["evaluators"])

    def planned_analysis(self, study: PickingStudy) -> Json:
        from picking.rows import MEANINGS

        return {
            "methods": list(study.settings.study.methods),
            "not_scored": list(MEANINGS),
            "alpha": ALPHA,
            "tests": ["shares: Wilson's interval, 95%"],
        }

    def look(self, connection: Connection, study: PickingStudy, *, simulated: bool) -> Telling:
        from picking.status import look_at_picks

        return look_at_picks(connection, study, simulated=simulated)

    @property
    def verified(self) -> Picks:
        from picking.verify import Picks

        return Picks()

    def exported(self, _study: PickingStudy, /) -> ExportKind:
        from picking.export import PICKING

        return PICKING

    def is_table_of(self, names: Collection[str]) -> bool:
        return "picked" in names

    def read(self, source: Opened, choices: Choices) -> LoadedAnswers:
        from picking.scoring import read_picks

        return read_picks(source, choices)

    def score(self, answers: LoadedAnswers, _choices: Choices) -> PickingScore:
        from picking.scoring import score_picks

        return score_picks(answers)

    def laid_out(self, answers: LoadedAnswers, scored: PickingScore) -> RenderableType:
        from picking.scoring import laid_out

        return laid_out(answers, scored)

    def report(
        self,
        answers: LoadedAnswers,
        scored: PickingScore,
        _choices: Choices,
        _stimuli: Path | None = None,
    ) -> PickingReport:
        from picking.scoring import PickingReport

        return PickingReport(answers=answers, score=scored)
