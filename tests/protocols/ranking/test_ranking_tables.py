"""Rankings as tables: in the terminal, and in files."""

import csv
import io

import pytest
from made_ranked import models_in, rankings_of, scored, with_models
from rich.console import Console

from hype.judges import tables as judge_tables
from hype.judges.tables import MOST_ROWS as MODELS
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking.tables import every_table, screening
from hype.protocols.ranking.wording import ranking_table
from hype.report.table_files import latex_table, write_tables


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rankings_of({"[bold]flow": 1.0, "vae": 0.4, "pca": -0.2, "gaussian": -1.2})
    own = {"[bold]flow": 1.0, "vae": 0.4, "pca": -0.2, "gaussian": -1.2}
    folder = models_in(tmp_path_factory.mktemp("models"), frame, strengths=own)
    return scored(frame, folder, min_recall=0.3)


def printed(score, width=80, background=()):
    console = Console(file=io.StringIO(), width=width)
    console.print(ranking_table(score, background=background))
    return console.file.getvalue()


def test_the_ranking_has_the_figures(full):
    table = ranking_tables.conditions(full)
    assert [*table.short.values()] == [
        *("rank", "condition", "score", "low", "high", "mean_rank", "first", "win_rate"),
    ]
    for row, found in zip(table.short.rows, full.conditions, strict=True):
        shares = (100 * found.first_share.value, 100 * found.win_rate.value)
        assert row[:4] == (found.rank, found.condition, found.elo.value, found.elo.ends)
        assert row[4:] == (found.mean_rank.value, *shares)


def test_what_a_person_reads(full):
    text = " ".join(printed(full, 400, ["Registered."]).split())
    agreement, judge = full.agreement, full.judges.judges[0]
    evaluators, excluded = full.evaluators, full.exclusions[-1]
    for said in (
        f"{full.rankings} rankings by {evaluators} evaluators of 11 groups of 4 images on 6",
        f"n(n − 1)/2 comparisons: {full.rankings} × 6 = {full.comparisons:,}.",
        f"put the same one of two images first in {agreement.single_single.value:.1%} (",
        f"mean rank of all others do in {agreement.single_averaged.value:.1%} (",
        f"and in {agreement.single_averaged_with_own.value:.1%} (",
        "10 evaluators were compared with 1 checker",
        "Not scored, for a recall@2 below 30%: ",
        f"{100 * judge.accuracy.value:.1f}%",
        "Benchmark by the scores of model-00",
        "Only the rankings of held-out prompts count",
        f"{excluded.answers} {excluded.meaning}",
        f"Registered. 95% CI and p allow for other evaluators ({evaluators} here) and other "
        "prompts and their images (6 here).",
    ):
        assert said in text, said


def test_pairs_that_are_not_separable_are_named_and_few():
    alike = printed(scored(rankings_of({"a": 0.05, "b": 0.0, "c": 0.02})), 200)
    assert "Not known which is better (in Elo points): " in alike
    assert " over " in alike.split("Not known which is better (in Elo points): ")[1].splitlines()[0]
    apart = printed(scored(rankings_of({"a": 3.0, "b": -3.0}, groups=30, ties=0.5)), 200)
    assert "a and b are separable (α = 0.05)." in apart


def test_a_hundred_models_and_thirty_conditions_fit_the_terminal(tmp_path):
    names = {f"a-model-with-a-long-name-{n:02}": 1 - n / 15 for n in range(31)}
    frame = rankings_of(names, evaluators=3, groups=14, size=6)
    score = with_models(scored(frame, models_in(tmp_path, frame, strengths=names)), 100)
    text = printed(score)
    assert max(map(len, text.splitlines())) <= 80
    assert f"… {100 - sum(MODELS)} more" in text
    assert "99 more benchmarks" in text
    assert len(text.splitlines()) < 300


def test_what_is_not_known_is_left_out():
    bare = rankings_of(drop=("evaluator", "checker", "image", "prompt", "split"))
    score = scored(bare.drop_duplicates(["group", "condition"]))
    text = printed(score)
    assert "Agreement" not in text
    assert "Screening" not in text
    assert "Preference models" not in text
    assert "None" not in text


def test_simulated_evaluators_are_announced_loudly(full):
    assert "SIMULATED EVALUATORS" in printed(scored(rankings_of(simulated=True)))
    assert "SIMULATED" not in printed(full)


def test_the_lowest_recall_stands_first(full):
    rows = screening(full).objects()
    scored = [row["scored"] for row in rows]
    assert scored == sorted(scored)
    failed = {row["evaluator"] for row in rows if not row["scored"]}
    assert failed == set(full.screening["failed"]) != set()


def test_a_benchmark_has_means_with_spreads(full):
    (found,) = [one for one in full.judges.benchmarks if one.judge == "model-00"]
    table = judge_tables.benchmark(found)
    (row, *_) = table.objects()
    best = next(row for row in found.rows if row.style == "painting")
    assert row["condition"] == found.conditions[0]
    assert (row["painting_mean"], row["painting_sd"]) == (best.mean, best.sd)
    assert " ± " in table.shown[0][1]
    assert [one.judge for one in judge_tables.best_first(full.judges)] == [
        one.judge for one in full.judges.judges
    ]


def test_tables_in_files_hold_all_digits(full, tmp_path):
    tables = every_table(full)
    write_tables(tables, tmp_path, simulated=False)
    with (tmp_path / "ranking-conditions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["bt_score"]) for row in rows] == [r.bt_elo.value for r in full.conditions]
    names = [table.name for table in tables]
    assert len(set(names)) == len(names)
    assert {
        "ranking-conditions",
        "ranking-places",
        "judges-pairs",
        "benchmark-model-02",
    } <= set(names)
    for table in tables:
        keys = [name for column in table.columns for name in column.file_columns]
        assert len(set(keys)) == len(keys), table.name
        assert latex_table(table, simulated=False)


def test_files_of_benchmarks_never_share_a_name():
    assert judge_tables.number_repeats(["a", "a-2", "a", "a"], "-") == ("a", "a-2", "a-3", "a-4")
