"""Differences between two studies, which decide whether they count as the same version.

Answers to different versions measure different things, and are never scored together. A setting
that may differ within a version is marked with `hype.study.table.Affects`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from hype.errors import InputError
from hype.files import check_folder
from hype.study.mistakes import explain_each
from hype.study.studies import AnyStudy
from hype.study.table import Affects, Settings

Validated = TypeVar("Validated", bound=BaseModel)
LONGEST_SHOWN: Final = 40
"""The maximum length of a setting's value in a message, in characters."""
FEW_WORDS: Final = 3
"""If two texts start with more equal words than this, a message leaves these words out."""
MOST_SHOWN: Final = 12
"""The maximum number of settings in a message."""


Changes = Mapping[str, tuple[object, object]]
"""Old and new values of settings, by their names in the study file; None if missing."""


def find_mark(field: FieldInfo) -> Affects | None:
    return next((mark for mark in field.metadata if isinstance(mark, Affects)), None)


def affects_answers(field: FieldInfo, *, simulated: bool) -> bool:
    """Return whether a setting affects the answers of people, or of simulated evaluators.

    A setting that is not part of the resolved study does not affect answers.
    """
    if field.exclude:
        return False
    mark = find_mark(field)
    return mark is None or (simulated and mark is Affects.SIMULATED)


def settings_of_answers(
    study: AnyStudy, *, simulated: bool, before: Collection[str] = ()
) -> dict[str, object]:
    """Return the settings that affect answers, for a comparison with another study.

    ``before``: models that joined the other study. Observers of later models are left out.
    """
    settings = cast("BaseModel", study.settings)
    later = tuple(f"observers.{name}." for name in study.added if name not in before)
    return {
        key: value
        for key, value in list_leaves(settings, "", simulated)
        if value is not None and not key.startswith(later)
    }


def list_leaves(value: object, prefix: str, simulated: bool) -> Iterator[tuple[str, object]]:
    """Yield the settings in a table that affect answers, each with its full name."""
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            if affects_answers(field, simulated=simulated):
                yield from list_leaves(getattr(value, name), f"{prefix}{name}.", simulated)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from list_leaves(each, f"{prefix}{name}.", simulated)
    else:
        yield prefix.removesuffix("."), value


def differences(before: AnyStudy, now: AnyStudy, *, simulated: bool = False) -> Changes:
    """List the settings that make a study a different version; empty if the version is the same."""
    if before is now:
        return {}
    one, other = (
        settings_of_answers(study, simulated=simulated, before=held.added)
        for study, held in ((before, now), (now, before))
    )
    both = ((key, (one.get(key), other.get(key))) for key in dict.fromkeys((*one, *other)))
    return {key: (was, new) for key, (was, new) in both if was != new}


def describe_changes(changes: Changes) -> str:
    """Describe differences in a message: each setting, its old and its new value."""
    some = [
        f"{key}: {' → '.join(write_change(was, new))}"
        for key, (was, new) in islice(changes.items(), MOST_SHOWN)
    ]
    more = [f"and {len(changes) - MOST_SHOWN} more"] if len(changes) > MOST_SHOWN else []
    return ", ".join((*some, *more))


def write_change(was: object, new: object) -> tuple[str, str]:
    """Write an old and a new value; many equal words at the beginning of both are left out."""
    if isinstance(was, str) and isinstance(new, str):
        words = was.split(" "), new.split(" ")
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*words, strict=False)))
        if same > FEW_WORDS:
            was, new = (" ".join(["…", *some[same:]]) for some in words)
    return write_value(was), write_value(new)


def write_value(value: object) -> str:
    if value is None:
        return "nothing"
    text = f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def rebuild_given(today: AnyStudy, resolved: str, *, simulated: bool) -> AnyStudy:
    """Rebuild the study as it was when evaluators started, from its text in the record.

    Settings that do not affect answers, such as the station's screen, have today's values. Models
    that joined after these evaluators started are left out.

    Raises InputError: as in `rebuild_recorded`.
    """
    if resolved == today.settings_json():
        return today
    recorded = rebuild_recorded(today, resolved)
    one, other = (cast("BaseModel", study.settings) for study in (recorded, today))
    mixed = update_today(one, other, simulated)
    people = cast("dict[str, object]", mixed.get("observers", {}))
    later = today.added.keys() - recorded.added.keys()
    mixed["observers"] = {name: each for name, each in people.items() if name not in later}
    try:
        settings = validate(type(one), json.dumps(mixed))
    except ValidationError:
        return recorded  # today's values do not fit the old ones
    return today.of(settings)


def update_today(kept: BaseModel, today: BaseModel, simulated: bool) -> dict[str, object]:
    """Return a stored table, with today's values for settings that do not affect answers."""
    old, new = kept.model_dump(mode="json"), today.model_dump(mode="json")
    for name, field in type(kept).model_fields.items():
        one, other = getattr(kept, name), getattr(today, name)
        if find_mark(field) is Affects.NEWCOMERS:
            continue
        if field.exclude:
            old[name] = other  # model_dump() leaves this setting out
        elif not affects_answers(field, simulated=simulated):
            old[name] = new[name]
        elif isinstance(one, BaseModel) and type(one) is type(other):
            old[name] = update_today(one, other, simulated)
    return old


def rebuild_recorded(today: AnyStudy, resolved: str) -> AnyStudy:
    """Rebuild a study from its resolved text in a record, with the folder of ``today``.

    Raises InputError: the text is not a study of the same protocol, or names a folder that is not
    allowed.
    """
    model = type(cast("Settings", today.settings))
    try:
        settings = validate(model, resolved)
    except ValidationError as error:
        raise InputError(today.path, next(explain_each(error.errors(), model))) from None
    study = today.of(settings)
    for key, name in study.list_folders():
        check_folder(today.path, today.folder, key, name)
    return study


@lru_cache(maxsize=16)
def validate(model: type[Validated], text: str) -> Validated:
    """Validate JSON. The result is cached, since evaluators share the same few texts."""
    return model.model_validate_json(text)


MAY_DIFFER: Final = (
    *(
        "study.",
        "stimuli.",
        "masks.folder",
        "texts.",
        "demographics.",
        "practice.",
        "keys.",
        "pay.",
    ),
    *("display.fullscreen", "display.font", "display.text_rgb", "display.progress"),
)
"""Prefixes of settings that may differ in studies that are scored together."""
TEXTS_ASKED: Final = ("texts.question", "texts.question_untimed")


def common_settings(study: AnyStudy, may_differ: tuple[str, ...] = ()) -> dict[str, object]:
    """Return the settings that must be equal in studies that are scored together, by name.

    These are the settings that affect answers, except those with a prefix in ``may_differ`` or
    `MAY_DIFFER`. Questions must be equal only in studies of the same language.
    """
    settings: Any = study.settings
    measured = dict(list_leaves(settings, "", simulated=False))
    asked = {
        f"{key} in {settings.study.language}": measured[key]
        for key in TEXTS_ASKED
        if key in measured
    }
    those = (*MAY_DIFFER, *may_differ)
    kept = {key: measured[key] for key in measured if not key.startswith(those)}
    analysis = dict(list_leaves(settings.analysis, "analysis.", simulated=False))
    analysis.pop("analysis.strengths", None)  # affects only how results are shown
    return asked | kept | analysis
