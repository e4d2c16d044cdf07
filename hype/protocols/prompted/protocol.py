"""Comparisons, ratings and rankings, as far as they are alike, with the files to start from."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError
from hype.protocols.about_you import ABOUT, further_groups, texts_if_asked
from hype.protocols.protocol import StudyProtocol, TextsIf

if TYPE_CHECKING:
    from hype.stimuli.manifest import StimulusSet


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedShape:
    """What a study of images of prompts is made of.

    Attributes
    ----------
    images
        Of each condition and prompt that take part.
    real_too
        Whether real images take part, as a condition of their own.
    prompts, conditions
        How many there are.
    """

    images: int = 4
    real_too: bool = False
    prompts: int = 2
    conditions: int = 2


def prompted_text(folder: Path, name: str, shape: PromptedShape, **more: object) -> str:
    """Write the commented study file of a protocol, by its folder."""
    from hype.study.templates import filled_in

    values = {"images": shape.images, "real_too": json.dumps(shape.real_too)}
    return filled_in(folder / "template.toml", name, **values, **more)


def no_remarks(_shape: PromptedShape) -> Iterator[str]:
    """Say nothing of a study."""
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedTemplate:
    """One kind of study to start from.

    Attributes
    ----------
    usual
        What it is made of where nothing is known of its images; of these at most as many.
    shape
        Makes what it is made of, from what is known.
    text
        Writes the study file, from its name and what it is made of.
    remarks
        Says what is unusual about it.
    trial
        The command that says what the design gives.
    complete
        Whether each prompt must have images of all conditions.
    words
        What evaluators do, as `hype new` lists it.
    wanted, of_each
        The key that says how many evaluators are wanted, and for each of what; empty where an
        experiment ends by its own rule.
    """

    usual: PromptedShape
    shape: Callable[..., PromptedShape]
    text: Callable[[str, Any], str]
    remarks: Callable[[Any], Iterator[str]] = no_remarks
    trial: str = "simulate"
    complete: bool = False
    words: str = ""
    wanted: str = ""
    of_each: str = ""


HOW_MANY: Final = (
    *("images", "blocks", "trials", "items", "groups", "practice", "held_out", "real_too"),
    *("prompts.", "prompt_column", "mouse"),
)
"""How settings begin that say how much is asked, of which images, and with what."""


class PromptedProtocol(StudyProtocol):
    """A protocol that asks about images of prompts."""

    @property
    @abstractmethod
    def templates(self) -> Mapping[str, PromptedTemplate]:
        """What `hype new` makes studies from, by name."""

    @abstractmethod
    def prompts(self, study: Any) -> Iterable[str]:
        """Give the texts of the prompts whose images a study asks about.

        Raises
        ------
        InputError
            Its images cannot be read.
        """

    def conditions(self, study: Any, stimuli: StimulusSet) -> tuple[str, ...]:
        from hype.protocols.prompted.pools import taking_part

        return taking_part(study, stimuli)

    @property
    def may_differ(self) -> tuple[str, ...]:
        return (*super().may_differ, *(f"{self.name}.{key}" for key in HOW_MANY))

    def text_groups(self, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        return ("all", ABOUT, *further_groups(tables), self.name)

    def texts_if(self, settings: Any) -> Iterator[TextsIf]:
        yield from texts_if_asked(settings)

    def words_asked(self, study: Any) -> Iterator[tuple[str, str]]:
        """Yield the questions about evaluators and the prompts."""
        yield from super().words_asked(study)
        try:
            yield "the prompts", "\n".join(self.prompts(study))
        except InputError:  # what is wrong with its images is said elsewhere
            return
