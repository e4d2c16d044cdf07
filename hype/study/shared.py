"""What every study file has, of whatever protocol: enough to seat somebody at a station."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Protocol

from hype.study.demographics import DemographicSettings
from hype.study.quotas import Quota
from hype.study.station_settings import DisplaySettings, KeySettings, MonitorSettings
from hype.study.table import AddedSettings, Settings, StimuliSettings
from hype.study.texts import Language, Pack, Words, over, table_of
from hype.study.web_settings import WebSettings

ABOUT: Final = "about"
TYPED: Final = "typed"
QUOTAS: Final = "quotas"
"""Groups of a language's texts: of questions about the evaluator, of what is typed there, and of
what is said to those of whom there are enough."""
TextsIf = tuple[bool, tuple[str, ...]]
"""Names of texts that are shown only if something is so, and whether it is."""


class SharedStudySettings(Protocol):
    """``[study]``."""

    @property
    def name(self) -> str:
        """What the study is called."""

    @property
    def seed(self) -> int:
        """What everything random follows from, together with the evaluator's code."""

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
        """Who is left out, by their code, and why."""

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
        """What is due for anything at all."""

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
        """Give all settings as one line of JSON."""

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
    """A study file of any protocol: how a language's words are laid beneath it.

    ``protocol`` is the protocol's name. What is called ``tables`` was read and not checked yet.
    """

    protocol: ClassVar[str]

    @classmethod
    def text_groups(cls, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        asked = (ABOUT,) if tables.get("demographics") else ()
        return ("all", *asked, *further_groups(tables), cls.protocol)

    @classmethod
    def worded(cls, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        """Lay a language's words beneath what a study file says."""
        usual = pack.texts_of(cls.text_groups(tables))
        return {**tables, "texts": over(usual, tables.get("texts", {}))}


def further_groups(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the groups of texts that a file has beside `ABOUT`, read and not looked at."""
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
