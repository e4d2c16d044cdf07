"""Requests of the OpenAI-compatible chat protocol, and what their replies hold."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from hype.asking.questions import AskedImage, ImageQuestion, NoAnswerError, Wording
from hype.errors import InputError
from hype.stimuli.images import decode, png_bytes
from hype.stimuli.manifest import Stimuli, file_in, sha256_of

SCHEMA, LOGPROBS, LIMIT = "response_format", "logprobs", "max_tokens"
"""Parts of a request that not every server takes."""


def checked_endpoint(url: str) -> str:
    """Give the address of an endpoint.

    Raises InputError: it is none of HTTP, or holds what should stand in no file: a password, a key.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # of brackets, or of a port
        usable = False
    if not usable:
        allowed = "an address such as http://localhost:8000/v1"
        raise InputError("--endpoint", "is no address of HTTP", allowed)
    if parts.username or parts.password or parts.query or parts.fragment:
        allowed = "the address alone; a key is taken from the environment"
        raise InputError("--endpoint", "holds a name, a password or a query", allowed)
    return url.rstrip("/")


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Who is asked, and how; all of it decides which answers are the same."""

    endpoint: str
    model: str
    temperature: float | None = None  # None: as the server has it
    max_tokens: int = 256
    seed: int | None = None  # of the first repeat; those of further ones follow it

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc

    @property
    def in_words(self) -> str:
        """What a table says of them beside model and host."""
        named = ("temperature", "max_tokens", "seed")
        given = ((name, getattr(self, name)) for name in named)
        return " ".join(f"{name}={value:g}" for name, value in given if value is not None)


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """A question, worded, in one of its repeats."""

    question: ImageQuestion
    repeat: int  # from 1
    text: str
    parameters: Parameters

    @cached_property
    def key(self) -> str:
        """SHA-256 (hex) over all that decides which answers are the same."""
        question = self.question
        content = {
            **asdict(self.parameters),
            "images": [image.sha256 for image in question.images],
            "labels": question.labels,
            "text": self.text,
            "schema": question.schema,
            "repeat": self.repeat,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def body(self, stimuli: Stimuli, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Make what is sent.

        ``stimuli``: where the images are. ``without``: parts that the server does not take.

        Raises InputError: an image is not there, or is not the one of the manifest.
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
        labels = self.question.labels or ("",)
        for label, image in zip(labels, self.question.images, strict=True):
            if label:
                yield {"type": "text", "text": f"{label}:"}
            yield {"type": "image_url", "image_url": {"url": data_uri(stimuli, image)}}
        yield {"type": "text", "text": self.text}


def data_uri(stimuli: Stimuli, image: AskedImage) -> str:
    """Give an image as a PNG of its pixels alone: nothing in the file tells who made it.

    Raises InputError: it is not there, or its bytes are not those of the manifest.
    """
    path = file_in(stimuli, image.path)
    try:
        is_same = sha256_of(path) == image.sha256
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    if not is_same:
        again = "the same file; or hype stimuli scan, if it was changed on purpose"
        raise InputError(path, "is not the image that the manifest lists", again)
    return f"data:image/png;base64,{base64.b64encode(png_bytes(decode(path))).decode()}"


def requests_of(
    questions: Sequence[ImageQuestion], wording: Wording, parameters: Parameters, repeats: int
) -> list[JudgeRequest]:
    """Word questions, each in all its repeats."""
    return [
        JudgeRequest(question=question, repeat=repeat, text=text, parameters=parameters)
        for question in questions
        for text in [wording.text_of(question)]
        for repeat in range(1, repeats + 1)
    ]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a chat completion says. What is malformed beside its text counts as not given."""

    text: str | None  # None: not text
    refused: bool  # the server says that the model did not want to
    cut_short: bool
    tokens: tuple[tuple[str, float], ...]  # each with its log-probability; none where not given
    prompt_tokens: int | None
    completion_tokens: int | None


def reply_in(body: str) -> Reply:
    """Read a chat completion.

    Raises ValueError: it is none.
    """
    try:
        completion = json.loads(body)
        choice, usage = completion["choices"][0], completion.get("usage")
        message, ended = choice["message"], choice.get("finish_reason")
        text = message.get("content")
        return Reply(
            text=text if isinstance(text, str) else "" if text is None else None,
            refused=bool(message.get("refusal")) or ended == "content_filter",
            cut_short=ended == "length",
            tokens=tokens_in(choice.get("logprobs")),
            prompt_tokens=tokens_used(usage, "prompt_tokens"),
            completion_tokens=tokens_used(usage, "completion_tokens"),
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"is no chat completion ({error!r})") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def tokens_in(logged: Any) -> tuple[tuple[str, float], ...]:
    """Give tokens and their log-probabilities; none where any of them is malformed."""
    try:
        tokens = [(each["token"], each["logprob"]) for each in logged["content"]]
    except (LookupError, TypeError):
        return ()
    sound = all(
        isinstance(token, str)
        and isinstance(logprob, int | float)
        and not isinstance(logprob, bool)
        for token, logprob in tokens
    )
    return tuple(tokens) if sound else ()


def tokens_used(usage: object, name: str) -> int | None:
    number = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number <= 10**7 else None  # more is no count


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a judge answered, or why there is nothing."""

    given: tuple[str, ...] = ()
    missing: str = ""
    logprob: float | None = None  # natural logarithm of the probability of its tokens


def answer_of(question: ImageQuestion, reply: Reply) -> Answer:
    """Take the answer out of a reply; what is none is missing, and is not guessed."""
    if reply.refused:
        return Answer(missing="refused")
    if reply.text is None:
        return Answer(missing="not text")
    if not reply.text.strip():
        return Answer(missing="cut short" if reply.cut_short else "empty")
    try:
        given = question.answer_in(reply.text)
    except NoAnswerError as error:
        return Answer(missing="cut short" if reply.cut_short else str(error))
    return Answer(given=given, logprob=logprob_of(given, question.key, reply))


def logprob_of(given: Sequence[str], key: str, reply: Reply) -> float | None:
    """Sum the log-probabilities of the tokens that spell the answer; None where they are unknown.

    Of JSON those behind the key count: what stands before them is the same for every answer.
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
