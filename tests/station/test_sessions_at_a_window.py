"""Whole sessions at a real window: simulated evaluators, and keys pressed from outside."""

import json
import os
import subprocess
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from admitted import admit
from from_outside import HYPE, LONGEST_S, UNSYNCED, answered, press_until, rows, start
from known import hold_session
from long import long_but
from paper_station import rows_of
from PIL import ImageGrab
from small_studies import SMALLER, STUDIES, TABLES

from hype.errors import SessionProblem
from hype.protocols.registry import course_of
from hype.session import live
from hype.session.admitting import expect
from hype.session.live import HeldSession
from hype.session.stage import Seating
from hype.session.steps import Ending, Trial
from hype.session.timing import Verdict
from hype.station.station import Questioning, WindowStation
from hype.store.sqlite_record import reading_record, writing_record

pytestmark = pytest.mark.usefixtures("display")


@pytest.fixture(autouse=True)
def _quick_readers(monkeypatch):
    """Let simulated evaluators in this process continue soon after a screen appears."""
    monkeypatch.setattr("hype.session.live.READING_MS", 50.0)


def simulated_session(study) -> HeldSession:
    """Run a session of a simulated evaluator at the window."""
    with writing_record(study.folder / "data.sqlite") as engine:
        return hold_session(engine, study, "r1", Seating(simulated=True, windowed=True))


PATCH = """
[timing.patch]
corner = "bottom-right"
size_px = 24
"""


@pytest.fixture(scope="module")
def held(display, tiny, tmp_path_factory):
    """Return a study, and the session of a simulated evaluator at its window."""
    study = tiny(tmp_path_factory.mktemp("held"), "consent = false", PATCH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hype.session.live.READING_MS", 50.0)
        return study, simulated_session(study)


def test_a_simulated_evaluator_answers_through_real_keys(held):
    study, session = held
    assert session.ended == "complete"
    found = rows(study, "select * from judgements order by id")
    assert len(found) == 4
    for row in found:
        assert row["simulated"] == 1
        assert row["key"] == {"real": "f", "fake": "j"}[row["answer"]]
        assert row["rt_ms"] > 0
    onsets = [row["onset_monotonic_s"] for row in found]
    assert onsets == sorted(onsets)
    session = rows(study, "select * from sessions")[0]
    assert session["mode"] == "simulated-window"
    assert session["ended"] == "complete"
    assert '"psychopy"' in session["versions"]


def test_the_record_keeps_what_the_flips_said_of_every_trial(held):
    study, whole = held
    found = rows(study, "select * from judgements order by id")
    for row in found:
        flips_s = [float(stamp) for stamp in row["flips_s"].split()]
        lasted_ms = [1000 * (after - before) for before, after in pairwise(flips_s)]
        masks_ms = [float(ms) for ms in row["mask_measured_ms"].split()]
        assert len(flips_s) == 1 + len(row["masks"].split()) + 1 == 4
        assert flips_s == sorted(flips_s)
        assert flips_s[0] == pytest.approx(row["onset_monotonic_s"], abs=1e-5)
        assert lasted_ms == pytest.approx([row["exposure_measured_ms"], *masks_ms], abs=0.01)
        assert row["exposure_frames"] == round(row["exposure_ms"] * 60 / 1000)
        assert row["exposure_nominal_ms"] == pytest.approx(
            row["exposure_frames"] * 1000 / 60, abs=1
        )
        assert row["exposure_measured_ms"] > 0.5 * row["exposure_ms"]
        assert row["exposure_deviation_ms"] == pytest.approx(
            row["exposure_measured_ms"] - row["exposure_ms"], abs=0.01
        )
        assert (row["mask_ms"], row["mask_frames"], row["mask_nominal_ms"]) == (30, 2, 33.333)
        assert row["flip_uncertainty_ms"] > 0
        assert row["verdict"] in {verdict.value for verdict in Verdict}
        assert (row["verdict"] == "dropped") == (row["missed_frames"] > 0)
        assert row["repeats"] is None
    session = rows(study, "select * from sessions")[0]
    kept = json.loads(session["timing"])
    assert kept == json.loads(json.dumps(whole.timing.to_json()))
    verdicts = Counter(row["verdict"] for row in found)
    assert kept["verdicts"] == {verdict.value: verdicts[verdict.value] for verdict in Verdict}
    assert sum(row["n"] for row in kept["rows"] if row["kind"] == "image") == 4
    assert sum(row["n"] for row in kept["rows"] if row["kind"] == "mask") == 8
    assert json.loads(session["display"])["priority"] in {"realtime", "ordinary"}


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_is_refused_is_not_enrolled(tmp_path, hype, protocol, monkeypatch):
    """Evaluators may be refused because of a device, or of the display if images are flashed."""
    study = STUDIES[protocol](tmp_path, **SMALLER[protocol])
    if protocol == "hype":
        assert UNSYNCED in hype("run", study.folder, "--evaluator", "p01", "--windowed").failed()

    def refuse(*_args: object, **_named: object) -> None:
        raise SessionProblem("there is no keyboard")

    with writing_record(study.folder / "data.sqlite") as engine:
        with monkeypatch.context() as without:
            without.setattr("hype.session.live.Keyboard.require", refuse)
            with pytest.raises(SessionProblem, match="no keyboard"):
                hold_session(engine, study, "p02", Seating(simulated=True, windowed=True))
        with monkeypatch.context() as without:
            without.setattr("hype.session.live.WindowStation.__init__", refuse)
            with pytest.raises(SessionProblem, match="no keyboard"):
                hold_session(engine, study, "p02", Seating(simulated=True, windowed=True))
    assert not (study.folder / "data.sqlite").exists()


FAST = {"people": {"rt_median_ms": 60}}
QUICK = {"hype": FAST | {"time": SMALLER["hype"]["time"] | {"countdown_ms": 60, "min_ms": 0}}}


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_a_pilot_leaves_no_record(tmp_path, protocol):
    study = STUDIES[protocol](tmp_path, **SMALLER[protocol] | QUICK.get(protocol, {}))
    before = sorted(tmp_path.rglob("*"))
    seating = Seating(simulated=True, windowed=True, pilot=True)
    held, answered = live.hold_pilot(course_of(study), "p01", seating)
    assert held.ended == "complete"
    assert held.timing.trials == (answered["time"] + answered["practice"]) * (protocol == "hype")
    assert answered.total() > 3
    assert sorted(tmp_path.rglob("*")) == before


def test_somebody_who_comes_while_the_window_opens_changes_the_plan(tmp_path, monkeypatch):
    study = STUDIES["hype"](tmp_path, **SMALLER["hype"])
    opened = []
    fit_window = live.fit_window

    def fit_window_slowly(protocol, *given):
        if not opened:
            with writing_record(study.folder / "data.sqlite") as other:
                place = expect(other, protocol, "r1", simulated=True).assignment.cell
                rivals = (
                    code
                    for code in map("r{}".format, range(2, 50))
                    if expect(other, protocol, code, simulated=True).assignment.cell == place
                )
                admit(other, protocol, next(rivals), simulated=True)
        opened.append(protocol)
        return fit_window(protocol, *given)

    monkeypatch.setattr(live, "fit_window", fit_window_slowly)
    monkeypatch.setattr(live, "perform", lambda *_: Ending.COMPLETE)
    assert simulated_session(study).ended == "complete"
    assert len(opened) == 2
    first, second = rows(study, "select evaluator, condition from evaluators order by id")
    assert second["evaluator"] == "r1"
    assert first["condition"] != second["condition"]


@pytest.mark.long
def test_a_person_with_keys_from_outside_goes_from_welcome_to_debrief(make_study):
    study = make_study()
    process = start(study)
    press_until(process, ["space", "f"])
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0, err
    assert "The session is complete." in out
    assert "of 4 exposures ok" in out
    found = rows(study, "select * from judgements order by id")
    assert [row["trial"] for row in found] == [1, 2, 3, 4]
    assert {(row["answer"], row["key"], row["simulated"]) for row in found} == {("real", "f", 0)}
    events = [row["event"] for row in rows(study, "select event from events order by id")]
    assert events == ["welcome", "consent", "instructions_timed", "block", "debrief"]


def test_escape_pauses_and_quitting_saves(make_study):
    study = make_study("consent = false")
    process = start(study)
    press_until(process, ["space", "f"], done=lambda: answered(study) >= 2)
    press_until(process, ["Escape", "j"])
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0, err
    assert "can be resumed" in out
    assert 2 <= answered(study) < 4
    pauses = rows(study, "select answer from events where event = 'paused'")
    assert [row["answer"] for row in pauses][-1] == "quit"


@pytest.mark.long
def test_nothing_is_written_outside_the_cache_of_the_home(make_study, tmp_path):
    study = make_study()
    home = tmp_path / "home"
    home.mkdir()
    environment = os.environ | {"HOME": str(home)}
    environment.pop("XDG_CACHE_HOME", None)
    result = subprocess.run(
        [HYPE, "check", study.folder], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stderr == ""
    assert [path.name for path in home.iterdir()] == [".cache"]
    assert [path.name for path in (home / ".cache").iterdir()] == ["hype"]


ASKED_ABOUT = FAST | {
    "display": {"enlarge": True},
    "follow_up": {"confidence": "slider", "why": 1.0},
}
AT_LEISURE = {
    "hype": SMALLER["hype"]
    | {"study": {"methods": ["infinity"]}, "infinity": {"trials": 2, "min_ms": 0}},
    "comparison": {
        "comparison": {"limit_ms": None, "min_ms": 0, "blocks": 1, "trials": 2, "practice": 0},
        "validation": {"kind": "off"},
    },
}


@pytest.mark.long
@pytest.mark.parametrize("protocol", AT_LEISURE)
def test_images_stay_while_people_are_asked_about_them(tmp_path, monkeypatch, protocol):
    study = STUDIES[protocol](tmp_path, **AT_LEISURE[protocol], **ASKED_ABOUT)
    seen: dict[object, list[np.ndarray]] = {}

    def present(self, step):
        shown = presented(self, step)
        time.sleep(0.1)  # until the X server has drawn it
        trial = step if isinstance(step, Trial) else step.about
        if trial:
            middle = np.asarray(ImageGrab.grab().convert("L"))
            height, width = middle.shape
            middle = middle[height * 2 // 5 : height * 3 // 5, width // 4 : width * 3 // 4]
            seen.setdefault(trial.name, []).append(middle)
        return shown

    presented = WindowStation.present
    monkeypatch.setattr(WindowStation, "present", present)
    assert simulated_session(study).ended == "complete"
    asked = [screens for screens in seen.values() if len(screens) == 3]
    assert asked
    for judged, *later in asked:
        assert np.ptp(judged) > 50
        assert all((judged == other).all() for other in later)
    with reading_record(study.folder / "data.sqlite") as engine:
        marks = [row.confidence for row in rows_of(engine, TABLES[protocol])]
    assert max(mark for mark in marks if mark is not None) > 6


@pytest.mark.long
def test_steps_of_confidence_stand_equally_far_apart(tmp_path, monkeypatch):
    def respond(self, step):
        if step.about:
            time.sleep(0.1)  # until the X server has drawn it
            screen = np.asarray(ImageGrab.grab().convert("L"))
            inked = np.flatnonzero((screen[-110:] != screen[0, 0]).any(axis=0))
            seen.append([gap for gap in np.diff(inked) if gap > 15])
        return responded(self, step)

    seen, responded = [], Questioning.respond
    monkeypatch.setattr(Questioning, "respond", respond)
    study = STUDIES["hype"](tmp_path, **AT_LEISURE["hype"], follow_up={"confidence": 4})
    assert simulated_session(study).ended == "complete"
    assert {len(gaps) for gaps in seen} == {7}  # the gaps between keys and their words
    for gaps in seen:
        assert np.ptp(gaps[1::2]) < 5
        assert min(gaps[1::2]) > max(gaps[::2])
