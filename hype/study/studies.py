"""A study of any protocol: settings, words as shown, and its file, to which models can be added."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast

from pydantic import BaseModel

from hype.errors import InputError
from hype.masks.maskset import place_of_mask
from hype.stimuli.manifest import ImageFolders, folder_name, folder_of
from hype.study.demographics import DemographicSettings, Quota
from hype.study.table import (
    AddedSettings,
    DisplaySettings,
    KeySettings,
    MonitorSettings,
    Settings,
    StimuliSettings,
)
from hype.study.texts import Language, Pack, Words, in_english, over, pack_of, table_of
from hype.study.web_settings import WebSettings

STUDY_FILE: Final = "study.toml"
ADDED: Final = "added"
"""The folder next to the study file with a stimulus set of each model that joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfVersions:
    """One version of a study that has several.

    Attributes
    ----------
    number, of
        Which, from 1 in the order in which they began, of how many.
    checksums
        Of the studies that its evaluators were given; all of them measure the same.
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
    store
        The address of the PostgreSQL database that holds its record; empty: a file next to it.
    version
        If set, only evaluators of this version are read.
    """

    path: Path
    settings: SharedSettings
    store: str = ""
    version: OneOfVersions | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def stimuli_folder(self) -> Path:
        return self.folder / self.settings.stimuli.folder

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, if there is one and a method that shows masks."""
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
        """Return the study as it was before some models joined."""
        return self.with_added({n: each for n, each in self.added.items() if n not in names})

    def with_added(self, added: Mapping[str, AddedSettings]) -> AnyStudy:
        """Return the study with these as the models that joined, and no others."""
        return self._with(added=added)

    def leaving_out(self, left_out: Mapping[str, str]) -> AnyStudy:
        """Return the study with these people left out, and no others."""
        study = cast("BaseModel", self.settings.study).model_copy(update={"left_out": left_out})
        return self._with(study=study)

    def _with(self, **changes: object) -> AnyStudy:
        return self.of(cast("BaseModel", self.settings).model_copy(update=changes))

    def of(self, settings: BaseModel) -> AnyStudy:
        """Return the study with other settings of the same protocol."""
        return replace(self, settings=cast("SharedSettings", settings))

    def place_of(self, image: str) -> tuple[Path, str]:
        """Return the stimulus set that an image of the record is of, and its path there."""
        name, _, rest = image.partition("/")
        folder = self.other_sets.get(name)
        if folder is not None:
            return folder, rest
        return folder_of(image, self.stimuli_folder, self.added_sets), image

    def place_of_mask(self, mask: str) -> tuple[Path, str]:
        """Return the mask set that a mask of the record is of, and its path there."""
        return place_of_mask(mask, self.masks_folder or self.folder, self.added_sets)

    @property
    def place_rule(self) -> tuple[float, tuple[str, ...]]:
        """Who has no place: minutes of silence after which it is lost, and the codes left out."""
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
        """The settings on prompts, if its images were made from prompts."""
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
        """Yield where each text shown besides ``[texts]`` comes from, and the text."""
        for name, asked in self.demographics.items():
            yield f"demographics.{name}", " ".join((asked.question, *asked.options))

    def resolved(self) -> str:
        """Return all settings, defaults included, as one line of JSON.

        The table ``[web]`` is left out: it does not affect what is asked, and may differ from day
        to day.
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
    """Return the texts of its language, whatever the study file says."""
    english = in_english(type(settings.texts)).model_dump()
    return {**english, **pack_of(settings.study.language).texts_of(groups_of(settings))}


def words_shown(settings: SharedSettings, words: WordsT, *, in_browser: bool) -> WordsT:
    """Return a study's ``words`` as they are shown.

    In a browser there is no experimenter, and maybe no key to press: there, a text of the language
    is replaced by one for browsers. Texts of the study itself stay.
    """
    if not in_browser:
        return words
    usual, now = usual_texts(settings), words.model_dump()
    others = texts_in_browsers(settings)
    left = {name: text for name, text in others.items() if now[name] == usual[name]}
    return words.model_copy(update=left)


def texts_in_browsers(settings: SharedSettings) -> Mapping[str, str]:
    """Return the texts that replace a study's texts for stations in browsers."""
    packed = pack_of(settings.study.language).in_browsers(groups_of(settings))
    known = type(settings.texts).model_fields
    return {name: text for name, text in packed.items() if name in known}


def groups_of(settings: SharedSettings) -> tuple[str, ...]:
    """Name the groups of a language's texts that a study has."""
    tables = json.loads(settings.model_dump_json())
    return type(settings).text_groups(tables)


LARGEST_STUDY_BYTES: Final = 256 << 10


class GrowingStudy:
    """A loaded study with the models that joined since: its file is checked each time.

    Who is left out is also read anew. All other changes to the file are ignored, and so is a model
    that joins with them: one program asks everybody the same. ``remark`` then receives a message.
    """

    def __init__(
        self, study: AnyStudy, load: Callable[[Path], AnyStudy], remark: Callable[[str], None]
    ) -> None:
        self._study, self._load, self._remark = study, load, remark
        self._looked_at: tuple[int, int, int] | None = None
        self._turn = Lock()

    def now(self) -> AnyStudy:
        """Return the study as it is now; if its file cannot be read, as it was."""
        with self._turn:
            with suppress(OSError):
                status = self._study.path.stat()
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                if stamp != self._looked_at:
                    self._looked_at = stamp
                    try:
                        self._study = self._grown(self._load(self._study.path))
                    except InputError as error:
                        self._remark(str(error))
            return self._study

    def _grown(self, read: AnyStudy) -> AnyStudy:
        study = self._study
        if read.settings.study.left_out != study.settings.study.left_out:
            study = study.leaving_out(read.settings.study.left_out)
        if read.added == study.added:
            return study
        if read.with_added({}).checksum() != study.with_added({}).checksum():
            problem = "names a model that joined, and says otherwise what this program began with"
            raise InputError(read.path, problem, "the model is taken up when it is started anew")
        return study.with_added(read.added)


ABOUT: Final = "about"
TYPED: Final = "typed"
QUOTAS: Final = "quotas"
"""Groups of a language's texts: for questions about the evaluator, for typed answers, and for
evaluators whose group is full."""
TextsIf = tuple[bool, tuple[str, ...]]
"""Names of texts that are shown only if something is so, and whether it is."""


class SharedStudySettings(Protocol):
    """``[study]``."""

    @property
    def name(self) -> str:
        """What the study is called."""

    @property
    def seed(self) -> int:
        """The seed of all random draws, together with the evaluator's code."""

    @property
    def language(self) -> Language:
        """What participants are spoken to in."""

    @property
    def methods(self) -> tuple[str, ...]:
        """What is asked."""

    @property
    def consent(self) -> bool:
        """Whether evaluators are asked for it."""

    @property
    def breaks(self) -> bool:
        """Whether there are any between blocks."""

    @property
    def quotas(self) -> Mapping[str, Quota]:
        """How many people of each group are taken, by question and group."""

    @property
    def left_out(self) -> Mapping[str, str]:
        """The reason for each evaluator who is left out, by code."""

    @property
    def not_from(self) -> tuple[str, ...]:
        """Where nobody may have taken part: studies, and tables of codes."""

    @property
    def model_fields_set(self) -> set[str]:
        """The names of the keys that the file has."""


class SharedPaySettings(Protocol):
    """``[pay]``."""

    @property
    def base(self) -> float:
        """What is due once an evaluator has answered anything."""

    @property
    def currency(self) -> str:
        """What stands before an amount."""


class SharedSettings(Protocol):
    """A study file."""

    @property
    def study(self) -> SharedStudySettings:
        """What is asked, and of whom."""

    @property
    def stimuli(self) -> StimuliSettings:
        """The stimulus set."""

    @property
    def added(self) -> Mapping[str, AddedSettings]:
        """The models that joined while the study ran, in their order."""

    @property
    def keys(self) -> KeySettings:
        """The keys."""

    @property
    def display(self) -> DisplaySettings:
        """The window."""

    @property
    def monitor(self) -> MonitorSettings | None:
        """The screen's measures."""

    @property
    def pay(self) -> SharedPaySettings:
        """What the work is worth."""

    @property
    def observers(self) -> Mapping[str, object]:
        """The simulated people of each condition."""

    @property
    def texts(self) -> Words:
        """The words on the screens."""

    @property
    def demographics(self) -> Mapping[str, DemographicSettings]:
        """What evaluators are asked about themselves."""

    @property
    def web(self) -> WebSettings:
        """Who may take part with a browser."""

    def model_dump_json(self, *, exclude: set[str] | None = None) -> str:
        """Return all settings as one line of JSON."""

    @property
    def evaluators_per_cell(self) -> int:
        """How many evaluators a place of the design needs, if all finish."""

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        """Name the groups of a language's texts that a study file has, by what it asks."""


class PromptSettings(Protocol):
    """Which images a study asks about: a part of its own table."""

    @property
    def prompt_column(self) -> str:
        """The column of the manifest that says what an image shows."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """How the cells of that column are worded."""

    @property
    def real_too(self) -> bool:
        """Whether real images take part, as a condition of their own."""

    @property
    def images(self) -> int:
        """How many of each condition and prompt take part."""


class AnyFile(Settings):
    """A study file of any protocol: a language's words are its defaults.

    ``protocol`` is the protocol's name. ``tables`` were read but not checked yet.
    """

    protocol: ClassVar[str]

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        asked = (ABOUT,) if tables.get("demographics") else ()
        return ("all", *asked, *further_groups(tables), cls.protocol)

    @classmethod
    def worded(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        """Use a language's words for texts that a study file does not give."""
        usual = pack.texts_of(cls.text_groups(tables))
        return {**tables, "texts": over(usual, tables.get("texts", {}))}


def further_groups(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the groups of texts that a file has besides `ABOUT`, from its unchecked tables."""
    asked = table_of(tables, "demographics")
    kinds = {
        question.get("kind", "choice")
        for question in asked.values()
        if isinstance(question, Mapping)
    }
    typed = (TYPED,) if kinds - {"choice"} else ()
    quotas = (QUOTAS,) if table_of(tables, "study").get("quotas") else ()
    return (*typed, *quotas)


def texts_if_asked(settings: SharedSettings) -> Iterator[TextsIf]:
    """Yield which texts are shown, of those about the evaluator."""
    kinds = {asked.kind for asked in settings.demographics.values()}
    yield bool(settings.study.quotas), ("group_full",)
    yield bool(kinds), ("about_you", "withhold")
    yield "choice" in kinds, ("about_you_hint",)
    yield "number" in kinds, ("number_hint",)
    yield "text" in kinds, ("text_hint",)


def filled_in(template: Path, name: str, **values: object) -> str:
    """Write a study file by its template; ``name`` is the study's."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701  TOML, which nobody shows as a page
        keep_trailing_newline=True,
        loader=FileSystemLoader([template.parent, Path(__file__).with_name("templates")]),
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    quoted = json.dumps(name, ensure_ascii=False)  # a JSON string is a TOML string
    return environment.get_template(template.name).render(name=quoted, **values)
