"""A study, its materials and its planned analysis, fixed under one hash before anybody is asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select

from hype.confine import inside
from hype.errors import InputError, SessionProblem
from hype.files import read_bytes, write_bytes
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.protocols.load import STUDY_FILE
from hype.protocols.registry import conduct_of, of_methods, protocol_of
from hype.protocols.studies import ADDED, AnyStudy
from hype.session.facts import versions
from hype.stimuli.manifest import MANIFEST, sha256_of
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import ANSWER_TABLES, evaluators, sessions

JsonObject = dict[str, Any]


def frozen(study: AnyStudy) -> JsonObject:
    """Give all that is fixed: settings, manifests, which list the checksum of each image, and plan.

    Raises InputError: a manifest is missing or wrong.
    """
    folder = study.stimuli_folder
    fixed: JsonObject = {
        "study": {"checksum": study.checksum(), "settings": json.loads(study.resolved())},
        "stimuli": {"manifest_sha256": file_sum(folder / MANIFEST)},
        PLAN: planned_analysis(study),
    }
    for name, added in study.added_sets.items():
        fixed[f"{ADDED}/{name}"] = {"manifest_sha256": file_sum(added / MANIFEST)}
    if study.masks_folder:
        fixed["masks"] = {"manifest_sha256": file_sum(study.masks_folder / MASK_MANIFEST)}
    for name, other in study.other_sets.items():
        fixed[name] = {"manifest_sha256": file_sum(other / MANIFEST)}
    for name, file in protocol_of(study).fixed_files(study).items():
        fixed[name] = {"sha256": file_sum(file)}
    return fixed


def file_sum(path: Path) -> str:
    """SHA-256 (hex) of a file that must be there."""
    try:
        return sha256_of(path)
    except FileNotFoundError:
        raise InputError(path, "is missing") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None


def planned_analysis(study: AnyStudy) -> JsonObject:
    """Give what is planned: of how many, by which rules, put to which tests."""
    conduct = conduct_of(study)
    places, each = len(conduct.cells), conduct.evaluators_per_cell
    numbers = {"places": places, "evaluators_per_place": each, "evaluators": places * each}
    return numbers | protocol_of(study).planned_analysis(study)


def summary(content: Mapping[str, Any]) -> dict[str, str]:
    plan = content["analysis"]
    lines = {
        "study": f"settings {content['study']['checksum'][:12]}…",
        "stimuli": f"manifest {content['stimuli']['manifest_sha256'][:12]}…",
    }
    if "masks" in content:
        lines["masks"] = f"manifest {content['masks']['manifest_sha256'][:12]}…"
    return {
        **lines,
        **of_methods(plan["methods"]).registered_in_short(content),
        "evaluators": f"{plan['evaluators']:,} ({plan['evaluators_per_place']:,} in each of "
        f"{plan['places']:,} {'place' if plan['places'] == 1 else 'places'})",
        "not scored": "; ".join(plan["not_scored"]),
        "tests": f"α = {plan['alpha']:g}; {'; '.join(plan['tests'])}",
    }


REGISTRATION_FILE: Final = "registration.json"
FORMAT: Final = 1
LARGEST_BYTES: Final = 256 << 20
MOST_NAMED: Final = 20
"""Differences of one kind that are listed."""
LONGEST_SHOWN: Final = 160
SHA256_DIGITS: Final = 64

Json = Mapping[str, Any]

Key = tuple[str, ...]
SETTINGS: Final[Key] = ("study", "settings")
CHECKSUM: Final[Key] = ("study", "checksum")
PLAN: Final = "analysis"
TESTS: Final[Key] = (PLAN, "tests")
BY_PROGRAM: Final = (
    "The study's settings and files are the same: this version of the program plans the analysis "
    "otherwise than the one that registered it. Say so where you report it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What people had already given when a study was registered."""

    evaluators: int = 0
    sessions: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A study as it was registered."""

    sha256: str  # the hash under which it is registered
    registered: str  # when, in UTC (ISO 8601)
    versions: Mapping[str, str]  # of the programs that registered it
    before: Collected  # what people had given by then
    # Hash of a registration that this one took the place of, before anybody came; or empty
    replaces: str
    content: Json  # what was fixed, as `hype.registration.frozen` gives it
    whole: bool = True  # whether the file still is what it was

    def differences(self, study: AnyStudy) -> tuple[str, ...]:
        """Say in what a study, as it is now, differs from what was registered.

        Raises InputError: a manifest cannot be read.
        """
        edited = f"{REGISTRATION_FILE}: was edited, its SHA-256 does not fit it any more"
        known = self.content["study"]["settings"].get("added", {})
        later = [name for name in study.added if name not in known]
        joined = (
            f"{STUDY_FILE}: added.{name}: joined on {study.added[name].day}; the registered plan "
            "had no such model"
            for name in later
        )
        now = frozen(study.without(later))
        return (*([] if self.whole else [edited]), *joined, *differing(self.content, now))


def registration_of(study: AnyStudy) -> Registration | None:
    """Read what a study was registered as; None where it was not.

    Raises InputError: the file is not one that `register` writes.
    """
    path = inside(study.folder, REGISTRATION_FILE)
    if not path.exists():
        return None
    try:
        return registration_in(json.loads(read_bytes(path, most_bytes=LARGEST_BYTES)))
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError(path, "is no registration", "what hype register wrote") from None


def registration_in(content: dict[str, Any]) -> Registration:
    """Take what a file of a registration holds apart.

    Raises ValueError, TypeError, KeyError, AttributeError: it is none.
    """
    rest = {name: value for name, value in content.items() if name != "sha256"}
    before = rest["collected_before"]
    if not isinstance(rest["content"]["analysis"], dict):
        raise TypeError
    return Registration(
        sha256=str(content["sha256"]),
        registered=str(rest["registered"]),
        versions=dict(rest["versions"]),
        before=Collected(**{name: int(before[name]) for name in Collected.__slots__}),
        replaces=str(rest["replaces"]),
        content=dict(rest["content"]),
        whole=content["sha256"] == sha256_of_json(rest),
    )


def register(study: AnyStudy, *, now: datetime | None = None) -> Registration:
    """Freeze a study, its materials and its plan, and write that down beside it.

    Raises InputError: something that is to be frozen is missing, or the file cannot be written.
    Raises SessionProblem: it is registered already, and people have begun.
    """
    earlier, before = registration_of(study), collected(study)
    if earlier is not None and before.sessions:
        raise SessionProblem(
            f"{study.folder / REGISTRATION_FILE}: the study is registered as {earlier.sha256}, and "
            f"people have begun ({sessions_in_words(before)}): what was fixed before stays fixed; "
            "hype register --check says what changed"
        )
    when = now or datetime.now(timezone.utc)
    content = {
        "format": FORMAT,
        "registered": when.isoformat(timespec="seconds"),
        "versions": versions(),
        "collected_before": {name: getattr(before, name) for name in Collected.__slots__},
        "replaces": earlier.sha256 if earlier else "",
        "content": frozen(study),
    }
    whole = {"sha256": sha256_of_json(content), **content}
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    path = inside(study.folder, REGISTRATION_FILE)
    write_bytes(path, f"{text}\n".encode(), private=False)
    return registration_in(whole)


def sessions_in_words(before: Collected) -> str:
    return "1 session" if before.sessions == 1 else f"{before.sessions:,} sessions"


def sha256_of_json(value: object) -> str:
    """SHA-256 (hex) of a value as JSON with sorted keys and without spaces, in UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def collected(study: AnyStudy) -> Collected:
    record = study.folder / RECORD_FILE
    if not record.exists():
        return Collected()
    with reading_record(record) as engine, engine.connect() as connection:
        who = select(evaluators.c.id).where(evaluators.c.simulated.is_(False))

        def count(table: Any) -> int:
            query = select(func.count()).select_from(table)
            return int(connection.execute(query.where(table.c.evaluator_id.in_(who))).scalar_one())

        number = connection.execute(select(func.count()).select_from(who.subquery())).scalar_one()
        return Collected(
            evaluators=int(number),
            sessions=count(sessions),
            answers=sum(map(count, ANSWER_TABLES)),
        )


def differing(registered: Json, now: Json) -> Iterator[str]:
    """Yield in words what differs, some of each part, and each change once."""
    reported: set[tuple[str, str, str]] = set()
    for part in dict.fromkeys((*registered, *now)):
        lines = []
        for key, before, after in unlike((part,), registered.get(part), now.get(part)):
            change = (key[-1], shown(before), shown(after))
            if key == CHECKSUM or change in reported:  # of settings, or follows from them
                continue
            reported.add(change)
            lines.append(f"{named(key)}: registered {change[1]}, now {change[2]}")
        yield from lines[:MOST_NAMED]
        if len(lines) > MOST_NAMED:
            yield f"{part}: {len(lines) - MOST_NAMED:,} more differences"


def is_by_program(differences: Sequence[str]) -> bool:
    """Tell whether the plan alone differs: it follows from settings, files and the program."""
    return bool(differences) and all(each.startswith(f"{PLAN}: ") for each in differences)


def unlike(key: Key, before: object, after: object) -> Iterator[tuple[Key, object, object]]:
    """Yield what differs between two values of a key, down to the last table."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from unlike((*key, name), before.get(name), after.get(name))
    elif key == TESTS and isinstance(before, list) and isinstance(after, list):
        yield from ((key, test, None) for test in before if test not in after)
        yield from ((key, None, test) for test in after if test not in before)
    elif before != after:
        yield key, before, after


def named(key: Key) -> str:
    if key[: len(SETTINGS)] == SETTINGS:
        return f"{STUDY_FILE}: {'.'.join(key[len(SETTINGS) :])}"
    return ": ".join(key)


def shown(value: object) -> str:
    """Write a value for a message; of a checksum the beginning."""
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) == SHA256_DIGITS + 2 and text[1:-1].isalnum():
        return f"{text[1:13]}…"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def path_of(study: AnyStudy) -> Path:
    return study.folder / REGISTRATION_FILE


NOT_REGISTERED: Final = (
    "Not registered: hype register fixes study, stimuli and plan before anyone comes."
)


def registered_sentences(registration: Registration | None, study: AnyStudy) -> Iterator[str]:
    """Say under which hash a study was registered, when, and what has changed since."""
    if registration is None:
        yield NOT_REGISTERED
        return
    name = f"Registered on {registration.registered[:10]} as {registration.sha256}"
    try:
        changed = registration.differences(study)
    except InputError as error:  # the record can be scored where the stimuli are not at hand
        yield f"{name}; whether anything changed since is not known: {error}"
    else:
        number = f"{len(changed)} difference" + "s" * (len(changed) != 1)
        yield f"{name}; {f'{number} since' if changed else 'unchanged since'}."
        yield from (f"  {difference}" for difference in changed)
        if is_by_program(changed):
            yield f"  {BY_PROGRAM}"
    if before := registration.before.answers:
        yield f"When it was registered, people had already given {before:,} answers."
