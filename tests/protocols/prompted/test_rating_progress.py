"""How far studies of ratings and of rankings are: who did what, and what waits for a checker."""

from typing import Any

import pytest
from known import look
from paper_ranker import PaperRanker, ranked_soundly, wavering
from paper_rater import PaperRater, rated_soundly
from paper_station import record_of
from rated_studies import ranked_study, rated_study
from verified_records import attend

from hype.protocols.ranking.checking import codes
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import RatingTrial
from hype.session.steps import Response
from hype.status.showing import lines_of


def progress_of(study: RatingStudy | RankingStudy) -> tuple[dict[str, Any], Any]:
    """Give what is known of each evaluator, by their code, and of the study."""
    found = look(study, simulated=False).facts
    return {one["evaluator"]: one for one in found["evaluators"]}, found


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return rated_soundly(tmp_path_factory.mktemp("rated"))


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    return ranked_soundly(tmp_path_factory.mktemp("ranked"))


def test_answers_of_each_axis_add_up_and_are_held_against_the_plan(rated):
    found, progress = progress_of(rated)
    one, axes = found["p01"], progress["axes"]

    assert (one["answers"], found["p03"]["same"]) == (36, None)
    assert found["p05"]["answers"] == 2  # five answers, of which three are practice
    assert (one["base"], one["bonus"], one["pay"]) == (1.0, 0.36, 1.36)
    assert progress["whole"]["answers"] == sum(axis["answers"] for axis in axes) == 3 * 36 + 2
    assert [axis["name"] for axis in axes] == ["overall", "artifacts", "style"]
    assert [axis["wanted"] for axis in axes] == [48, 48, 48]
    assert one["not_relevant"] > 0 == found["p02"]["not_relevant"]
    assert sum(axis["not_relevant"] for axis in axes) == sum(
        each["not_relevant"] for each in found.values()
    )
    lines = [*lines_of(look(rated, simulated=False))]
    assert "Answers: 110 of 144; from 36 (style) to 37 (overall) for each axis" in lines
    assert "Not relevant: style 33%" in lines
    assert "Look at: p02 (100%): one answer to nearly everything" in lines


def one_key(trial: RatingTrial, _n: int) -> Response:
    """Press the leftmost key, whatever is asked."""
    return Response(trial.levels[0], "1", 300.0)


def test_one_answer_to_everything_is_noticed(rated, tmp_path):
    """By where it stood on the screen: of the images it says now one thing, now the other."""
    study = rated_study(tmp_path, files=True)
    with record_of(study) as engine:
        attend(engine, study, "lazy", PaperRater(chooses=one_key))
    found, _ = progress_of(study)
    others, _ = progress_of(rated)

    assert (found["lazy"]["same"], found["lazy"]["one_level"]) == (1.0, True)
    middle = others["p02"]
    assert (middle["same"], middle["one_level"]) == (1.0, True)
    assert others["p01"]["one_level"] is False
    assert others["p05"]["one_level"] is None


def test_rankings_are_counted_with_what_they_took(ranked):
    found, progress = progress_of(ranked)

    check1, one = found["check1"], found["p01"]
    assert check1["checker"]
    assert (check1["answers"], check1["tested"]) == (0, 1)
    assert check1["checked"] == check1["given"] > 0
    assert (one["answers"], one["tested"], one["checked"]) in ((2, 1, None), (3, 1, None))
    assert one["bonus"] == round(0.10 * (one["answers"] + 1), 2)
    assert 5 <= one["seconds"] < 10  # five acts of a second and a little
    assert (one["undone"], found["p04"]["undone"] > 0) == (0, True)
    assert one["recall_in_test"]["groups"] == 1
    assert progress["rankings_wanted"] == 10
    assert "check1" not in {who["evaluator"] for who in found.values() if who["share"]}
    assert progress["whole"]["complete"] == 3, "checkers take no place of the design"


def test_rankings_are_held_against_checkers(tmp_path):
    study = ranked_soundly(tmp_path, screening={"min_recall": 0.5})
    found, progress = progress_of(study)
    lines = "\n".join(lines_of(look(study, simulated=False)))

    failed = [one["failed"] for one in found.values() if one["failed"] is not None]
    assert found["check1"]["failed"] is None
    assert f"Screening: {sum(failed)} of {len(failed)} evaluators below 50%" in lines
    checks = progress["checks"]
    assert f"Cross-checks: {checks['checked']} of {checks['rankings']} rankings" in lines
    assert f"Rankings: {progress['whole']['answers']} of 10" in lines


def test_what_waits_for_a_checker(tmp_path):
    study = ranked_study(tmp_path, files=True, ranking={"groups": 1, "blocks": 1, "rankings": 1})
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "p02", PaperRanker())
    queue = progress_of(study)[1]["checks"]
    assert [queue[name] for name in ("rankings", "checked", "behind")] == [2, 0, 2]
    assert [queue[name] for name in ("waiting", "under_way", "test_open")] == [2, 0, True]
    assert queue["checker"] == "check01"

    with record_of(study) as engine:
        attend(engine, study, "check01", PaperRanker(chooses=wavering, stops_at=3))
    queue = progress_of(study)[1]["checks"]
    assert (queue["checked"], queue["behind"]) == (0, 2)
    assert [queue[name] for name in ("waiting", "under_way", "checker")] == [1, 1, "check01"]

    with record_of(study) as engine:
        attend(engine, study, "check01", PaperRanker())
        attend(engine, study, "check02", PaperRanker())
    queue = progress_of(study)[1]["checks"]
    assert [queue[name] for name in ("share", "behind", "waiting", "under_way")] == [1.0, 0, 0, 0]
    assert (queue["test_open"], queue["checker"]) == (False, "")


def test_codes_of_checkers_that_nobody_has():
    assert list(codes(("anna", "ben"), {"anna"})) == ["ben"]
    named = codes(("anna", "check*"), {"check01"})
    assert [next(named) for _ in range(3)] == ["anna", "check02", "check03"]
    assert next(codes((), set()), "") == ""
