"""Calls of the library with the protocol of a study, as the commands make them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

import hype
import hype.check.record
from hype import addition, check, registration
from hype.check import station
from hype.check.findings import Preflight
from hype.cli.add import collect_parts
from hype.errors import InputError
from hype.export import bids, psych_ds, tidy_csv
from hype.protocols.registry import collect_fixed_parts, course_of, protocol_of
from hype.session import live
from hype.status import looking
from hype.store.recorder import HeldSession
from hype.study.studies import AnyStudy
from hype.verify import record

STATUS_KEYS = {
    "study": {
        *("study", "simulated", "version", "versions", "stimuli_problem", "cells", "whole"),
        *("remaining", "quotas", "left_out", "evaluators", "base_due", "bonus_due", "pay_due"),
        *("currency", "answers_wanted", "tested", "passed", "simulated_evaluators"),
    },
    "cell": {"condition", "methods", "share"},
    "places": {
        *("wanted", "came", "complete", "active", "left", "unqualified", "declined", "full"),
        *("waiting", "left_out", "needed", "answers", "misunderstood"),
    },
    "evaluator": {
        *("evaluator", "condition", "methods", "share", "status", "answers", "base", "bonus"),
        *("pay", "came_unix_s", "last_answered_unix_s", "webdriver", "untrusted", "sudden"),
    },
}
"""The keys that `hype status --json` has for every protocol."""


DOCUMENTED = {
    kind: re.findall(r"`([a-z]+(?:-[a-z]+)+)`", rows)
    for kind, rows in re.findall(
        r"^\| (fault|note) \|.*\n\|---\|---\|\n((?:\| .*\n)+)",
        (Path(hype.__file__).parents[1] / "docs" / "record.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
"""The documented codes of `hype verify`, by kind."""


def verify_record(study: AnyStudy) -> record.Verified:
    return record.verify_record(study, protocol_of(study).row, course_of)


def look(study: AnyStudy, **how: Any) -> Any:
    return looking.look(study, protocol_of(study).design.status, **how)


def register(study: AnyStudy, **how: Any) -> registration.Registration:
    return registration.register(study, collect_fixed_parts(study), **how)


def hold_session(engine: Engine, study: AnyStudy, *given: Any, **how: Any) -> HeldSession:
    return live.hold_session(engine, course_of(study), *given, **how)


def of_its_kind(write: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a writer so that it gets the study's kind of answers."""

    def written(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> Any:
        kind = protocol_of(study).export_kind(study)
        return write(engine, study, kind, folder, simulated=simulated)

    return written


write_csv = of_its_kind(tidy_csv.write_csv)
write_psych_ds = of_its_kind(psych_ds.write_psych_ds)
write_bids = of_its_kind(bids.write_bids)


@of_its_kind
def write_parquet(*given: Any, **how: Any) -> int:
    from hype.export import tidy_parquet

    return tidy_parquet.write_parquet(*given, **how)


@of_its_kind
def write_preferences(*given: Any, **how: Any) -> int:
    from hype.export import tidy_parquet

    return tidy_parquet.write_preferences(*given, **how)


def write_items(study: AnyStudy, folder: Path) -> str:
    return tidy_csv.write_items(study, protocol_of(study).export_kind(study), folder)


def course_or_none(study: AnyStudy) -> Any:
    try:
        return course_of(study)
    except InputError:
        return None


def add_models(study: AnyStudy, *given: Any) -> list[addition.Addition]:
    return addition.add_models(study, collect_parts(study), *given)


def check_station(flight: Preflight, study: AnyStudy) -> Any:
    return station.check_station(flight, study, course_or_none(study))


def check_sizes(flight: Preflight, study: AnyStudy, display: Any) -> None:
    station.check_sizes(flight, study, course_or_none(study), display)


def check_record(flight: Preflight, study: AnyStudy) -> None:
    check.record.check_record(flight, study, course_or_none(study))


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
