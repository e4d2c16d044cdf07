"""A study's questions for automated judges, and how their answers become rows of a table.

A protocol makes questions (`hype.export.kind.ExportKind.questions`). Each kind of question has a
template for its text; a folder may replace the templates. Requests follow Parthasarathy, Collins
and Stephenson (2025), "What makes a good generated image?", sections 4.1 and 5: each has the
images, the prompt, and the question that people read.
"""

from __future__ import annotations

import json
import re
import string
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from jinja2 import FileSystemLoader, StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from hype.errors import InputError
from hype.files import require_regular

FENCE: Final = "```"
"""Models often put this mark around JSON, although they are told to write only JSON."""
BYTE_ORDER_MARK: Final = "\ufeff"
THINKING: Final = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
"""Text that reasoning models write before their answer; it is skipped."""
WHOLE: Final = re.compile(r"(\d+)\.0+")
ORIGINAL: Final = "Original"
"""The name of the reference in a request; people's screens use the same name."""


def name_of_pair(one: str, other: str) -> str:
    """Return the name of a pair of images from their paths, the same in either order."""
    return " | ".join(sorted((one, other)))


class AskedImage(Protocol):
    """An image: its path within the stimulus set, and its checksum."""

    @property
    def path(self) -> str: ...

    @property
    def sha256(self) -> str: ...


class NoAnswerError(Exception):
    """A reply without an allowed answer; the message describes its content."""


@dataclass(frozen=True, kw_only=True)
class ImageQuestion(ABC):
    """One question about images, in the order in which they are shown."""

    kind: str  # The name of its template.
    item: str  # Identifies the images, independently of their order and of the axis.
    images: tuple[AskedImage, ...]
    prompt: str  # The images' prompt; empty if people do not see it.
    text: str  # The question that people read.
    reference: AskedImage | None = None  # An image that people see next to the others.

    key: ClassVar[str]
    """The key of the answer in a reply."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the images in the request; empty for a single image without reference."""
        several = self.images[1:] or self.reference
        return tuple(f"Image {n + 1}" for n in range(len(self.images))) if several else ()

    @property
    def shown(self) -> dict[str, AskedImage]:
        """The images of the request by their names, the reference last."""
        beside = {ORIGINAL: self.reference} if self.reference else {}
        return dict(zip(self.labels or ("",), self.images, strict=True)) | beside

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a reply."""
        return {
            "type": "object",
            "properties": {self.key: self.answer_schema},
            "required": [self.key],
            "additionalProperties": False,
        }

    @property
    @abstractmethod
    def answer_schema(self) -> dict[str, Any]:
        """The JSON Schema of an answer."""

    @property
    @abstractmethod
    def words(self) -> Mapping[str, object]:
        """The values for the question's template."""

    @abstractmethod
    def parse(self, value: object) -> tuple[str, ...]:
        """Read the answer from the value of `key`.

        Raises NoAnswerError: the value is not an allowed answer.
        """

    @abstractmethod
    def rows(self, answer: Sequence[str]) -> Iterator[dict[str, object]]:
        """Yield the rows of an answer; if it is ``()`` (no answer), rows with an empty cell."""

    def read_answer(self, text: str) -> tuple[str, ...]:
        """Read a reply: JSON, or an allowed answer without other text.

        Raises NoAnswerError: the reply is neither; its meaning is not guessed.
        """
        bare = text.removeprefix(BYTE_ORDER_MARK)
        bare = THINKING.sub("", bare, count=1).strip() if THINKING.match(bare) else bare.strip()
        if bare.startswith(FENCE) and bare.endswith(FENCE) and "\n" in bare:
            bare = bare.split("\n", 1)[1].removesuffix(FENCE).strip()

        def check_keys(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
            found = dict(pairs)
            if len(found) < len(pairs):
                raise NoAnswerError("a key given twice")
            return found

        try:
            reply = json.loads(bare, object_pairs_hook=check_keys)
        except RecursionError:
            raise NoAnswerError("nested too deeply") from None
        except ValueError:
            return self.parse(bare)
        return self.parse(reply.get(self.key) if isinstance(reply, dict) else reply)


@dataclass(frozen=True, kw_only=True)
class Level:
    """An allowed answer."""

    answer: str  # The word with which the judge gives this answer.
    meaning: str  # The meaning of the answer, for the request.
    cell: str  # The cell of the answer in the table.


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion(ImageQuestion):
    """A question that is answered with one of several levels."""

    levels: tuple[Level, ...]
    cells: Mapping[str, str]  # the cells before the answer in its row

    key: ClassVar[str] = "answer"

    @property
    def answer_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [level.answer for level in self.levels]}

    @property
    def words(self) -> Mapping[str, object]:
        return {
            "question": self.text,
            "prompt": self.prompt,
            "levels": self.levels,
            "reference": ORIGINAL if self.reference else "",
        }

    def parse(self, value: object) -> tuple[str, ...]:
        text = str(value).strip() if isinstance(value, str | int | float) else ""
        if whole := WHOLE.fullmatch(text):
            text = whole[1]
        for level in self.levels:
            if level.answer.casefold() == text.casefold():
                return (level.answer,)
        raise NoAnswerError("not among the answers")

    def rows(self, answer: Sequence[str]) -> Iterator[dict[str, object]]:
        cell = "".join(level.cell for level in self.levels if level.answer in answer)
        yield {**self.cells, "answer": cell}


@dataclass(frozen=True, kw_only=True)
class OrderQuestion(ImageQuestion):
    """A question whose answer is an order of the images, the best first."""

    key: ClassVar[str] = "order"

    @property
    def letters(self) -> str:
        return string.ascii_uppercase[: len(self.images)]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"Image {letter}" for letter in self.letters)

    @property
    def answer_schema(self) -> dict[str, Any]:
        number = len(self.images)
        letter = {"type": "string", "enum": list(self.letters)}
        return {"type": "array", "items": letter, "minItems": number, "maxItems": number}

    @property
    def words(self) -> Mapping[str, object]:
        return {"question": self.text, "prompt": self.prompt, "letters": self.letters}

    def parse(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise NoAnswerError("not an order")
        letters = tuple(each.strip().upper() for each in value)
        if sorted(letters) != list(self.letters):
            raise NoAnswerError("not an order of all images")
        return letters

    def rows(self, answer: Sequence[str]) -> Iterator[dict[str, object]]:
        """Yield a score for each image: the number of images that rank below it."""
        for letter, image in zip(self.letters, self.images, strict=True):
            behind = len(answer) - 1 - answer.index(letter) if answer else ""
            yield {"image": image.path, "group": self.item, "score": behind}


USUAL: Final = Path(__file__).parent / "templates"
SUFFIX: Final = ".txt"
MOST_BYTES: Final = 64 << 10


@dataclass(frozen=True)
class Wording:
    """The templates of questions; templates in a folder replace the usual ones."""

    folder: Path | None = None

    @cached_property
    def _environment(self) -> SandboxedEnvironment:
        folders = [self.folder, USUAL] if self.folder else [USUAL]
        return SandboxedEnvironment(
            loader=FileSystemLoader(folders),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # a question is text and not HTML
        )

    def text_of(self, question: ImageQuestion) -> str:
        """Fill a question's template.

        Raises InputError: the template is wrong, or uses an unknown variable.
        """
        name = f"{question.kind}{SUFFIX}"
        try:
            template: Template = self._environment.get_template(name)
            return template.render(question.words).strip()
        except TemplateError as error:
            line = f"line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            allowed = f"a template with these variables: {', '.join(question.words)}"
            where = (self.folder or USUAL) / name
            raise InputError(where, f"{line}{error.message or error}", allowed) from None


def read_wording(folder: Path | None) -> Wording:
    """Check the templates of a folder.

    Raises InputError: there is no such folder, or it has a file that is not a template.
    """
    if folder is None:
        return Wording()
    known = sorted(path.name for path in USUAL.glob(f"*{SUFFIX}"))
    names = sorted(path.name for path in folder.glob(f"*{SUFFIX}"))
    if not names or set(names) - set(known):
        wrong = next((name for name in names if name not in known), None)
        problem = f"{wrong!r} is not a template" if wrong else "the folder contains no template"
        raise InputError(folder, problem, f"one or more of {', '.join(known)}")
    for name in names:
        require_regular(folder / name, most_bytes=MOST_BYTES)
    return Wording(folder)
