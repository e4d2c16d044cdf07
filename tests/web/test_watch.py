"""The experimenter's page over HTTP: its access, its content, and opening and closing the doors."""

import json
import time
from itertools import accumulate

import pytest
from builders import whole_study
from long import long_but
from served import KEY, served
from small_studies import STUDIES

from hype.web.desk import FileDesk
from hype.web.experimenter import watch_path
from hype.web.simulated import sit_report
from hype.web.wire import LEAD_FRAMES


@pytest.fixture
def study(tmp_path):
    return whole_study(tmp_path, qualification={"enabled": False})


REPORT_S = 280


class Experimenter:
    """A browser that has opened the experimenter's link."""

    def __init__(self, tab, *, let_in=True):
        self.client = tab.client
        self.client._cookie = ""
        # The program that writes a report has a low priority, so this may take long.
        self.client._connection.timeout = REPORT_S
        if let_in:
            status, _ = self.client.get(watch_path(KEY))
            assert status == 200

    def get(self, address):
        return self.client.get(address)

    def state(self):
        status, content = self.get("/watch/state")
        assert status == 200, content
        return json.loads(content)

    def sides(self):
        return {side["simulated"]: side for side in self.state()["sides"]}

    def doors(self, *, is_open):
        status, _, content = self.client._ask("POST", "/watch/doors", json.dumps({"open": is_open}))
        return status, json.loads(content)


def part(side, title):
    return next(one for one in side["parts"] if one["title"] == title)


def answer_to_sitting(tab):
    status, body = tab.ask("/api/sit", sit_report())
    assert status == 200, body
    return body


@pytest.fixture
def told(hype):
    """Return a function that reads `hype status`, with only the number of evaluators."""

    def of(study):
        said = hype("status", study.path, "--json", "--simulated").json
        return said | {"evaluators": len(said["evaluators"])}

    return of


PAGES = ("/watch", "/watch/state", "/watch/report")


def test_nothing_is_there_without_the_token(study):
    with served(study) as open_tab:
        stranger = Experimenter(open_tab(), let_in=False)
        for address in (*PAGES, "/watch/wrong", watch_path(KEY)[:-1]):
            assert stranger.get(address)[0] == 404, address


def test_participants_cookies_do_not_open_it(study):
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        proof = tab.client._cookie.partition("=")[2]
        for cookie in (
            f"hype={proof}",
            f"hype-watch={proof}",
            f"hype-watch={proof.split('.')[-1]}",
        ):
            tab.client._cookie = cookie
            assert [tab.client.get(address)[0] for address in PAGES] == [404] * len(PAGES)
            assert tab.client._ask("POST", "/watch/doors", '{"open": false}')[0] == 404
    assert FileDesk.of(study).closing_time() is None


def test_the_token_is_traded_for_a_strict_cookie(study):
    with served(study) as open_tab:
        client = open_tab().client
        status, headers, content = client._ask("GET", watch_path(KEY), None)
        cookie = headers["set-cookie"]
        assert status == 200
        assert b'http-equiv="refresh" content="0; url=/watch"' in content
        assert watch_path(KEY).rpartition("/")[2] not in cookie
        assert {"HttpOnly", "Path=/watch", "SameSite=strict"} <= set(cookie.split("; "))
        assert Experimenter(open_tab()).get("/watch")[0] == 200


def test_figures_are_those_of_hype_status(study, told):
    with served(study) as open_tab:
        for number in range(3):
            tab = open_tab(f"p{number}")
            tab.sit()
            tab.go_to(*(["end"] if number < 2 else ["flash", "scene"]))
        side = Experimenter(open_tab()).sides()[True]
    told_now = told(study)
    assert side["came"] == told_now["evaluators"] == 3
    facts, whole = dict(side["facts"]), told_now["whole"]
    assert facts["Places filled"] == f"{whole['complete']} of {whole['wanted']}"
    assert facts["Would be owed"] == f"{told_now['currency']}{told_now['pay_due']:.2f}"
    verdicts = {row[0]: int(row[1]) for row in part(side, "Timing")["rows"]}
    assert verdicts == told_now["timing"]
    filled = sum(int(row[2].replace("·", "0")) for row in part(side, "Places")["rows"][:-1])
    assert filled == whole["complete"]


@pytest.mark.parametrize("protocol", long_but(["comparison"], STUDIES))
def test_every_protocol_has_a_page(tmp_path, told, protocol):
    study = STUDIES[protocol](tmp_path)
    with served(study) as open_tab:
        assert Experimenter(open_tab()).state()["sides"] == []
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("flash", "scene")
        side = Experimenter(open_tab()).sides()[True]
    whole = told(study)["whole"]
    assert side["came"] == told(study)["evaluators"] == 1
    assert dict(side["facts"])["Places filled"] == f"{whole['complete']} of {whole['wanted']}"


def test_who_is_on_is_told_with_what_they_do(study):
    with served(study) as open_tab:
        for code in ("p1", "p2", "p3"):
            tab = open_tab(code, simulated=False)
            tab.sit()
            if code == "p2":
                tab.answer()
            if code == "p3":
                tab.ask("/api/stop", {"seat": tab.seat})
        simulated = open_tab("p1")
        simulated.sit()
        simulated.go_to("flash", "scene")
        sides = Experimenter(open_tab()).sides()
    on = {row[0]: row[1] for row in part(sides[False], "On now")["rows"]}
    assert on == {"p1": "the first page", "p2": "after the page welcome"}
    assert [row[:2] for row in part(sides[False], "Drop-outs")["rows"]] == [["p3", "stopped"]]
    ((_, doing, *_),) = part(sides[True], "On now")["rows"]
    assert ", trial 1" in doing
    assert dict(sides[False]["facts"])["On now"] == "2"


def test_who_is_silent_for_long_has_left(tmp_path, monkeypatch):
    study = whole_study(tmp_path, qualification={"enabled": False}, web={"release_minutes": 1})
    with served(study) as open_tab:
        open_tab("p1", simulated=False).sit()
        later = time.time() + 61
        monkeypatch.setattr(time, "time", lambda: later)
        side = Experimenter(open_tab()).sides()[False]
    assert not part(side, "On now")["rows"]
    assert [row[:2] for row in part(side, "Drop-outs")["rows"]] == [["p1", "silent"]]


def test_displays_say_what_becomes_of_exposures(study):
    with served(study) as open_tab:
        open_tab("p1").sit()
        open_tab("p2").sit(intervals=[1000 / 144] * 60)
        side = Experimenter(open_tab()).sides()[True]
    rows = part(side, "Displays")["rows"]
    assert [row[:3] for row in rows] == [["60 Hz", "1", "0"], ["144 Hz", "1", "0"]]
    assert "a mask of 30 ms lasts 33.3 ms (2 frames)" in rows[0][3]


@pytest.mark.parametrize("tells", [False, True])
def test_trials_that_callbacks_alone_call_ok_are_counted(study, tells):
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit(presentations=tells)
        tab.go_to("flash")
        called = [began for began, _ in tab.report()["callbacks"]]
        frames = (one["frames"] for one in tab.step["pictures"])
        seen = [called[place] + 20.0 for place in accumulate(frames, initial=LEAD_FRAMES)]
        tab.answer(presented=seen if tells else None)
        parts = Experimenter(open_tab()).sides()[True]["parts"]
    said = [line.partition(".")[0] for one in parts[3:] for line in one["lines"]]
    assert said == ([] if tells else ["Trials called ok by callbacks alone (practice included): 1"])


def test_closed_doors_keep_newcomers_out_and_nobody_else(study):
    with served(study) as open_tab:
        under_way = open_tab("p1", simulated=False)
        under_way.sit()
        experimenter = Experimenter(open_tab())
        assert experimenter.state()["doors"]["open"]
        status, body = experimenter.doors(is_open=False)
        assert (status, body["doors"]["open"]) == (200, False)
        assert under_way.answer()[0] == 200
        again = open_tab("p1", simulated=False)
        assert "step" in answer_to_sitting(again)
        newcomer = open_tab("p2", simulated=False)
        refused = answer_to_sitting(newcomer)["refused"]
        assert refused["title"] == "The study is closed for now"
    with served(study) as open_tab:
        stranger = Experimenter(open_tab(), let_in=False)
        status, page = stranger.get("/")
        assert status == 403
        assert b"The study is closed for now" in page
        assert "refused" in answer_to_sitting(open_tab("p2", simulated=False))
        Experimenter(open_tab()).doors(is_open=True)
        assert "step" in answer_to_sitting(open_tab("p2", simulated=False))


@pytest.mark.long
def test_the_report_is_made_as_it_is_now(tmp_path):
    untimed = {"study": {"methods": ["infinity"]}, "infinity": {"trials": 8}}
    study = whole_study(tmp_path, **untimed, qualification={"enabled": False})
    with served(study) as open_tab:
        experimenter = Experimenter(open_tab())
        status, said = experimenter.get("/watch/report")
        assert status == 409
        assert b"There is no report yet" in said
        tab = open_tab()
        tab.sit()
        tab.go_to("end")
        status, headers, page = experimenter.client._ask("GET", "/watch/report?simulated=1", None)
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8"), page
        assert headers["content-security-policy"].startswith("sandbox")
        assert b"SIMULATED" in page
