"""A study of any protocol: its settings, its texts, its file, and models that join later."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import Field, model_validator

from hype.errors import InputError
from hype.masks.maskset import place_of_mask
from hype.stimuli.manifest import ImageFolders, folder_name, folder_of
from hype.study.demographics import (
    ComprehensionSettings,
    DemographicSettings,
    FollowUpSettings,
    Quotas,
    check_quotas,
)
from hype.study.exclusion import ExclusionSettings
from hype.study.table import (
    Added,
    AddedSettings,
    Affects,
    DisplaySettings,
    KeySettings,
    MonitorSettings,
    PagePicture,
    Rate,
    Settings,
    StimuliSettings,
    Topic,
)
from hype.study.texts import (
    Language,
    Pack,
    SessionWords,
    Words,
    english_words,
    override,
    pack_of,
    table_of,
)
from hype.study.web_settings import WebSettings

STUDY_FILE: Final = "study.toml"
MOST_DAYS: Final = 36_500
ADDED: Final = "added"
"""The folder next to the study file with a stimulus set for each model that joined."""
OWN: Final = "study"
"""The prefix of paths of pictures on the study's pages."""
InstructionPage = Literal["instructions", "instructions_timed", "instructions_untimed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfVersions:
    """One of several versions of a study."""

    # number, of: the version's number (from 1), and the number of versions
    number: int
    of: int
    # The checksums of all states of the study file that count as this version
    checksums: frozenset[str]

    def __str__(self) -> str:
        return f"{self.number} of {self.of}"


@dataclass(frozen=True, kw_only=True)  # no slots, so that its resolved text can be cached
class AnyStudy:
    """A study of any protocol: its file, its settings, and where its record is."""

    path: Path  # the study file
    settings: AnyFile  # the content of the file.
    # The address of the PostgreSQL database with the study's record; empty: the record is a file
    store: str = ""
    version: OneOfVersions | None = None  # if set, only evaluators of this version are read

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def stimuli_folder(self) -> Path:
        return self.folder / self.settings.stimuli.folder

    @property
    def masks_folder(self) -> Path | None:
        """The folder of the mask set, if the study has one and shows masks."""
        return None

    @property
    def other_sets(self) -> Mapping[str, Path]:
        return {}

    @property
    def added(self) -> Mapping[str, AddedSettings]:
        """The models that joined while the study ran, in order."""
        return self.settings.added

    @property
    def added_sets(self) -> Mapping[str, Path]:
        """The stimulus set of each model that joined."""
        return {name: self.folder / ADDED / folder_name(name) for name in self.added}

    @property
    def image_folders(self) -> ImageFolders:
        """The folders with the images of all conditions, including models that joined."""
        return ImageFolders(self.stimuli_folder, self.added_sets)

    def without(self, names: Collection[str]) -> AnyStudy:
        """Return the study without the joined models ``names``."""
        return self.add_models({n: each for n, each in self.added.items() if n not in names})

    def add_models(self, added: Mapping[str, AddedSettings]) -> AnyStudy:
        """Return the study with only these joined models."""
        return self._with(added=added)

    def leave_out_people(self, left_out: Mapping[str, str]) -> AnyStudy:
        """Return the study with only these people left out."""
        study = self.settings.study.model_copy(update={"left_out": left_out})
        return self._with(study=study)

    def _with(self, **changes: object) -> AnyStudy:
        return self.of(self.settings.model_copy(update=changes))

    def of(self, settings: AnyFile) -> AnyStudy:
        """Return the study with other settings of the same protocol."""
        return replace(self, settings=settings)

    def place_of(self, image: str) -> tuple[Path, str]:
        """Return the stimulus set of an image in the record, and the image's path in the set."""
        name, _, rest = image.partition("/")
        folder = self.folder if name == OWN else self.other_sets.get(name)
        if folder is not None:
            return folder, rest
        return folder_of(image, self.stimuli_folder, self.added_sets), image

    def place_of_mask(self, mask: str) -> tuple[Path, str]:
        """Return the mask set of a mask in the record, and the mask's path in the set."""
        return place_of_mask(mask, self.masks_folder or self.folder, self.added_sets)

    @property
    def place_rule(self) -> tuple[float, tuple[str, ...]]:
        """The rules for losing a place: the minutes without an answer, and the left-out codes."""
        return self.settings.web.release_minutes, tuple(self.settings.study.left_out)

    @property
    def flashes(self) -> bool:
        """Whether images are flashed; if so, phones are refused, since they cannot time flashes."""
        return False

    @property
    def scores_nobody(self) -> bool:
        """Whether the study only tests who may take part in other studies."""
        return False

    @property
    def demographics(self) -> Mapping[str, DemographicSettings]:
        return self.settings.demographics

    @property
    def of_prompts(self) -> PromptSettings | None:
        """The settings for prompts, if the study's images were made from prompts."""
        return None

    @property
    def answers(self) -> str:
        return "judgements"

    @property
    def trials(self) -> str:
        return self.answers

    def list_folders(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the name of each folder in the study file."""
        yield "stimuli.folder", self.settings.stimuli.folder
        yield from (("study.not_from", name) for name in self.settings.study.not_from)
        yield from ((f"added.{name}", f"{ADDED}/{name}") for name in self.added)
        for page, picture in self.settings.pictures.items():
            yield f"pictures.{page}.file", picture.file

    def texts_if(self) -> Iterator[TextsIf]:
        """Yield names of texts that only some studies show, and whether this study shows them."""
        settings, gate = self.settings, self.settings.gate
        after = "waiting" if gate and gate.decide == "ask" else "unqualified"
        yield gate is not None, ("qualification", "qualified", after)
        kinds = {asked.kind for asked in settings.demographics.values()}
        why, steps = settings.follow_up.why > 0, settings.follow_up.asks_confidence
        yield bool(settings.study.quotas), ("group_full",)
        yield bool(kinds), ("about_you", "withhold")
        check = settings.comprehension
        yield check is not None, ("comprehension", "comprehension_again", "misunderstood")
        yield check is not None and not check.paid, ("comprehension_unpaid",)
        slider = steps and settings.follow_up.confidence == "slider"
        chosen = check is not None or "choice" in kinds or (steps and not slider)
        yield chosen, ("about_you_hint",)
        yield slider, ("slider_hint",)
        yield "number" in kinds, ("number_hint",)
        yield "text" in kinds or why, ("text_hint",)
        yield settings.follow_up.confidence != 0, ("confidence_steps",)
        yield steps, ("confidence", "confidence_question")
        yield why, ("why", "why_question", "no_reason")

    def words_asked(self) -> Iterator[tuple[str, str]]:
        """Yield the source of each text that is not in ``[texts]``, and the text."""
        for name, asked in self.demographics.items():
            yield f"demographics.{name}", " ".join((asked.question, *asked.options))
        if check := self.settings.comprehension:
            yield "comprehension", " ".join((check.question, *check.options))

    def settings_json(self) -> str:
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
        return self._checksum

    @cached_property
    def _checksum(self) -> str:
        return hashlib.sha256(self._resolved.encode()).hexdigest()


WordsT = TypeVar("WordsT", bound=Words)


def usual_texts(settings: AnyFile) -> dict[str, str]:
    """Return the default texts of the study's language, ignoring the study file's own texts."""
    english = english_words(type(settings.texts)).model_dump()
    return {**english, **pack_of(settings.study.language).texts_of(groups_of(settings))}


def words_shown(settings: AnyFile, words: WordsT, *, in_browser: bool) -> WordsT:
    """Return a study's texts as screens show them; ``words``: its texts for stations.

    In a browser there is no experimenter and perhaps no keyboard, so texts for browsers replace the
    language's texts. Texts from the study file are kept.
    """
    if not in_browser:
        return words
    usual, now = usual_texts(settings), words.model_dump()
    others = texts_in_browsers(settings)
    left = {name: text for name, text in others.items() if now[name] == usual[name]}
    return words.model_copy(update=left)


def texts_in_browsers(settings: AnyFile) -> Mapping[str, str]:
    """Return the texts for browsers that replace a study's texts for stations."""
    packed = pack_of(settings.study.language).browser_texts(groups_of(settings))
    known = type(settings.texts).model_fields
    return {name: text for name, text in packed.items() if name in known}


def groups_of(settings: AnyFile) -> tuple[str, ...]:
    """Name the groups of a language's texts that this study needs."""
    tables = json.loads(settings.model_dump_json())
    return type(settings).text_groups(tables)


LARGEST_STUDY_BYTES: Final = 256 << 10


class GrowingStudy:
    """A loaded study, with the models that joined since; each use checks whether its file changed.

    The list of left-out evaluators is also read again. All other changes to the file are ignored.
    If there are any, new models are ignored too, since everybody must get the same questions.
    ``remark`` receives a message about ignored changes.
    """

    def __init__(
        self, study: AnyStudy, load: Callable[[Path], AnyStudy], remark: Callable[[str], None]
    ) -> None:
        self._study, self._load, self._remark = study, load, remark
        self._looked_at: tuple[int, int, int] | None = None
        self._turn = Lock()

    def now(self) -> AnyStudy:
        """Return the current study; if its file cannot be read, return the last study read."""
        with self._turn:
            with suppress(OSError):
                status = self._study.path.stat()
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                if stamp != self._looked_at:
                    self._looked_at = stamp
                    try:
                        self._study = self._add_newcomers(self._load(self._study.path))
                    except InputError as error:
                        self._remark(str(error))
            return self._study

    def _add_newcomers(self, read: AnyStudy) -> AnyStudy:
        study = self._study
        if read.settings.study.left_out != study.settings.study.left_out:
            study = study.leave_out_people(read.settings.study.left_out)
        if read.added == study.added:
            return study
        if read.add_models({}).checksum() != study.add_models({}).checksum():
            problem = (
                "names a model that joined, but other settings also changed since this program "
                "started"
            )
            raise InputError(read.path, problem, "the model is included after a restart")
        return study.add_models(read.added)


ABOUT: Final = "about"
TYPED: Final = "typed"
QUOTAS: Final = "quotas"
FOLLOW_UP: Final = "follow_up"
COMPREHENSION: Final = "comprehension"
"""Groups of a language's texts: for questions about the evaluator, for typed answers, for
evaluators whose group is full, for questions about an answer, and for comprehension questions."""
TextsIf = tuple[bool, tuple[str, ...]]
"""Whether a study shows certain texts, and the names of these texts."""

Code = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]
Reason = Annotated[str, Field(min_length=1, max_length=200)]


class SharedStudySettings(Settings):
    """The keys of ``[study]`` that all protocols share.

    ``quotas`` belong to questions of ``[demographics]``: ``quotas.age = {"18-29" = 20, "30-49" =
    20}`` admits 20 people of each group (an option or a range of numbers) and nobody else; ``""``
    is the group of withheld answers. ``left_out = {P07 = "wore no glasses"}`` means that the
    evaluator P07 is refused and not scored, for this reason. This key is not part of the resolved
    study, since codes and reasons must not stay in the record.
    """

    topic = Topic.STUDY
    language: Annotated[Language, Topic.WORDS] = "en"
    """Language of the screens. English, German, French, Spanish, Japanese, Chinese or Arabic."""
    quotas: Annotated[Quotas, Topic.PEOPLE] = Field(default_factory=dict)
    """Maximum number of people in each group. A group is an answer to a question about the
    evaluator, as in {age = {"18-29" = 20}}."""
    left_out: Annotated[dict[Code, Reason], Topic.PEOPLE] = Field(
        default_factory=dict, exclude=True
    )
    """People who are left out. Codes with the reason, as in {P07 = "wore no glasses"}; these people
    are refused and not scored."""
    not_from: Annotated[tuple[str, ...], Affects.NOBODY, Topic.PEOPLE] = ()
    """Refuse people of other studies. Folders of studies, or CSV tables with a column evaluator."""
    name: Annotated[str, Field(min_length=1), Affects.NOBODY]
    """Name of the study."""
    seed: Annotated[int, Field(ge=0)] = 2019
    """Seed of random choices. All random choices follow from the seed and the evaluator's code."""
    methods: tuple[str, ...] = ()
    """Method. The method decides what the study asks."""
    consent: Annotated[bool, Topic.PEOPLE] = True
    """Ask for consent. Evaluators agree before they see anything else."""
    breaks: Annotated[bool, Topic.TIMING] = True
    """Breaks between blocks. The evaluator ends each break."""


class SharedPaySettings(Settings):
    """The keys of ``[pay]`` that all protocols share."""

    topic = Topic.PAY
    base: Annotated[float, Field(ge=0)] = 1.00
    """Base pay. Everyone who has answered anything gets the base pay."""
    currency: str = "$"
    """Currency. It is written before amounts, with a space if it ends in a letter."""
    least_an_hour: Annotated[float, Field(ge=0), Affects.NOBODY] = 0.0
    """Minimum pay per hour. `hype check` warns if sessions are expected to pay less."""

    @abstractmethod
    def pay(self) -> Any:
        """Return the base pay, the pay for each answer, and the currency."""


class GateSettings(Settings):
    """A test that decides who takes part; all protocols share these keys."""

    topic = Topic.PEOPLE
    decide: Literal["pass", "ask"] | None = "pass"
    """Who passes. "pass": enough right answers; "ask": you decide, with `hype status --admit`."""
    pass_rate: Rate = 0.65
    """Share of right answers needed to pass."""
    stimuli: str = ""
    """Folder of other images for the test. If empty, the test uses images of the study."""
    valid_from: tuple[str, ...] = ()
    """Folders of studies whose test counts here. A pass in such a study replaces the test."""
    valid_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = None
    """Days for which a pass counts. If empty, a pass counts forever."""


class PromptSettings(Settings):
    """The prompts of the images that a study asks about: keys in its protocol's own table."""

    topic = Topic.ANSWERS
    prompt_column: Annotated[str, Field(min_length=1)] = "prompt"
    """Column with the prompt. The column of the manifest that describes what an image shows."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompts as they are shown. Words that replace a cell of the prompt column, as in {sneaker
    = "a sneaker"}."""
    real_too: bool = False
    """Real images take part. Real images are a condition of their own, called "real"."""
    images: Annotated[int, Field(ge=1)] = 1
    """Images of each condition and prompt."""


class AnyFile(Settings):
    """A study file: the tables that all protocols share, with the default texts of its language.

    ``protocol`` is the protocol's name, ``asks_after`` the questions that it can ask about an
    answer. ``tables`` in class methods: the file's tables as read, not yet checked.
    """

    protocol: ClassVar[str]
    asks_after: ClassVar[frozenset[str]] = frozenset(("why",))

    study: SharedStudySettings
    stimuli: StimuliSettings
    demographics: dict[str, DemographicSettings] = Field(default_factory=dict)
    comprehension: ComprehensionSettings | None = None
    exclusion: ExclusionSettings = ExclusionSettings()
    pictures: dict[InstructionPage, PagePicture] = Field(default_factory=dict)
    follow_up: FollowUpSettings = FollowUpSettings()
    keys: KeySettings = KeySettings()
    display: DisplaySettings = DisplaySettings()
    monitor: Annotated[MonitorSettings | None, Affects.NOBODY] = None
    pay: SharedPaySettings
    web: Annotated[WebSettings, Affects.NOBODY] = WebSettings()
    added: Added = Field(default_factory=dict)
    if TYPE_CHECKING:  # each protocol declares its own texts and observers
        texts: SessionWords
        observers: Mapping[str, Settings]

    @model_validator(mode="after")
    def tables_fit(self) -> AnyFile:
        """Refuse tables that do not fit together."""
        if self.display.size_deg is not None and self.monitor is None:
            raise ValueError("display.size_deg needs [monitor] with width_cm and distance_cm")
        if unknown := sorted(self.pictures.keys() - type(self.texts).model_fields.keys()):
            raise ValueError(f"pictures.{unknown[0]}: this study has no such page")
        check_quotas(self.study.quotas, self.demographics)
        asked = {name for name, value in self.follow_up.model_dump().items() if value}
        if never := sorted(asked - self.asks_after):
            raise ValueError(f"follow_up.{never[0]}: this kind of study cannot ask this")
        return self

    @property
    @abstractmethod
    def evaluators_per_cell(self) -> int:
        """The number of evaluators for each cell of the design, if all finish."""

    @property
    def gate(self) -> GateSettings | None:
        """The test that decides who takes part, here or in another study."""
        return None

    @property
    def not_scored(self) -> list[str]:
        """The evaluators who are not scored, in words, for the planned analysis."""
        return [
            "evaluators who declined or did not finish",
            *(["careless evaluators"] if self.exclusion.leave_out else []),
            *(["evaluators who did not pass the test"] if self.gate else []),
        ]

    @property
    def checkers(self) -> tuple[str, ...]:
        """Patterns of the codes of checkers, who repeat others' work and are not in the design."""
        return ()

    def is_checker(self, evaluator: str) -> bool:
        return any(fnmatchcase(evaluator, pattern) for pattern in self.checkers)

    def name_checker(self, middle: str) -> str:
        """Return a checker's code: a pattern with ``middle`` for "*"; empty if none has a "*"."""
        return next((one.replace("*", middle) for one in self.checkers if "*" in one), "")

    def pay_of(self, _evaluator: str, /) -> Any:
        return self.pay.pay()

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        """Name the groups of a language's texts that a study file needs."""
        asked = (ABOUT,) if tables.get("demographics") or tables.get("comprehension") else ()
        return ("all", "test", *asked, *further_groups(tables), cls.protocol)

    @classmethod
    def add_words(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        """Use a language's words for texts that a study file does not give."""
        usual = pack.texts_of(cls.text_groups(tables))
        return {**tables, "texts": override(usual, tables.get("texts", {}))}


def further_groups(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Name further groups of texts that a study file needs, from its unchecked tables."""
    asked = table_of(tables, "demographics")
    kinds = {
        question.get("kind", "choice")
        for question in asked.values()
        if isinstance(question, Mapping)
    }
    typed = (TYPED,) if kinds - {"choice"} else ()
    quotas = (QUOTAS,) if table_of(tables, "study").get("quotas") else ()
    follow_ups = (ABOUT, TYPED, FOLLOW_UP) if any(table_of(tables, FOLLOW_UP).values()) else ()
    comprehension = (ABOUT, COMPREHENSION) if tables.get(COMPREHENSION) else ()
    return (*typed, *quotas, *follow_ups, *comprehension)


def fill_template(template: Path, name: str, **values: object) -> str:
    """Return the text of a study file, made from a template; ``name`` is the study's name."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701  the result is TOML, not HTML
        keep_trailing_newline=True,
        loader=FileSystemLoader([template.parent, Path(__file__).with_name("templates")]),
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    quoted = json.dumps(name, ensure_ascii=False)  # a JSON string is a TOML string
    return environment.get_template(template.name).render(name=quoted, **values)
