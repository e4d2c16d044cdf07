"""What `hype score` prints of an ordinary study is read on a screen and a half."""

import io

import made_comparisons
import made_ranked
import made_rated
import pytest
from long import long_but
from rich.console import Console

from hype.protocols.comparison.tables import comparison_table
from hype.protocols.hype.score import score_table
from hype.protocols.ranking.tables import ranking_table
from hype.protocols.rating.tables import rating_table

LINES, COLUMNS = 60, 100
SEVEN = ("aesthetics", "composition", "style", "artifacts", "anatomy", "objects", "overall")
BACKGROUND = ("Not registered: hype register fixes study, stimuli and plan before anyone comes.",)


def printed(laid_out):
    console = Console(file=io.StringIO(), width=COLUMNS)
    console.print(laid_out)
    return console.file.getvalue().splitlines()


def test_both_methods_of_judgements(scores):
    assert {score.protocol for score in scores} == {"time", "infinity"}
    assert 30 < len(printed(score_table(scores))) <= 2 * 40  # both as the paper has them, too


@pytest.mark.parametrize("arena", [False, True])
def test_comparisons_with_all_that_there_can_be(arena):
    score = made_comparisons.everything(simulated=True, arena=arena)[1]
    assert 30 < len(printed(comparison_table(score, background=BACKGROUND))) <= LINES


@pytest.mark.parametrize("judged", long_but([True], [False, True]))
def test_ratings_on_seven_axes(judged, tmp_path):
    frame = made_rated.rated_pairs(axes=SEVEN, simulated=True)
    folder = made_rated.judge_files(tmp_path, frame, more=1) if judged else None
    score = made_rated.scored(frame, folder)
    assert 30 < len(printed(rating_table(score, background=BACKGROUND))) <= LINES


@pytest.mark.parametrize("judged", long_but([True], [False, True]))
def test_rankings(judged, tmp_path):
    frame = made_ranked.rankings_of(simulated=True)
    folder = made_ranked.models_in(tmp_path, frame, number=4) if judged else None
    score = made_ranked.scored(frame, folder, min_recall=0.3)
    assert 20 < len(printed(ranking_table(score, background=BACKGROUND))) <= LINES
