"""The sessions of one evaluator, interrupted again and again, and checked each time."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faults.records import ANSWERS, Record, Row, read_record
from faults.sitters import Sitter, Sitters
from faults.tally import Figures


def told(lines: Sequence[str], word: str) -> list[str]:
    """Return the rest of each line that starts with ``word``."""
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def trials_told(lines: Sequence[str], word: str) -> list[str]:
    """Return the trials in these lines: unlike a screen's name, a trial's has several words."""
    return [name for name in told(lines, word) if " " in name]


def shown_and_passed(lines: Sequence[str]) -> list[str]:
    """Return the trials after which something else was shown: feedback or the next step."""
    return [name for name in told(lines, "shown")[:-1] if " " in name]


def left_showing(lines: Sequence[str], recorded: Sequence[str]) -> str | None:
    """Return the trial that was started last if it was not recorded, else None."""
    begun = trials_told(lines, "begun")
    return begun[-1] if begun and begun[-1] not in recorded else None


def in_doubt(lines: Sequence[str]) -> str | None:
    """Return the trial whose start may or may not have been written, or None."""
    begin = trials_told(lines, "begin")
    return begin[-1] if len(begin) > len(trials_told(lines, "begun")) else None


def over(record: Record) -> bool:
    """Tell whether the evaluator has nothing left to do."""
    return any(row["status"] != "active" for row in record["evaluators"])


@dataclass
class Ordeal:
    """The sessions of one evaluator, each in a process of its own, with checks after each.

    ``reference`` is the record of the same evaluator without faults.
    """

    sitters: Sitters
    folder: Path
    figures: Figures
    reference: Record
    options: dict[str, object] = field(default_factory=dict)
    past: list[Sitter] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    found: Record = field(default_factory=lambda: Record({}, sound=True))

    def begin(self, **fault: object) -> Sitter:
        """Start a session of the evaluator."""
        return self.sitters.sit(self.folder, **self.options | fault)

    def end(self, sitter: Sitter, *, fault: bool = True) -> Sitter:
        """Wait for the end of a session, and check its record."""
        sitter.wait()
        assert sitter.killed or sitter.code in {0, 1, 2}, sitter.says
        if not sitter.killed and sitter.code:
            assert sitter.says.startswith("hype: "), sitter.says
            assert sitter.says.count("\n") == 1, sitter.says
        self.past.append(sitter)
        self.found = self.read()
        self.examine(self.found, sitter)
        if fault and sitter.code:
            self.figures.faults += 1
            self.figures.kills += sitter.killed
            self.figures.refusals += not sitter.killed
        return sitter

    def read(self) -> Record:
        """Read a copy of the record in its current state."""
        folder = self.sitters.seen(self.folder)
        return read_record(folder, self.folder.parent / f"{self.folder.name}-read")

    @property
    def over(self) -> bool:
        """Tell whether nothing is left to do; a process may be killed after everything is done."""
        return over(self.found)

    def examine(self, record: Record, sitter: Sitter) -> None:
        """Check the record after a session: it is sound, and contains exactly what was seen."""
        assert record.sound
        trials = record.trials
        promised = [name for past in self.past for name in shown_and_passed(past.lines)]
        lost = set(promised + trials_told(sitter.lines, "recorded")) - set(trials)
        twice = [name for name, number in Counter(trials).items() if number > 1]
        self.figures.lost += len(lost)
        self.figures.duplicates += len(twice)
        assert not lost
        assert not twice
        expected = self.expected()
        for table in ANSWERS:
            found = record.lasting()[table]
            assert not expected or found == expected[table][: len(found)]
        self.examine_said(record)
        self.note_cut(record, sitter)

    def expected(self) -> dict[str, list[Row]]:
        """Return the reference's rows, with interrupted trials marked as seen before.

        Return nothing if a trial was spoiled and is therefore repeated: then later trials differ.
        """
        rows = self.reference.lasting()
        flashed = {name for name in self.cut if name.startswith("time ")}
        if flashed and self.options.get("spoils"):
            return {}
        for row in rows["judgements"]:
            named = f"{row['task']} {row['block']} {row['trial']}" in self.cut
            if named and row["verdict"] == "ok":
                row["verdict"] = "seen"
        return rows

    def examine_said(self, record: Record) -> None:
        """Check that the evaluator's answers about themselves are there, each once."""
        said = [name for past in self.past for name in told(past.lines, "recorded") if ":" in name]
        assert {name.split(":")[1] for name in said} <= set(record.said)
        assert len(record.said) == len(set(record.said))

    def note_cut(self, record: Record, sitter: Sitter) -> None:
        """Remember the trial that was shown when a session ended."""
        if not told(sitter.lines, "session") or over(record):
            return
        doubtful = in_doubt(sitter.lines)
        noted = record["sessions"][-1]["showing"]
        showing = left_showing(sitter.lines, record.trials)
        assert noted in ({showing} if doubtful is None else {None, doubtful})
        if noted:
            self.cut.append(noted)

    def finish(self) -> Record:
        """Let the evaluator complete the session, and check the whole record."""
        if not self.over:
            last = self.end(self.begin(pace_ms=0.0), fault=False)
            assert last.code == 0, last.says
        record = self.found
        self.figures.sessions += 1
        self.figures.interrupted += len(record.interrupted)
        assert record.lasting() == (self.expected() or record.lasting())
        assert [name for _, name in record.interrupted] == self.cut
        self.check_sessions(record["sessions"])
        return record

    def check_sessions(self, sessions: Sequence[Row]) -> None:
        """Check that every session has an end, and that every reported session is recorded."""
        *before, last = [row["ended"] for row in sessions]
        assert set(before) <= {"broke-off"}
        assert last == self.reference["sessions"][-1]["ended"]
        assert all(row["timing"] and not row["showing"] for row in sessions)
        known = [int(number) for past in self.past for number in told(past.lines, "session")]
        assert known == sorted(set(known))
        assert set(known) <= {row["id"] for row in sessions}
