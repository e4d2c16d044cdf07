"""A reward model as a folder: `model.json` and a card. Reading one runs no code.

`model.json` holds the weights, what they are of and how they came about; `card.md` says it to
people, and `card.svg` shows it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field, FiniteFloat, ValidationError

from hype.errors import InputError
from hype.features.features import FeatureArray
from hype.files import aside, read_bytes, write_bytes
from hype.reward.head import Head
from hype.reward.votes import VoteSplit
from hype.statistics.arrays import FloatArray
from hype.study.mistakes import explained
from hype.study.table import Settings
from hype.system import move_folder

SETTINGS: Final = "model.json"
CARD: Final = "card.md"
FIGURE: Final = "card.svg"
LARGEST_BYTES: Final = 64 << 20
"""Of the settings with their weights; 1,280 of these have 40 kB."""


class PromptParts(Settings):
    """What the votes on each prompt were for."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]

    @property
    def by_part(self) -> dict[VoteSplit, tuple[str, ...]]:
        return {part: getattr(self, part.value) for part in VoteSplit}


class DataFacts(Settings):
    """On whose choices a model was trained."""

    study: str
    study_checksum: str
    question: str
    simulated: bool
    """Whether nobody real was asked."""
    evaluators: int
    images: int
    votes: int
    votes_left_out: int
    """Votes on images whose files are no longer what was shown."""
    votes_sha256: str
    prompts: PromptParts


class FeatureFacts(Settings):
    """What a model sees of an image."""

    source: str
    sha256: str
    """Of the values that it was trained on."""


class ModelSettings(Settings):
    """``model.json``."""

    format: Literal[1] = 1
    hype_version: str
    seed: int
    penalty: float
    temperature: float
    log_nu: float | None = None
    """Of Davidson's ν, before scores were divided by the temperature; null where nobody tied."""
    weigh_people: bool = False
    features: FeatureFacts
    data: DataFacts
    scores: Annotated[dict[str, Any], Field(default_factory=dict)]
    """What it gets right, and beside what; nothing that scoring depends on."""
    offset: FiniteFloat
    """What is taken off the weighted sum of an image's features."""
    weight: Annotated[tuple[FiniteFloat, ...], Field(min_length=1)]
    """Of each feature."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RewardModel:
    """A model that was read."""

    folder: Path
    settings: ModelSettings

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def trained_on(self) -> str:
        return "simulated evaluators" if self.settings.data.simulated else "people"

    @cached_property
    def part_of_prompt(self) -> dict[str, str]:
        prompts = self.settings.data.prompts.by_part
        return {prompt: part.value for part, some in prompts.items() for prompt in some}

    def scores(self, features: FeatureArray, where: object) -> FloatArray:
        """Give the score of each image, shape (images,).

        Raises InputError: these are not as many features as it was trained on.
        """
        weight = np.array(self.settings.weight)
        if features.shape[1] != len(weight):
            problem = f"{features.shape[1]:,} features an image"
            wanted = f"{len(weight):,}, as {self.folder} was trained on"
            raise InputError(where, problem, wanted)
        return Head(weight=weight, offset=self.settings.offset).scores(features)


def write_model(folder: Path, settings: ModelSettings, card: str, figure: bytes = b"") -> None:
    """Write a model; it is there whole or not at all. An empty figure is left out.

    Raises InputError: the folder holds something, or cannot be written.
    """
    text = json.dumps(settings.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside(folder.parent.resolve(), "reward") as temporary:
            temporary.chmod(0o755)
            write_bytes(temporary / SETTINGS, text.encode(), private=False)
            write_bytes(temporary / CARD, card.encode(), private=False)
            if figure:
                write_bytes(temporary / FIGURE, figure, private=False)
            move_folder(temporary, folder.resolve())
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def read_model(folder: Path) -> RewardModel:
    """Read a model.

    Raises InputError: its file is missing, or is not what `hype reward train` writes.
    """
    path = folder / SETTINGS
    try:
        settings = ModelSettings.model_validate_json(read_bytes(path, most_bytes=LARGEST_BYTES))
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(path, problem, "a folder that hype reward train made") from None
    except ValidationError as error:
        mistakes = "\n  ".join(explained(error.errors(), ModelSettings))
        raise InputError(path, mistakes) from None
    return RewardModel(folder=folder, settings=settings)
