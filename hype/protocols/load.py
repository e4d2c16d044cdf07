"""Reading study files. Error messages name the key of every mistake."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from hype.console import IN_NAMES, IN_TEXTS
from hype.errors import InputError
from hype.files import check_folder, read_bytes, tomllib
from hype.protocols.registry import protocol_of_file, study_of
from hype.study.mistakes import add_line_numbers, explain_each, explain_syntax, join_key
from hype.study.studies import LARGEST_STUDY_BYTES, STUDY_FILE, AnyFile, AnyStudy
from hype.study.texts import pack_of_file, web_words

if TYPE_CHECKING:  # only studies of HYPE's methods need this
    from hype.protocols.hype.settings import Study

MOST_DOTS: Final = 200
"""The largest number of dots allowed in a line of a study file; our longest keys have two."""
NUMBERS_ALLOWED: Final = "whole numbers of at most 64 bits"


def load_study(path: Path) -> Study:
    """Read a study file whose methods are HYPE's.

    Raises InputError: as in `load_any`, or if the study has another method.
    """
    from hype.protocols.hype.settings import Study

    study = load_any(path)
    if isinstance(study, Study):
        return study
    asked = ", ".join(study.settings.study.methods)
    problem = f'study.methods: "{asked}" is another kind of study'
    raise InputError(study.path, problem, 'a study whose methods are "time", "infinity" or both')


def load_any(path: Path, store: str | None = None) -> AnyStudy:
    """Read a study of any protocol; ``path``: its study file, or the folder of its ``study.toml``.

    ``store``: the address of the database with the study's record, by default ``HYPE_STORE``.
    Raises InputError: there is no file; it is not TOML; a key is unknown or missing; a value is
    impossible; or the file names a folder that is not allowed (see `hype.files.check_folder`).
    """
    file = path
    try:
        file = path / STUDY_FILE if path.is_dir() else path
        text = read_bytes(file, most_bytes=LARGEST_STUDY_BYTES).decode("utf-8")
    except FileNotFoundError:
        raise InputError(file, "there is no such study", "make one with: hype new DIR") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    where = os.environ.get("HYPE_STORE", "") if store is None else store
    return replace(study_of_text(file, text), store=where)


def study_of_text(file: Path, text: str) -> AnyStudy:
    """Make a study from the text of its file. The file itself may not exist yet.

    Raises InputError: as in `load_any`; the message gives the line of every mistake.
    """
    try:
        study = study_of(file, parse_study(file, text))
        for key, name in study.list_folders():
            check_folder(file, study.folder, key, name)
    except InputError as error:
        if error.where != str(file):
            raise
        raise InputError(
            error.where, add_line_numbers(error.problem, text), error.allowed
        ) from None
    return study


def parse_study(file: Path, text: str) -> AnyFile:
    """Parse the text of a study file with the settings model of its protocol.

    Raises InputError: the text is not TOML; a key is unknown or missing; a value is impossible.
    """
    refuse_endless_keys(file, text)
    try:
        tables = tomllib.loads(text)
        check_values(file, tables)
        model = protocol_of_file(tables).settings
        given = add_language(tables, model)
        return model.model_validate(given)
    except tomllib.TOMLDecodeError as error:
        raise InputError(file, f"is not TOML: {explain_syntax(error, text)}") from None
    except ValidationError as error:
        raise InputError(file, "\n  ".join(explain_each(error.errors(), model))) from None
    except RecursionError:
        problem = "contains hundreds of nested arrays or tables"
        raise InputError(file, problem, "a few levels of tables and arrays") from None
    except ValueError:  # the only other cause: a number is too long for Python
        raise InputError(
            file, "contains a number with thousands of digits", NUMBERS_ALLOWED
        ) from None


def add_language(tables: Mapping[str, Any], model: type[AnyFile]) -> Mapping[str, Any]:
    """Add texts in the study's language to the tables of a study file, before they are checked."""
    pack = pack_of_file(tables)
    return web_words(model.add_words(tables, pack), pack)


def refuse_endless_keys(file: Path, text: str) -> None:
    """Refuse a line with too many dots: a key with very many parts would fill the memory.

    Python's TOML reader stores all prefixes of a key, so its memory grows with the square of the
    number of parts.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise InputError(f"{file} line {number}", "is too long", f"at most {MOST_DOTS} dots")


def check_values(file: Path, tables: Mapping[str, Any]) -> None:
    r"""Refuse values that cannot be stored or printed, whatever their key.

    These are whole numbers beyond TOML's 64 bits, and control characters, which a TOML text may
    contain as ``\u001b``.
    """
    nested: list[tuple[tuple[str, ...], Any]] = [((), tables)]
    while nested:
        key, value = nested.pop()
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            problem = f"{join_key(key)}: contains a whole number beyond 64 bits"
            raise InputError(file, problem, NUMBERS_ALLOWED)
        if isinstance(value, str):
            check_characters(file, key, value, in_names=not is_text(key))
        elif isinstance(value, Mapping):
            for name, each in value.items():
                check_characters(file, (*key, name), name)
                nested.append(((*key, name), each))
        elif isinstance(value, list):
            nested.extend((key, each) for each in value)


def is_text(key: Sequence[str]) -> bool:
    """Return whether a key contains a text for participants, which may have several lines."""
    in_texts = key[0] == "texts" or tuple(key[:2]) == ("web", "texts")
    return in_texts or key[-1] == "question" or "prompts" in key[1:-1]


def check_characters(file: Path, key: Sequence[str], words: str, *, in_names: bool = True) -> None:
    """Refuse characters that are not allowed in names or texts."""
    match = (IN_NAMES if in_names else IN_TEXTS).search(words)
    if match:
        allowed = "a name that can be printed" if in_names else "text, which may have line breaks"
        raise InputError(file, f"{join_key(key)}: contains {match[0]!r}", allowed)
