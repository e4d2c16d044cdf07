"""`hype score` of comparisons: of a study and of anybody's table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compared_studies import compared_study, simulate
from known import register

if TYPE_CHECKING:
    from running import Ran

    Scored = Callable[..., Ran]

HEADER = "evaluator,prompt,left,right,answer"


def votes(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows)) + "\n"


def table(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A study with twelve simulated evaluators, two of whom never look."""
    study = compared_study(
        tmp_path_factory.mktemp("compared"),
        people={"careless": 0.2},
        demographics={
            "age": {
                "question": "How old are you?",
                "options": ["young", "old"],
                "reference": {"young": 0.9, "old": 0.1},
            }
        },
    )
    simulate(study, 12)
    return study.folder


@pytest.fixture
def scored(simulated, hype):
    return lambda *options: hype("score", simulated, "--simulated", *options)


def test_everything_as_json(scored):
    told = scored("--json").json

    assert (told["protocol"], told["simulated"]) == ("comparison", True)
    assert told["criterion"] == "Which image better reflects the caption above them?"
    assert [row["condition"] for row in told["conditions"]] == ["good", "fine", "crude"]
    assert sum(row["score"] for row in told["conditions"]) == pytest.approx(3000)
    assert told["images"] == "fixed"
    assert (told["random"]["item"], told["random"]["few"]) == (None, "2 prompts")
    assert all(pair["p"] >= pair["p_alone"] for pair in told["pairs"])
    assert told["fit"]["rule"] == "holm"
    assert {pair["verdict"] for pair in told["pairs"]} <= {"separable", "not known"}
    assert told["plan"]["win_rate"] == 0.55
    assert told["min_correct"] == 0.75
    failed = [one for one in told["validation"] if one["passed"] is False]
    assert 0 < len(failed) < 6
    assert (told["evaluators"], told["comparisons"]) == (12 - len(failed), 24 * (12 - len(failed)))
    assert {one["reason"] for one in told["exclusions"]} == {
        *("failed-validation", "practice", "validation")
    }
    shares = [answer["reference_share"] for answer in told["demographics"]]
    assert [share for share in shares if share] == [0.9, 0.1]


def test_a_registered_study_says_so(tmp_path, hype):
    study = compared_study(tmp_path, files=True)
    simulate(study, 3)
    sha256 = register(study).sha256
    options = ("score", tmp_path, "--simulated")

    assert hype(*options, "--json").json["plan"]["registration"] == sha256
    assert f"as {sha256}; unchanged since." in hype(*options).out
    manifest = tmp_path / "stimuli" / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("a coat", "a hat"))
    text = hype(*options).out
    assert f"as {sha256}; 1 difference since." in text
    assert "  files: stimuli: registered " in text


def test_a_study_is_scored_where_its_stimuli_are_not(tmp_path, hype):
    study = compared_study(tmp_path, files=True)
    simulate(study, 3)
    register(study)
    (tmp_path / "stimuli" / "manifest.csv").unlink()
    done = hype("score", tmp_path, "--simulated")

    assert done.code == 0
    assert "whether anything changed since is not known: " in done.out


def test_an_arena_has_its_verdict(tmp_path, hype):
    study = compared_study(tmp_path, comparison={"arena": {"pairs": "random", "most_votes": 200}})
    simulate(study, 6)
    told = hype("score", tmp_path, "--simulated", "--json").json
    assert (told["sequential"]["goal"], told["sequential"]["alpha"]) == ("top", 0.05)

    text = hype("score", tmp_path, "--simulated").out
    assert "Arena: " in text
    assert "by the arena's rule" in text
    assert "No p is given" in text
    assert "Holm" not in text.partition("Pairs of conditions")[2].partition("Answers and")[0]


@pytest.mark.parametrize(
    ("treatment", "rate", "said"),
    [
        ("davidson", 60.0, "2 ties (20.0%): a part of the model (Davidson 1970)"),
        ("half", 60.0, "2 ties (20.0%): half a win to either."),
        ("drop", 62.5, "Ties are not counted."),
    ],
)
def test_ties_as_the_option_says(treatment, rate, said, tmp_path, hype):
    rows = [f"p{n},x,a,b,{'left' if n < 5 else 'right' if n < 8 else 'tie'}" for n in range(10)]
    done = hype("score", table(tmp_path, votes(*rows)), "--ties", treatment)

    assert f"{rate}%" in done.out
    assert said in done.out


@pytest.mark.parametrize("option", [("--thresholds",), ("--at", "0.8"), ("--spoiled", "keep")])
def test_options_of_judgements_are_refused(option, simulated, hype):
    said = hype("score", simulated, "--simulated", *option).refused()
    assert said.startswith(f"hype: {option[0]}: is for judgements, and {simulated} holds compar")
