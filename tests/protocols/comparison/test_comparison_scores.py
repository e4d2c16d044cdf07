"""`hype score` of comparisons: of a study and of anybody's table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builders import named_study
from compared_studies import compared_study, simulate
from known import register

if TYPE_CHECKING:
    from running import Program, Ran

    Scored = Callable[..., Ran]

HEADER = "evaluator,prompt,left,right,answer"


def votes(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows)) + "\n"


def circle(*, times: int = 6) -> list[str]:
    """Votes of two people in which a beats b beats c beats a, a little more often than not."""
    rows = []
    for number in range(times):
        person = "pq"[number % 2]
        for one, other in (("a", "b"), ("b", "c"), ("a", "c")):
            chosen = "right" if number == 0 else "left"
            rows.append(f"{person},a bag,{one},{other},{chosen}")
    return rows


def table(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def scored(simulated: Path, hype: Program) -> Scored:
    return lambda *options: hype("score", simulated, "--simulated", *options)


def test_everything_as_json(scored: Scored) -> None:
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
    assert told["validation"]["min_correct"] == 0.75
    failed = told["validation"]["failed"]
    assert 0 < len(failed) < 6
    assert (told["evaluators"], told["comparisons"]) == (12 - len(failed), 24 * (12 - len(failed)))
    assert {one["reason"] for one in told["exclusions"]} == {
        *("failed-validation", "practice", "validation")
    }
    (age,) = told["demographics"]
    assert [group["reference_share"] for group in age["groups"]] == [0.9, 0.1]


def test_what_a_person_reads_of_a_study(scored: Scored) -> None:
    text = scored("--notes").out

    for said in (
        "SIMULATED EVALUATORS: nobody real was asked",
        "Planned: to tell a win rate of 55.0% from one half",
        "Not registered: hype register fixes study, stimuli and plan",
        "There are only 2 prompts: intervals and verdicts are about these images alone",
    ):
        assert said in text
    assert re.search(r"^ +1 +good +\d", text, re.MULTILINE)


def test_a_registered_study_says_so(tmp_path: Path, hype: Program) -> None:
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


def test_a_study_is_scored_where_its_stimuli_are_not(tmp_path: Path, hype: Program) -> None:
    study = compared_study(tmp_path, files=True)
    simulate(study, 3)
    register(study)
    (tmp_path / "stimuli" / "manifest.csv").unlink()
    done = hype("score", tmp_path, "--simulated")

    assert done.code == 0
    assert "whether anything changed since is not known: " in done.out


def test_an_arena_has_its_verdict(tmp_path: Path, hype: Program) -> None:
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
def test_ties_as_the_option_says(
    treatment: str, rate: float, said: str, tmp_path: Path, hype: Program
) -> None:
    rows = [f"p{n},x,a,b,{'left' if n < 5 else 'right' if n < 8 else 'tie'}" for n in range(10)]
    done = hype("score", table(tmp_path, votes(*rows)), "--ties", treatment)

    assert f"{rate}%" in done.out
    assert said in done.out


def test_anybodys_table(tmp_path: Path, hype: Program) -> None:
    path = table(tmp_path, votes(*circle()))
    told = hype("score", path, "--json").json

    assert (told["evaluators"], told["prompts"], told["comparisons"]) == (2, 1, 18)
    assert told["plan"] is None
    text = hype("score", path).out
    assert "18 comparisons by 2 evaluators on 1 prompt." in text
    assert "Registered" not in text


def test_an_exported_table_has_the_figures_of_its_study(
    simulated: Path, scored: Scored, tmp_path: Path, hype: Program
) -> None:
    """What the table does not tell is the question, the plan, and what people are."""
    of_tables = []
    for name in ("csv", "parquet"):
        assert hype("export", simulated, "--simulated", "--format", name, "-o", tmp_path).code == 0
        table = tmp_path / f"comparisons.{name}"
        of_tables.append(hype("score", table, "--json").json)
    of_table, of_parquet = of_tables
    of_study = scored("--json").json

    for name in ("conditions", "fit", "agreement", "sides", "exclusions"):
        assert of_table[name] == of_study[name], name
    assert of_parquet == of_table


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(width: int, simulated: Path, hype: Program) -> None:
    text = hype("score", simulated, "--simulated", "--notes").out
    lines = text.splitlines()
    ruled = [place for place, line in enumerate(lines) if line.startswith("─")]

    assert len(ruled) == 2
    assert all(len(lines[place]) <= width for place in ruled)
    assert "…" not in text.split("Registered")[0]


@pytest.mark.parametrize("option", [("--thresholds",), ("--at", "0.8"), ("--spoiled", "keep")])
def test_options_of_judgements_are_refused(
    option: tuple[str, ...], simulated: Path, hype: Program
) -> None:
    said = hype("score", simulated, "--simulated", *option).refused()
    assert said.startswith(f"hype: {option[0]}: is for judgements, and {simulated} holds compar")


def test_options_of_comparisons_are_refused_for_judgements(tmp_path: Path, hype: Program) -> None:
    study = named_study(tmp_path)
    said = hype("score", study.folder, "--ties", "half").refused()
    assert said.startswith("hype: --ties: is for comparisons, ratings and rankings, and ")


def test_a_wrong_table_gets_one_message(tmp_path: Path, hype: Program) -> None:
    path = table(tmp_path, votes("p,x,a,b,left", "p,x,a,b,top"))
    said = hype("score", path).refused()

    assert said.startswith(f"hype: {path}, row 3, column answer: 'top' is not allowed; allowed is ")
    assert hype("score", path, "--json").refused() == said


@pytest.mark.parametrize(("mark", "code"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16")])
def test_a_table_is_known_by_its_header(
    mark: str, code: str, tmp_path: Path, hype: Program
) -> None:
    path = tmp_path / "votes.txt"
    path.write_text(votes(*circle()).replace(",", mark), encoding=code)

    assert hype("score", path, "--json").json["protocol"] == "comparison"


def test_timing_of_a_study_of_comparisons_is_refused(simulated: Path, hype: Program) -> None:
    said = hype("timing", simulated).refused()
    assert 'study.methods: "comparison" is another kind of study than this works on' in said
