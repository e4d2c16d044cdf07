"""A study with strange names and all kinds of people, for exports to standards."""

import csv
import json
from pathlib import Path
from typing import Any

from builders import named_here, rewrite_rows, whole_study
from paper_station import PaperStation, record_of, sit
from sqlalchemy import update

from hype.protocols.hype.settings import Study
from hype.store.record import RECORD_FILE
from hype.store.schema import sessions
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy

FORMULA = "=cmd()"
MARKUP = named_here("real/<b>one & 1.png")
HOST = "machine-of-the-lab"
DISPLAY = {"refresh_hz": 60.0, "screen_px": [1920, 1080], "sync": "vsync", "virtual": False}
MONITOR = {"width_cm": 53.0, "distance_cm": 57.0}
OWNERS = """
authors = ["A. Author", "B. Author"]
license = "CC0"
institution = "An Institute"
institution_address = "A Street 1"
institution_department = "A Department"
cog_atlas_id = "https://www.cognitiveatlas.org/task/id/none"
cogpo_id = "http://www.cogpo.org/none"
"""
"""The facts that only the owners of the data know."""


def strange_study(folder: Path, **changes: Any) -> Study:
    """Write a study with a condition named like a formula, and an image named like markup."""
    counts = {"": 14, "crude": 14, "good": 14}
    methods = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
    settings = {"study": methods, "timing": {"spoiled_trials": "repeat"}, "monitor": MONITOR}
    study = whole_study(folder, counts, **(settings | changes))
    stimuli = study.stimuli_folder
    (stimuli / "real" / "000.png").rename(stimuli / MARKUP)
    (stimuli / "LICENSE").write_text("do as you like\n", encoding="utf-8")
    rewrite_rows(
        stimuli / "manifest.csv",
        lambda _, row: (
            row
            | {
                "condition": row["condition"].replace("crude", FORMULA),
                "path": row["path"].replace("real/000.png", MARKUP),
            }
        ),
    )
    return study


def everybody(study: Study) -> Study:
    """Add people who finish, return or stop, and a simulated evaluator."""
    with record_of(study) as engine:
        sit(engine, study, "p-01", PaperStation(stops_at=15))
        sit(engine, study, "p-01")
        sit(engine, study, "p01", PaperStation(spoils=lambda trial, n: n % 7 == 0))
        sit(engine, study, "P01")
        sit(engine, study, "unfit", PaperStation(lambda trial, n: False))
        sit(engine, study, "unfinished", PaperStation(stops_at=16))
        sit(engine, study, "unwilling", PaperStation(consents=False))
        sit(engine, study, "sim", simulated=True)
        facts = {"machine": json.dumps({"host": HOST, "system": "Linux-6.1"})}
        with engine.begin() as connection:
            connection.execute(update(sessions).values(facts | {"display": json.dumps(DISPLAY)}))
    return study


def exported(write: Any, study: AnyStudy, folder: Path, *, simulated: bool = False) -> int:
    """Export a study's data with one of the writers."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        return int(write(engine, study, folder, simulated=simulated))


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def rows_in(path: Path) -> list[dict[str, str]]:
    """Read a table: tab-separated without quotes, or comma-separated."""
    tabs = path.suffix == ".tsv"
    quoting = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if tabs else ",", quoting=quoting))


def answers_in(folder: Path) -> list[dict[str, str]]:
    """Read all answers of a BIDS or Psych-DS data set."""
    tables = sorted([*folder.glob("sub-*/ses-*/beh/*.tsv"), *folder.glob("data/*_task-*.csv")])
    return [row for path in tables for row in rows_in(path)]
