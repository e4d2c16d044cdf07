"""What front ends put together: rooms, and the protocol of a study."""

from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from hype import addition, check, registration
from hype.check import station
from hype.check.findings import Preflight
from hype.cli.add import asked_of
from hype.errors import InputError
from hype.export import bids, preferences, psych_ds, tidy_csv
from hype.protocols.registry import course_of, fixed_of, protocol_of
from hype.session import live
from hype.status import looking
from hype.store.recorder import HeldSession
from hype.study.studies import AnyStudy
from hype.verify import record

STATUS_KEYS = {
    "study": {
        *("study", "simulated", "version", "versions", "stimuli_problem", "cells", "whole"),
        *("remaining", "quotas", "left_out", "evaluators", "base_due", "bonus_due", "pay_due"),
        "currency",
    },
    "cell": {"condition", "methods", "share"},
    "places": {
        *("wanted", "came", "complete", "active", "left", "unqualified", "declined", "full"),
        *("left_out", "needed", "answers"),
    },
    "evaluator": {
        *("evaluator", "condition", "methods", "share", "status", "answers", "base", "bonus"),
        *("pay", "came_unix_s", "last_answered_unix_s"),
    },
}
"""What `hype status --json` says of every study, whatever its protocol."""


def verify_record(study: AnyStudy) -> record.Verified:
    return record.verify_record(study, protocol_of(study).row, course_of)


def look(study: AnyStudy, **how: Any) -> Any:
    return looking.look(study, protocol_of(study).design.status, **how)


def register(study: AnyStudy, **how: Any) -> registration.Registration:
    return registration.register(study, fixed_of(study), **how)


def hold_session(engine: Engine, study: AnyStudy, *given: Any, **how: Any) -> HeldSession:
    return live.hold_session(engine, course_of(study), *given, **how)


def write_csv(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    kind = protocol_of(study).export_kind(study)
    return tidy_csv.write_csv(engine, study, kind, folder, simulated=simulated)


def write_parquet(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    from hype.export import tidy_parquet

    kind = protocol_of(study).export_kind(study)
    return tidy_parquet.write_parquet(engine, study, kind, folder, simulated=simulated)


def write_psych_ds(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    kind = protocol_of(study).export_kind(study)
    return psych_ds.write_psych_ds(engine, study, kind, folder, simulated=simulated)


def write_bids(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    kind = protocol_of(study).export_kind(study)
    return bids.write_bids(engine, study, kind, folder, simulated=simulated)


def write_preferences(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> str:
    kind = protocol_of(study).export_kind(study)
    return preferences.write_preferences(engine, study, kind, folder, simulated=simulated)


def write_items(study: AnyStudy, folder: Path) -> str:
    return tidy_csv.write_items(study, protocol_of(study).export_kind(study), folder)


def course_or_none(study: AnyStudy) -> Any:
    try:
        return course_of(study)
    except InputError:
        return None


def add_models(study: AnyStudy, *given: Any) -> list[addition.Addition]:
    return addition.add_models(study, asked_of(study), *given)


def check_station(flight: Preflight, study: AnyStudy) -> Any:
    return station.check_station(flight, study, course_or_none(study))


def check_sizes(flight: Preflight, study: AnyStudy, display: Any) -> None:
    station.check_sizes(flight, study, course_or_none(study), display)


def check_record(flight: Preflight, study: AnyStudy) -> None:
    check.record.check_record(flight, study, course_or_none(study))


def check_quotas(flight: Preflight, study: AnyStudy) -> None:
    check.record.check_quotas(flight, study, course_or_none(study))


def check_web(flight: Preflight, study: AnyStudy) -> None:
    check.web.check_web(flight, study)
    if study.settings.web.is_given:
        protocol_of(study).checks.web(flight, study)


def words_of(study: AnyStudy) -> dict[str, str]:
    course = course_or_none(study)
    return check.texts.words_of(study, course.prompts if course else ())


def check_fonts(flight: Preflight, study: AnyStudy) -> None:
    course = course_or_none(study)
    check.texts.check_fonts(flight, study, course.prompts if course else ())
