"""The same evaluator at a station and in a browser: one plan, images, staircase and answers."""

import pytest
import served
from long import long_but
from served import KEY, listening
from small_studies import FOLLOW_UPS, STUDIES, TABLES

from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.store.sqlite_record import writing_record
from hype.web.simulated import Client, visit

SEED = 5
CODE = "sim-0001"
APART = (
    "id",
    "session_id",
    "onset",
    "flips",
    "measured",
    "deviation",
    "uncertainty",
    "verdict",
    "key",
)
"""Columns that depend on the time and the display."""


def rows_of(study, protocol):
    table = TABLES[protocol]
    rows = served.rows_of(study, table)
    names = [column.name for column in table.c]
    alike = [name for name in names if not any(part in name for part in APART)]
    alike = [name for name in alike if not name.endswith(("_frames", "_nominal_ms"))]
    return [[row[name] for name in alike] for row in rows]


@pytest.mark.parametrize("protocol", long_but(["hype", "comparison"], STUDIES))
def test_a_session_is_the_same_wherever_it_is_held(protocol, tmp_path):
    folders = [tmp_path / name for name in ("station", "browser")]
    for folder in folders:
        folder.mkdir()
    asked = FOLLOW_UPS[protocol]
    station, browser = (STUDIES[protocol](folder, follow_up=asked) for folder in folders)
    with writing_record(station.folder / "data.sqlite") as engine:
        list(Simulation(engine, course_of(station), seed=SEED).simulate_some(1))
    with listening(browser) as port:
        client = Client("127.0.0.1", port)
        door = f"/simulated/{CODE}/{KEY.name('simulated', CODE)}"
        visit(client, door, CODE, course_of(browser), seed=SEED)
        client.close()
    there = rows_of(station, protocol)
    assert len(there) > 5
    assert rows_of(browser, protocol) == there
