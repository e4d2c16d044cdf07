"""The demonstration of comparisons, as it lies in experiments."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

import hype as package
from hype.protocols.comparison.sampling import read_comparison_pools
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any

ROOT = Path(package.__file__).parents[1]
STUDY = ROOT / "experiments" / "fashion-comparisons"
CAPTIONS = {
    *("a T-shirt", "trousers", "a pullover", "a dress", "a coat", "a sandal", "a shirt"),
    *("a sneaker", "a bag", "an ankle boot"),
}


@pytest.fixture(scope="module")
def study():
    found = load_any(STUDY)
    assert isinstance(found, ComparisonStudy)
    return found


def test_it_has_the_design_of_its_source(study):
    pools = read_comparison_pools(study)
    met = Counter(
        frozenset((meeting.one.condition, meeting.other.condition))
        for share in pools.shares
        for meeting in share
    )

    assert (len(pools.conditions), len(pools.prompts)) == (4, 10)
    assert study.settings.comparison.votes == 26
    assert list(map(len, pools.shares)) == [96] * 10
    assert list(met.values()) == [10 * 16] * 6


def test_every_label_is_shown_as_a_caption(study):
    pools = read_comparison_pools(study)

    assert {prompt.text for prompt in pools.prompts} == CAPTIONS
    assert set(pools.conditions) == set(study.settings.observers)


def test_simulated_people_rank_the_models_as_they_were_made_to(study, tmp_path, hype, monkeypatch):
    monkeypatch.setenv("HYPE_FOLDERS", str(ROOT / "stimuli"))
    copy = Path(shutil.copytree(STUDY, tmp_path / "experiments" / "x", ignore=only_the_file))
    (tmp_path / "stimuli").symlink_to(ROOT / "stimuli")
    assert hype("simulate", copy, "--evaluators", 20).code == 0
    told = hype("score", copy, "--simulated", "--json").json

    order = sorted(study.settings.observers.items(), key=lambda item: -item[1].strength)
    assert [row["condition"] for row in told["conditions"]] == [name for name, _ in order]
    assert told["prompts"] == 10
    assert {one["question"] for one in told["demographics"]} == {"place", "age", "gender"}


def only_the_file(_folder: str, names: list[str]) -> set[str]:
    """Leave out what was made beside a study file."""
    return {name for name in names if name != "study.toml"}
