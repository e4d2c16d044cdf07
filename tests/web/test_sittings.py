"""Sessions over HTTP: steps are sent and answers are received in spite of faults."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from builders import whole_study
from running import run_here
from served import HOST, KEY, listening, rows_of, served
from small_studies import STUDIES, TABLES

from hype.protocols.hype.record import judgements
from hype.store.schema import events, sessions
from hype.web import wire
from hype.web.simulated import sit_report
from hype.web.sittings import Sittings

FLASH = ("flash",)


@pytest.fixture
def study(tmp_path):
    return whole_study(tmp_path, qualification={"enabled": False})


def trials_of(study):
    return [(row["task"], row["block"], row["trial"]) for row in rows_of(study, judgements)]


def test_an_answer_that_is_sent_twice_counts_once(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash", "scene")
        report = tab.report()
        first = tab.ask("/api/step", report)
        again = tab.ask("/api/step", report)
    assert first == again
    assert len(trials_of(study)) == 1


def test_a_session_goes_on_after_the_server_was_started_again(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash", "scene")
        tab.answer()
        tab.go_to("flash", "scene")
        before = tab.step
    with served(study) as open_tab:
        other = open_tab()
        other.seat, other.step = tab.seat, before
        status, body = other.answer()
        assert status == 200, body
        assert other.step["id"] != before["id"]
        assert len(trials_of(study)) == 2
        other.go_to("end")
    assert [row["ended"] for row in rows_of(study, sessions)] == [other.step["ended"]]
    trials = trials_of(study)
    assert len(set(trials)) == len(trials)


@pytest.mark.parametrize("set_s", [0, -3600])
def test_a_page_that_was_seen_does_not_come_again_after_a_restart(study, set_s, monkeypatch):
    """This is also true if the clock was set in the meantime, which is recorded."""
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash")
        while tab.step["kind"] != "page":
            tab.answer()
        tab.answer()
        page = tab.step
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + set_s)
    with served(study) as open_tab:
        other = open_tab()
        other.seat, other.step = tab.seat, page | {"id": "of before"}
        other.answer()
        assert other.step["id"] == page["id"]
        other.go_to("flash")
    set_by = [row["seconds"] for row in rows_of(study, events) if row["event"] == "clock-set"]
    assert set_by == ([pytest.approx(set_s, abs=1)] if set_s else [])


def test_a_clock_set_back_before_anything_was_done_is_noted(study, monkeypatch):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 3600)
    with served(study) as open_tab:
        other = open_tab()
        other.seat, other.step = tab.seat, tab.step
        other.go_to("end")
    set_by = [row["seconds"] for row in rows_of(study, events) if row["event"] == "clock-set"]
    assert set_by == [pytest.approx(-3600, abs=1)]
    verified = run_here("verify", study.folder)
    assert "all as planned" in verified.out, verified.said


def test_what_was_answered_before_a_restart_took_as_long_as_it_did(tmp_path):
    study = STUDIES["rating"](tmp_path)
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        tab.sit()
        tab.go_to("scene")
        time.sleep(0.3)
    with served(study) as open_tab:
        other = open_tab("p1", simulated=False)
        other.seat, other.step = tab.seat, tab.step
        assert other.answer(rt_ms=300.0)[0] == 200
    assert rows_of(study, TABLES["rating"])[0]["rt_ms"] == 300.0


def test_the_last_answer_sent_to_another_server_leads_to_the_end(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        while tab.step["kind"] != "end":
            last = tab.report()
            tab.answer()
    with served(study) as open_tab:
        status, body = open_tab().ask("/api/step", last)
    assert (status, body["step"]) == (200, tab.step)


def test_a_request_that_breaks_off_is_no_error(study, capfd):
    with listening(study) as port:
        with socket.create_connection((HOST, port)) as connection:
            head = f"Host: x\r\nCookie: hype={KEY.cookie('p1', simulated=False)}\r\n"
            head += "Content-Type: application/json\r\nContent-Length: 50\r\n"
            connection.sendall(f"POST /api/sit HTTP/1.1\r\n{head}\r\n{{".encode())
        time.sleep(0.2)
    assert capfd.readouterr().err == ""


def test_a_page_that_leaves_the_line_at_the_door_takes_no_place(study, monkeypatch):
    seated, door, sit = [], threading.Event(), Sittings.sit

    def wait_at_the_door(sittings, who, browser):
        seated.append(who.evaluator)
        assert door.wait(60)
        return sit(sittings, who, browser)

    monkeypatch.setattr(Sittings, "sit", wait_at_the_door)
    with served(study) as open_tab, ThreadPoolExecutor(1) as crowd:
        first = crowd.submit(open_tab("sim-1").sit)
        while not seated:
            time.sleep(0.01)
        with closing(open_tab("sim-2").client._connection) as leaving:
            headers = {"Cookie": f"hype={KEY.cookie('sim-2', simulated=True)}"}
            headers["Content-Type"] = "application/json"
            leaving.request("POST", "/api/sit", json.dumps(sit_report()), headers)
            time.sleep(0.3)
        time.sleep(0.3)
        door.set()
        assert first.result()[0] == 200
        assert open_tab("sim-3").sit()[0] == 200
    assert seated == ["sim-1", "sim-3"]


def test_a_second_tab_takes_the_seat(study):
    with served(study) as open_tab:
        old, new = open_tab(), open_tab()
        old.sit()
        old.go_to("flash", "scene")
        new.sit()
        assert new.step["page"] == "welcome" if not trials_of(study) else "resumed"
        assert old.ask("/api/step", old.report())[0] == 409
        new.go_to("flash", "scene")
        new.answer()
        assert len(trials_of(study)) == 1


def test_a_flash_that_was_reloaded_has_been_seen(study):
    """This is also true if the server is restarted during the second flash."""
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash")
        again = open_tab()
        again.sit()
        again.go_to("flash")
    with served(study) as open_tab:
        other = open_tab()
        other.seat, other.step = again.seat, again.step
        assert other.answer()[0] == 200
    row = next(row for row in rows_of(study, judgements) if row["verdict"])
    assert row["verdict"] == "seen"


def test_a_flash_that_was_paused_comes_anew(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        before = tab.go_to("flash")["id"]
        tab.pause()
        assert tab.step["kind"] == "flash"
        assert tab.step["id"] != before
    befell = [row["event"] for row in rows_of(study, events)]
    assert befell[-2:] == ["paused", "interrupted"]


def test_people_cannot_be_early(study):
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        tab.sit()
        while tab.step["kind"] != "verdict":
            status, body = tab.answer()
            if status == 425:
                assert body["wait_s"] > 0
                return
    raise AssertionError("there was nothing to wait for")


def test_what_cannot_have_been_is_refused(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash")
        for changes in (
            {"answer": "perhaps"},
            {"callbacks": None},
            {"callbacks": [[0, 1]]},
            {"callbacks": [[n, n + 0.1] for n in range(100)][::-1]},
        ):
            status, body = tab.answer(**changes)
            assert (status, body["error"]) == (400, "bad"), changes
        assert tab.answer()[0] == 200


def test_late_callbacks_make_a_late_exposure(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash")
        callbacks = tab.report()["callbacks"]
        slow = [(t + 17 * (n > 8), d + 17 * (n > 8)) for n, (t, d) in enumerate(callbacks)]
        tab.answer(callbacks=slow)
    row = next(row for row in rows_of(study, judgements) if row["verdict"])
    assert row["verdict"] == "dropped"


def test_what_takes_too_long_to_come_or_is_too_long_is_refused(study, monkeypatch):
    monkeypatch.setattr(wire, "LONGEST_BODY_S", 0.2)
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        status, _ = tab.ask("/api/step", " " * (wire.LARGEST_BODY + 1))
        assert status == 413
        tab = open_tab("sim-2")
        connection = tab.client._connection
        connection.putrequest("POST", "/api/step")
        for name, value in {
            "Cookie": tab.client._cookie,
            "Content-Type": "application/json",
            "Content-Length": "1000",
        }.items():
            connection.putheader(name, value)
        connection.endheaders(b"{")
        assert connection.getresponse().status == 408


def test_a_window_that_grew_is_kept_with_the_images_that_it_makes_larger(study):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        for side in (384, 540, 540):
            tab.go_to(*FLASH)
            tab.answer(side=side)
    (resized,) = (row for row in rows_of(study, events) if row["event"] == "images-resized")
    assert resized["answer"] == "540"
    verified = run_here("verify", study.folder)
    assert verified.code == 0, verified


def test_what_suggests_a_program_is_noted_and_status_names_it(study):
    with served(study) as open_tab:
        tab = open_tab("p01", simulated=False)
        tab.sit(webdriver=True)
        tab.go_to(*FLASH)
        for changes in ({"trusted": False}, {"rt_ms": 99.0}, {}):
            time.sleep(0.5)
            tab.go_to(*FLASH)
            while tab.answer(**changes)[0] == 425:
                time.sleep(0.1)
    (who,) = run_here("status", study.folder, "--json").json["evaluators"]
    assert [who[sign] for sign in ("webdriver", "untrusted", "sudden")] == [True, 1, 1]
    named = "others): a program controlled the browser (p01); answers by a script (p01); answers wi"
    assert named in run_here("status", study.folder).out


def test_a_display_is_measured_where_images_are_flashed_and_nowhere_else(study, tmp_path):
    with served(study) as open_tab:
        status, _ = open_tab().sit(intervals=[])
    assert status == 400
    (tmp_path / "rated").mkdir()
    rated = STUDIES["rating"](tmp_path / "rated")
    with served(rated) as open_tab:
        tab = open_tab()
        status, _ = tab.sit(intervals=[])
        tab.go_to("end")
    assert status == 200
    assert [row["ended"] for row in rows_of(rated, sessions)] == ["complete"]
    (row,) = rows_of(rated, sessions)
    assert "refresh_hz" not in json.loads(row["display"])


def test_what_is_wrong_with_a_file_is_not_told_to_participants(study, tmp_path, monkeypatch):
    """The message would name the image, whose folder reveals the truth."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash", "scene")
        name = tab.step["pictures"][0]["id"]
        for image in (*study.stimuli_folder.rglob("*.png"), *tmp_path.glob("cache/**/*.png")):
            image.unlink()
        status, _, body = tab.client._ask("GET", f"/picture/{name}", None)
        assert status == 503
        refused, told = open_tab("sim-2").sit()
        assert (refused, told["error"]) == (503, "busy")
        for said in (body.decode(), str(told)):
            assert not any(word in said for word in ("png", "fake", "real", str(study.folder)))
