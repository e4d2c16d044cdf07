import io

import pytest
from rich.console import Console

from hype.protocols.hype.score import score_table
from hype.protocols.hype.scoring import score


def printed(scores, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(score_table(scores))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100])
def test_everything_fits_the_terminal(scores, width):
    text = printed(scores, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for row in scores[0].conditions:
        line = next(line for line in text.splitlines() if f" {row['condition']} " in line)
        assert f"{row['score']:.1f}" in line
        assert f"{row['fakes_error']:.1f}%" in line
        assert f"{row['interval'].low:.1f} \N{EN DASH} {row['interval'].high:.1f}" in line
        assert line.split()[-2:] == [str(row["evaluators"]), str(row["judgements"])]


def test_what_the_paper_prints_is_one_block(scores):
    time = scores[0]
    (_, block) = printed([time]).split("As the paper has it\n")
    for row in time.conditions:
        ends = " \N{EN DASH} ".join(f"{end:.1f}" for end in row["bootstrap"])
        assert f"{row['std']:.1f}" in block
        assert ends in block
    assert f"One-way ANOVA: F(2, 9) = {time.anova.f:.1f}" in block
    for pair in time.tests.pairwise:
        assert f"{pair.a} \N{EN DASH} {pair.b} p" in " ".join(block.split())


def test_pairs_of_which_nothing_is_known_are_named(make_study):
    frame = make_study("infinity", names={"a": 0.3, "b": 0.3, "c": 0.95}, evaluators=10)
    (result,) = score(frame, draws=20)
    text = " ".join(printed([result]).split())
    assert "Of 3 pairs, 2 are separable and 1 is not known to differ (" in text
    assert "All pairs together at α = 0.05, with other evaluators." in text


def test_degenerate_statistics_are_dashes(make_study):
    frame = make_study("infinity")
    lone = frame[frame["evaluator"].str.endswith("-0")]
    text = printed(score(lone, draws=20))
    assert "cannot be computed" in text
    assert "nan" not in text
    assert "None" not in text
