"""The same evaluator at a station and in a browser: one plan, images, staircase and answers."""

import time

import pytest
from served import HOST, KEY, listening
from small_studies import SMALLER, STUDIES, TABLES
from sqlalchemy import select
from visitor import LAPTOP

from hype.cli.demo import at_their_end
from hype.protocols.registry import conduct_of
from hype.session.simulate import Simulation
from hype.store.record import reading_record, writing_record
from hype.web.simulated import Client, visit

SEED = 5
CODE = "sim-0001"
DOOR = f"/simulated/{CODE}/{KEY.name('simulated', CODE)}"
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
"""What tells of the moment and the display."""


PATIENCE_S = 600


def rows_of(study, protocol, *apart):
    table = TABLES[protocol]
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        rows = connection.execute(select(table).order_by(table.c.id)).mappings().all()
    names = [column.name for column in table.c]
    alike = [name for name in names if not any(part in name for part in (*APART, *apart))]
    alike = [name for name in alike if not name.endswith(("_frames", "_nominal_ms"))]
    return [[row[name] for name in alike] for row in rows]


def two_studies(protocol, folder, **changes):
    """Give a study that was held at a station, and the same one that was not held yet."""
    folders = [folder / name for name in ("station", "browser")]
    for one in folders:
        one.mkdir()
    return [STUDIES[protocol](one, **changes) for one in folders]


def held_at_a_station(station, seed):
    with writing_record(station.folder / "data.sqlite") as engine:
        list(Simulation(engine, conduct_of(station), seed=seed).come(1))


@pytest.mark.parametrize("protocol", STUDIES)
def test_a_session_is_the_same_wherever_it_is_held(protocol, tmp_path):
    station, browser = two_studies(protocol, tmp_path)
    held_at_a_station(station, SEED)
    with listening(browser) as port:
        client = Client(HOST, port)
        visit(client, DOOR, CODE, conduct_of(browser), seed=SEED)
        client.close()
    there = rows_of(station, protocol)
    assert len(there) > 5
    assert rows_of(browser, protocol) == there


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_a_session_is_the_same_at_a_page_of_firefox(protocol, firefox, tmp_path):
    station, served = two_studies(protocol, tmp_path, **SMALLER[protocol])
    held_at_a_station(station, 0)
    with listening(served) as port:
        firefox.visit(f"http://{HOST}:{port}{DOOR}", LAPTOP)
        until_s = time.monotonic() + PATIENCE_S
        while CODE not in at_their_end(served):
            assert time.monotonic() < until_s, firefox.source()
            time.sleep(0.5)
    there = rows_of(station, protocol, "rt_ms")
    assert there
    assert rows_of(served, protocol, "rt_ms") == there
