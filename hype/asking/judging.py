"""Asking all that has no reply yet: several requests at a time, again where that may help."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from hype.asking.budget import Bounds, Purse
from hype.asking.cache import Cache, Kept, Tokens
from hype.asking.endpoint import Endpoint, NoReply, Pace, RequestRefused
from hype.asking.requests import JudgeRequest, Reply
from hype.errors import HypeError
from hype.stimuli.manifest import Stimuli

GIVING_UP: Final = 3
"""Requests in a row without a reply, however often they were sent, after which no other is sent."""
LONGEST_WAIT_S: Final = 600.0


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How often a request is sent again, and after how long: twice as long each time, in part."""

    attempts: int = 6
    first_s: float = 1.0
    most_s: float = 60.0

    def wait_s(self, attempt: int, drawn: float) -> float:
        """Give how long to wait after an attempt, from 0; ``drawn`` keeps some apart."""
        return min(self.most_s, self.first_s * 2.0**attempt) * (1 + drawn) / 2


@dataclass(kw_only=True)
class Asking:
    """What asks, and how it went so far."""

    endpoint: Endpoint
    cache: Cache
    purse: Purse
    bounds: Bounds
    pace: Pace
    patience: Patience
    stimuli: Stimuli
    now: Callable[[], datetime]
    drawn: Callable[[], float]  # from 0 to 1: how long to wait bears on no answer
    advance: Callable[[], None]  # is called after each reply
    stopped: str = ""  # why not all was asked; empty where it was
    failed: int = 0  # requests without a reply
    last_failure: str = ""
    _failed_in_a_row: int = 0

    async def all_of(self, requests: list[JudgeRequest], at_once: int) -> None:
        """Ask all, so many at a time; the first one alone, which shows what the server takes.

        Raises HypeError: an image is wrong.
        """
        waiting = iter(requests)
        async with self.endpoint:
            for request in waiting:
                await self._ask(request)
                break
            tasks = [asyncio.create_task(self._worker(waiting)) for _ in range(at_once)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _worker(self, waiting: Iterator[JudgeRequest]) -> None:
        while not self.stopped and (request := next(waiting, None)) is not None:
            await self._ask(request)

    async def _ask(self, request: JudgeRequest) -> None:
        for attempt in range(self.patience.attempts):
            bound = self.bounds.of(request)
            if not await self.purse.hold(bound):
                self.stopped = self.stopped or "the budget leaves no room for another request"
                return
            try:
                await self._send(request, bound)
            except NoReply as unanswered:
                if not self.last_failure and attempt + 1 < self.patience.attempts:
                    self.endpoint.say(f"a request is sent again: {unanswered}")
                self.last_failure = str(unanswered)
                if self.stopped or not await self._waited(unanswered, attempt):
                    break
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

    async def _waited(self, unanswered: NoReply, attempt: int) -> bool:
        """Wait till it may be tried again; False where that is not worth it."""
        if attempt + 1 == self.patience.attempts:
            return False
        own = self.patience.wait_s(attempt, self.drawn())
        if unanswered.wait_s is not None:
            if unanswered.wait_s > LONGEST_WAIT_S:
                asked = f"the endpoint asks to wait {unanswered.wait_s / 60:.0f} minutes"
                self.stopped = self.stopped or asked
                return False
            self.pace.hold(unanswered.wait_s)
        await asyncio.sleep(own)
        return True

    async def _send(self, request: JudgeRequest, bound: Tokens) -> None:
        """Send a request once; what was noted before stands as lost if this is cut off."""
        await self.pace.turn()
        self.cache.send(request, bound)
        try:
            text, reply = await self.endpoint.reply(partial(request.body, self.stimuli))
        except NoReply as unanswered:
            await self._settle(request, bound, lost=unanswered.billed)
            raise
        except (RequestRefused, HypeError):
            await self._settle(request, bound, lost=False)
            raise
        used = used_by(reply, bound)
        self.cache.answer(request, bound, Kept(reply=text, answered=stamp(self.now())), used)
        self.bounds.learn(len(request.question.images), used.prompt)
        await self.purse.settle(bound, used=used)

    async def _settle(self, request: JudgeRequest, bound: Tokens, *, lost: bool) -> None:
        if not lost:
            self.cache.turned_away(request, bound)
        await self.purse.settle(bound, lost=lost)


def used_by(reply: Reply, bound: Tokens) -> Tokens:
    """Give the tokens that a server says it used, or as many as could be where it does not."""
    return Tokens(
        prompt=bound.prompt if reply.prompt_tokens is None else reply.prompt_tokens,
        completion=bound.completion if reply.completion_tokens is None else reply.completion_tokens,
    )


def stamp(now: datetime) -> str:
    return now.isoformat(timespec="seconds")
