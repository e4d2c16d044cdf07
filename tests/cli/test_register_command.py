"""`hype register`: its output and exit codes."""

from builders import whole_study
from compared_studies import compared_study
from paper_station import PaperStation, record_of, sit


def test_a_study_is_registered_and_checked(tmp_path, hype):
    compared_study(tmp_path, files=True)
    made = hype("register", tmp_path)
    sha256 = hype("register", tmp_path, "--check", "--json").json["sha256"]

    assert (made.code, made.err) == (0, "")
    assert made.out.startswith(f"Registered as {sha256}\n")
    for said in (
        "  evaluators  6",
        "evaluators with fewer than 75% of validation comparisons right",
        "Holm",
        f"Keep {tmp_path / 'registration.json'} with the study",
    ):
        assert said in made.out
    checked = hype("register", tmp_path, "--check")
    assert (checked.code, checked.err) == (0, "")
    assert "Study, stimuli and plan are unchanged." in checked.out


def test_a_changed_study_is_found_out(tmp_path, hype):
    study = compared_study(tmp_path, files=True)
    hype("register", tmp_path)
    study.path.write_text(study.path.read_text().replace("trials = 24", "trials = 12"))
    checked = hype("register", tmp_path, "--check")
    told = hype("register", tmp_path, "--check", "--json")

    assert checked.code == told.code == 1
    assert "  study: comparison.trials: registered 24, now 12" in checked.out
    assert "Different from the registration." in checked.out
    assert "study: comparison.trials: registered 24, now 12" in told.json["differences"]


def test_data_that_were_there_before_are_told(tmp_path, hype):
    study = whole_study(tmp_path, qualification={"enabled": False})
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    made = hype("register", tmp_path)

    assert made.code == 0
    assert "sessions of people before the registration: 1 (" in made.err
    assert "sessions before registration: 1" in hype("register", tmp_path, "--check").out
    assert hype("register", tmp_path, "--check", "--json").json["sessions"] == 1
    said = hype("register", tmp_path).failed()
    assert "people have started sessions, so it cannot change" in said


def test_scores_of_judgements_name_a_registration(tmp_path, hype):
    study = whole_study(tmp_path, qualification={"enabled": False})
    hype("simulate", tmp_path, "--evaluators", 4)
    options = ("score", tmp_path, "--simulated", "--draws", "100")
    assert "Registered" not in hype(*options).out

    sha256 = hype("register", study.folder, "--json").json["sha256"]
    assert f"as {sha256}; unchanged since." in hype(*options).out
