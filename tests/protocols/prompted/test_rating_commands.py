"""Beginning, checking, following and registering studies of ratings and of rankings."""

from pathlib import Path

import pytest
from builders import noise
from rated_studies import ranked_study, rated_study

from hype.protocols.load import load_any
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy


def folders(folder: Path, number: int) -> list[str]:
    """Give options that name so many models' images of two prompts, two of each."""
    options = []
    for model in range(number):
        for place, prompt in enumerate(("a bag_1", "a bag_2", "a coat_1", "a coat_2")):
            path = folder / f"m{model}" / f"{prompt}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            noise(10 * model + place, 64).save(path)
        options += ["--fake", f"m{model}={folder / f'm{model}'}"]
    return options


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize("template", ["comparison", "arena", "rating", "ranking"])
def test_without_folders_a_file_to_start_from(template, tmp_path, hype):
    done = hype("new", tmp_path / "mine", "--template", template)

    assert done.code == 0
    settings = load_any(tmp_path / "mine").settings
    assert settings.study.methods == ("comparison" if template == "arena" else template,)
    assert settings.study.name == "mine"
    assert (tmp_path / "mine" / "stimuli" / "fake").is_dir()
    assert "column 'prompt'" in done.out
    assert lines(done.out)[-2].startswith(("hype simulate", "hype power"))


def test_with_folders_a_study_of_ratings_that_runs(tmp_path, hype):
    mine = tmp_path / "mine"
    done = hype("new", mine, "--template", "rating", *folders(tmp_path, 2))
    study = load_any(mine)

    assert isinstance(study, RatingStudy)
    assert "of which 1 image of each condition takes part" in " ".join(lines(done.out))
    assert hype("check", mine, "--no-display", "--json").json["findings"] == []
    assert hype("simulate", mine).code == 0
    told = hype("status", mine, "--simulated", "--json").json
    assert told["whole"]["answers"] == 2 * 7 * 3


def test_with_folders_a_study_of_rankings_that_runs(tmp_path, hype):
    mine = tmp_path / "mine"
    done = hype("new", mine, "--template", "ranking", *folders(tmp_path, 13))
    study = load_any(mine)

    assert isinstance(study, RankingStudy)
    assert (study.settings.ranking.group, study.settings.ranking.images) == (9, 2)
    assert "13 conditions are too many to rank at once" in done.out
    told = hype("check", mine, "--no-display", "--json").json
    assert (told["findings"], told["facts"]["rankings"]) == ([], 4 * 10)


def test_check_says_what_is_rated_and_ranked(tmp_path, hype):
    rated = hype("check", "--no-display", rated_study(tmp_path / "a", files=True).folder)
    ranked = hype("check", "--no-display", ranked_study(tmp_path / "b", files=True).folder)

    assert (rated.code, ranked.code) == (0, 0)
    for line in (
        "items 24 pairs, 12 a prompt",
        "axes overall, artifacts, style",
        "answers 144: of 2 evaluators on 3 axes of each item",
        "16 ratings of two conditions on each axis",
        "evaluators 4 in 2 shares",
        "session about 4 minutes (items: 1 practice, 12 rating)",
    ):
        assert line in lines(rated.out)
    for line in (
        "groups 5 of 4 images",
        "rankings 10: of 2 evaluators for each group",
        "60 comparisons of images, 10 of two conditions",
        "test 1 group that everybody ranks first",
        "checkers check*: 50% of everybody's groups again, 3 groups at the least",
    ):
        assert line in lines(ranked.out)
    assert max(map(len, rated.out.splitlines()[1:])) <= 80


def test_a_registration_says_what_is_planned(tmp_path, hype):
    rated, ranked = (
        rated_study(tmp_path / "a", files=True),
        ranked_study(tmp_path / "b", files=True),
    )
    ratings = hype("register", rated.folder, "--json").json["analysis"]
    rankings = hype("register", ranked.folder, "--json").json["analysis"]

    assert [axis["axis"] for axis in ratings["axes"]] == ["overall", "artifacts", "style"]
    assert ratings["ratings"] == ratings["evaluators_per_place"] == 2
    assert "axes said not to be relevant (missing)" in ratings["not_scored"]
    assert rankings["screening"]["check_share"] == 0.5
    assert any("Plackett and Luce" in test for test in rankings["tests"])
    assert hype("register", rated.folder, "--check").code == 0
