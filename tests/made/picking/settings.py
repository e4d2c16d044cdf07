"""A study of picking as frozen values: its file, its texts, and its folder."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from hype.protocols.prompted import settings as shared
from hype.protocols.prompted.settings import PromptedPeopleSettings, TasteSettings
from hype.study.studies import PromptSettings
from hype.study.table import Affects
from hype.study.texts import SessionWords, english_words

NAME = "picking"


class PickingStudySettings(shared.AskingSettings):
    methods: tuple[Literal["picking"]] = (NAME,)


class PickingSettings(PromptSettings):
    """``[picking]``: the images in a row, the question, and the number of evaluators."""

    question: Annotated[str, Field(min_length=1)] = "Which image is the best?"
    evaluators: Annotated[int, Field(ge=1), Affects.NOBODY] = 12


class PickingTexts(SessionWords):
    everywhere: ClassVar[Set[str]] = frozenset(("continue_key", "pause_key"))

    welcome: str = "Welcome\n\nYou will see rows of images and pick the best of each."
    instructions: str = "How it works\n\nPress the number of the best image: 1 is on the left."
    practice: str = ""
    block: str = "Now it begins\n\n{trials} rows."
    debrief: str = "Thank you\n\nYou picked {answers} images, and receive {currency}{pay}."


class PickingFile(shared.PromptedFile):
    protocol = NAME

    study: PickingStudySettings
    picking: PickingSettings = PickingSettings()
    texts: PickingTexts = english_words(PickingTexts)
    people: Annotated[PromptedPeopleSettings, Affects.SIMULATED] = PromptedPeopleSettings()
    observers: Annotated[dict[str, TasteSettings], Affects.SIMULATED] = Field(default_factory=dict)

    @property
    def evaluators_per_cell(self) -> int:
        return self.picking.evaluators

    @property
    def prompted(self) -> PickingSettings:
        return self.picking


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingStudy(shared.PromptedStudy):
    settings: PickingFile
    answers: ClassVar[str] = "picks"


FILE = PickingFile
STUDY = PickingStudy
