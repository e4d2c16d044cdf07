"""A leaderboard that stands: ranks, days, withdrawals, and its pages in a real browser."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import Program

from hype.errors import InputError
from hype.leaderboard import history
from hype.leaderboard import site as site_module
from hype.leaderboard.boards import (
    Board,
    Entry,
    Measured,
    board_of,
    distinctly_named,
    groups_of,
    ranked,
)
from hype.leaderboard.history import HISTORY, WITHDRAWN, read_history, with_today
from hype.leaderboard.site import page_of
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


def board(*models: Entry, simulated: bool = False) -> Board:
    measured = Measured(
        title="Comparisons",
        unit="Elo",
        decimals=0,
        about="",
        simulated=simulated,
        entries=models,
        pairs=(),
    )
    return board_of(measured, ["june"])


def test_ranks_are_those_that_tests_leave_open() -> None:
    rows = ranked(
        entries(low=1, high=9, middle=5),
        [Two("high", "low", True), Two("high", "middle", None), Two("middle", "low", False)],
    )

    found = {row.model: (row.rank_low, row.rank_high, row.alike) for row in rows}
    assert [row.model for row in rows] == ["high", "middle", "low"]
    assert found == {
        "high": (1, 2, ("middle",)),
        "middle": (1, 3, ("high", "low")),
        "low": (2, 3, ("middle",)),
    }


@given(st.integers(0, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_no_two_of_a_group_are_told_apart_and_none_could_be_larger(
    size: int, separable: set[tuple[int, int]]
) -> None:
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


def test_groups_are_shown_beside_models() -> None:
    one = board_of(
        Measured(
            title="Comparisons",
            unit="Elo",
            decimals=0,
            about="",
            simulated=False,
            entries=tuple(entries(a=9, b=7, c=5, d=1)),
            pairs=(Two("a", "c", True), Two("a", "d", True), Two("b", "d", True)),
        ),
        ["june"],
    )

    assert one.groups == (("a", "b"), ("b", "c"), ("c", "d"))
    assert [entry.groups for entry in one.entries] == [(1,), (1, 2), (2, 3), (3,)]
    assert [site_module.lettered(g) for g in ((), (1,), (2, 3), (26, 27, 28))] == [
        "",
        "a",
        "b c",
        "z to ab",
    ]


def test_who_was_withdrawn_takes_no_rank() -> None:
    pairs = [Two(a, b, True) for a, b in combinations(("high", "middle", "low"), 2)]
    rows = ranked(entries(low=1, high=9, middle=5), pairs, without=["high"])

    assert [(row.model, row.rank_low, row.rank_high) for row in rows] == [
        ("middle", 1, 1),
        ("low", 2, 2),
    ]


def test_boards_of_one_measure_are_named_by_what_they_are_of() -> None:
    one, other = board(*entries(a=1)), board(*entries(a=2))

    assert [each.name for each in distinctly_named([one])] == ["Comparisons"]
    assert len({each.name for each in distinctly_named([one, other])}) == 1  # of the same source


def test_a_day_is_written_once_and_nothing_is_taken_out() -> None:
    first = with_today({}, [board(*entries(a=1, b=2))], "2026-01-05")
    again = with_today(first, [board(*entries(a=3))], "2026-01-05")
    same = with_today(again, [board(*entries(a=3), *entries(b=2))], "2026-01-09")
    later = with_today(again, [board(*entries(a=4))], "2026-01-09")

    rows = again["2026-01-05"].boards["Comparisons"]
    assert {model: row.value for model, row in rows.items()} == {"a": 3, "b": 2}
    assert list(later) == ["2026-01-05", "2026-01-09"]
    assert "2026-01-05" in same
    with pytest.raises(InputError, match="which is to come"):
        with_today(later, [board(*entries(a=4))], "2026-01-07")


def test_a_model_keeps_its_page_and_no_two_share_one() -> None:
    names = ["gan", "GAN", "g a n", "../../etc", "模型", "con"]

    assert len({page_of(name).casefold() for name in names}) == len(names)
    assert all(page_of(name).startswith("models/") and ".." not in page_of(name) for name in names)


@pytest.mark.parametrize("name", TABLES)
def test_every_protocol_has_a_board(name: str, hype: Program, tmp_path: Path) -> None:
    table = FOLDER / f"{name}.csv"
    done = hype("leaderboard", table, "--simulated", "-o", tmp_path / "site", "--json")

    assert done.code == 0, done.err
    assert done.json["simulated"]
    with (tmp_path / "site/standings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    every = [(b["name"], e["model"]) for b in done.json["boards"] for e in b["entries"]]
    assert [(row["board"], row["model"]) for row in rows] == every
    assert {row["simulated"] for row in rows} == {"true"}
    text = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "nobody real was asked" in text
    assert all(page_of(model) in text for _, model in every)
    assert all((tmp_path / "site" / page_of(model)).is_file() for _, model in every)
    assert "Bradley" in text or "HYPE" in text
    assert "<h3>References</h3>" in text
    entries_of = [entry for one in done.json["boards"] for entry in one["entries"]]
    named = [entry["ends"] for entry in entries_of if entry["ends"]["most"]]
    assert all(ends["least"] and not set(ends["most"]) & set(ends["least"]) for ends in named)
    assert bool(named) is (name in ("comparisons", "ratings"))  # elsewhere each is seldom shown
    with (tmp_path / "site/history.csv").open(encoding="utf-8") as file:
        assert [(row["board"], row["model"]) for row in csv.DictReader(file)] == every


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
def test_people_of_a_model_are_those_who_answered_about_it(
    text: str, hype: Program, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    done = hype("leaderboard", tmp_path / "table.csv", "-o", tmp_path / "site", "--json")

    (one,) = done.json["boards"]
    people = {entry["model"]: entry["evaluators"] for entry in one["entries"]}
    assert people == {"a": 2, "b": 2, "new": 1}


def test_a_model_is_withdrawn_and_not_erased(hype: Program, tmp_path: Path) -> None:
    site, table = tmp_path / "site", FOLDER / "infinity.csv"
    arguments = ("leaderboard", table, "--simulated", "-o", site)
    assert hype(*arguments).code == 0
    assert hype(*arguments, "--withdraw", "flow=shown before").code == 0
    done = hype(*arguments, "--json")

    (one,) = done.json["boards"]
    assert "flow" not in [entry["model"] for entry in one["entries"]]
    assert "shown before" in (site / page_of("flow")).read_text(encoding="utf-8")
    (day,) = read_history(site).values()
    assert "flow" in day.boards[one["name"]]
    assert hype(*arguments, "--restore", "flow").code == 0
    assert json.loads((site / WITHDRAWN).read_text(encoding="utf-8")) == {}


def test_bad_input_is_refused_and_nothing_is_written(hype: Program, tmp_path: Path) -> None:
    site, table = tmp_path / "site", FOLDER / "infinity.csv"
    arguments = ("leaderboard", table, "--simulated", "-o", site)
    for more, message in (
        (("--withdraw", "flow"), "--withdraw: 'flow' is not understood"),
        (("--withdraw", "nix=why"), "--withdraw: 'nix' was never on the board"),
        (("--restore", "flow"), "--restore: 'flow' is not withdrawn"),
    ):
        refused = hype(*arguments, *more)
        assert refused.code == 2
        assert message in refused.err
        assert not site.exists()
    site.mkdir()
    for name in ("notes.txt", ".hidden"):
        (site / name).touch()
        refused = hype(*arguments)
        assert refused.code == 2
        assert f"{site}: is a folder of something else; a leaderboard's folder" in refused.err
        assert [path.name for path in site.iterdir()] == [name]
        (site / name).unlink()
    day = {"day": "2026-01-05", "simulated": True, "boards": {"b": {"m": {"value": 1}}}}
    for name, text in ((HISTORY, "{"), (HISTORY, json.dumps(day)), (WITHDRAWN, "{")):
        (site / name).write_text(text, encoding="utf-8")
        refused = hype(*arguments)
        assert refused.code == 2
        assert name in refused.err
        (site / name).unlink()


def test_two_studies_of_one_condition_each_are_one_board_with_a_warning(
    hype: Program, tmp_path: Path
) -> None:
    lines = (FOLDER / "infinity.csv").read_text(encoding="utf-8").splitlines()
    for name in ("flow", "vae"):
        own = [lines[0], *(line for line in lines if line.split(",")[1] == name)]
        (tmp_path / f"{name}.csv").write_text("\n".join(own), encoding="utf-8")
    tables = (tmp_path / "flow.csv", tmp_path / "vae.csv")
    done = hype("leaderboard", *tables, "--simulated", "-o", tmp_path / "site", "--json")

    (one,) = done.json["boards"]
    assert [entry["model"] for entry in one["entries"]] == ["flow", "vae"]
    page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert page.count("shares no condition with the others") == 2


def files_in(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


KILLED = """
import os, signal, sys
from pathlib import Path
from hype.__main__ import run
from hype.leaderboard import site

name, at = sys.argv.pop(1), int(sys.argv.pop(1))
owner, times = {"write_bytes": site, "replace": Path}[name], iter(range(at))
whole = getattr(owner, name)

def killed(*given, **options):
    if next(times, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*given, **options)

setattr(owner, name, killed)
run()
"""
"""The program, which is killed when it is to do something once more than ``at`` times."""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a program that can be killed")
@pytest.mark.parametrize(("name", "at"), [("write_bytes", 6), ("replace", 13)])
def test_a_site_that_is_killed_is_as_it_was_or_finished_next_time(
    name: str, at: int, hype: Program, tmp_path: Path
) -> None:
    arguments = ("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", tmp_path / "site")
    assert hype(*arguments).code == 0
    before = files_in(tmp_path / "site")
    withdrawing = map(str, (*arguments, "--withdraw", "flow=shown before"))
    done = subprocess.run([sys.executable, "-c", KILLED, name, str(at), *withdrawing], check=False)
    assert done.returncode == -signal.SIGKILL
    if name == "write_bytes":
        assert {n: c for n, c in files_in(tmp_path / "site").items() if n in before} == before
    again = hype(*arguments, "--json")

    assert ("flow" in again.json["withdrawn"]) is (name == "replace")
    assert set(files_in(tmp_path / "site")) == set(before)


def test_a_site_is_written_by_one_program_at_a_time(hype: Program, tmp_path: Path) -> None:
    arguments = ("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", tmp_path / "site")
    assert hype(*arguments).code == 0
    with site_module.held_site(tmp_path / "site"):
        refused = hype(*arguments)

    assert refused.code == 2
    assert "is being written by another program" in refused.err


def test_people_and_simulated_evaluators_have_sites_of_their_own(
    hype: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    assert hype("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", site).code == 0
    lines = (site / HISTORY).read_text(encoding="utf-8").replace("true", "false")
    (site / HISTORY).write_text(lines, encoding="utf-8")
    refused = hype("leaderboard", FOLDER / "infinity.csv", "--simulated", "-o", site)

    assert refused.code == 2
    assert "a folder for each" in refused.err
    assert history.read_history(site)


def test_its_pages_are_accessible_at_three_sizes(
    browser: Any, hype: Program, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    for table in ("ratings", "comparisons"):
        assert hype("leaderboard", FOLDER / f"{table}.csv", "--simulated", "-o", site).code == 0
    for page in (site / "index.html", site / page_of("flow")):
        for scheme, width_px in SIZES:
            browser.open(page, scheme=scheme, width_px=width_px)
            browser.js("document.querySelectorAll('details').forEach((e) => e.open = true)")
            wide_px = browser.js("document.documentElement.scrollWidth")
            assert wide_px <= browser.js("window.innerWidth")
            browser.command("Runtime.evaluate", expression=AXE)
            violations = browser.driver.execute_async_script(
                "const done = arguments[0]; axe.run().then((found) => done(found.violations))"
            )
            assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []
