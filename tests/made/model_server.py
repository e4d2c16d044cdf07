"""A server of the chat protocol on this machine: judges with known behaviour, and faults.

The server uses real HTTP and counts its requests.
"""

import base64
import gzip
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PROMPT_TOKENS, COMPLETION_TOKENS = 700, 9
"""Tokens that every reply reports."""


@dataclass(frozen=True)
class Asked:
    """A request, as a model sees it."""

    images: tuple[str, ...]  # checksums, in the order shown
    text: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def allowed(self) -> Mapping[str, Any]:
        """The schema of an answer's only key; empty if the request has no schema."""
        form = self.body.get(
            "response_format", {"json_schema": {"schema": {"properties": {"": {}}}}}
        )
        (allowed,) = form["json_schema"]["schema"]["properties"].values()
        return allowed

    @property
    def answers(self) -> list[str]:
        return self.allowed.get("enum", ["1", "2"])

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps([self.images, self.text]).encode()).hexdigest()

    def reply(self, answer: object) -> str:
        key = "order" if isinstance(answer, list) else "answer"
        return json.dumps({key: answer})


Judge = Callable[[Asked], str]


def dice(seed: int = 0) -> Judge:
    """Answer at random; the n-th answer to a question is always the same."""
    times: Counter[str] = Counter()

    def judge(asked: Asked) -> str:
        times[asked.sha256] += 1
        draws = random.Random(f"{seed} {asked.sha256} {times[asked.sha256]}")
        if asked.allowed.get("type") == "array":
            letters = list(asked.allowed["items"]["enum"])
            return asked.reply(draws.sample(letters, len(letters)))
        return asked.reply(draws.choice([a for a in asked.answers if a != "not-relevant"]))

    return judge


def left_lover(asked: Asked) -> str:
    """Prefer the image that is shown first."""
    if asked.allowed.get("type") == "array":
        return asked.reply(asked.allowed["items"]["enum"])
    return asked.reply(asked.answers[0])


def by_worth(worth: Mapping[str, float]) -> Judge:
    """Prefer the image with the higher ``worth``, given by checksum."""

    def judge(asked: Asked) -> str:
        values = [worth[each] for each in asked.images]
        if asked.allowed.get("type") == "array":
            letters = asked.allowed["items"]["enum"]
            ranked = sorted(zip(values, letters, strict=True), reverse=True)
            return asked.reply([letter for _, letter in ranked])
        levels = [a for a in asked.answers if a not in ("not-relevant", "tie")]
        if len(values) == 1:
            return asked.reply("real" if values[0] > 0 else "fake")
        if len(levels) == 2:
            return asked.reply(levels[values[0] < values[1]])
        step = (values[1] - values[0]) * (len(levels) // 2)
        middle = len(levels) // 2
        return asked.reply(levels[max(0, min(len(levels) - 1, round(middle + step)))])

    return judge


Fault = Callable[[BaseHTTPRequestHandler, Asked], None]


def refuse(status: int, said: str = "no", **headers: str) -> Fault:
    def fault(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
        send(handler, json.dumps({"error": {"message": said}}), status=status, **headers)

    return fault


def truncate(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Announce a longer reply than is sent, and close the connection."""
    send(handler, completion(asked, "{}")[:40], promised=4000)
    handler.close_connection = True


def hang(seconds: float) -> Fault:
    def fault(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return fault


def drip(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
    """Send single bytes slowly, and never a complete reply."""
    send(handler, "{", promised=4000)
    for _ in range(40):
        time.sleep(0.05)
        handler.wfile.write(b" ")
        handler.wfile.flush()
    handler.close_connection = True


def flood(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
    send(handler, " " * 1_100_000)


def bomb(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
    """Send 64 MB, compressed to 64 kB, although the client did not ask for compression."""
    content = gzip.compress(bytes(64_000_000))
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def moved(url: str) -> Fault:
    def fault(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
        send(handler, "", status=307, Location=f"{url}/chat/completions")

    return fault


def say_no_json(handler: BaseHTTPRequestHandler, _asked: Asked) -> None:
    send(handler, "<html>gateway</html>")


def say(text: str | None, **more: object) -> Fault:
    """Reply with a text that is not an answer."""

    def fault(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        send(handler, completion(asked, text, **more))

    return fault


def send(
    handler: BaseHTTPRequestHandler,
    text: str,
    *,
    status: int = 200,
    promised: int | None = None,
    **headers: str,
) -> None:
    content = text.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(promised or len(content)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


def completion(asked: Asked, text: str | None, **more: object) -> str:
    logprobs = None
    if asked.body.get("logprobs") and text:
        logprobs = {"content": [{"token": each, "logprob": -0.25} for each in text]}
    message: dict[str, object] = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}
    message |= {name: more.pop(name) for name in ("refusal",) if name in more}
    usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "choices": [choice | more], "usage": usage}
    )


class Listening(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Print nothing when a client closes the connection."""


@dataclass
class ModelServer:
    """Answers requests while it is open; each of the first requests gets one of `faults`."""

    judge: Judge
    faults: Sequence[Fault] = ()
    delay_s: float = 0.0
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0

    def __enter__(self) -> "ModelServer":
        self._faults: Iterator[Fault] = iter(self.faults)
        self._lock, self._now = threading.Lock(), 0
        self._server = Listening(("127.0.0.1", self.port), self._handler())
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                try:
                    server.serve(self)
                except (BrokenPipeError, ConnectionResetError):  # the client was killed
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        return Handler

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        asked = read(
            json.loads(handler.rfile.read(length)),
            {name.lower(): value for name, value in handler.headers.items()},
        )
        with self._lock:
            self.asked.append(asked)
            fault = next(self._faults, None)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            time.sleep(self.delay_s)
            if fault is not None:
                fault(handler, asked)
                return
            with self._lock:
                text = self.judge(asked)
                self.answered[asked.sha256] += 1
            send(handler, completion(asked, text))
        finally:
            with self._lock:
                self._now -= 1


def read(body: Mapping[str, Any], headers: Mapping[str, str]) -> Asked:
    parts = body["messages"][0]["content"]
    uris = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    contents = (base64.b64decode(uri.partition(",")[2]) for uri in uris)
    return Asked(
        images=tuple(hashlib.sha256(content).hexdigest() for content in contents),
        text=parts[-1]["text"],
        body=body,
        headers=headers,
    )
