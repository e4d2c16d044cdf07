"""Records that are pushed, and what a central store shows of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from paper_comparer import PaperComparer, compare, small_study
from paper_station import record_of
from postgres import Database
from sqlalchemy import select

from hype.protocols.studies import AnyStudy
from hype.store.central.engine import reading_central
from hype.store.central.problems import Pushed
from hype.store.central.push import push
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import evaluators


def sent(record: Path, store: Database) -> Pushed:
    with reading_record(record) as engine:
        return push(engine, store.station_url)


def record_in(study: AnyStudy) -> Path:
    return study.folder / RECORD_FILE


def codes_at(store: Database, column: Any = evaluators.c.evaluator) -> list[Any]:
    with reading_central(store.analyst_url) as engine, engine.connect() as connection:
        return list(connection.execute(select(column).order_by(evaluators.c.id)).scalars())


def copied(record: Path, folder: Path) -> Path:
    """Copy a study with a record that nobody has open."""
    shutil.copytree(record.parent, folder)
    return folder / record.name


def attended_study(folder: Path) -> AnyStudy:
    """Make a study to which two came, one of them twice."""
    study = small_study(folder)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=7), PaperComparer())
        compare(engine, study, "p02", PaperComparer(withholds=True))
    return study
