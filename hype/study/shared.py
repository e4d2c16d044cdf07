"""What every study file has, of whatever protocol: enough to seat somebody at a station."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hype.study.demographics import DemographicSettings
from hype.study.quotas import Quota
from hype.study.station_settings import DisplaySettings, KeySettings, MonitorSettings
from hype.study.table import AddedSettings, StimuliSettings
from hype.study.texts import Language, Words
from hype.study.web_settings import WebSettings


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
