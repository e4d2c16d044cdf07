"""During a session the clocks are set and the machine sleeps."""

import time
from dataclasses import dataclass, replace

import pytest
from admitted import enrol
from builders import named_study
from paper_station import PaperStation, record_of, rows_of

from hype.protocols.hype.record import judgements
from hype.protocols.hype.trial import hype_session
from hype.protocols.registry import course_of
from hype.session.enrol import begin_session
from hype.session.facts import Clocks
from hype.session.loop import run_session
from hype.session.steps import Screen
from hype.store.record import transaction
from hype.store.recorder import DurableRecorder, read_clocks
from hype.store.schema import events

HOUR_S = 3600.0
READING_S = 0.25
TRIALS = 20


@dataclass
class Shown:
    """A station whose clocks advance with every step, and jump while a trial is shown."""

    station: PaperStation
    clocks: Clocks
    jumps: dict[int, tuple[float, float]]

    def read(self) -> Clocks:
        """Read the clocks, and advance them by a constant time."""
        self.advance(wall_s=READING_S, monotonic_s=READING_S, boot_s=READING_S)
        return self.clocks

    def advance(self, **by_s: float) -> None:
        now = {name: getattr(self.clocks, name) + s for name, s in by_s.items()}
        self.clocks = replace(self.clocks, **now)

    def present(self, step):
        if not isinstance(step, Screen):
            set_s, slept_s = self.jumps.get(self.station.number, (0.0, 0.0))
            self.advance(wall_s=set_s + slept_s, boot_s=slept_s)
            self.station.rows.append((step, None))
        shown = self.station.present(step)
        now = self.clocks
        return replace(shown, onset_unix_s=now.wall_s, onset_monotonic_s=now.monotonic_s)

    def respond(self, step):
        return self.station.respond(step)


def session_of(folder, jumps):
    """Run a session; ``jumps``: trial (from 0) -> how far the clock is set, time asleep (in s)."""
    study = named_study(folder)
    clocks = Clocks(wall_s=1.6e9, monotonic_s=100.0, boot_s=400.0)
    shown = Shown(PaperStation(), clocks, jumps)
    with record_of(study) as engine:
        with transaction(engine) as connection:
            enrolled = enrol(connection, course_of(study), "e1", simulated=True)
            session = begin_session(connection, enrolled, study, mode="person", display={})
        recorder = DurableRecorder(engine, enrolled.owner(session), shown.read)
        run_session(hype_session(enrolled.plan), shown, shown, recorder)
        found = [row for row in rows_of(engine, events) if row.seconds is not None]
        return rows_of(engine, judgements), found


WALL = {"onset_unix_s"}


def but(row, columns):
    """Return a row as a dict, without some columns."""
    return {name: value for name, value in row._mapping.items() if name not in columns}


@pytest.mark.parametrize(
    ("set_s", "slept_s", "expected"),
    [
        (-HOUR_S, 0.0, [("clock-set", -HOUR_S)]),
        (HOUR_S, 0.0, [("clock-set", HOUR_S)]),
        (0.0, 1234.5, [("suspended", 1234.5)]),
        (-HOUR_S, 1234.5, [("suspended", 1234.5), ("clock-set", -HOUR_S)]),
        (HOUR_S, 10 * HOUR_S, [("suspended", 10 * HOUR_S), ("clock-set", HOUR_S)]),
        (0.5, 0.1, []),
    ],
)
def test_what_happened_to_the_clocks_is_an_event_of_its_trial(tmp_path, set_s, slept_s, expected):
    quiet, nothing = session_of(tmp_path / "quiet", {})
    rows, found = session_of(tmp_path / "jumps", {7: (set_s, slept_s)})
    assert nothing == []
    assert [(row.event, row.seconds) for row in found] == expected
    where = {(row.task, row.block, row.trial) for row in found}
    assert where <= {(rows[7].task, rows[7].block, rows[7].trial)}
    assert [but(row, WALL) for row in rows] == [but(row, WALL) for row in quiet]
    onsets_s = [row.onset_monotonic_s for row in rows]
    assert onsets_s == sorted(onsets_s)
    moved_s = [
        row.onset_unix_s - still.onset_unix_s for row, still in zip(rows, quiet, strict=True)
    ]
    assert moved_s == pytest.approx([0.0] * 7 + [set_s + slept_s] * (len(rows) - 7))


def test_every_change_is_told_once(tmp_path):
    jumps = {2: (-HOUR_S, 0.0), 5: (0.0, 60.0), 6: (HOUR_S, 0.0)}
    _, found = session_of(tmp_path, jumps)
    assert [(row.event, row.seconds) for row in found] == [
        ("clock-set", -HOUR_S),
        ("suspended", 60.0),
        ("clock-set", HOUR_S),
    ]


def test_the_real_clocks_agree_with_those_of_the_system():
    before, clocks, after = time.time(), read_clocks(), time.time()
    assert before <= clocks.wall_s <= after
    assert clocks.boot_s >= clocks.monotonic_s - 1.0
