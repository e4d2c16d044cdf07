"""Parts of figures, tables and pages that only rankings have."""

import io

import numpy as np
import pytest
from drawn import drawn, texts
from made_ranked import models_in, rankings_of, scored
from rich.console import Console

from hype.judges import tables as judge_tables
from hype.judges.report import model_square
from hype.protocols.ranking.figures import expected, ranking_drawings
from hype.protocols.ranking.layout import lay_out
from hype.protocols.ranking.report import agreement_blocks


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rankings_of()
    folder = models_in(tmp_path_factory.mktemp("models"), frame)
    score = scored(frame, folder, min_recall=0.3)
    return figures_of(score), score


def figures_of(score):
    return {drawing.name: drawing for drawing in ranking_drawings(score)}


def points(axes):
    return {
        (x, round(y, 3)) for line in axes.lines for x, y in [*zip(*line.get_data(), strict=True)]
    }


def test_agreement_stands_against_the_difference(full):
    figures, score = full
    axes = drawn(figures["ranking-agreement"])
    dots = max(axes.lines, key=lambda line: line.get_marker() == "o")
    assert sorted(dots.get_ydata()) == pytest.approx(
        sorted(100 * pair["agreement"].value for pair in score.rows("pair-agreement"))
    )
    assert expected(np.array([0.0, 50.0])) == pytest.approx([50.0, 100.0])


def test_models_stand_beside_a_person(full):
    figures, score = full
    axes = drawn(figures["ranking-models"])
    judges = score.judges.judges
    assert [t for t in texts(axes) if t.startswith("model")] == [judge.judge for judge in judges]
    assert {100 * judge.accuracy.value for judge in judges} <= {x for x, _ in points(axes)}
    (band,) = axes.patches
    assert band.get_x() == pytest.approx(100 * judges[0].person.low)


def test_without_data_there_is_no_figure():
    bare = rankings_of(drop=("evaluator", "checker")).drop_duplicates(["group", "condition"])
    assert set(figures_of(scored(bare))) == {"ranking-strengths"}
    never = rankings_of({"a": 90.0, "b": 0.0}, evaluators=3)
    assert "ranking-strengths" not in figures_of(scored(never))


def printed(score, width=80, background=()):
    console = Console(file=io.StringIO(), width=width)
    console.print(lay_out(score, background, whole=True))
    return console.file.getvalue()


def test_pairs_that_are_not_separable_are_counted():
    alike = printed(scored(rankings_of({"a": 0.05, "b": 0.0, "c": 0.02})), 200)
    assert "Of 3 pairs, none is known to differ (α = 0.05)." in alike
    apart = printed(scored(rankings_of({"a": 3.0, "b": -3.0}, groups=30, ties=0.5)), 200)
    assert "a and b are separable (α = 0.05)." in apart


def test_the_lowest_recall_stands_first(full):
    rows = full[1].table("screening").objects()
    scored = [row["scored"] for row in rows]
    assert scored == sorted(scored)
    failed = {row["evaluator"] for row in rows if not row["scored"]}
    assert failed
    assert f"below 30%: {', '.join(sorted(failed))}." in printed(full[1], 2000)


def test_a_benchmark_has_means_with_spreads(full):
    _, full = full
    (found,) = [one for one in full.judges.benchmarks if one.judge == "model-00"]
    table = judge_tables.benchmark(found)
    (row, *_) = table.objects()
    best = next(row for row in found.rows if row["style"] == "painting")
    assert row["condition"] == found.conditions[0]
    assert (row["painting_mean"], row["painting_sd"]) == (best["mean"], best["sd"])
    assert " ± " in table.shown[0][1]
    assert [one.judge for one in judge_tables.best_first(full.judges)] == [
        one.judge for one in full.judges.judges
    ]


def test_files_of_benchmarks_never_share_a_name():
    assert judge_tables.number_repeats(["a", "a-2", "a", "a"], "-") == ("a", "a-2", "a-3", "a-4")


def test_squares_have_the_numbers(full):
    _, score = full
    names = [row["condition"] for row in score.rows("conditions")]
    agreed, _ = agreement_blocks(score)
    for k in range(len(names)):
        column = [cells[k] and cells[k].share for _, cells in agreed.rows]
        assert column == [cell and cell.share for cell in agreed.rows[k][1]]
    judge = score.judges.judges[0]
    right = dict(model_square(names, judge).rows)
    a, b, accuracy = judge.pairs[0].values()
    shown = right[a][names.index(b)]
    assert shown.said == f"{a} and {b}: {100 * accuracy.value:.0f}% of {accuracy.n:,}"
