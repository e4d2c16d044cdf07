"""What every table of the study file is, and the kinds of numbers in them."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

LONGEST_MS: Final = 3_600_000
Positive = Annotated[float, Field(gt=0)]
Milliseconds = Annotated[float, Field(gt=0, le=LONGEST_MS)]
NotNegative = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]
Ceiling = Annotated[float, Field(gt=0, le=1)]


class Bearing(Enum):
    """Whose answers a setting bears on, where it is not everybody's.

    It stands beside a setting (``Annotated[int, Bearing.NOBODY]``). A setting without one bears on
    what is measured, or on who is: evaluators who were given another value of it were given another
    version of the study, and their answers are never scored together (`hype.study.versions`).
    """

    NOBODY = "the same is asked of the same people, whatever it is"
    SIMULATED = "it says how simulated evaluators answer"
    NEWCOMERS = "it says what joined: who came before goes on without it, in the same version"


def as_tuples(value: Any) -> Any:
    """Make tuples of lists, and of the lists in them."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


class Settings(BaseModel):
    """Base of all tables of the file: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def lists_are_tuples(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: as_tuples(value) for key, value in data.items()}


MOST_BLOCKS: Final = 1000


class AddedSettings(Settings):
    """``[added.<condition>]``: a model that joined while the study ran, as `hype add` writes it.

    Its images lie in ``added/<condition>`` beside the study file. Evaluators who came before it go
    on without it, under the plan that they began with; ``finished`` and ``votes`` are of arenas.
    """

    day: Annotated[str, Field(pattern=r"\d{4}-\d\d-\d\d")]
    """When it joined, in UTC."""
    finished: Annotated[int, Field(ge=0)] | None = None
    """How many evaluators of the arena had finished by then."""
    votes: Annotated[int, Field(ge=1)] | None = None
    """Votes at which the arena ends since then in any case, those before it among them."""


Added = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], AddedSettings],
    Bearing.NEWCOMERS,
]


class StimuliSettings(Settings):
    """``[stimuli]``: the stimulus set, and the conditions of it that are evaluated (all).

    ``images_per_condition`` is how many images of each, and how many real ones, are drawn from the
    set once and for all evaluators (all); the paper's K is 5000.
    """

    folder: Annotated[str, Field(min_length=1)]
    """Folder of the stimulus set, as `hype stimuli scan` lists it."""
    conditions: tuple[str, ...] = ()
    """Which conditions of the set take part; without it, all."""
    images_per_condition: Annotated[int, Field(ge=1)] | None = None
    """How many images of each condition, and real ones, are drawn; without it, all."""
