"""What comparisons, ratings and rankings have in common: images of prompts, at leisure."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, TypeVar

import numpy as np

from hype.errors import InputError
from hype.protocols.base import Conduct, EarlierEvaluators
from hype.protocols.prompted.observer import PromptedObserver, PromptedTastes
from hype.protocols.prompted.pools import PromptedPools
from hype.protocols.prompted.trial import PromptedPlan
from hype.protocols.studies import PromptedStudy, words_shown
from hype.session.materials import check_image
from hype.station.config import Keys
from hype.station.triggers import TriggerPorts
from hype.study.assignment import Assignment, Cell, least_filled
from hype.study.draws import Purpose, seed_sequence
from hype.study.shared import PromptedSettings
from hype.study.station_settings import KeySettings, TriggerSettings

PlanT = TypeVar("PlanT", bound=PromptedPlan)


class PromptedConduct(Conduct[PlanT]):
    """A study that asks about images of prompts.

    Attributes
    ----------
    shared_out
        What its evaluators have shares of.
    simulated
        Who goes through its plans where nobody real does.
    """

    shared_out: ClassVar[str]
    simulated: ClassVar[type[PromptedObserver]]
    study: PromptedStudy
    pools: PromptedPools

    @property
    @abstractmethod
    def tastes(self) -> PromptedTastes:
        """The simulated people."""

    @property
    def strengths(self) -> dict[str, float]:
        """How much they like each condition; 0 where the study says nothing of it."""
        observers = self.study.settings.observers
        return {
            name: observers[name].strength if name in observers else 0.0
            for name in self.pools.conditions
        }

    def observer(self, plan: PlanT, *, seed: int) -> PromptedObserver:
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return self.simulated(self.tastes, rng)

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

    def check_files(self, plan: PlanT) -> str | None:
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


def texts_shown(
    settings: PromptedSettings, extra: Iterable[tuple[str, bool]], *, in_browser: bool, **usual: str
) -> dict[str, str]:
    """Give the words on the screens; the instructions say only what there is.

    ``extra``: texts that the instructions end with, and whether they do. ``usual``: what stands
    where a study leaves a text empty.
    """
    words = words_shown(settings, settings.texts, in_browser=in_browser)
    texts: dict[str, str] = words.model_dump()
    texts |= {name: text for name, text in usual.items() if not texts[name]}
    if more := " ".join(texts[name] for name, is_shown in extra if is_shown):
        texts["instructions"] += f"\n\n{more}"
    return texts
