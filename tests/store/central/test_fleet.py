"""Eight stations push to one store, and are killed, and it is: nothing is lost, nothing twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from builders import whole_study
from central.fleet import HALF, PROGRAM, PUSHES, TWICE, WEEK, Orders
from central.program import hype
from central.storm import Ship, Storm
from central.union import Compared, same_as_union
from faults.places import linked
from faults.tally import Figures
from postgres import Database, Server

from hype.store.central.push import push
from hype.store.record import RECORD_FILE, reading_record

FLEET = (PUSHES, PUSHES, PUSHES, PUSHES, TWICE, PROGRAM, HALF, WEEK)
REAL_SIZE = {
    "counts": {"": 330, "crude": 330, "good": 330},
    "qualification": {"trials": 100},
    "practice": {"trials": 10},
    "time": {"blocks": 3, "trials": 150},
}
"""As many trials as in the paper."""
SIZE = {"evaluators": 50, "durable": 10}
EVERY = 6


def fleet_of(study: Path, store: Database, folder: Path, size: dict[str, int]) -> Iterator[Ship]:
    """Give eight stations, each with the study in a folder of its own."""
    for number, way in enumerate(FLEET, 1):
        place = linked(study, folder / f"station-{number}")
        url = store.url_of(place.name)
        orders = Orders(folder=str(place), url=url, way=way, seed=number, **size)
        yield Ship(orders, place.name)


@pytest.fixture
def storm(tmp_path: Path, postgres: Server, central: Database) -> Storm:
    """A fleet that has been through a storm."""
    study = whole_study(tmp_path / "study", **REAL_SIZE).folder
    ships = fleet_of(study, central, tmp_path / "fleet", SIZE)
    chance = random.Random("storm")
    storm = Storm(postgres, list(ships), server_every=EVERY, station_every=EVERY, chance=chance)
    storm.rage()
    return storm


@pytest.mark.long
def test_a_fleet_in_a_storm_loses_nothing_and_pushes_nothing_twice(
    storm: Storm, central: Database, figures: Callable[[str], Figures]
):
    records = [Path(ship.orders.folder) / RECORD_FILE for ship in storm.ships]
    assert storm.trouble == []
    assert all(ship.done for ship in storm.ships)
    assert storm.server_kills >= 20
    assert storm.station_kills >= 20
    assert storm.cut_off > 0, "no kill of the server hit a push"
    assert storm.killed_pushing > 0, "no kill of a station hit a push"
    has_everything(records, central)

    found = same_as_union(central.analyst_url, records)
    keep(figures(told(storm, found)), storm, found)
    assert found.rows["evaluators"] == len(storm.ships) * SIZE["evaluators"]
    assert found.same, found


def has_everything(records: Sequence[Path], central: Database) -> None:
    """Let every station push once more, one of them by the program: there is nothing new."""
    for record in records[1:]:
        with reading_record(record) as engine:
            assert push(engine, central.url_of(record.parent.name)).rows == {}
    first = records[0].parent
    ended = hype("sync", first, "--to", central.url_of(first.name))
    assert "has everything of this station" in " ".join(ended.out.split())


def keep(count: Figures, storm: Storm, found: Compared) -> None:
    """Keep what came of it, to be printed at the end."""
    count.faults += storm.server_kills + storm.station_kills
    count.kills += storm.server_kills + storm.station_kills
    count.refusals += storm.told["away"]
    count.sessions += found.rows["sessions"]
    count.lost += len(found.lost)
    count.duplicates += len(found.twice)


def told(storm: Storm, found: Compared) -> str:
    """Say what happened, for the line of figures."""
    return (
        f"{len(storm.ships)} stations, {found.rows['evaluators']:,} evaluators, "
        f"{found.trials:,} trials, {storm.pushes} pushes: the server was killed "
        f"{storm.server_kills} times, in {storm.cut_off} pushes, and stations "
        f"{storm.station_kills} times, in {storm.killed_pushing} pushes"
    )
