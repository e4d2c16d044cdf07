"""What comparisons, ratings and rankings have in common: images of prompts, at leisure."""

from __future__ import annotations

from typing import ClassVar, Protocol, TypeVar

from hype.errors import InputError
from hype.protocols.base import Conduct, EarlierEvaluators
from hype.protocols.prompted.trial import Candidate
from hype.session.materials import check_image
from hype.session.steps import AnyPlan
from hype.station.config import Keys
from hype.station.triggers import TriggerPorts
from hype.study.assignment import Assignment, Cell, least_filled
from hype.study.station_settings import KeySettings, TriggerSettings


class ShowingPlan(AnyPlan, Protocol):
    """The plan of a session that shows images of prompts."""

    def images(self) -> tuple[Candidate, ...]:
        """Give the images that it shows, each once."""


ShowingT = TypeVar("ShowingT", bound=ShowingPlan)


class PromptedConduct(Conduct[ShowingT]):
    """A study that asks about images of prompts.

    ``shared_out`` is what its evaluators have shares of.
    """

    shared_out: ClassVar[str]

    def require_enough(self) -> None:
        """Refuse nothing: the pools are all that is asked, and were checked when they were read."""

    def require_place(self, cell: Cell) -> None:
        """Refuse a share that the study does not have any more."""
        if cell not in (*self.cells, *self.other_cells):
            raise InputError(
                self.study.path, f"its {self.shared_out} are shared out differently now"
            )

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        seed = self.study.settings.study.seed
        cell = least_filled(evaluator, cells=self.cells, filled=earlier.filled, seed=seed)
        return Assignment(evaluator=evaluator, cell=cell)

    def check_files(self, plan: ShowingT) -> str | None:
        """Refuse to begin when an image of the plan is missing or is not what it was."""
        for image in plan.images():
            check_image(self.study, image.path, image.sha256)
        return None

    def trigger_ports(self) -> TriggerPorts:
        """Tell nobody: nothing is flashed."""
        return TriggerPorts(**TriggerSettings().model_dump())

    def enough(self, _earlier: EarlierEvaluators, /) -> str:
        """Say nothing: places are filled."""
        return ""


def keys_of(keys: KeySettings, *, tie: str = "", undo: str = "", not_relevant: str = "") -> Keys:
    """Give the keys as the station has them; the left one is that of the left image."""
    return Keys(
        left=keys.left,
        right=keys.right,
        go_on=keys.go_on,
        pause=keys.pause,
        tie=tie,
        undo=undo,
        not_relevant=not_relevant,
    )
