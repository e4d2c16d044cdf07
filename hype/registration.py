"""A study, its materials and its planned analysis, fixed by one hash before the first session."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import func, select

from hype.errors import InputError, SessionProblem
from hype.files import inside, read_bytes, write_bytes
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.session.course import Course
from hype.session.facts import versions
from hype.stimuli.manifest import MANIFEST, sha256_of
from hype.store.record import record_of
from hype.store.schema import evaluators, sessions
from hype.study.studies import ADDED, AnyStudy

REGISTRATION_FILE: Final = "registration.json"
LARGEST_BYTES: Final = 256 << 20
PLAN: Final = "analysis"


class Fixed(NamedTuple):
    """The functions of a protocol that compute what a registration fixes."""

    course: Callable[[Any], Course[Any]]
    planned_analysis: Callable[[Any], dict[str, Any]]
    files: Callable[[Any], Mapping[str, Path]]


def fix_content(study: AnyStudy, fixed: Fixed) -> dict[str, Any]:
    """Return what a registration fixes: settings, planned analysis, and checksums of files.

    Raises InputError: a file is missing.
    """
    files = {
        "stimuli": study.stimuli_folder / MANIFEST,
        **{f"{ADDED}/{name}": folder / MANIFEST for name, folder in study.added_sets.items()},
        **({"masks": study.masks_folder / MASK_MANIFEST} if study.masks_folder else {}),
        **{name: folder / MANIFEST for name, folder in study.other_sets.items()},
        **fixed.files(study),
    }
    for path in files.values():
        if not path.exists():
            raise InputError(path, "is missing")
    course = fixed.course(study)
    places, each = len(course.cells), course.evaluators_per_cell
    return {
        "study": {"added": {}, **json.loads(study.settings_json())},
        PLAN: {
            "places": places,
            "evaluators_per_place": each,
            "evaluators": places * each,
            **fixed.planned_analysis(study),
        },
        "files": {name: sha256_of(path) for name, path in files.items()},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A study as it was registered."""

    sha256: str  # The hash that identifies the registration.
    registered: str  # When the study was registered, in UTC (ISO 8601).
    sessions: int  # The number of sessions that people had already started.
    content: Mapping[str, Any]  # What the registration fixed.
    whole: bool = True  # Whether the file is unchanged.

    def differences(self, study: AnyStudy, fixed: Fixed) -> tuple[str, ...]:
        """List the differences between a study and its registration.

        Raises InputError: a manifest cannot be read.
        """
        later = [name for name in study.added if name not in self.content["study"]["added"]]
        before, now = flatten(self.content), flatten(fix_content(study.without(later), fixed))
        return (
            *([] if self.whole else [f"{REGISTRATION_FILE} was edited: its SHA-256 differs"]),
            *(f"study: added.{name}: joined on {study.added[name].day}" for name in later),
            *(
                f"{name}: registered {quote(before.get(name))}, now {quote(now.get(name))}"
                for name in dict.fromkeys((*before, *now))
                if before.get(name) != now.get(name)
            ),
        )


def registration_of(study: AnyStudy) -> Registration | None:
    """Read a study's registration; return None if there is none.

    Raises InputError: `hype register` did not write the file.
    """
    path = path_of(study)
    if not path.exists():
        return None
    try:
        return registration_in(json.loads(read_bytes(path, most_bytes=LARGEST_BYTES)))
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(path, "is not a registration", "restore hype register's file") from None


def registration_in(whole: dict[str, Any]) -> Registration:
    content, held = dict(whole), whole["content"]
    sha256 = content.pop("sha256")
    # raises KeyError if one of these keys is missing
    held[PLAN]["tests"], held["study"]["added"], held["files"]["stimuli"]
    return Registration(
        sha256=sha256,
        registered=whole["registered"],
        sessions=int(whole["sessions"]),
        content=held,
        whole=sha256 == sha256_of_json(content),
    )


def register(study: AnyStudy, fixed: Fixed, *, now: datetime | None = None) -> Registration:
    """Register a study: write its registration next to the study file.

    Raises InputError: a file is missing, or cannot be written. Raises SessionProblem: people have
    started sessions of a study that is already registered.
    """
    earlier, begun = registration_of(study), sessions_begun(study)
    path = path_of(study)
    if earlier is not None and begun:
        raise SessionProblem(
            f"{path}: the study is registered as {earlier.sha256}, and people have started "
            "sessions, so it cannot change; hype register --check shows what changed in the study"
        )
    content = {
        "registered": (now or datetime.now(timezone.utc)).isoformat(timespec="seconds"),
        "versions": versions(),
        "sessions": begun,
        "content": fix_content(study, fixed),
    }
    whole = {"sha256": sha256_of_json(content), **content}
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    write_bytes(path, f"{text}\n".encode(), private=False)
    return registration_in(whole)


def sha256_of_json(value: object) -> str:
    """Return the SHA-256 (hex) of a value as JSON with sorted keys and no spaces, in UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def sessions_begun(study: AnyStudy) -> int:
    record = record_of(study)
    if not record.is_there():
        return 0
    with record.reading() as engine, engine.connect() as connection:
        people = select(evaluators.c.id).where(evaluators.c.simulated.is_(False))
        theirs = sessions.c.evaluator_id.in_(people)
        count = select(func.count()).select_from(sessions).where(theirs)
        return int(connection.execute(count).scalar_one())


def flatten(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return each nested value under a single name, such as ``study: staircase.down_ms``."""
    values: dict[str, Any] = {}
    for key, value in content.items():
        name = f"{before}{'.' if ': ' in before else ': '}{key}" if before else key
        values |= flatten(value, name) if isinstance(value, Mapping) else {name: value}
    return values


def quote(value: object) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def path_of(study: AnyStudy) -> Path:
    return inside(study.folder, REGISTRATION_FILE)


NOT_REGISTERED: Final = (
    "Not registered. hype register fixes the study, stimuli and plan before anyone takes part."
)


def describe_registration(
    registration: Registration, study: AnyStudy, fixed: Fixed
) -> Iterator[str]:
    """Describe a study's registration: its date, its hash, and what has changed since then."""
    name = f"Registered on {registration.registered[:10]} as {registration.sha256}"
    try:
        changed = registration.differences(study, fixed)
    except InputError as error:  # the stimuli may be missing: scoring does not need them
        yield f"{name}. Changes since the registration are unknown: {error}"
    else:
        number = f"{len(changed)} difference" + "s" * (len(changed) != 1)
        yield f"{name}; {f'{number} since' if changed else 'unchanged since'}."
        yield from (f"  {difference}" for difference in changed)
    if registration.sessions:
        yield f"Sessions of people before the registration: {registration.sessions:,}."
