"""What those see first who come with a link: their session, or kind words about why not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bare_studies import load
from served import HOST, listening

from hype.web.arrivals import NOT_ACCEPTED
from hype.web.desk import people_in

TURK = {
    "workerId": "A2XJMS2J2FMVXK",
    "assignmentId": "3Z4AIRP3C6D2CN2QBHGP3M3LPWRX1H",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}


@contextmanager
def doors(folder: Path, **web: Any) -> Iterator[Any]:
    """Serve a study, and give what asks for one of its addresses."""
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
    pid = "5f3a1b2c3d4e5f6a7b8c9d0e"
    with doors(tmp_path, platform="prolific", completion="DONE") as get:
        response, _ = get("/", PROLIFIC_PID=pid, STUDY_ID="6" * 24, SESSION_ID="7" * 24)
        refused, words = get("/")

    assert (response.status, response.headers["Location"]) == (303, "/session")
    cookie = response.headers["Set-Cookie"]
    assert pid not in cookie
    assert all(part in cookie for part in ("HttpOnly", "SameSite="))
    (row,) = people_in(tmp_path / "people.csv").values()
    assert row["person"] == f"prolific:{pid}"
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
    assert "This is a preview" in previewed
    assert "/enter/" not in previewed
    assert "Open the study in a window of its own" in accepted
    assert "Set-Cookie" not in framed.headers
    for policy in (one.headers["Content-Security-Policy"] for one in (preview, framed, entered)):
        assert "frame-ancestors https://*.mturk.com" in policy
        assert "form-action 'self' https://*.mturk.com" in policy
    assert entered.headers["Location"] == "/session"
    assert (forged.status, over_there) == (404, '{"over":false}')
