"""Requests of the OpenAI-compatible chat protocol, their replies, and the endpoint."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from hype.asking.questions import AskedImage, ImageQuestion, NoAnswerError, Wording
from hype.errors import InputError
from hype.stimuli.images import decode, png_bytes
from hype.stimuli.manifest import Stimuli, file_in, sha256_of

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

SCHEMA, LOGPROBS, LIMIT = "response_format", "logprobs", "max_tokens"
"""Parts of a request that some servers do not accept."""


def check_endpoint(url: str) -> str:
    """Return the address of an endpoint, without a slash at the end.

    Raises InputError: the address is not HTTP, or may contain a secret (a password or a query).
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # for example, wrong brackets or a wrong port
        usable = False
    if not usable:
        allowed = "an address such as http://localhost:8000/v1"
        raise InputError("--endpoint", "is not an HTTP address", allowed)
    if parts.username or parts.password or parts.query or parts.fragment:
        allowed = "only the address; give the key in an environment variable"
        raise InputError("--endpoint", "contains a user name, a password or a query", allowed)
    return url.rstrip("/")


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The model and its settings; an answer is reused only if all of them are the same."""

    endpoint: str
    model: str
    temperature: float | None = None  # None: the server's default
    max_tokens: int = 256
    seed: int | None = None  # the seed of the first repeat; each further repeat adds 1

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc

    @property
    def summary(self) -> str:
        """The settings as ``name=value``, without model and host, which have their own columns."""
        named = ("temperature", "max_tokens", "seed")
        given = ((name, getattr(self, name)) for name in named)
        return " ".join(f"{name}={value:g}" for name, value in given if value is not None)


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """One repeat of a question, with its text."""

    question: ImageQuestion
    repeat: int  # from 1
    text: str
    parameters: Parameters

    @cached_property
    def key(self) -> str:
        """SHA-256 (hex) of everything that can change the answer."""
        question = self.question
        content = {
            **asdict(self.parameters),
            "images": [image.sha256 for image in question.shown.values()],
            "labels": question.labels,
            "text": self.text,
            "schema": question.schema,
            "repeat": self.repeat,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def body(self, stimuli: Stimuli, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Make the body to send, without the parts that the server does not accept.

        Raises InputError: an image is missing, or differs from the manifest.
        """
        asked, parameters = self.question, self.parameters
        body: dict[str, Any] = {
            "model": parameters.model,
            "messages": [{"role": "user", "content": list(self._content(stimuli))}],
            "max_completion_tokens" if LIMIT in without else LIMIT: parameters.max_tokens,
        }
        if parameters.temperature is not None:
            body["temperature"] = parameters.temperature
        if parameters.seed is not None:
            body["seed"] = parameters.seed + self.repeat - 1
        if SCHEMA not in without:
            schema = {"name": "answer", "strict": True, "schema": asked.schema}
            body[SCHEMA] = {"type": "json_schema", "json_schema": schema}
        if LOGPROBS not in without:
            body |= {LOGPROBS: True, "top_logprobs": 5}
        return body

    def _content(self, stimuli: Stimuli) -> Iterator[dict[str, Any]]:
        for label, image in self.question.shown.items():
            if label:
                yield {"type": "text", "text": f"{label}:"}
            yield {"type": "image_url", "image_url": {"url": data_uri(stimuli, image)}}
        yield {"type": "text", "text": self.text}


def data_uri(stimuli: Stimuli, image: AskedImage) -> str:
    """Return an image as a PNG without metadata, since metadata could reveal its condition.

    Raises InputError: the image is missing, or its checksum differs from the manifest.
    """
    path = file_in(stimuli, image.path)
    try:
        is_same = sha256_of(path) == image.sha256
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    if not is_same:
        allowed = "the listed file; or hype stimuli scan, if you changed the file on purpose"
        raise InputError(path, "is not the image that the manifest lists", allowed)
    return f"data:image/png;base64,{base64.b64encode(png_bytes(decode(path))).decode()}"


def requests_of(
    questions: Sequence[ImageQuestion], wording: Wording, parameters: Parameters, repeats: int
) -> list[JudgeRequest]:
    return [
        JudgeRequest(question=question, repeat=repeat, text=text, parameters=parameters)
        for question in questions
        for text in [wording.text_of(question)]
        for repeat in range(1, repeats + 1)
    ]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The content of a chat completion. A malformed part other than the text counts as missing."""

    text: str | None  # None if the content is not text.
    refused: bool  # Whether the server reports that the model refused to answer.
    cut_short: bool
    tokens: tuple[tuple[str, float], ...]  # each with its log-probability; empty if not given
    prompt_tokens: int | None
    completion_tokens: int | None


MOST_TOKENS: Final = 10**7
"""No request or reply has more tokens; a larger count is wrong."""


def reply_in(body: str) -> Reply:
    """Read a chat completion.

    Raises ValueError: the body is not a chat completion.
    """
    try:
        completion = json.loads(body)
        choice, usage = completion["choices"][0], completion.get("usage")
        message, ended = choice["message"], choice.get("finish_reason")
        text = message.get("content")
        used = []
        for name in ("prompt_tokens", "completion_tokens"):
            number = usage.get(name) if isinstance(usage, dict) else None
            is_count = type(number) is int and 0 <= number <= MOST_TOKENS
            used.append(number if is_count else None)
        return Reply(
            text=text if isinstance(text, str) else "" if text is None else None,
            refused=bool(message.get("refusal")) or ended == "content_filter",
            cut_short=ended == "length",
            tokens=tokens_in(choice.get("logprobs")),
            prompt_tokens=used[0],
            completion_tokens=used[1],
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"is not a chat completion ({error!r})") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def tokens_in(logged: Any) -> tuple[tuple[str, float], ...]:
    """Return tokens and their log-probabilities; empty if any of them is malformed."""
    try:
        tokens = [(each["token"], each["logprob"]) for each in logged["content"]]
    except (LookupError, TypeError):
        return ()
    sound = all(type(token) is str and type(p) in (int, float) for token, p in tokens)
    return tuple(tokens) if sound else ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A judge's answer, or why it is missing."""

    given: tuple[str, ...] = ()
    missing: str = ""
    logprob: float | None = None  # natural logarithm of the probability of the answer's tokens


def answer_of(question: ImageQuestion, reply: Reply) -> Answer:
    """Read the answer in a reply; an answer that cannot be read counts as missing."""
    if reply.refused:
        return Answer(missing="refused")
    if reply.text is None:
        return Answer(missing="not text")
    if not reply.text.strip():
        return Answer(missing="cut short" if reply.cut_short else "empty")
    try:
        given = question.read_answer(reply.text)
    except NoAnswerError as error:
        return Answer(missing="cut short" if reply.cut_short else str(error))
    return Answer(given=given, logprob=logprob_of(given, question.key, reply))


def logprob_of(given: Sequence[str], key: str, reply: Reply) -> float | None:
    """Sum the log-probabilities of the tokens that spell the answer; None if they are unknown.

    In JSON, the search starts after the answer's key, since the same letters may occur before it.
    """
    spelt = "".join(token for token, _ in reply.tokens).lower()
    thought = spelt.find("</think>") + 1
    named = spelt.find(f'"{key}"', thought)
    first, last = given[0].lower(), given[-1].lower()
    start = spelt.find(first, named + len(key) + 2 if named >= 0 else thought)
    end = spelt.rfind(last) + len(last)
    if not reply.tokens or start < 0 or end <= start:
        return None
    total, place = 0.0, 0
    for token, logprob in reply.tokens:
        if place < end and place + len(token) > start:
            total += logprob
        place += len(token)
    return total if math.isfinite(total) else None


PASSING: Final = (408, 409, 425, 429)
"""Status codes of temporary errors; codes from 500 on are temporary errors too."""
LONGEST_SAID: Final = 300
LARGEST_REPLY_BYTES: Final = 1_000_000
SAID: Final = {
    LIMIT: "the server wants max_completion_tokens instead of max_tokens",
    LOGPROBS: "the server gives no log-probabilities",
    SCHEMA: "the server does not accept json_schema: only the question's text asks for JSON",
}
HINTS: Final = {
    LIMIT: ("max_completion_tokens",),
    LOGPROBS: ("logprob",),
    SCHEMA: ("response_format", "json_schema", "schema", "structured", "grammar", "guided"),
}
"""Words in a server's error that show which part of the request it does not accept."""


class NoReply(Exception):
    """A request got no reply this time; another attempt may get one.

    ``billed``: whether the request may have been billed. ``wait_s``: how long the server asks to
    wait.
    """

    def __init__(self, said: str, *, billed: bool, wait_s: float | None = None) -> None:
        super().__init__(said)
        self.billed, self.wait_s = billed, wait_s


class RequestRefused(Exception):
    """The server refuses the request, or refuses this user."""


def key_in(environment: Mapping[str, str], variable: str | None, endpoint: str) -> str:
    """Read the key from the environment.

    OPENAI_API_KEY is not read for an endpoint without encryption: the key belongs to another
    service, and everybody on the network could read it.

    Raises InputError: the given variable is not set.
    """
    if variable is None:
        usual = environment.get("OPENAI_API_KEY") if endpoint.startswith("https:") else None
        return usual or "none"  # the client always sends a key
    if not (key := environment.get(variable, "").strip()):
        raise InputError("--key-variable", f"{variable} is not set in the environment")
    return key


@dataclass(kw_only=True)
class Pace:
    """Decides when to send a request: at the given rate, and after pauses the server asks for."""

    per_minute: float | None
    clock: Callable[[], float]
    _next: float = 0.0

    async def take_turn(self) -> None:
        while (wait := self._next - self.clock()) > 0:
            await asyncio.sleep(wait)
        if self.per_minute:
            self._next = max(self._next, self.clock()) + 60 / self.per_minute

    def hold(self, seconds: float) -> None:
        self._next = max(self._next, self.clock() + seconds)


@dataclass(kw_only=True)
class Endpoint:
    """A server of the chat protocol; ``without`` lists the parts that it does not accept."""

    url: str
    key: str = field(repr=False)
    timeout_s: float
    now: Callable[[], datetime]  # since a server may ask to wait until a date
    say: Callable[[str], None]
    without: frozenset[str] = frozenset()
    _client: AsyncClient = field(init=False, repr=False)

    async def __aenter__(self) -> Endpoint:
        from httpx2 import AsyncClient

        headers = {"Authorization": f"Bearer {self.key}", "Accept-Encoding": "identity"}
        self._client = AsyncClient(
            base_url=check_endpoint(self.url), headers=headers, timeout=self.timeout_s
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def reply(
        self, body_without: Callable[[frozenset[str]], dict[str, Any]]
    ) -> tuple[str, Reply]:
        """Send a request; return the reply as text and as a `Reply`.

        A part that the server does not accept is left out from then on, with one warning.

        Raises NoReply, RequestRefused.
        """
        while True:
            tried = self.without
            try:
                return await self._post(body_without(tried))
            except RequestRefused as refused:
                if tried != self.without:
                    continue
                said = str(refused).casefold()
                for part, hints in HINTS.items():
                    if part not in tried and any(hint in said for hint in hints):
                        self.without |= {part}
                        self.say(SAID[part])
                        break
                else:
                    raise

    async def _post(self, body: dict[str, Any]) -> tuple[str, Reply]:
        from httpx2 import HTTPError, TimeoutException

        try:
            # A limit for the whole exchange, since a server may send single bytes forever.
            response, text = await asyncio.wait_for(self._exchange(body), self.timeout_s)
        except (TimeoutException, asyncio.TimeoutError):
            raise NoReply(f"no reply within {self.timeout_s:g} s", billed=True) from None
        except HTTPError as error:
            said = f"the connection failed: {self._describe(error)}"
            raise NoReply(said, billed=True) from None
        if not response.is_success:
            status = response.status_code
            said = f"status {status}: {' '.join(text.split())[:LONGEST_SAID]}"
            if status in PASSING or status >= 500:
                wait_s = waiting_s(response.headers, self.now())
                raise NoReply(said, billed=False, wait_s=wait_s)
            raise RequestRefused(said)
        try:
            return text, reply_in(text)
        except ValueError as error:
            said = f"the reply cannot be read: {self._describe(error)}"
            raise NoReply(said, billed=True) from None

    async def _exchange(self, body: dict[str, Any]) -> tuple[Response, str]:
        """Send a request and read its reply, with the key hidden if the reply repeats it."""
        content = b""
        async with self._client.stream("POST", "/chat/completions", json=body) as response:
            async for part in response.aiter_bytes():
                content += part
                if len(content) > LARGEST_REPLY_BYTES:
                    problem = f"the reply has more than {LARGEST_REPLY_BYTES:,} bytes"
                    raise NoReply(problem, billed=True)
        return response, self._hide_key(content.decode(errors="replace"))

    def _describe(self, error: BaseException) -> str:
        """Return an error's message on one line, with the key hidden."""
        text = " ".join(str(error).split()) or type(error).__name__
        return self._hide_key(text)[:LONGEST_SAID]

    def _hide_key(self, text: str) -> str:
        # A key under 8 characters is a placeholder (EMPTY, x), which any reply may contain.
        return text.replace(self.key, "…") if len(self.key) >= 8 else text


def waiting_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read how long a server asks to wait: in seconds, or until a date; None if it does not ask.

    RFC 9110, section 10.2.3.
    """
    text = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - now).total_seconds())
