"""Studies with strange names and all kinds of evaluators, for tests of exported tables."""

import pytest
from export_comparing_studies import comparing_study, with_comparing_people
from export_rated_studies import HELD_OUT, SINGLE, strange_rankings, strange_ratings
from export_studies import strange_study, with_everybody
from standard_studies import everybody
from standard_studies import strange_study as standard


@pytest.fixture(scope="session")
def standard_study(tmp_path_factory):
    """Return a read-only study of judgements with a monitor and a licence."""
    return everybody(standard(tmp_path_factory.mktemp("standard") / "study"))


@pytest.fixture(scope="session")
def tidy_study(tmp_path_factory):
    """Return a read-only study of judgements."""
    study = strange_study(
        tmp_path_factory.mktemp("tidy") / "study",
        study={"name": 'Über; "x", =1+1'},
        timing={"spoiled_trials": "repeat"},
        follow_up={"confidence": 4, "why": 0.3},
    )
    return with_everybody(study, rounds=1)


@pytest.fixture(scope="session")
def tidy_comparisons(tmp_path_factory):
    """Return a read-only study of comparisons."""
    return with_comparing_people(comparing_study(tmp_path_factory.mktemp("comparing") / "study"))


@pytest.fixture(scope="session")
def tidy_ratings(tmp_path_factory):
    """Return a read-only study of ratings of pairs."""
    return strange_ratings(tmp_path_factory.mktemp("rating") / "study")


@pytest.fixture(scope="session")
def tidy_single_ratings(tmp_path_factory):
    """Return a read-only study of ratings of single images."""
    return strange_ratings(tmp_path_factory.mktemp("single") / "study", **SINGLE)


@pytest.fixture(scope="session")
def tidy_rankings(tmp_path_factory):
    """Return a read-only study of rankings."""
    return strange_rankings(tmp_path_factory.mktemp("ranking") / "study")


@pytest.fixture(scope="session")
def screened_rankings(tmp_path_factory):
    """Return a study of rankings with held-out prompts and evaluators who fail the screening."""
    return strange_rankings(tmp_path_factory.mktemp("screened") / "study", **HELD_OUT)
