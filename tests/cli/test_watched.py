"""What somebody who watches a study sees, at a terminal of any size."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from io import StringIO

import pytest
from builders import named_study
from rated_studies import simulate
from rich.console import Console
from watched_program import PATIENCE_S

from hype.errors import SessionProblem
from hype.status.progress import Telling
from hype.status.watching import Looker, Seen, WatchFrame, clock, look_at, rows_that_fit

NOON = datetime(2026, 3, 1, 12).timestamp()
CAME = 30


@pytest.fixture(scope="module")
def tell(tmp_path_factory: pytest.TempPathFactory) -> Telling:
    """What is told of a study that many came to."""
    study = named_study(tmp_path_factory.mktemp("full"), study={"evaluators": 20, "name": "full"})
    simulate(study, CAME)
    return look_at(str(study.folder), central=False, simulated=True)


@pytest.mark.parametrize(
    ("room", "rows", "shown"),
    [(10, 10, 10), (10, 11, 9), (1, 5, 0), (0, 5, 0), (-3, 5, 0), (5, 0, 0), (1, 1, 1)],
)
def test_rows_that_fit(room: int, rows: int, shown: int) -> None:
    assert rows_that_fit(room, rows) == shown


def test_what_is_seen_stays_while_something_is_wrong(tell: Telling) -> None:
    seen = Seen().after(tell, NOON)
    wrong = seen.after("gone", NOON + 10).after("still gone", NOON + 20)
    well = wrong.after(tell, NOON + 30)

    assert wrong.tell is tell
    assert (wrong.looked_unix_s, wrong.since_unix_s, wrong.problem) == (
        *(NOON, NOON + 10),
        "still gone",
    )
    assert wrong.problem_in_words() == "since 12:00:10: still gone; what is shown is of 12:00:00"
    assert wrong.as_object()["whole"] == tell.as_object()["whole"]
    assert (well.problem, well.problem_in_words(), well.looked_unix_s) == ("", "", NOON + 30)
    assert well.after("gone", NOON + 40).since_unix_s == NOON + 40


def test_what_is_new(tell: Telling) -> None:
    seen = Seen().after(tell, NOON)
    again = seen.after(replace(tell), NOON + 2)
    wrong = again.after("gone", NOON + 4)

    assert seen.differs(Seen())
    assert not again.differs(seen)
    assert wrong.differs(again)
    assert not wrong.after("gone", NOON + 6).differs(wrong)
    assert wrong.after(tell, NOON + 8).differs(wrong)


def test_nothing_was_seen_yet() -> None:
    assert Seen().after("gone", NOON).as_object() == {
        "looked_unix_s": None,
        "problem": "gone",
        "problem_since_unix_s": NOON,
    }


def test_the_date_stands_with_times_of_other_days() -> None:
    assert clock(NOON, NOON + 60) == "12:00:00"
    assert clock(NOON, NOON + 86_400) == "2026-03-01 12:00:00"


def frame(seen: Seen, columns: int, rows: int) -> list[str]:
    """Draw a frame for a terminal of this size."""
    console = Console(width=columns, height=rows, file=StringIO(), force_terminal=True)
    lines = console.render_lines(
        WatchFrame(seen=seen, every_s=2.0), console.options.update(height=rows), pad=False
    )
    return ["".join(segment.text for segment in line) for line in lines]


@pytest.mark.parametrize(
    ("columns", "rows"), [(80, 24), (120, 40), (200, 100), (40, 12), (80, 6), (30, 2), (12, 1)]
)
@pytest.mark.parametrize("problem", ["", "the record is away " * 5], ids=["well", "wrong"])
def test_a_frame_fills_the_terminal_and_no_more(
    columns: int, rows: int, problem: str, tell: Telling
) -> None:
    seen = Seen().after(tell, NOON)
    lines = frame(seen.after(problem, NOON) if problem else seen, columns, rows)

    assert len(lines) == rows
    assert all(len(line) <= columns for line in lines)


def test_the_study_comes_first_and_evaluators_are_counted(tell: Telling) -> None:
    lines = frame(Seen().after(tell, NOON), 80, 24)
    listed = [line.split()[0] for line in lines if line.startswith("sim-")]
    order = tell.view().last_first

    assert [place for place, line in enumerate(lines) if line.startswith("full")] == [1]
    assert any(line.rstrip().endswith("of 40 evaluators") for line in lines)
    assert "Evaluators, those who answered last first" in (line.rstrip() for line in lines)
    assert listed == [tell.found[place].evaluator for place in order[: len(listed)]]
    assert lines[-2].rstrip() == f"… and {CAME - len(listed)} more"
    assert lines[-1].rstrip() == "12:00:00 · looks every 2 s · Ctrl-C ends"


def test_where_there_is_no_room_for_a_table_the_last_are_named(tell: Telling) -> None:
    *_, lines, _ = (line.rstrip() for line in frame(Seen().after(tell, NOON), 80, 17) if line)
    names = [tell.found[place].evaluator for place in tell.view().last_first]

    assert lines.startswith(f"{CAME} evaluators; last answered: {names[0]}, {names[1]}, ")


def test_all_are_shown_where_there_is_room(tell: Telling) -> None:
    lines = frame(Seen().after(tell, NOON), 120, 100)

    assert sum(line.startswith("sim-") for line in lines) == CAME
    assert not any("more" in line for line in lines)


def test_what_is_wrong_is_said_where_there_is_little_room(tell: Telling) -> None:
    wrong = Seen().after(tell, NOON).after("the record is away", NOON)
    said = " ".join(frame(wrong.after("the record is away", NOON + 4), 40, 8))

    assert " ".join(said.split()).endswith(
        "Since 12:00:00: the record is away; what is shown is of 12:00:00 12:00:04 · looks every "
        "2 s · Ctrl-C ends"
    )


def test_who_answered_last_comes_first(tell: Telling) -> None:
    times = [tell.found[place].last_answered_unix_s or 0 for place in tell.view().last_first]

    assert times == sorted(times, reverse=True)


def test_looks_end_with_what_they_are_for() -> None:
    looks = iter(range(1000))
    with Looker(lambda: next(looks), every_s=0.01) as looker:
        found = [looker.next(PATIENCE_S) for _ in range(3)]

    assert found == [0, 1, 2]


def test_what_a_look_meets_is_handed_over() -> None:
    def look() -> int:
        raise SessionProblem("away")

    with Looker(look, every_s=0.01) as looker:
        met = looker.next(PATIENCE_S)

    assert isinstance(met, SessionProblem)


def test_a_look_may_take_long() -> None:
    with Looker(lambda: time.sleep(0.3), every_s=0.01) as looker:
        assert looker.next(0.01) is None
