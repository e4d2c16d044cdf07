"""Somebody who takes part at a real server over HTTP, while this and that befalls them.

What they answer follows from a seed and their code, as with all simulated evaluators; they take as
long for it as they say.
"""

import json
import random
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

from besieged.server import HOST
from besieged.siege import WORLD, Siege
from hype.protocols.registry import course_of
from hype.session.course import Course
from hype.session.enrol import Enrolled, as_left
from hype.session.loop import advance, replay
from hype.session.steps import Ending, Outcome, Question, Response, Screen, Step, Trial, TrialName
from hype.store import people
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.web.simulated import DISPLAY, TRY_AGAIN, Client, callbacks_of
from hype.web.wire import Json

SEED = 11
EVERY = 3
"""At how many steps something befalls somebody."""
PATIENCE_S = 180.0
AGAIN_S = 0.1
READING_S = 0.2
QUICKER = 0.5
"""The share of its time that an answer claims when it is sent again."""


def told(code: str, question: Screen | Json) -> str:
    """Give what somebody says of themselves."""
    options = (
        question["options"] if isinstance(question, dict) else getattr(question, "options", ())
    )
    asked = question["asked"] if isinstance(question, dict) else getattr(question, "text", "")
    chosen = random.Random(f"{code} {asked}").randrange(len(options))
    return "" if chosen == len(options) - 1 else str(options[chosen])


def is_flashed(trial: Trial) -> bool:
    return getattr(trial, "exposure_ms", None) is not None


@dataclass
class Walk:
    """The way of somebody's session as their plan and the seed have it, trial by trial."""

    course: Course[Any]
    enrolled: Enrolled[Any]
    seed: int = SEED
    spoiled: frozenset[TrialName] = frozenset()
    pages: list[tuple[str, str]] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)

    def trials(self) -> Iterator[tuple[Trial, Response]]:
        """Yield the trials that are still to be answered, each with its answer."""
        script = self.course.script(self.enrolled.plan)
        observer = self.course.observer(self.enrolled.plan, seed=self.seed)
        observer.skip(len(self.enrolled.answered))
        answered = self.enrolled.answered
        step: Step | Ending = replay(script, answered) if answered else advance(script, None)
        while not isinstance(step, Ending):
            if isinstance(step, Trial):
                response = observer.respond_to(step)
                yield step, response
            else:
                response = self.passed(step)
            is_spoiled = isinstance(step, Trial) and is_flashed(step) and step.name in self.spoiled
            step = advance(script, Outcome(response, is_spoiled))

    def passed(self, screen: Screen) -> Response:
        """Go on from a screen, and keep what was there to read and to say."""
        answer = "yes" if screen.choice else ""
        if isinstance(screen, Question):
            answer = told(self.enrolled.assignment.evaluator, screen)
            self.said[screen.name] = answer
        if screen.duration_ms is None:
            kept = "" if isinstance(screen, Question) else answer
            self.pages.append((screen.page.value, kept))
        return Response(answer)


class Participant:
    """One person, whose browser's tabs come and go."""

    def __init__(self, siege: Siege, name: str) -> None:
        self.siege, self.name = siege, name
        self.server = server = siege.server
        self.chance = random.Random(name)
        self.course = course_of(server.study)
        self.client = Client(HOST, server.port)
        self.code = self.seat = ""
        self.step: Json = {}
        self.old: list[Json] = []
        self.at_once: set[TrialName | None] = set()
        self.steps = 0

    def take_part(self) -> "Participant":
        """Come by the link, and go from step to step to the end."""
        try:
            self.come()
            self.sit()
            while self.step["kind"] != "end":
                report = self.report()
                self.steps += 1
                fault = self.siege.next_fault() if self.steps % EVERY == 0 else None
                self.befall(fault, report)
        finally:
            self.client.close()
        return self

    def come(self) -> None:
        """Open the link until it lets us in; pages that were on their way may have been lost."""
        address = f"/?PROLIFIC_PID={self.name}&STUDY_ID={'5' * 24}&SESSION_ID={'6' * 24}"
        until_s = time.monotonic() + PATIENCE_S
        while not self.client._cookie:
            try:
                self.client.get(address)
            except (OSError, HTTPException):
                self.client.close()
            assert time.monotonic() < until_s
            time.sleep(AGAIN_S)
        self.code = self.client._cookie.partition("=")[2].partition(".")[0]

    def sit(self) -> None:
        """Open the page, which sits down, and see where the session stands."""
        status, body = self.send("/api/sit", {"display": DISPLAY})
        assert status == 200, body
        if "refused" in body:  # what was sent before the tab was killed was the last answer
            assert body["refused"].get("go_to"), body
            self.step = {"kind": "end", "go_to": body["refused"]["go_to"]}
            return
        self.seat, self.step = body["seat"], body["step"]
        enrolled = self.enrolled()
        cut_off = frozenset(enrolled.cut_off)
        self.trials = Walk(self.course, enrolled, spoiled=cut_off).trials()
        self.go_to_trial()

    def enrolled(self) -> Enrolled[Any]:
        """Read what the record has of us."""
        record = self.server.study.folder / RECORD_FILE
        with reading_record(record) as engine, engine.connect() as connection:
            who = people.find_evaluator(connection, self.code, simulated=False)
            assert who
            return as_left(connection, self.course, who)

    def go_to_trial(self) -> None:
        self.trial, self.response = next(self.trials, (None, Response()))

    # --- a step

    def report(self) -> Json:
        """Take our time over a step, and make the report of it."""
        step, trial = self.step, self.trial
        report = {"seat": self.seat, "step": step["id"], "answer": "", "rt_ms": 1000 * READING_S}
        if step["kind"] not in ("scene", "flash"):
            time.sleep(READING_S + step.get("for_ms", 0.0) / 1000)
            answers = [button["answer"] for button in step.get("buttons", ())]
            if step["kind"] == "question":
                report["answer"] = told(self.code, step)
            return report | ({"answer": "yes"} if "yes" in answers else {})
        assert trial, step
        self.look_at(step["pictures"])
        wait_ms = trial.shown_ms + self.response.rt_ms
        if step["kind"] == "flash":
            report["callbacks"] = callbacks_of([one["frames"] for one in step["pictures"]])
            wait_ms += step["countdown"]["from"] * step["countdown"]["ms"]
        time.sleep(wait_ms / 1000)
        return report | {"answer": self.response.answer, "rt_ms": self.response.rt_ms}

    def look_at(self, pictures: list[Json]) -> None:
        """Fetch what a trial shows; a page does so until it has it."""
        for picture in pictures:
            status = 0
            until_s = time.monotonic() + PATIENCE_S
            while status != 200:
                with suppress(OSError, HTTPException):
                    status, _ = self.client.get(f"/picture/{picture['id']}")
                if status != 200:
                    self.client.close()
                    assert time.monotonic() < until_s, status
                    time.sleep(AGAIN_S)

    def answer(self, report: Json) -> None:
        """Send a report until it is answered, and go where that leads."""
        status, body = self.send("/api/step", report)
        assert status == 200, body
        self.go_to(report, body["step"])

    def go_to(self, report: Json, step: Json) -> None:
        if step["id"] == report["step"]:
            return
        if self.step["kind"] in ("scene", "flash"):
            self.go_to_trial()
        self.step = step

    def send(self, address: str, report: Json, client: Client | None = None) -> tuple[int, Json]:
        """Send a report, as often as it takes."""
        client = client or self.client
        until_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                status, _, content = client._ask("POST", address, json.dumps(report))
                if status not in TRY_AGAIN:
                    return status, json.loads(content)
                became: object = (status, content)
            except (OSError, HTTPException) as error:
                became = error
            client.close()
            assert time.monotonic() < until_s, (address, became, self.server.said.read_text())
            time.sleep(AGAIN_S)

    # --- what befalls

    def befall(self, fault: str | None, report: Json) -> None:
        """Answer a step, while something befalls."""
        if fault in WORLD:
            struck = self.siege.strike(fault)
            if self.chance.random() < 0.5:
                struck.result(PATIENCE_S)
            self.answer(report)
            struck.result(PATIENCE_S)
        elif fault == "network cut":
            self.cut(report, self.chance.choice((0.0, 0.5, 0.95, 1.0, 1.0)))
            self.answer(report)
        elif fault == "tab killed":
            self.cut(report, self.chance.choice((0.0, 1.0)))
            self.client.close()
            self.sit()
        elif fault == "two tabs":
            self.open_second_tab(report)
        elif fault == "answer sent twice":
            self.send_twice(report)
        else:
            self.answer(report)
        if self.old and self.steps % EVERY == 1:
            self.send_old()

    def cut(self, report: Json, share: float) -> None:
        """Send some of a request, and be gone before it is answered."""
        body = json.dumps(report).encode()
        head = f"POST /api/step HTTP/1.1\r\nHost: {HOST}\r\nCookie: {self.client._cookie}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        request = head.encode() + body
        with suppress(OSError), socket.create_connection((HOST, self.server.port)) as connection:
            connection.sendall(request[: round(share * len(request))])
            time.sleep(self.chance.choice((0.0, 0.002, 0.02)))

    def send_twice(self, report: Json) -> None:
        """Send an answer twice at once, or keep it to be sent again later; the first one counts."""
        other = report | {"rt_ms": QUICKER * report["rt_ms"]}
        if self.chance.random() < 0.5:
            self.answer(report)
            self.old.append(other)
            return
        self.at_once.add(self.trial.name if self.trial else None)
        with closing(Client(HOST, self.server.port)) as beside, ThreadPoolExecutor(2) as both:
            beside._cookie = self.client._cookie
            sent = [
                both.submit(self.send, "/api/step", *one)
                for one in ((report, self.client), (other, beside))
            ]
            steps = [body["step"] for status, body in (one.result() for one in sent)]
        # Feedback leaves nothing in the record: another worker is past it.
        assert len({step["id"] for step in steps if step["kind"] != "verdict"}) <= 1, steps
        self.go_to(report, steps[0])

    def send_old(self) -> None:
        """Send an answer of some steps ago again."""
        if self.step["kind"] == "end":
            return
        report = self.old.pop() | {"seat": self.seat}
        status, body = self.send("/api/step", report)
        assert (status, body["step"]["id"]) == (200, self.step["id"])

    def open_second_tab(self, report: Json) -> None:
        """Open the page again; the old one is told so, and is gone on with or not."""
        first = self.client
        self.client = Client(HOST, self.server.port)
        self.client._cookie = first._cookie
        before = self.seat
        self.sit()
        with closing(first):
            status, body = self.send("/api/step", report | {"seat": before}, first)
            assert (status, body["error"]) == (409, "moved"), body
        if self.chance.random() < 0.5:
            self.sit()
