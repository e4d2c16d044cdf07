"""A study of each kind: its settings, where its file lies, and its words as they are shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from hype.masks.maskset import place_of_mask
from hype.stimuli.manifest import ImageFolders, folder_name, folder_of
from hype.study.demographics import DemographicSettings
from hype.study.shared import PromptSettings, SharedSettings, TextsIf, texts_if_asked
from hype.study.table import AddedSettings
from hype.study.texts import Words, in_english, pack_of

STUDY_FILE: Final = "study.toml"
ADDED: Final = "added"
"""The folder beside the study file with a stimulus set of each model that joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfVersions:
    """One version of a study that has several.

    Attributes
    ----------
    number, of
        Which, from 1 in the order in which they began, of how many.
    checksums
        Of the studies that its evaluators were given, which differ in nothing that is measured.
    """

    number: int
    of: int
    checksums: frozenset[str]

    def __str__(self) -> str:
        return f"{self.number} of {self.of}"


@dataclass(frozen=True, kw_only=True)  # no slots: its resolved text is kept with it
class AnyStudy:
    """A study of any protocol: its settings, and where it lies.

    Attributes
    ----------
    path
        Its file.
    settings
        What the file says.
    version
        The one whose evaluators alone are read, where not all of them are.
    """

    path: Path
    settings: SharedSettings
    version: OneOfVersions | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def stimuli_folder(self) -> Path:
        return self.folder / self.settings.stimuli.folder

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, where there is one and a method that shows masks."""
        return None

    @property
    def other_sets(self) -> Mapping[str, Path]:
        return {}

    @property
    def added(self) -> Mapping[str, AddedSettings]:
        """The models that joined while the study ran, in their order."""
        return self.settings.added

    @property
    def added_sets(self) -> Mapping[str, Path]:
        """The stimulus set of each model that joined."""
        return {name: self.folder / ADDED / folder_name(name) for name in self.added}

    @property
    def image_folders(self) -> ImageFolders:
        """Where the images of its conditions are, those that joined among them."""
        return ImageFolders(self.stimuli_folder, self.added_sets)

    def without(self, names: Collection[str]) -> AnyStudy:
        """Give the study as it was before some models joined."""
        return self.with_added({n: each for n, each in self.added.items() if n not in names})

    def with_added(self, added: Mapping[str, AddedSettings]) -> AnyStudy:
        """Give the study with these as the models that joined, and no others."""
        return self._with(added=added)

    def leaving_out(self, left_out: Mapping[str, str]) -> AnyStudy:
        """Give the study with these people left out, and no others."""
        study = cast("BaseModel", self.settings.study).model_copy(update={"left_out": left_out})
        return self._with(study=study)

    def _with(self, **changes: object) -> AnyStudy:
        return self.of(cast("BaseModel", self.settings).model_copy(update=changes))

    def of(self, settings: BaseModel) -> AnyStudy:
        """Give the study with other settings of the same protocol."""
        return replace(self, settings=cast("SharedSettings", settings))

    def place_of(self, image: str) -> tuple[Path, str]:
        """Give the stimulus set that an image of the record is of, and its path there."""
        name, _, rest = image.partition("/")
        folder = self.other_sets.get(name)
        if folder is not None:
            return folder, rest
        return folder_of(image, self.stimuli_folder, self.added_sets), image

    def place_of_mask(self, mask: str) -> tuple[Path, str]:
        """Give the mask set that a mask of the record is of, and its path there."""
        return place_of_mask(mask, self.masks_folder or self.folder, self.added_sets)

    @property
    def place_rule(self) -> tuple[float, tuple[str, ...]]:
        """Who has no place: whoever was silent for so many minutes, and those left out."""
        return self.settings.web.release_minutes, tuple(self.settings.study.left_out)

    @property
    def flashes(self) -> bool:
        """Whether images are shown for a time of their own, which phones cannot keep."""
        return False

    @property
    def scores_nobody(self) -> bool:
        """Whether it only finds who may take part in other studies."""
        return False

    @property
    def demographics(self) -> Mapping[str, DemographicSettings]:
        """What evaluators are asked about themselves."""
        return self.settings.demographics

    @property
    def of_prompts(self) -> PromptSettings | None:
        """What its file says of prompts, where its images are known by them."""
        return None

    @property
    def answers(self) -> str:
        return "judgements"

    @property
    def trials(self) -> str:
        return self.answers

    def named_folders(self) -> Iterator[tuple[str, str]]:
        """Yield each folder that its file names, after its key."""
        yield "stimuli.folder", self.settings.stimuli.folder
        yield from (("study.not_from", name) for name in self.settings.study.not_from)
        yield from ((f"added.{name}", f"{ADDED}/{name}") for name in self.added)

    def texts_if(self) -> Iterator[TextsIf]:
        """Yield the texts that not every study shows."""
        return texts_if_asked(self.settings)

    def words_asked(self) -> Iterator[tuple[str, str]]:
        """Yield what is shown in letters beside the texts, after where it comes from."""
        for name, asked in self.demographics.items():
            yield f"demographics.{name}", " ".join((asked.question, *asked.options))

    def resolved(self) -> str:
        """Give all settings, defaults included, as one line of JSON.

        Who may come with a browser is left out: it says nothing of what is asked, and may differ
        from day to day.
        """
        return self._resolved

    @cached_property
    def _resolved(self) -> str:
        return self.settings.model_dump_json(exclude={"web"})

    @cached_property
    def words_in_browser(self) -> Words:
        return words_shown(self.settings, self.settings.texts, in_browser=True)

    def checksum(self) -> str:
        """SHA-256 (hex) of `resolved`."""
        return self._checksum

    @cached_property
    def _checksum(self) -> str:
        return hashlib.sha256(self._resolved.encode()).hexdigest()


WordsT = TypeVar("WordsT", bound=Words)


def usual_texts(settings: SharedSettings) -> dict[str, str]:
    """Give the texts of its language, whatever the study file says."""
    english = in_english(type(settings.texts)).model_dump()
    return {**english, **pack_of(settings.study.language).texts_of(groups_of(settings))}


def words_shown(settings: SharedSettings, words: WordsT, *, in_browser: bool) -> WordsT:
    """Give a study's ``words`` as they are shown.

    In a browser there is no experimenter to tell, and maybe no key to press: a text that its
    language has given makes room for another one there. What the study words itself stays.
    """
    if not in_browser:
        return words
    usual, now = usual_texts(settings), words.model_dump()
    others = texts_in_browsers(settings)
    left = {name: text for name, text in others.items() if now[name] == usual[name]}
    return words.model_copy(update=left)


def texts_in_browsers(settings: SharedSettings) -> Mapping[str, str]:
    """Give what browsers have of a study's texts in the place of those for stations."""
    packed = pack_of(settings.study.language).in_browsers(groups_of(settings))
    known = type(settings.texts).model_fields
    return {name: text for name, text in packed.items() if name in known}


def groups_of(settings: SharedSettings) -> tuple[str, ...]:
    """Name the groups of a language's texts that a study has."""
    tables = json.loads(settings.model_dump_json())
    return type(settings).text_groups(tables)
