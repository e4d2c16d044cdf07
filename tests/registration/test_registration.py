"""A registration before the first session, and changes after it."""

import hashlib
import json
from datetime import datetime, timezone
from typing import Any

import pytest
from builders import edit, whole_study
from compared_studies import compared_study
from known import register
from paper_station import PaperStation, record_of, sit

from hype.errors import InputError, SessionProblem
from hype.protocols import facets
from hype.protocols.hype.condition_scores import ALPHA
from hype.protocols.load import load_any, load_study
from hype.protocols.registry import collect_fixed_parts
from hype.registration import REGISTRATION_FILE, registration_of
from hype.study.studies import AnyStudy

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
TIMED: dict[str, Any] = {"qualification": {"enabled": False}}


def changed(study: AnyStudy) -> tuple[str, ...]:
    """Return what has changed in a study since its registration."""
    found = registration_of(study)
    assert found is not None
    now = load_any(study.path)
    return found.differences(now, collect_fixed_parts(now))


def test_nothing_was_registered(tmp_path):
    assert registration_of(whole_study(tmp_path)) is None


@pytest.mark.parametrize("kind", ["hype", "comparison"])
def test_a_registered_study_is_what_it_was(kind, tmp_path):
    study: AnyStudy
    study = whole_study(tmp_path) if kind == "hype" else compared_study(tmp_path, files=True)
    made = register(study, now=NOON)

    assert registration_of(study) == made
    assert made.whole
    assert (made.registered, made.sessions) == ("2026-03-01T12:00:00+00:00", 0)
    assert changed(study) == ()


def test_the_hash_can_be_computed_by_anybody(tmp_path):
    made = register(compared_study(tmp_path, files=True), now=NOON)
    whole = json.loads((tmp_path / REGISTRATION_FILE).read_bytes())
    del whole["sha256"]
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert made.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_what_is_planned_of_comparisons(tmp_path):
    plan = register(compared_study(tmp_path, files=True)).content["analysis"]

    assert plan["question"] == "Which image better reflects the caption above?"
    assert (plan["evaluators"], plan["alpha"]) == (6, 0.05)
    assert "evaluators with fewer than 75% of validation comparisons right" in plan["not_scored"]


def test_what_is_planned_of_hype(tmp_path):
    study = whole_study(tmp_path, study={"evaluators": 5})
    plan = register(study).content["analysis"]

    assert (plan["methods"], plan["places"], plan["evaluators"]) == (["time"], 2, 10)
    assert plan["staircase"]["settles_at"] == pytest.approx(0.63, abs=0.001)
    assert "evaluators who did not pass the test" in plan["not_scored"]
    assert plan["alpha"] == facets.ALPHA == ALPHA


def test_changed_settings_are_named_once_by_their_key(tmp_path):
    study = compared_study(tmp_path, files=True)
    register(study)
    edit(study.path, "votes = 6", "votes = 4")

    votes, *others = changed(study)
    assert votes == "study: comparison.votes: registered 6, now 4"
    assert not [other for other in others if "votes" in other]


def test_a_changed_manifest_and_validation_are_named(tmp_path):
    study = compared_study(tmp_path, files=True)
    rows = "prompt,better,worse\na bag,fake/good/000.png,fake/crude/000.png\n"
    (tmp_path / "validation.csv").write_text(rows)
    edit(study.path, 'kind = "mismatch"', 'kind = "listed"')
    register(load_any(tmp_path))
    edit(tmp_path / "validation.csv", "fake/good/000.png", "fake/good/001.png")
    manifest = tmp_path / "stimuli" / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("a bag", "a hat"))

    names = [difference.split(": registered")[0] for difference in changed(study)]
    assert names == ["files: stimuli", "files: validation"]


def test_an_edited_registration_is_told(tmp_path):
    study = whole_study(tmp_path)
    register(study)
    edit(tmp_path / REGISTRATION_FILE, '"sessions": 0', '"sessions": 1')

    assert changed(study) == ("registration.json was edited: its SHA-256 differs",)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"sha256": 1}', "{" * 100_000, '{"sha256": "x", "content": []}', "\x00"],
)
def test_what_is_no_registration_is_refused(content, tmp_path):
    study = whole_study(tmp_path)
    (tmp_path / REGISTRATION_FILE).write_text(content)

    with pytest.raises(InputError, match=r"is not a registration; restore hype register's file"):
        registration_of(study)


def test_it_can_be_registered_anew_until_somebody_comes(tmp_path):
    study = whole_study(tmp_path, **TIMED)
    first = register(study, now=NOON)
    assert register(study).sha256 != first.sha256

    with record_of(study) as engine:
        sit(engine, study, "s01", simulated=True)
    third = register(study)
    assert third.sessions == 0

    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=2))
    with pytest.raises(SessionProblem, match=rf"is registered as {third.sha256}, and people have"):
        register(study)
    assert registration_of(study) == third


def test_sessions_begun_before_are_counted(tmp_path):
    study = whole_study(tmp_path, **TIMED)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=3))
        sit(engine, study, "p01")
        sit(engine, study, "s01", simulated=True)

    assert register(study).sessions == 2


def test_a_link_that_leads_elsewhere_is_refused(tmp_path):
    study = whole_study(tmp_path / "study")
    (tmp_path / "elsewhere.json").write_text("{}")
    (study.folder / REGISTRATION_FILE).symlink_to(tmp_path / "elsewhere.json")

    with pytest.raises(InputError, match="leads out of its folder"):
        register(load_study(study.folder))
    assert (tmp_path / "elsewhere.json").read_text() == "{}"
