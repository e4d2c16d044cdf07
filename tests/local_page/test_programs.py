"""A program's terminal output as lines; a redrawn progress bar appears once."""

import io

import pytest
from browser import until
from rich.console import Console
from rich.progress import Progress

from hype.errors import SessionProblem
from hype.local_page.programs import MOST_LINES, Programs, read_terminal


def test_lines_stand_below_each_other_and_over_each_other():
    assert read_terminal("one\ntwo\r\n\nthree") == ["one", "two", "three"]
    assert read_terminal("10 %\r20 %\r30 %\ndone") == ["30 %", "done"]


def test_bars_of_several_tasks_are_drawn_once():
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, no_color=True, width=80)
    with Progress("{task.description} {task.completed}", console=console) as bar:
        one, other = bar.add_task("Copying", total=3), bar.add_task("Making", total=3)
        for _ in range(3):
            bar.advance(one)
            bar.advance(other)
            bar.refresh()
    said = f"first\n{written.getvalue()}last\n"
    assert read_terminal(said) == ["first", "Copying 3", "Making 3", "last"]


def test_the_last_lines_are_kept_of_many():
    found = read_terminal("".join(f"{number}\n" for number in range(2 * MOST_LINES)))
    assert found[-1] == str(2 * MOST_LINES - 1)
    assert len(found) <= MOST_LINES


def test_a_terminal_would_obey_nothing_of_it():
    assert read_terminal("a\x1b]0;title\x07b\x1b[31mc\n") == ["a\\x1b]0;title\\x07bc"]


@pytest.fixture
def programs():
    some = Programs()
    yield some
    some.end()


def ended(programs, name):
    until(lambda: programs.state(name)["code"] is not None)
    return programs.state(name)


def test_one_of_a_name_runs_at_a_time_and_can_be_stopped(programs, tmp_path):
    programs.start("new", ["open", "--no-browser"])
    with pytest.raises(SessionProblem, match="new is running already"):
        programs.start("new", ["--version"])
    programs.stop("new")
    assert (state := ended(programs, "new"))["code"] != 0
    assert state["stopped"]
    programs.start("new", ["--version"])
    state = ended(programs, "new")
    assert (state["code"], state["stopped"], state["lines"][0].split()[0]) == (0, False, "hype")
