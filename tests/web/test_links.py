"""The first page behind a link: the session, or a friendly reason for a refusal."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import segno
from bare_studies import load
from builders import edit
from served import HOST, KEY, listening, served
from small_studies import STUDIES

from hype.cli.serve import draw_code, print_link
from hype.study.web_settings import WebTexts
from hype.web.arrivals import NOT_ACCEPTED, check_path
from hype.web.desk import people_in
from hype.web.simulated import sit_report
from hype.web.sitting import Sitting

PID = "5f3a1b2c3d4e5f6a7b8c9d0e"
TURK = {
    "workerId": "A2XJMS2J2FMVXK",
    "assignmentId": "3Z4AIRP3C6D2CN2QBHGP3M3LPWRX1H",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}


def test_the_link_of_one_machine_says_so(tmp_path, capsys):
    (tmp_path / "study").mkdir()
    study, here = load("comparison", tmp_path / "study"), "http://127.0.0.1:8000"
    print_link(study, here, here, pilot=False)
    assert capsys.readouterr().out == (
        f"Open to participants on this machine only at {here}/ (Ctrl-C ends it).\n"
        "--host 0.0.0.0 also opens it to your network.\n"
    )


def test_the_code_of_a_link_has_all_its_modules():
    link = "http://192.0.2.1:8000/"
    lines = draw_code(link).plain.split("\n")
    rows = [[int(cell in marks) for cell in line] for line in lines for marks in ("▀█", "▄█")]
    code = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=2)]
    assert rows[: len(code)] == code


def test_a_changed_study_is_served_as_another_version_only(tmp_path, hype):
    study = STUDIES["comparison"](tmp_path / "study", comparison={"min_ms": 0})
    serve = partial(hype, "serve", study.folder, "--port", 0, "--simulate", 1)
    assert serve().code == 0
    edit(study.path, "min_ms = 0", "min_ms = 1")
    assert "comparison.min_ms: 0 → 1" in serve().refused()
    assert serve("--new-version").code == 0
    versions = hype("status", study.folder, "--simulated", "--json").json["versions"]
    assert [version["evaluators"] for version in versions] == [1, 1]


def test_who_has_the_secret_link_checks_others_and_nobody_else_does(tmp_path, hype, monkeypatch):
    monkeypatch.setattr(Sitting, "_least_s", lambda *_: 0.0)  # accept answers at once
    rule = {"test": 0, "checkers": ["check*"], "check_share": 0.5}
    study = STUDIES["ranking"](tmp_path / "study", screening=rule, web={"platform": "prolific"})
    with served(study) as open_tab:
        checker, annotator = open_tab(), open_tab("ann", simulated=False)
        checker.client._cookie = ""
        assert checker.client.get("/check/check01")[0] == 404
        assert checker.client.get(check_path(KEY)) == (303, b"")
        cookie = checker.client._cookie
        full = WebTexts().full.partition("\n\n")[0]
        assert checker.ask("/api/sit", sit_report())[1]["refused"]["title"] == full
        annotator.sit()
        annotator.go_to("end")
        for _ in "ab":  # opened again, the link leads to the same session
            checker.client.get(check_path(KEY))
            assert checker.client._cookie == cookie
            checker.sit()
        checker.go_to("end")
        checker.client.get(check_path(KEY))
        assert checker.client._cookie != cookie
        for _ in "ab":  # the platform's name for a person leads to one code
            checker.client.get(f"{check_path(KEY)}?PROLIFIC_PID={PID}")
        (row,) = people_in(tmp_path / "people.csv").values()
        assert row["person"] == f"prolific:{PID}"
        assert checker.client._cookie.startswith(f"hype={row['code']}.person.")
        assert row["code"].startswith("check")
    facts = hype("status", study.folder, "--json").json
    (code,) = (who["evaluator"] for who in facts["evaluators"] if who["checker"])
    assert re.fullmatch("check[a-z]{10}", code)
    assert cookie.startswith(f"hype={code}.person.")
    assert [facts["checks"][name] for name in ("rankings", "checked", "waiting")] == [3, 2, 0]


@contextmanager
def doors(folder: Path, **web: Any) -> Iterator[Any]:
    """Serve a study, and yield a function that requests one of its addresses."""
    (folder / "study").mkdir()
    with listening(load("comparison", folder / "study", web=web)) as port:

        def get(path: str, **query: str) -> tuple[HTTPResponse, str]:
            connection = HTTPConnection(HOST, port, timeout=60)
            connection.request("GET", f"{path}?{urlencode(query)}" if query else path)
            response = connection.getresponse()
            text = response.read().decode()
            connection.close()
            return response, text

        yield get


def test_who_comes_from_prolific_sits_down_under_a_code(tmp_path):
    with doors(tmp_path, platform="prolific", completion="DONE") as get:
        response, _ = get("/", PROLIFIC_PID=PID, STUDY_ID="6" * 24, SESSION_ID="7" * 24)
        refused, words = get("/")

    assert (response.status, response.headers["Location"]) == (303, "/session")
    cookie = response.headers["Set-Cookie"]
    assert PID not in cookie
    assert all(part in cookie for part in ("HttpOnly", "SameSite="))
    (row,) = people_in(tmp_path / "people.csv").values()
    assert row["person"] == f"prolific:{PID}"
    assert row["code"] in cookie
    assert refused.status == 403
    assert "The study is for people who were invited." in words
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


def test_mechanical_turk_frames_the_way_in_and_takes_the_form_that_ends_it(tmp_path):
    with doors(tmp_path, platform="mturk") as get:
        preview, previewed = get("/", **TURK | {"assignmentId": NOT_ACCEPTED})
        framed, accepted = get("/", **TURK)
        (link,) = re.findall(r'href="(/enter/[^"]+)"', accepted)
        entered, _ = get(link)
        _, over_there = get(f"{link}/over")
        forged, _ = get(link[:-1] + ("A" if link[-1] != "A" else "B"))

    assert (preview.status, framed.status) == (200, 200)
    assert WebTexts().preview.partition("\n\n")[0] in previewed
    assert "/enter/" not in previewed
    assert WebTexts().own_window in accepted
    assert "Set-Cookie" not in framed.headers
    for policy in (one.headers["Content-Security-Policy"] for one in (preview, framed, entered)):
        assert "frame-ancestors https://*.mturk.com" in policy
        assert "form-action 'self' https://*.mturk.com" in policy
    assert entered.headers["Location"] == "/session"
    assert (forged.status, over_there) == (404, '{"over":false}')
