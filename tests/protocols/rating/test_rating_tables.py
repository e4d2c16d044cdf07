"""Ratings as tables: in the terminal, and in files."""

import csv
import io

import pytest
from made_judges import by_name
from made_rated import LEADERBOARD, judge_files, rated_images, rated_pairs, scored
from rich.console import Console

from hype.judges import tables as judge_tables
from hype.protocols.rating import tables as rating_axes
from hype.protocols.rating import tables as rating_tables
from hype.protocols.rating.tables import every_table
from hype.protocols.rating.wording import rating_table
from hype.report.table_files import write_tables
from hype.report.tabular import columns_of_names, in_lines, whole


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rated_pairs(simulated=True)
    folder = judge_files(tmp_path_factory.mktemp("judges"), frame, more=20)
    return scored(frame, folder, leaderboard=LEADERBOARD)


def printed(score, *, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(rating_table(score, background=("Not registered.",)))
    lines = console.file.getvalue().splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)
    return "\n".join(line.rstrip() for line in lines)


def test_the_terminal_says_all_of_it(full):
    text = printed(full)
    for said in (
        "SIMULATED EVALUATORS: nobody real was asked",
        "Asked: 3 axes (overall, style, anatomy).",
        "Conditions, axis by axis",
        "<b>gauss</b>",
        "On the leaderboard and not rated: other.",
        "Judges beside people",
        "first & foremost gives one answer to everything (1).",
        f"… {23 - sum(judge_tables.MOST_ROWS)} more",
        "Not registered.",
    ):
        assert said in text
    assert "not scored: " in text.casefold()


def test_many_conditions_on_many_axes_stay_readable():
    names = {f"model{n:02}": n / 10 for n in range(8)}
    axes = ("overall", *(f"quality number {n}" for n in range(7)))
    text = printed(scored(rated_pairs(names, axes=axes, items=40)))
    assert text.count("Strength in Elo points on each axis") == 2
    assert len(text.splitlines()) < 120


def test_single_images_have_means_and_shares():
    score = scored(rated_images())
    text = printed(score)
    assert "Ratings of single images" in text
    assert "People against what is right" in text
    rows = {row[:2]: row for row in rating_tables.conditions(score).rows}
    beauty, anatomy = rows["beauty", "fine"], rows["anatomy", "fine"]
    assert beauty[2] == score.axis("beauty").mean("fine").mean.value
    assert beauty[4] is None
    assert anatomy[2] is None
    assert anatomy[4] == score.axis("anatomy").mean("fine").mean.value


def test_tables_have_the_figures(full):
    row = next(r for r in rating_tables.conditions(full).rows if r[:2] == ("style", "vae"))
    strong, mean = full.axis("style").strength("vae"), full.axis("style").mean("vae")
    assert row[2:5] == (strong.elo.value, strong.elo.ends, mean.mean.value)
    matrix = full.correlations.matrix
    assert [r[2] for r in rating_axes.correlations(full).rows] == [
        matrix.r[0, 1],
        matrix.r[0, 2],
        matrix.r[1, 2],
    ]
    judge = by_name(full.judges)["like-people"]
    kappa = {r[0]: r[1:] for r in judge_tables.by_axis(full.judges, "kappa").rows}
    assert kappa["like-people"] == tuple(axis.kappa.value for axis in judge.axes)
    assert kappa[judge_tables.SECOND] == tuple(one["kappa"].value for one in full.judges.people)


def test_files_of_all_tables(full, tmp_path):
    tables = every_table(full)
    written = write_tables(tables, tmp_path, simulated=True)
    assert len(written) - 1 == 2 * len({table.name for table in tables}) == 2 * len(tables)
    with (tmp_path / "judges.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["judge"]: row for row in csv.DictReader(file)}
    assert float(rows["first & foremost"]["first_share"]) == 1
    assert float(rows["like-people"]["r"]) == by_name(full.judges)["like-people"].axes[0].r.value


def test_columns_of_axes_have_keys_that_differ():
    keys = [column.key for column in columns_of_names("r", ["a b", "a-b", "ab"], whole)]
    assert keys == ["r_a_b", "r_a_b_2", "r_ab"]
    assert in_lines("composition") == "compos-\nition"
    assert in_lines("style") == "style"
