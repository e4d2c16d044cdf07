"""Simulated evaluators who use a study's server over real HTTP, as browsers do."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from itertools import count, islice
from typing import Any, Final

from hype.errors import SessionProblem
from hype.session.course import Course
from hype.session.enrol import welcome_back
from hype.session.loop import advance
from hype.session.steps import Ending, Outcome, Page, Response, Screen, Step
from hype.store import people
from hype.store.record import record_of, rehearsing
from hype.study.studies import AnyStudy
from hype.web.tokens import ServerKey
from hype.web.wire import LEAD_FRAMES, Json

HZ: Final = 60.0
DISPLAY: Final = {
    "width": 1366,
    "height": 768,
    "ratio": 1.0,
    "touch": False,
    "hover": True,
    "agent": "hype serve --simulate",
    "intervals": [1000 / HZ] * 60,
}
PATIENCE_S: Final = 60.0
TRY_AGAIN: Final = (425, 429, 502, 503, 504)


def sit_report(**display: object) -> Json:
    """Return the first report that a page sends."""
    return {"page": secrets.token_hex(16), "display": DISPLAY | display}


class Client:
    """A client for the server: it keeps a cookie, and sends each report until it is answered.

    ``took_s``: how long the server took to answer each report.
    """

    def __init__(self, host: str, port: int) -> None:
        self.took_s: list[float] = []
        self._cookie = ""
        self._connection = HTTPConnection(host, port, timeout=PATIENCE_S)

    def get(self, address: str) -> tuple[int, bytes]:
        status, headers, content = self._ask("GET", address, None)
        if cookie := headers.get("set-cookie"):
            self._cookie = cookie.partition(";")[0]
        return status, content

    def post(self, address: str, report: Json) -> Json:
        """Send a report until it is answered.

        Raises SessionProblem: the report is refused, or no server answers.
        """
        until = time.monotonic() + PATIENCE_S
        while True:
            begun = time.monotonic()
            try:
                status, _, content = self._ask("POST", address, json.dumps(report))
            except (OSError, HTTPException):
                self._connection.close()
                status, content = 503, b""
            if status == 200:
                self.took_s.append(time.monotonic() - begun)
                return dict(json.loads(content))
            if status not in TRY_AGAIN or time.monotonic() > until:
                raise SessionProblem(f"{address}: {status} {content.decode(errors='replace')}")
            time.sleep(0.2)

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, address: str, content: str | None) -> tuple[int, Any, bytes]:
        headers = {"Cookie": self._cookie} if self._cookie else {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        self._connection.request(method, address, content, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.headers, answer.read()


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The result of a simulated evaluator's session."""

    evaluator: str
    ended: str
    answers: int
    took_s: tuple[float, ...]
    turned_away: str = ""  # the text of a refusal, such as that no place is free


def crowd(
    course: Course[Any],
    host: str,
    port: int,
    key: ServerKey,
    number: int,
    *,
    seed: int,
    pause_s: float,
) -> Iterator[Visit]:
    """Start all simulated evaluators at once, and yield the result of each session.

    Raises SessionProblem: a session could not be completed.
    """
    await_server(host, port)
    codes = newcomers(course.study, number)

    def come(code: str) -> Visit:
        door = f"/simulated/{code}/{key.name('simulated', code)}"
        client = Client(host, port)
        with closing(client):
            return visit(client, door, code, course, seed=seed, pause_s=pause_s)

    with ThreadPoolExecutor(number) as crowded:
        yield from crowded.map(come, codes)


def newcomers(study: AnyStudy, number: int) -> list[str]:
    """Return codes for a number of new simulated evaluators."""
    record = record_of(study)
    taken: set[str] = set()
    if record.is_there():
        with record.reading() as engine, engine.connect() as connection:
            before = people.list_evaluators(connection, simulated=True)
            taken = {who.evaluator for who in before}
    codes = (f"sim-{number:04d}" for number in count(1))
    return list(islice((code for code in codes if code not in taken), number))


def await_server(host: str, port: int) -> None:
    """Wait until a server answers at an address.

    Raises SessionProblem: no server answers.
    """
    until_s = time.monotonic() + PATIENCE_S
    while True:
        client = Client(host, port)
        with closing(client), suppress(OSError, HTTPException):
            client.get("/session")
            return
        if time.monotonic() > until_s:
            raise SessionProblem(f"no server answers at {host}:{port}")
        time.sleep(0.1)


def visit(
    client: Client,
    door: str,
    evaluator: str,
    course: Course[Any],
    *,
    seed: int,
    pause_s: float = 0.0,
) -> Visit:
    """Complete a session.

    ``door`` is this evaluator's link. The answers depend on the images of the evaluator's plan,
    which is made again from the record. ``pause_s``: the pause before each answer.
    """
    client.get(door)
    sat = client.post("/api/sit", sit_report())
    if "refused" in sat:
        why = words_of(sat["refused"])
        return Visit(evaluator=evaluator, ended="", answers=0, took_s=(), turned_away=why)
    # Nothing is written here, but `reading` would copy the whole record first
    with record_of(course.study).writing() as engine, rehearsing(engine) as connection:
        evaluator_row = people.find_evaluator(connection, evaluator, simulated=True)
        if evaluator_row is None:
            raise SessionProblem(f"{evaluator} is known to the server, but is not in the record")
        enrolled = welcome_back(connection, course, evaluator_row)
    observer = course.observer(enrolled.plan, seed=seed)
    script = course.script(enrolled.plan)
    step: Step | Ending = advance(script, None)
    shown, answers = sat["step"], 0
    while shown["kind"] != "end":
        if shown.get("page") == Page.RESUMED.value or isinstance(step, Ending):
            response = Response()
        else:
            response = observer.respond_to(step)
            answers += not isinstance(step, Screen)
            kept = response if isinstance(step, Screen) else step.read(response)
            step = advance(script, Outcome(kept))
        if pause_s:
            time.sleep(pause_s)
        report = {"seat": sat["seat"], "step": shown["id"], "answer": response.answer}
        report |= {"rt_ms": response.rt_ms}
        if shown["kind"] == "flash":
            report["callbacks"] = callbacks_of([picture["frames"] for picture in shown["pictures"]])
        shown = client.post("/api/step", report)["step"]
    return Visit(
        evaluator=evaluator,
        ended=shown["ended"],
        answers=answers,
        took_s=tuple(client.took_s),
        turned_away=words_of(shown) if shown["ended"] == "quit" else "",
    )


def words_of(page: Json) -> str:
    """Return the reason on a page that refuses to continue, on one line."""
    return " ".join(page.get("body") or [page.get("title", "")]).replace("\n", " ")


def callbacks_of(frames: list[int]) -> list[tuple[float, float]]:
    """Return the times of callbacks on a display that misses no frame."""
    frame_ms = 1000 / HZ
    return [(n * frame_ms, n * frame_ms + 1.0) for n in range(LEAD_FRAMES + sum(frames) + 1)]
