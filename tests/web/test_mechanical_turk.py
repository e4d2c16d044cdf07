"""Mechanical Turk in a browser: its page, on another site, shows the study in a frame."""

from html import escape
from urllib.parse import parse_qsl, urlencode

import pytest
from browser import headless_chromium
from public import NAME, Certificate, flags_for
from rated_studies import rated_study
from served import answering, listening
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from visitor import Visitor

from hype.web.arrivals import NOT_ACCEPTED
from hype.web.desk import people_in

pytestmark = pytest.mark.long

WORKER, ASSIGNMENT = "A2XJMS2J2FMVXK", "3Z4AIRP3C6D2CN2QBHGP3M3LPWRX1H"
TASK = "https://worker.mturk.com/task"
SHORT = {
    "web": {"platform": "mturk"},
    "rating": {"items": 3, "blocks": 1, "practice": 0},
}


def given_to(worker: str | None) -> dict[str, str]:
    """Return the parameters that Mechanical Turk adds to an address, for a worker or a preview."""
    given = {
        "assignmentId": ASSIGNMENT if worker else NOT_ACCEPTED,
        "hitId": "3XM0HYN6NKZHOAC5O3FJ8GKMBN9PEA",
        "turkSubmitTo": "https://www.mturk.com",
    }
    return given | ({"workerId": worker} if worker else {})


class Turk:
    """Pages of Mechanical Turk: a task with a frame, and the address that receives its form."""

    def __init__(self) -> None:
        self.forms: list[tuple[str, dict[str, str]]] = []
        routes = [
            Route("/task", self._task),
            Route("/mturk/externalSubmit", self._take, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    async def _task(self, request) -> HTMLResponse:
        given = given_to(WORKER if "accepted" in request.query_params else None)
        there = escape(f"https://{NAME}/?{urlencode(given)}")
        return HTMLResponse(f'<iframe src="{there}" width="900" height="500"></iframe>')

    async def _take(self, request) -> HTMLResponse:
        form = dict(parse_qsl((await request.body()).decode()))
        self.forms.append((request.headers["sec-fetch-dest"], form))
        return HTMLResponse("<h1>Submitted</h1>")


@pytest.fixture
def turk() -> Turk:
    return Turk()


@pytest.fixture
def at_turk(turk, tmp_path):
    """Yield a visitor; the names of Mechanical Turk and of the study lead to this machine."""
    made = Certificate.of(tmp_path, NAME, "*.mturk.com")
    tls = {"ssl_certfile": str(made.chain), "ssl_keyfile": str(made.key)}
    (tmp_path / "study").mkdir()
    study = rated_study(tmp_path / "study", files=True, **SHORT)
    with (
        listening(study, **tls) as ours,
        answering(turk.app, **tls) as theirs,
        headless_chromium(
            tmp_path / "profile", *flags_for(**{NAME: ours, "*.mturk.com": theirs})
        ) as browser,
    ):
        visitor = Visitor(browser, ours)
        visitor.address = f"{TASK}?accepted"
        yield visitor


def in_frame(visitor: Visitor) -> str:
    """Select the frame, and return its text."""
    visitor.browser.driver.switch_to.default_content()
    visitor.browser.driver.switch_to.frame(visitor.browser.find("iframe"))
    return str(visitor.browser.js("document.body.textContent"))


def test_a_task_is_done_in_a_window_of_its_own_and_handed_in_by_the_frame(at_turk, turk, tmp_path):
    at_turk.come()
    at_turk.until(lambda: "You can begin" in in_frame(at_turk))
    assert at_turk.violations() == []
    task = at_turk.browser.driver.current_window_handle
    at_turk.browser.find("a").click()
    (window,) = set(at_turk.browser.driver.window_handles) - {task}
    at_turk.browser.driver.switch_to.window(window)
    at_turk.go_to("page", "Thank you")
    assert "go back to Mechanical Turk" in at_turk.browser.js("document.body.textContent")

    at_turk.browser.driver.switch_to.new_window("tab")
    at_turk.browser.command("Network.enable")
    at_turk.browser.command("Network.setBlockedURLs", urls=["*/static/frame.js"])
    at_turk.browser.driver.get(f"https://{NAME}/?{urlencode(given_to(WORKER))}")
    assert at_turk.browser.find("button").text == "Submit the task"
    assert at_turk.violations() == []

    at_turk.browser.driver.switch_to.window(task)
    at_turk.until(lambda: "Submitted" in in_frame(at_turk))
    assert turk.forms == [("iframe", {"assignmentId": ASSIGNMENT, "ended": "complete"})]
    (row,) = people_in(tmp_path / "people.csv").values()
    assert row["person"] == f"mturk:{WORKER}"
