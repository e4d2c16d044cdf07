"""Send all requests that have no reply yet, directly or in batch files; make a table of answers.

Before a request is sent, its maximum cost is computed from prices and tokens. It is sent only if
the total cost stays within the budget.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from hype.asking.cache import NOTHING, Cache, StoredReply, Tokens
from hype.asking.requests import (
    Answer,
    Endpoint,
    JudgeRequest,
    NoReply,
    Pace,
    Reply,
    RequestRefused,
    answer_of,
    reply_in,
)
from hype.errors import HypeError, InputError
from hype.files import cell_value, require_regular
from hype.stimuli.manifest import Stimuli

BYTES_OF_TOKEN: Final = 2
"""A question's text has at least this many UTF-8 bytes per token; English has about 4."""
AROUND: Final = 64
"""Servers add at most this many tokens to a conversation, and to each image."""
GROWTH: Final = 1.25
"""A request has at most this many times the tokens of earlier requests with as many images."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The prices of a million tokens, in any currency."""

    prompt: float | None = None
    completion: float | None = None

    @property
    def is_known(self) -> bool:
        return self.prompt is not None and self.completion is not None

    def cost(self, tokens: Tokens) -> float:
        prompt, completion = self.prompt or 0.0, self.completion or 0.0
        return (tokens.prompt * prompt + tokens.completion * completion) / 1_000_000


@dataclass
class Bounds:
    """The largest number of tokens that a request can use, estimated before it is sent.

    Only the server knows how many tokens an image has, so the user gives an estimate. The server's
    counts later replace it for requests with the same number of images.
    """

    image_tokens: int
    counted: dict[int, int] = field(default_factory=dict)

    def estimate(self, request: JudgeRequest) -> Tokens:
        images = len(request.question.shown)
        words = -(-len(request.text.encode()) // BYTES_OF_TOKEN) + AROUND
        guessed = words + images * (self.image_tokens + AROUND)
        counted = self.counted.get(images)
        return Tokens(
            prompt=guessed if counted is None else round(GROWTH * counted),
            completion=request.parameters.max_tokens,
        )

    def learn(self, images: int, prompt_tokens: int) -> None:
        self.counted[images] = max(prompt_tokens, self.counted.get(images, 0))


@dataclass(kw_only=True)
class Purse:
    """The money spent, and the possible cost of requests that wait for their replies.

    ``spent`` and ``lost`` (perhaps billed) are sums over the cache's requests to this model.
    """

    prices: Prices
    budget: float | None
    spent: float
    lost: float = 0.0
    _held: float = 0.0
    _under_way: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def hold(self, bound: Tokens) -> bool:
        """Reserve a request's possible cost; if the budget is too small, wait for other replies.

        Returns whether the cost fits into the budget.
        """
        cost = self.prices.cost(bound)
        async with self._changed:
            await self._changed.wait_for(lambda: self._fits(cost) or not self._under_way)
            if not self._fits(cost):
                return False
            self._held += cost
            self._under_way += 1
            return True

    async def settle(self, bound: Tokens, *, used: Tokens = NOTHING, lost: bool = False) -> None:
        """Release a reservation; count the money that was spent or may have been spent."""
        async with self._changed:
            self._under_way -= 1
            self._held = self._held - self.prices.cost(bound) if self._under_way else 0.0
            self.spent += self.prices.cost(used)
            self.lost += self.prices.cost(bound) if lost else 0.0
            self._changed.notify_all()

    def _fits(self, cost: float) -> bool:
        if self.budget is None:
            return True
        return self.spent + self.lost + self._held + cost <= self.budget


def read_prices(prompt: float | None, completion: float | None, budget: float | None) -> Prices:
    """Read the prices from the options of the command.

    Raises InputError: an amount is not finite, or a budget is given without both prices.
    """
    given = {"--price-in": prompt, "--price-out": completion, "--budget": budget}
    for option, amount in given.items():
        if amount is not None and not math.isfinite(amount):
            raise InputError(option, f"is {amount}", "a number")
    if budget is not None and (prompt is None or completion is None):
        allowed = "--price-in and --price-out, each for a million tokens"
        raise InputError("--budget", "needs prices", allowed)
    return Prices(prompt=prompt, completion=completion)


GIVING_UP: Final = 3
"""Stop when this many requests in a row get no reply after all their attempts."""
LONGEST_WAIT_S: Final = 600.0


MOST_WAIT_S: Final = 60.0
"""The longest wait before a request is sent again, unless the server asks for a longer one."""


def wait_s(attempt: int, first_s: float, drawn: float) -> float:
    """Return the wait after an attempt (counted from 0), about twice as long each time.

    ``drawn``: a random number from 0 to 1, which varies the wait.
    """
    return min(MOST_WAIT_S, first_s * 2.0**attempt) * (1 + drawn) / 2


@dataclass(kw_only=True)
class Asking:
    """The model being asked, and the progress so far."""

    endpoint: Endpoint
    cache: Cache
    purse: Purse
    bounds: Bounds
    pace: Pace
    stimuli: Stimuli
    now: Callable[[], datetime]
    draw: Callable[[], float]  # Draws a number from 0 to 1, which varies the waits.
    advance: Callable[[], None]  # Called after each reply.
    attempts: int = 6  # The maximum number of attempts for a request.
    first_wait_s: float = 1.0  # The wait before the second attempt.
    stopped: str = ""  # Why some requests were not sent; empty if all were sent.
    failed: int = 0  # Number of requests without a reply.
    last_failure: str = ""
    _failed_in_a_row: int = 0

    async def ask_all(self, requests: list[JudgeRequest], at_once: int) -> None:
        """Send all requests: the first alone, as a test of the server, then several at a time.

        Raises HypeError: an image is missing or changed.
        """
        waiting = iter(requests)
        async with self.endpoint:
            for request in waiting:
                await self._ask(request)
                break

            async def work() -> None:
                while not self.stopped and (request := next(waiting, None)) is not None:
                    await self._ask(request)

            tasks = [asyncio.create_task(work()) for _ in range(at_once)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, request: JudgeRequest) -> None:
        for attempt in range(self.attempts):
            bound = self.bounds.estimate(request)
            if not await self.purse.hold(bound):
                self.stopped = self.stopped or "the budget leaves no room for another request"
                return
            try:
                await self._send(request, bound)
            except NoReply as unanswered:
                if not self.last_failure and attempt + 1 < self.attempts:
                    self.endpoint.say(f"a request is sent again: {unanswered}")
                self.last_failure = str(unanswered)
                if self.stopped or attempt + 1 == self.attempts:
                    break
                if (asked_s := unanswered.wait_s) is not None:
                    if asked_s > LONGEST_WAIT_S:
                        minutes = f"{asked_s / 60:.0f} minutes"
                        self.stopped = self.stopped or f"the endpoint asks to wait {minutes}"
                        break
                    self.pace.hold(asked_s)
                await asyncio.sleep(wait_s(attempt, self.first_wait_s, self.draw()))
            except RequestRefused as refused:
                self.stopped = self.stopped or f"the endpoint refuses: {refused}"
                return
            else:
                self._failed_in_a_row = 0
                self.advance()
                return
        self.failed += 1
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= GIVING_UP:
            self.stopped = self.stopped or f"the endpoint does not answer ({self.last_failure})"

    async def _send(self, request: JudgeRequest, bound: Tokens) -> None:
        """Send a request once; if the program is killed meanwhile, the cache counts it as lost."""
        await self.pace.take_turn()
        self.cache.note_sending(request, bound)
        try:
            text, reply = await self.endpoint.reply(partial(request.body, self.stimuli))
        except (NoReply, RequestRefused, HypeError) as unanswered:
            lost = isinstance(unanswered, NoReply) and unanswered.billed
            if not lost:
                self.cache.note_refusal(request, bound)
            await self.purse.settle(bound, lost=lost)
            raise
        used = tokens_of(reply, bound)
        at = self.now().isoformat(timespec="seconds")
        self.cache.store(request, bound, (text, at), used)
        self.bounds.learn(len(request.question.shown), used.prompt)
        await self.purse.settle(bound, used=used)


def tokens_of(reply: Reply, bound: Tokens) -> Tokens:
    """Return the tokens that a reply reports; if it reports none, the maximum it can have used."""
    return Tokens(
        prompt=bound.prompt if reply.prompt_tokens is None else reply.prompt_tokens,
        completion=bound.completion if reply.completion_tokens is None else reply.completion_tokens,
    )


AnsweredRequest = tuple[JudgeRequest, Answer, str]
"""A request, the answer in its reply, and the time when the reply came."""


def answers_in(
    requests: Sequence[JudgeRequest], replies: Mapping[str, StoredReply]
) -> list[AnsweredRequest]:
    """Read the stored replies, in the order of the requests."""
    return [
        (r, answer_of(r.question, reply_in(replies[r.key][0])), replies[r.key][1])
        for r in requests
        if r.key in replies
    ]


def rows_of(judge: str, answers: Sequence[AnsweredRequest]) -> Iterator[dict[str, object]]:
    """Yield the rows of the table; a missing answer has an empty cell and a reason."""
    for request, answer, at in answers:
        parameters, question = request.parameters, request.question
        logprob = "" if answer.logprob is None else round(answer.logprob, 6)
        order = 2 if question.images[0].sha256 > question.images[-1].sha256 else 1
        for row in question.rows(answer.given):
            yield {
                "judge": cell_value(judge),
                **{name: cell_value(cell) for name, cell in row.items()},
                **({"order": order} if "group" in row else {}),
                "repeat": request.repeat,
                "missing": answer.missing,
                "logprob": logprob,
                "model": cell_value(parameters.model),
                "endpoint": parameters.host,
                "asked": at,
                "parameters": parameters.summary,
            }


def sentences(requests: int, answers: Sequence[AnsweredRequest]) -> Iterator[str]:
    """Yield sentences: how many questions were answered, and which answers are missing."""
    missing = Counter(answer.missing for _, answer, _ in answers if answer.missing)
    given = len(answers) - missing.total()
    yield f"{given:,} of {requests:,} questions answered."
    if missing:
        named = ", ".join(f"{number:,} {why}" for why, number in missing.most_common())
        yield f"Replies without an answer (empty cells in the table): {named}."
    if requests > len(answers):
        yield f"Not answered yet: {requests - len(answers):,}. Run the command again to ask these."


MOST_LINES: Final = 50_000
MOST_BYTES: Final = 200_000_000
"""Services accept files up to these limits."""
LARGEST_READ: Final = 4 << 30


def write_batches(path: Path, requests: Sequence[JudgeRequest], stimuli: Stimuli) -> list[Path]:
    """Write requests into one file, or several if one would be too large for a service.

    Raises InputError: an image is missing or changed, or a file exists or cannot be written.
    """
    paths: list[Path] = []
    lines: list[str] = []
    size = 0

    def write() -> None:
        name = path.with_stem(f"{path.stem}-{len(paths) + 1}") if paths else path
        try:
            with name.open("x", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError as error:
            raise InputError(name, f"cannot be written: {error.strerror}", "a new file") from None
        paths.append(name)

    for request in requests:
        line = {"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions"}
        text = json.dumps({**line, "body": request.body(stimuli)}) + "\n"
        if lines and (len(lines) == MOST_LINES or size + len(text) > MOST_BYTES):
            write()
            lines, size = [], 0
        lines.append(text)
        size += len(text)
    write()
    return paths


def read_batch(
    path: Path, requests: Mapping[str, JudgeRequest], cache: Cache, bounds: Bounds, at: str
) -> str:
    """Store the replies of a batch in the cache, except those that it already has.

    Returns a sentence: how many replies were stored, failed, or answer other requests.

    Raises InputError: a line is not from a batch's output; the lines before it are stored.
    """
    taken = failed = others = 0
    for number, line in enumerate(_lines(path), start=1):
        where = f"{path} line {number}"
        try:
            answered: dict[str, Any] = json.loads(line)
            request = requests.get(answered["custom_id"])
            response = answered.get("response") or {}
            if request is None:
                others += 1
            elif response.get("status_code") != 200:
                failed += 1
            else:
                body, bound = json.dumps(response["body"]), bounds.estimate(request)
                used = tokens_of(reply_in(body), bound)
                if not cache.replies([request]):
                    cache.note_sending(request, bound)
                    cache.store(request, bound, (body, at), used)
                taken += 1
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            problem = f"is not a line of a batch's output: {error!r}"
            raise InputError(where, problem, "custom_id and response, as JSON") from None
    words = "1 reply taken" if taken == 1 else f"{taken:,} replies taken"
    words += f", {failed:,} failed" if failed else ""
    return words + (f", {others:,} of other requests" if others else "")


def _lines(path: Path) -> Iterator[str]:
    try:
        require_regular(path, most_bytes=LARGEST_READ)
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8 text", "a batch's output") from None
