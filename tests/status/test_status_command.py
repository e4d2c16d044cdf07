"""`hype status` for an experimenter, and for paying people."""

import re
import shutil
from pathlib import Path

import pytest
from attended_studies import judged_in_every_state
from builders import contents, csv_rows, named_study
from compared_studies import compared_study
from long import long_but
from paper_station import PaperStation, record_of, sit
from rated_studies import ranked_study, rated_study

from hype.status import showing


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged_in_every_state(tmp_path_factory.mktemp("made")).folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "study"))


def test_everything_for_programs(folder, hype):
    told = hype("status", folder, "--json").json

    assert [(c["condition"], c["methods"], c["wanted"]) for c in told["cells"]] == [
        ("crude", ["time"], 3),
        ("good", ["time"], 3),
    ]
    states = ("complete", "active", "unqualified", "declined", "needed", "answers")
    assert [told["whole"][state] for state in states] == [2, 1, 1, 1, 4, 28]
    assert [sum(c[state] for c in told["cells"]) for state in states] == [2, 1, 1, 1, 4, 28]
    assert (told["tested"], told["passed"]) == (4, 3)
    assert told["timing"] == {"ok": 0, "late": 0, "dropped": 2, "seen": 0}
    assert told["remaining"]["evaluators"] == 4
    by_code = {e["evaluator"]: e for e in told["evaluators"]}
    assert [by_code["p01"][k] for k in ("base", "bonus", "pay")] == [1.0, 0.24, 1.24]
    assert [by_code["p05"][verdict] for verdict in told["timing"]] == [0, 0, 2, 0]
    assert told["pay_due"] == 4.48


def test_the_study_comes_before_its_evaluators(folder, hype):
    said = hype("status", folder).out

    places = [said.index(text) for text in ("Condition", "Qualification:", "Pay due:", "p01")]
    assert places == sorted(places)
    assert "Qualification: 3 of 4 passed (75%)" in said
    assert "Timing of 2 measured trials: 0 ok, 0 late, 2 dropped, 0 seen" in said
    assert "Still needed: 4 evaluators who finish; 1 of them have started" in said
    assert "Still to pay: about $4.80" in said


def test_of_very_many_evaluators_the_last_are_listed(folder, hype, monkeypatch):
    monkeypatch.setattr(showing, "MOST_PEOPLE", 2)
    said = hype("status", folder).out

    codes = re.findall(r"^(p\d\d|…)", said, re.MULTILINE)
    assert (codes[0], len(codes)) == ("…", 3)
    assert (
        codes[1:]
        == [who["evaluator"] for who in hype("status", folder, "--json").json["evaluators"]][-2:]
    )
    assert said.endswith(f"All evaluators: hype status {folder}/study.toml --json\n")


def test_a_table_to_pay_from(folder, tmp_path, hype):
    file = tmp_path / "pay.csv"
    done = hype("status", folder, "--pay", file)

    assert done.code == 0
    assert done.out == f"{file}: 4 evaluators are owed $4.48 in all\n"
    assert file.read_text(encoding="utf-8") == (
        "evaluator,status,base,bonus,pay,currency\n"
        "p01,complete,1.00,0.24,1.24,$\n"
        "p02,unqualified,1.00,0.00,1.00,$\n"
        "p04,active,1.00,0.08,1.08,$\n"
        "p05,complete,1.00,0.16,1.16,$\n"
    )


def test_codes_and_currencies_that_are_formulas_are_paid_as_text(tmp_path, hype):
    study = named_study(tmp_path / "study", pay={"currency": "=cmd()"})
    with record_of(study) as engine:
        sit(engine, study, "-2")
    hype("status", study.folder, "--pay", tmp_path / "pay.csv")

    (row,) = csv_rows(tmp_path / "pay.csv")
    assert (row["evaluator"], row["currency"]) == ("'-2", "'=cmd()")


def test_nobody_is_owed_anything(tmp_path, hype):
    study = named_study(tmp_path / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(consents=False))
    done = hype("status", study.folder, "--pay", tmp_path / "pay.csv")

    assert done.out.endswith("pay.csv: nobody is owed anything\n")
    assert csv_rows(tmp_path / "pay.csv") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pay", "pay.csv", "--simulated"), "--pay --simulated: both given; only people are p"),
        (("--pay", "data.sqlite"), "--pay: 'data.sqlite' is not allowed; a file that ends in .csv"),
        (("--pay", "nowhere/pay.csv"), "nowhere/pay.csv: cannot be written"),
    ],
)
def test_what_cannot_be_paid_from(options, message, folder, hype, monkeypatch):
    monkeypatch.chdir(folder)
    before = contents(folder)
    assert message in hype("status", folder, *options).refused()
    after = contents(folder)

    assert {name: after[name] for name in before} == before
    assert not [name for name in after if name.endswith(".csv") and name not in before]


def test_nobody_pays_simulated_evaluators(folder, hype):
    said = hype("status", folder, "--simulated").out

    assert "SIMULATED EVALUATORS" in said
    assert "No pay is due; people would get $1.24" in said
    assert "Pay due" not in said
    assert "p01" not in said


def test_names_are_not_markup(tmp_path, hype):
    study = named_study(
        tmp_path, {"": 14, "[red]a": 14, "b": 14}, study={"name": "[bold]study", "evaluators": 1}
    )
    with record_of(study) as engine:
        sit(engine, study, "p01")
    said = hype("status", study.folder).out

    assert "[bold]study" in said
    assert "[red]a" in said


@pytest.mark.parametrize(
    "protocol", long_but(["hype", "ranking"], ["hype", "comparison", "rating", "ranking"])
)
def test_alpha_stands_with_what_it_is_of_as_it_is_scored(protocol, tmp_path, hype):
    study = {
        "hype": lambda: named_study(
            tmp_path,
            {"": 20, "good": 20},
            study={"methods": ["infinity"]},
            qualification={"pass_rate": 0.0},
        ),
        "comparison": lambda: compared_study(tmp_path),
        "rating": lambda: rated_study(tmp_path),
        "ranking": lambda: ranked_study(tmp_path),
    }[protocol]
    study()
    command = ("status", tmp_path, "--simulated", "--agreement")
    assert hype("simulate", tmp_path, "--evaluators", 1).code == 0
    assert hype(*command, "--json").json["agreement"] is None
    assert "Agreement over all conditions: not known yet" in hype(*command).out
    assert hype("simulate", tmp_path, "--evaluators", 6, "--seed", 3).code == 0
    told, shown = hype(*command, "--json").json["agreement"], hype(*command).out
    scored = hype("score", tmp_path, "--simulated", "--json").json
    table = {"rating": "axes", "ranking": "shared"}.get(protocol, "agreement")
    assert told["alpha"] == pytest.approx(scored[table][0]["alpha"])
    basis = (
        f"from {told['n']:,} answers of {told['evaluators']} evaluators on "
        f"{told['units']:,} {told['unit']} with at least two answers each"
    )
    assert basis in " ".join(shown.split())
