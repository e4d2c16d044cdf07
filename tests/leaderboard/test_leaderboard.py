"""A leaderboard: its ranks, the dates in its history, and its page in a real browser."""

import csv
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import axe_playwright_python
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import long_but

from hype.leaderboard import (
    HISTORY,
    Board,
    Entry,
    add_today,
    distinctly_named,
    groups_of,
    list_standings,
    name_groups,
    plot,
    rank_entries,
    read_history,
    write_history,
)
from hype.library.scores import FOLDER

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
SIZES = (("light", 1400), ("dark", 768), ("light", 390))
TABLES = sorted(path.stem for path in FOLDER.glob("*.csv"))


@dataclass(frozen=True)
class Two:
    a: str
    b: str
    separable: bool | None


def entries(**values: float) -> list[Entry]:
    return [
        Entry(model=model, value=value, low=value - 1, high=value + 1, evaluators=9, answers=90)
        for model, value in values.items()
    ]


def board(*models: Entry, pairs: tuple[Two, ...] = (), simulated: bool = False) -> Board:
    measured = Board(
        title="Comparisons",
        unit="Elo",
        decimals=0,
        about="",
        simulated=simulated,
        entries=models,
        pairs=pairs,
    )
    return measured.rank("june")


def test_ranks_are_those_that_tests_leave_open():
    rows = rank_entries(
        entries(low=1, high=9, middle=5),
        [Two("high", "low", True), Two("high", "middle", None), Two("middle", "low", False)],
    )

    found = {row.model: (row.rank_low, row.rank_high, row.not_separable) for row in rows}
    assert [row.model for row in rows] == ["high", "middle", "low"]
    assert found == {
        "high": (1, 2, ("middle",)),
        "middle": (1, 3, ("high", "low")),
        "low": (2, 3, ("middle",)),
    }


@given(st.integers(0, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_no_two_of_a_group_are_told_apart_and_none_could_be_larger(size, separable):
    names = [f"m{number}" for number in range(size)]
    apart: dict[str, set[str]] = {name: set() for name in names}
    for a, b in separable:
        if a != b and max(a, b) < size:
            apart[names[a]].add(names[b])
            apart[names[b]].add(names[a])
    groups = groups_of(names, apart)

    def alike(places: range) -> bool:
        return not any(names[b] in apart[names[a]] for a, b in combinations(places, 2))

    runs = (range(a, b) for a, b in combinations(range(size + 1), 2) if b > a + 1)
    every = [run for run in runs if alike(run)]
    largest = [r for r in every if not any(set(r) < set(other) for other in every)]
    assert groups == sorted(largest, key=lambda run: run.start)


def test_groups_are_shown_beside_models():
    apart = (Two("a", "c", True), Two("a", "d", True), Two("b", "d", True))
    one = board(*entries(a=9, b=7, c=5, d=1), pairs=apart)

    assert [entry.groups for entry in one.entries] == [(1,), (1, 2), (2, 3), (3,)]
    assert [name_groups(g) for g in ((), (1,), (2, 3), (26, 27, 28))] == [
        "",
        "a",
        "b c",
        "z to ab",
    ]


@pytest.mark.parametrize("name", long_but(["time", "ratings"], TABLES))
def test_every_protocol_has_a_board(name, hype, tmp_path):
    table = FOLDER / f"{name}.csv"
    done = hype("leaderboard", table, "--simulated", "-o", tmp_path / "site", "--json")

    assert done.code == 0, done.err
    assert done.json["simulated"]
    every = [(b["title"], e["model"]) for b in done.json["boards"] for e in b["entries"]]
    text = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "no people were asked" in text
    assert all(f">{model}<" in text for _, model in every)
    assert "Bradley" in text or "HYPE" in text
    assert "<h3>References</h3>" in text
    with (tmp_path / "site/history.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["board"], row["model"]) for row in rows] == every
    assert {row["simulated"] for row in rows} == {"true"}
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        "history.csv",
        "index.html",
    ]


def test_the_history_grows_by_a_line_for_each_model_and_day(tmp_path):
    first = add_today([], list_standings([board(*entries(a=1, b=2))], "2026-01-05"))
    again = add_today(first, list_standings([board(*entries(a=3))], "2026-01-05"))
    later = add_today(first, list_standings([board(*entries(a=4, b=5))], "2026-01-09"))
    (tmp_path / HISTORY).write_text(write_history(later), encoding="utf-8")

    assert [(row.day, row.entry.model, row.entry.value) for row in later] == [
        ("2026-01-05", "b", 2),
        ("2026-01-05", "a", 1),
        ("2026-01-09", "b", 5),
        ("2026-01-09", "a", 4),
    ]
    assert [row.entry.model for row in again] == ["a"]
    assert read_history(tmp_path) == later


def test_boards_of_one_title_are_told_apart_by_their_source():
    one, other = board(*entries(a=1)), replace(board(*entries(a=2)), source="july")

    assert [each.title for each in distinctly_named([one])] == ["Comparisons"]
    assert [each.title for each in distinctly_named([one, other])] == [
        "Comparisons, june",
        "Comparisons, july",
    ]


def test_a_history_of_several_days_is_drawn():
    days = [
        row
        for day, value in (("2026-01-05", 1.0), ("2026-01-09", 4.0))
        for row in list_standings([board(*entries(a=value, b=2))], day)
    ]
    drawn = plot(days, board(*entries(a=4, b=2)))
    assert drawn
    one, other = drawn.pop("lines")

    assert drawn == {"first": "2026-01-05", "last": "2026-01-09", "least": 0, "most": 5}
    assert (one["model"], other["model"]) == ("a", "b")
    assert [point["x"] for point in one["points"]] == [8, 632]
    assert one["points"][0]["y"] > one["points"][1]["y"]
    assert plot(days[:2], board(*entries(a=4, b=2))) is None


VOTES = "evaluator,left,right,answer\n"
RATINGS = "evaluator,axis,item,first,second,answer\n"
SINGLE = "evaluator,axis,item,condition,answer\n"
RANKINGS = "evaluator,group,condition,rank\n"


@pytest.mark.parametrize(
    "text",
    [
        VOTES + "p1,a,b,left\np2,b,a,left\np2,a,b,left\np1,new,a,left\np1,b,new,left\n",
        RATINGS + "p1,x,1,a,b,1\np2,x,1,a,b,5\np1,x,2,b,new,2\np2,x,3,a,new,not-relevant\n",
        SINGLE + "p1,x,1,a,2\np2,x,1,a,4\np1,x,2,b,5\np2,x,2,b,3\np1,x,3,new,1\np1,x,4,new,3\n",
        RANKINGS + "p1,g,a,1\np1,g,b,2\np1,g,new,3\np2,h,b,1\np2,h,a,2\n",
    ],
)
def test_people_of_a_model_are_those_who_answered_about_it(text, hype, tmp_path):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    done = hype("leaderboard", tmp_path / "table.csv", "-o", tmp_path / "site", "--json")

    (one,) = done.json["boards"]
    people = {entry["model"]: entry["evaluators"] for entry in one["entries"]}
    assert people == {"a": 2, "b": 2, "new": 1}


def test_bad_input_is_refused_and_nothing_is_written(hype, tmp_path):
    site, table = tmp_path / "site", FOLDER / "infinity.csv"
    arguments = ("leaderboard", table, "--simulated", "-o", site)
    site.mkdir()
    for name in ("notes.txt", ".hidden"):
        (site / name).touch()
        refused = hype(*arguments)
        assert refused.code == 2
        assert (
            f"{site}: is not the folder of a leaderboard; the folder of a leaderboard"
            in refused.err
        )
        assert [path.name for path in site.iterdir()] == [name]
        (site / name).unlink()
    (site / HISTORY).write_text("day,board\n", encoding="utf-8")
    assert f"{HISTORY}: has no column model" in hype(*arguments).refused()
    header = write_history([])
    (site / HISTORY).write_text(f"{header}2026-01-05,b,m,one,1,,,,,,1,true\n", encoding="utf-8")
    assert "history.csv line 2: was not written by hype leaderboard" in hype(*arguments).refused()


def test_people_and_simulated_evaluators_have_sites_of_their_own(hype, tmp_path, monkeypatch):
    site = tmp_path / "site"
    assert hype("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", site).code == 0
    lines = (site / HISTORY).read_text(encoding="utf-8").replace("true", "false")
    (site / HISTORY).write_text(lines, encoding="utf-8")
    refused = hype("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", site)

    assert refused.code == 2
    assert "a separate folder for each" in refused.err


@pytest.mark.long
def test_its_page_is_accessible_at_three_sizes(browser, hype, tmp_path):
    site = tmp_path / "site"
    arguments = ("leaderboard", FOLDER / "ratings.csv", FOLDER / "comparisons.csv", "--simulated")
    assert hype(*arguments, "-o", site).code == 0
    days = read_history(site)
    before = [replace(row, day="2026-01-05") for row in days]
    (site / HISTORY).write_text(write_history([*before, *days]), encoding="utf-8")
    assert hype(*arguments, "-o", site).code == 0
    assert "Day by day" in (site / "index.html").read_text(encoding="utf-8")
    for scheme, width_px in SIZES:
        browser.open(site / "index.html", scheme=scheme, width_px=width_px)
        browser.js("document.querySelectorAll('details').forEach((e) => e.open = true)")
        wide_px = browser.js("document.documentElement.scrollWidth")
        assert wide_px <= browser.js("window.innerWidth")
        browser.command("Runtime.evaluate", expression=AXE)
        violations = browser.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((found) => done(found.violations))"
        )
        assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []
