"""How far studies of ratings and of rankings are: who did what, and what waits for a checker."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from paper_ranker import PaperRanker, ranked_soundly, wavering
from paper_rater import PaperRater, rated_soundly
from paper_station import record_of
from rated_studies import ranked_study, rated_study
from verified_records import attend

from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.status import codes, look_at_rankings
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.status import look_at_ratings
from hype.protocols.rating.trial import RatingTrial
from hype.session.outgoing import reading
from hype.session.steps import Response

STATUSES = {
    "p01": "complete",
    "p02": "complete",
    "p03": "declined",
    "p04": "complete",
    "p05": "active",
}


def progress_of(
    study: RatingStudy | RankingStudy, *, simulated: bool = False
) -> tuple[dict[str, Any], Any]:
    """Give what is known of each evaluator, by their code, and of the study."""
    look: Any = look_at_ratings if isinstance(study, RatingStudy) else look_at_rankings
    with reading(study) as engine, engine.connect() as connection:
        found = look(connection, study, simulated=simulated).as_object()
    return {one["evaluator"]: one for one in found["evaluators"]}, found


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> RatingStudy:
    return rated_soundly(tmp_path_factory.mktemp("rated"))


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> RankingStudy:
    return ranked_soundly(tmp_path_factory.mktemp("ranked"))


def test_everybody_who_rates_stands_somewhere(rated: RatingStudy) -> None:
    found, progress = progress_of(rated)

    assert {code: one["status"] for code, one in found.items()} == STATUSES
    one, last = found["p01"], found["p03"]
    assert (one["answers"], last["answers"]) == (36, 0)
    assert found["p05"]["answers"] == 2  # five answers, of which three are practice
    assert (one["base"], one["bonus"], one["pay"]) == (1.0, 0.36, 1.36)
    assert (last["pay"], last["same"]) == (0.0, None)
    whole, axes = progress["whole"], progress["axes"]
    assert [whole[name] for name in ("wanted", "complete", "active", "declined")] == [4, 3, 1, 1]
    assert whole["answers"] == sum(axis["answers"] for axis in axes) == 3 * 36 + 2
    assert [axis["axis"] for axis in axes] == ["overall", "artifacts", "style"]
    assert [axis["wanted"] for axis in axes] == [48, 48, 48]
    assert one["not_relevant"] > 0 == found["p02"]["not_relevant"]
    assert sum(axis["not_relevant"] for axis in axes) == sum(
        each["not_relevant"] for each in found.values()
    )


def one_key(trial: RatingTrial, _n: int) -> Response:
    """Press the leftmost key, whatever is asked."""
    return Response(trial.levels[0], "1", 300.0)


def test_whoever_gives_one_answer_to_everything_is_noticed(
    rated: RatingStudy, tmp_path: Path
) -> None:
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


def test_simulated_people_are_apart(rated: RatingStudy, ranked: RankingStudy) -> None:
    assert set(progress_of(rated, simulated=True)[0]) == {"sim-0001", "sim-0002"}
    assert set(progress_of(ranked, simulated=True)[0]) >= {"sim-0001", "check-sim-0001"}


def test_everybody_who_ranks_stands_somewhere(ranked: RankingStudy) -> None:
    found, progress = progress_of(ranked)

    statuses = {code: one["status"] for code, one in found.items() if not one["checker"]}
    assert statuses == STATUSES
    check1, one = found["check1"], found["p01"]
    assert check1["checker"]
    assert check1["status"] == "complete"
    assert (check1["rankings"], check1["tested"]) == (0, 1)
    assert check1["checked"] == check1["given"] > 0
    assert (one["rankings"], one["tested"]) in ((2, 1), (3, 1))
    assert one["bonus"] == round(0.10 * (one["rankings"] + 1), 2)
    assert 5 <= one["seconds"] < 10  # five acts of a second and a little
    assert (one["undone"], found["p04"]["undone"] > 0) == (0, True)
    whole = progress["whole"]
    assert [whole[name] for name in ("wanted", "complete", "active", "declined")] == [4, 3, 1, 1]
    assert progress["rankings_wanted"] == 10
    assert whole["rankings"] == sum(one["rankings"] for one in found.values())


def test_what_waits_for_a_checker(tmp_path: Path) -> None:
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


def test_codes_of_checkers_that_nobody_has() -> None:
    assert list(codes(("anna", "ben"), {"anna"})) == ["ben"]
    named = codes(("anna", "check*"), {"check01"})
    assert [next(named) for _ in range(3)] == ["anna", "check02", "check03"]
    assert next(codes((), set()), "") == ""


def test_without_stimuli_what_was_met_is_known(
    rated: RatingStudy, ranked: RankingStudy, tmp_path: Path
) -> None:
    for study in (rated, ranked):
        shutil.copytree(study.folder, tmp_path / study.answers)
        (tmp_path / study.answers / "stimuli" / "manifest.csv").unlink()
    lost = RatingStudy(path=tmp_path / "ratings" / "study.toml", settings=rated.settings)
    gone = RankingStudy(path=tmp_path / "rankings" / "study.toml", settings=ranked.settings)

    progress = progress_of(lost)[1]
    assert "manifest.csv" in progress["stimuli_problem"]
    assert {axis["wanted"] for axis in progress["axes"]} == {None}
    assert progress["whole"]["complete"] == 3
    ranks = progress_of(gone)[1]
    assert (ranks["rankings_wanted"], ranks["whole"]["complete"]) == (None, 3)
    assert {one["share"] for one in ranks["shares"]} <= {1, 2}
