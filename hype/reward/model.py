"""A reward model as a folder: weights, settings and a card. Loading one runs no code.

`weights.safetensors` holds arrays alone, `model.json` what they are of and how they came about,
`card.md` says the same to people, and `card.svg` shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field, ValidationError

from hype.errors import InputError
from hype.features.features import FeatureArray
from hype.files import aside, read_bytes, write_bytes
from hype.reward.heads import Head, shapes
from hype.reward.votes import VoteSplit
from hype.statistics.arrays import FloatArray
from hype.study.mistakes import explained
from hype.study.table import Settings
from hype.system import move_folder

WEIGHTS: Final = "weights.safetensors"
SETTINGS: Final = "model.json"
CARD: Final = "card.md"
FIGURE: Final = "card.svg"
LARGEST_BYTES: Final = 1 << 30
"""Of a model's weights; a head on 1,280 features with 64 hidden units and 20 members has 7 MB."""
Tensors = Mapping[str, np.ndarray[Any, Any]]


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
    number: Annotated[int, Field(ge=1)]
    sha256: str
    """Of the values that it was trained on; of a CLIP folder, of its weights."""


class ModelSettings(Settings):
    """``model.json``."""

    format: Literal[1] = 1
    kind: Literal["head", "clip"]
    hype_version: str
    seed: int
    hidden: Annotated[int, Field(ge=0)] = 0
    """Units of the hidden layer; 0 for a linear head."""
    members: Annotated[int, Field(ge=0)] = 0
    """Heads of resampled prompts, beside the one of all."""
    rank: Annotated[int, Field(ge=0)] = 0
    """Of LoRA's matrices; 0 for a head."""
    penalty: float
    temperature: float
    log_nu: float | None = None
    """Of Davidson's ν, before scores were divided by the temperature; null where nobody tied."""
    weigh_people: bool = False
    features: FeatureFacts
    data: DataFacts
    scores: Annotated[dict[str, Any], Field(default_factory=dict)]
    """What it gets right, and beside what; nothing that scoring depends on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RewardModel:
    """A model that was read."""

    folder: Path
    settings: ModelSettings
    tensors: Tensors

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

    @property
    def heads(self) -> tuple[Head, ...]:
        each = range(1 + self.settings.members)
        offset = self.tensors["offset"]
        names = [name for name in self.tensors if name != "offset"]
        return tuple(
            Head(
                weights={name: self.tensors[name][n].astype(float) for name in names},
                offset=float(offset[n]),
            )
            for n in each
        )

    def scores(self, features: FeatureArray, where: object) -> tuple[FloatArray, FloatArray | None]:
        """Give scores, and their spread over the members, shape (images,); None without members.

        Raises InputError: these are not as many features as it was trained on.
        """
        if features.shape[1] != self.settings.features.number:
            problem = f"{features.shape[1]:,} features an image"
            wanted = f"{self.settings.features.number:,}, as {self.folder} was trained on"
            raise InputError(where, problem, wanted)
        own, *others = (head.scores(features) for head in self.heads)
        return own, spread_over(np.array(others))


def spread_over(members: FloatArray) -> FloatArray | None:
    """Give the standard deviation over members of each image's score; None of fewer than two."""
    return members.std(axis=0, ddof=1) if len(members) > 1 else None


def stacked(heads: tuple[Head, ...]) -> Tensors:
    """Put the weights of heads of one shape together, in single precision."""
    tensors = {
        name: np.stack([head.weights[name] for head in heads]) for name in heads[0].weights
    } | {"offset": np.array([head.offset for head in heads])}
    return {name: np.ascontiguousarray(t, dtype=np.float32) for name, t in tensors.items()}


def expected_shapes(settings: ModelSettings) -> dict[str, tuple[int, ...]]:
    heads = 1 + settings.members
    named = shapes(settings.features.number, settings.hidden)
    return {name: (heads, *shape) for name, shape in named.items()} | {"offset": (heads,)}


def write_model(
    folder: Path, settings: ModelSettings, tensors: Tensors, card: str, figure: bytes = b""
) -> None:
    """Write a model; it is there whole or not at all. An empty figure is left out.

    Raises InputError: the folder holds something, or cannot be written.
    """
    from safetensors.numpy import save

    text = json.dumps(settings.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside(folder.parent.resolve(), "reward") as temporary:
            temporary.chmod(0o755)
            write_bytes(temporary / WEIGHTS, save(dict(tensors)), private=False)
            write_bytes(temporary / SETTINGS, text.encode(), private=False)
            write_bytes(temporary / CARD, card.encode(), private=False)
            if figure:
                write_bytes(temporary / FIGURE, figure, private=False)
            move_folder(temporary, folder.resolve())
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def read_model(folder: Path) -> RewardModel:
    """Read a model.

    Raises InputError: a file is missing, or is not what `hype reward train` writes.
    """
    settings, tensors = read_settings(folder / SETTINGS), read_weights(folder / WEIGHTS)
    wanted = expected_shapes(settings)
    if settings.kind == "clip":  # the matrices are for what is read with them to know
        wanted = {name: values.shape for name, values in tensors.items()}
        wanted |= {"offset": (1 + settings.members,)}
    require_shapes(folder / WEIGHTS, tensors, wanted)
    return RewardModel(folder=folder, settings=settings, tensors=tensors)


def content_of(path: Path) -> bytes:
    try:
        return read_bytes(path, most_bytes=LARGEST_BYTES)
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(path, problem, "a folder that hype reward train made") from None


def read_settings(path: Path) -> ModelSettings:
    try:
        return ModelSettings.model_validate_json(content_of(path))
    except ValidationError as error:
        mistakes = "\n  ".join(explained(error.errors(), ModelSettings))
        raise InputError(path, mistakes) from None


def read_weights(path: Path) -> Tensors:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors = load(content_of(path))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"is no safetensors file: {error}") from None
    for name, values in tensors.items():
        if values.dtype not in (np.float32, np.float64) or not np.isfinite(values).all():
            raise InputError(path, f"{name!r} holds what is no finite number", "float32 or float64")
    return tensors


def require_shapes(path: Path, tensors: Tensors, wanted: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse weights that are not those that the settings speak of."""
    listed = ", ".join(f"{name} {list(shape)}" for name, shape in wanted.items())
    if unlike := sorted(set(tensors) ^ set(wanted)):
        problem = f"{unlike[0]!r} is {'unknown' if unlike[0] in tensors else 'missing'}"
        raise InputError(path, problem, f"by model.json it holds {listed}")
    for name, shape in wanted.items():
        if tensors[name].shape != shape:
            problem = f"{name!r} has the shape {list(tensors[name].shape)}"
            raise InputError(path, problem, f"by model.json {list(shape)}")
