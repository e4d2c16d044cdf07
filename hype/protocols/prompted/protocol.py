"""Comparisons, ratings and rankings, as far as they are alike, as the program asks of protocols."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hype.errors import InputError
from hype.protocols.about_you import ABOUT, texts_if_asked, typed_groups
from hype.protocols.protocol import StudyProtocol, TextsIf

if TYPE_CHECKING:
    from hype.protocols.prompted.template import PromptedTemplate
    from hype.stimuli.manifest import StimulusSet


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

    def text_groups(self, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        return ("all", ABOUT, *typed_groups(tables), self.name)

    def texts_if(self, settings: Any) -> Iterator[TextsIf]:
        yield from texts_if_asked(settings.demographics)

    def words_asked(self, study: Any) -> Iterator[tuple[str, str]]:
        """Yield the questions about evaluators and the prompts."""
        yield from super().words_asked(study)
        try:
            yield "the prompts", "\n".join(self.prompts(study))
        except InputError:  # what is wrong with its images is said elsewhere
            return
