"""Measure how many answers per second several stations write into one PostgreSQL database.

    python benchmarks/stations.py --store postgresql://USER@HOST/DATABASE [--stations 8]

The database must be empty. Each station is a separate `hype simulate`: evaluators of HYPE_∞ judge
the demonstration's images and give 106 answers each. Time is measured from the start of the first
session in the record to the start of the last. Then `hype verify` checks the record.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from machine import Load, description
from sqlalchemy import func, select

from hype.files import FOLDERS_VARIABLE
from hype.protocols.load import load_any
from hype.store.people import count_answers
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.store.schema import evaluators

ROOT: Final = Path(__file__).parent.parent
HYPE: Final = Path(sys.executable).with_name("hype")
STUDY: Final = f"""
[study]
name = "stations"
methods = ["infinity"]
evaluators = 1000
[stimuli]
folder = "{ROOT}/stimuli/fashion"
[infinity]
trials = 100
[qualification]
enabled = false
"""


def main() -> None:
    """Simulate on all stations, count the answers, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", required=True, metavar="URL", help="an empty database")
    parser.add_argument("--stations", type=int, default=8)
    parser.add_argument("--evaluators", type=int, default=100, help="at each station")
    options = parser.parse_args()
    os.environ |= {FOLDERS_VARIABLE: str(ROOT), "HYPE_STORE": options.store}
    make_record(options.store)
    load = Load()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "study.toml").write_text(STUDY)
        command = [str(HYPE), "simulate", str(folder), "--evaluators", str(options.evaluators)]
        begun = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(options.stations)
        ]
        if failed := sum(station.wait() != 0 for station in begun):
            sys.exit(f"{failed} stations failed")
        with record_of(load_any(folder)).writing() as engine, engine.connect() as connection:
            answers = count_answers(connection, simulated=True).total()
            came = evaluators.c.assigned_unix_s
            first_s, last_s, people = connection.execute(
                select(func.min(came), func.max(came), func.count())
            ).one()
        verified = subprocess.run(
            [HYPE, "verify", folder], capture_output=True, text=True, check=False
        )
    print(description(["sqlalchemy", "psycopg"]))
    print(
        f"{options.stations} stations: {people} sessions, {answers:,} answers in "
        f"{last_s - first_s:.1f} s, {answers / (last_s - first_s):,.0f} a second"
    )
    print(verified.stdout.strip())
    print(f"other programs, PostgreSQL among them, took {load.of_others():.2f} cores")


if __name__ == "__main__":
    main()
