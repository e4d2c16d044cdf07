"""Records of ratings and of rankings on the command line: verified, backed up, forgotten."""

from pathlib import Path

import pytest
from made_once import made_once
from paper_ranker import PaperRanker
from paper_rater import PaperRater
from paper_station import record_of, rows_of
from rated_studies import ranked_study, rated_study
from verified_records import attend

from hype.protocols.ranking.record import placements
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy
from hype.store.schema import removals

ONE_GROUP = {"test": 0, "checkers": []}


@made_once
def rated_by_two(folder: Path) -> RatingStudy:
    """Twelve items on three axes, and one to practise on; the second left after five answers."""
    study = rated_study(folder, files=True)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRater())
        attend(engine, study, "p02", PaperRater(stops_at=5))
    return study


@made_once
def ranked_by_two(folder: Path) -> RankingStudy:
    """A group to practise on and three more, five acts each; the second left after seven acts."""
    study = ranked_study(folder, files=True, screening=ONE_GROUP)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "p02", PaperRanker(stops_at=7))
    return study


@pytest.fixture
def rated(tmp_path):
    return rated_by_two(tmp_path / "rated")


@pytest.fixture
def ranked(tmp_path):
    return ranked_by_two(tmp_path / "ranked")


def test_verify_counts_what_the_study_asks_for(rated, ranked, hype):
    said = [hype("verify", study.folder) for study in (rated, ranked)]
    told = hype("verify", ranked.folder, "--json").json

    assert [one.code for one in said] == [0, 0]
    assert said[0].out.startswith("data.sqlite: 2 people, 44 ratings: all as planned.")
    assert said[1].out.startswith("data.sqlite: 2 people, 27 acts: all as planned.")
    assert (told["ratings"], told["placements"]) == (0, 27)


def test_a_backup_says_how_many_rankings_it_holds_and_of_how_many_acts(rated, ranked, hype):
    told = hype("backup", ranked.folder, "--json").json["people"]

    assert ": 2 evaluators, 44 ratings; " in hype("backup", rated.folder).out
    assert ": 2 evaluators, 5 rankings (27 acts); " in hype("backup", ranked.folder).out
    assert (told["rankings"], told["acts"], told["ratings"]) == (5, 27, 0)


def test_forgetting_somebody_who_ranked_counts_acts(ranked, hype):
    """Who left in the middle of a ranking has made some, and finished none of it."""
    told = hype("forget", ranked.folder, "p02", "--yes", "--json").json

    assert (told["sessions"], told["acts"]) == (1, 7)
    verified = hype("verify", ranked.folder)
    assert verified.code == 0
    assert "data of 1 person were removed on request (7 answers), the last on" in verified.out
    with record_of(ranked) as engine:
        assert len(rows_of(engine, placements)) == 20
        assert [note.judgements for note in rows_of(engine, removals)] == [7]
