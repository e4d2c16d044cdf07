"""The texts that participants read, and their languages."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Set
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from hype.files import tomllib
from hype.study.table import Settings, Topic

PROGRESS: Final = frozenset(("block", "blocks", "done", "trials"))
PAY: Final = frozenset(("pay", "currency"))
TERMS: Final = frozenset(("currency", "base", "per_answer", "hourly"))


class Words(BaseModel):
    """Texts of a protocol or of the browser's pages; placeholders such as ``{pay}`` are filled in.

    ``everywhere``: placeholders that all texts may contain; ``in_text``: more placeholders, by name
    of the text; ``groups``: where a pack has these texts.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    topic: ClassVar[Topic] = Topic.WORDS
    everywhere: ClassVar[Set[str]] = frozenset()
    in_text: ClassVar[Mapping[str, Set[str]]] = {}
    groups: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def lay_over_english(cls, given: Any) -> Any:
        english = pack_of(ENGLISH).texts_of(cls.groups)
        return override(
            {name: english[name] for name in cls.model_fields if name in english}, given
        )

    @field_validator("*")
    @classmethod
    def placeholders_are_known(cls, text: str, info: ValidationInfo) -> str:
        """Refuse an unknown placeholder: it would stop a running session."""
        known = cls.everywhere | cls.in_text.get(info.field_name or "", set())
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError:
            raise ValueError("braces do not match; write {{ or }} for a brace") from None
        if any(spec or conversion for _, _, spec, conversion in parts):
            raise ValueError("braces may contain only a name, without ':' or '!'")
        fields = {field for _, field, _, _ in parts if field is not None}
        if unknown := sorted(fields - known):
            names = ", ".join(f"{{{field}}}" for field in sorted(known))
            raise ValueError(f"{{{unknown[0]}}} is not known here; known are {names}")
        return text


def check_steps(text: str) -> str:
    """Require names for exactly six steps; a study with fewer steps uses some of them."""
    if len(text.split(" / ")) != 6:
        raise ValueError('must be six names of steps, from least to most sure, separated by " / "')
    return text


class SessionWords(Words):
    """The texts that sessions of all protocols have; blank lines separate paragraphs."""

    in_text: ClassVar[Mapping[str, Set[str]]] = {
        "welcome": TERMS | {"minutes"},
        "consent": TERMS,
        "consent_pay": TERMS,
        "number_hint": frozenset(("lowest", "highest")),
        "text_hint": frozenset(("longest",)),
        "practice": frozenset(("trials",)),
        "qualification": frozenset(("trials", "percent")),
        "unqualified": PAY,
        "block": PROGRESS,
        "rest": PROGRESS,
        "debrief": PAY | {"answers"},
        "misunderstood": PAY,
    }
    groups: ClassVar[tuple[str, ...]] = (
        *("all", "test", "about", "typed", "quotas", "follow_up", "comprehension"),
    )

    yes: str = Field(description="Answer of people who agree to take part")
    no: str = Field(description="Answer of people who do not agree")
    continue_hint: str = Field(description="How to continue to the next page")
    welcome: str = Field(description="First page")
    resumed: str = Field(description="First page when a session continues")
    consent: str = Field(description="Page that asks for consent")
    consent_pay: str = Field(description="Line about pay on the consent page")
    no_pay: str = Field(description="Line on the consent page of unpaid studies")
    consent_again: str = Field(description="Second question if consent is refused")
    declined: str = Field(description="Last page for people who did not agree")
    about_you: str = Field(description="Title above questions about the person")
    withhold: str = Field(description="Answer of people who prefer not to say")
    about_you_hint: str = Field(description="How to answer a question about the person")
    number_hint: str = Field(description="How to type a number")
    text_hint: str = Field(description="How to type a text")
    group_full: str = Field(description="Last page for people whose group is full")
    comprehension: str = Field(description="Title above questions about the instructions")
    comprehension_unpaid: str = Field(description="Notice that two wrong answers mean no pay")
    comprehension_again: str = Field(description="Page after a wrong answer about the instructions")
    misunderstood: str = Field(description="Last page after two wrong answers")
    practice: str = Field(description="Page before practice")
    qualification: str = Field(description="Page before the test")
    qualified: str = Field(description="Page after a passed test")
    unqualified: str = Field(description="Last page after a failed test")
    waiting: str = Field(description="Page while answers to a test are checked")
    block: str = Field(description="Page before each part")
    rest: str = Field(description="Page between two parts")
    debrief: str = Field(description="Last page")
    paused: str = Field(description="Page of a pause")
    trouble: str = Field(description="Page after a technical problem")
    pilot: str = Field(description="Mark on the screens of a pilot")
    pilot_over: str = Field(description="Last page of a pilot")
    away: str = Field(description="Page while answers cannot be saved")
    resume: str = Field(description="Answer that ends a pause")
    quit: str = Field(description="Answer that stops the session")
    confidence: str = Field(description="Title above the question about confidence")
    confidence_question: str = Field(description="Question about confidence")
    slider_hint: str = Field(description="How to use a slider")
    confidence_steps: Annotated[str, AfterValidator(check_steps)] = Field(
        description="Names of the steps of confidence"
    )
    why: str = Field(description="Title above the question about reasons")
    why_question: str = Field(description="Question about reasons")
    no_reason: str = Field(description="Answer without a reason")


Language = Literal["en", "de", "fr", "es", "ja", "zh", "ar"]
LANGUAGES: Final[tuple[str, ...]] = get_args(Language)
ENGLISH: Final = "en"
WEB: Final = "web"
"""The group of texts for the browser's pages, the same for every protocol."""
PACKS: Final = Path(__file__).with_name("packs")


class KeyWords(Settings):
    """The names of keys: as printed on them (``caps``), and as used in sentences (``said``).

    ``number_pad``: the name of a number pad's key in sentences; it contains ``{digit}``.
    """

    caps: dict[str, str]
    said: dict[str, str]
    number_pad: str


class Pack(Settings):
    """A language."""

    name: str  # the language's name in English
    decimal_mark: str = "."  # between a number's whole part and its decimals
    keys: KeyWords
    # By group and name: a group is for all studies, for several protocols or for one protocol
    texts: dict[str, dict[str, str]] = Field(default_factory=dict)
    # By group and name: if a session runs in a browser, these texts replace those of a station
    web: dict[str, dict[str, str]] = Field(default_factory=dict)
    # Questions, by protocol (ratings: by the kind of rated item) and by criterion or axis
    questions: dict[str, dict[str, str]] = Field(default_factory=dict)

    def texts_of(self, groups: Iterable[str]) -> dict[str, str]:
        return {name: text for group in groups for name, text in self.texts.get(group, {}).items()}

    def browser_texts(self, groups: Iterable[str]) -> dict[str, str]:
        return {name: text for group in groups for name, text in self.web.get(group, {}).items()}


@cache
def pack_of(language: str) -> Pack:
    text = (PACKS / f"{language}.toml").read_text(encoding="utf-8")
    return Pack.model_validate(tomllib.loads(text))


WordsT = TypeVar("WordsT", bound=Words)


def english_words(words: type[WordsT]) -> WordsT:
    return words.model_validate({})


def pack_of_file(tables: Mapping[str, Any]) -> Pack:
    """Return the pack of the study file's language, or the English one if the language is unknown.

    ``tables``: the content of the study file, not yet checked.
    """
    language = table_of(tables, "study").get("language", ENGLISH)
    return pack_of(language if language in LANGUAGES else ENGLISH)


def web_words(tables: Mapping[str, Any], pack: Pack) -> Mapping[str, Any]:
    """Add a language's texts for the browser's pages to a study file; texts in the file stay."""
    web = tables.get("web", {})
    if not isinstance(web, Mapping):
        return tables
    texts = override(pack.texts_of((WEB,)), web.get("texts", {}))
    return {**tables, "web": {**web, "texts": texts}}


def asking(question: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Add a question to a table that has none."""
    return {**given, "question": given.get("question") or question}


def override(usual: Mapping[str, Any], given: Any) -> Any:
    """Replace defaults with a file's values; return values that are not a table, to be refused."""
    return {**usual, **given} if isinstance(given, Mapping) else given


def table_of(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table of a study file, or an empty table if it is missing or not a table."""
    table = tables.get(name, {})
    return table if isinstance(table, Mapping) else {}
