"""From a study's file to a study: parsed once, every mistake named with its key."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hype.errors import InputError
from hype.study.settings import StudyFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STUDY_FILE: Final = "study.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study: its settings, and where it lies."""

    path: Path
    settings: StudyFile

    @property
    def folder(self) -> Path:
        """The study's folder, in which its record is kept."""
        return self.path.parent

    @property
    def stimuli_folder(self) -> Path:
        """The stimulus set."""
        return self.folder / self.settings.stimuli.folder

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, where there is one and a method that shows masks."""
        needed = "time" in self.settings.study.methods and self.settings.masks.folder
        return self.folder / self.settings.masks.folder if needed else None

    def resolved(self) -> str:
        """Give all settings, defaults included, as one line of JSON."""
        return self.settings.model_dump_json()

    def checksum(self) -> str:
        """SHA-256 (hex) of `resolved`."""
        return hashlib.sha256(self.resolved().encode()).hexdigest()


def load_study(path: Path) -> Study:
    """Read ``study.toml``, or the one in the folder ``path``.

    Raises
    ------
    InputError
        There is none, it is not TOML, or a key is unknown, missing, or has an impossible value.
    """
    file = path / STUDY_FILE if path.is_dir() else path
    try:
        data = tomllib.loads(file.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise InputError(file, "there is no such study", "make one with: hype new DIR") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(file, f"is not TOML: {error}") from None
    try:
        settings = StudyFile.model_validate(data)
    except ValidationError as error:
        raise InputError(file, "\n  ".join(explain(e) for e in error.errors())) from None
    return Study(path=file, settings=settings)


def explain(error: ErrorDetails) -> str:
    """Say in one line which key is wrong, what it holds and what it may hold."""
    key = ".".join(str(part) for part in error["loc"]) or "the file"
    kind, given = error["type"], error["input"]
    if kind == "extra_forbidden":
        return f"{key}: unknown key; known here are {known_keys(error['loc'][:-1])}"
    if kind == "missing":
        return f"{key}: is missing"
    reason = error["msg"].removeprefix("Value error, ")
    reason = reason[:1].lower() + reason[1:]
    shown = "" if isinstance(given, dict) else f" = {given!r}"
    return f"{key}{shown}: {reason}"


def known_keys(table: tuple[int | str, ...]) -> str:
    """List the keys of one table of the file."""
    model: Any = StudyFile
    for name in table:
        annotation = model.model_fields[name].annotation if name in model.model_fields else None
        options = [annotation, *getattr(annotation, "__args__", ())]
        model = next((o for o in options if hasattr(o, "model_fields")), model)
    return ", ".join(model.model_fields)
