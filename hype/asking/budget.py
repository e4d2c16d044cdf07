"""What asking costs: prices, what a request can come to at most, a budget that is not passed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from hype.asking.cache import NOTHING, Tokens
from hype.asking.requests import JudgeRequest
from hype.errors import InputError

BYTES_OF_TOKEN: Final = 2
"""UTF-8 bytes of a token at the least, on average over a question; English has about 4."""
AROUND: Final = 64
"""Tokens that servers put around a conversation, at the most."""
GROWTH: Final = 1.25
"""By how much a request may be longer than the longest one whose length the server has told."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a million tokens cost, in whatever currency."""

    prompt: float | None = None
    completion: float | None = None

    @property
    def is_known(self) -> bool:
        return self.prompt is not None and self.completion is not None

    def of(self, tokens: Tokens) -> float:
        prompt, completion = self.prompt or 0.0, self.completion or 0.0
        return (tokens.prompt * prompt + tokens.completion * completion) / 1_000_000


@dataclass
class Bounds:
    """What a request can come to at most, as far as that is known before it is sent.

    Nobody but the server knows how many tokens an image has: at first it is what the user says,
    then what the server has told of requests with as many images.
    """

    image_tokens: int
    told: dict[int, int] = field(default_factory=dict)

    def of(self, request: JudgeRequest) -> Tokens:
        images = len(request.question.images)
        words = -(-len(request.text.encode()) // BYTES_OF_TOKEN) + AROUND
        guessed = words + images * (self.image_tokens + AROUND)
        told = self.told.get(images)
        return Tokens(
            prompt=guessed if told is None else round(GROWTH * told),
            completion=request.parameters.max_tokens,
        )

    def learn(self, images: int, prompt_tokens: int) -> None:
        self.told[images] = max(prompt_tokens, self.told.get(images, 0))

    def all_of(self, requests: Iterable[JudgeRequest]) -> Tokens:
        return sum(map(self.of, requests), NOTHING)


@dataclass(kw_only=True)
class Purse:
    """What was spent, and what requests that are under way may still come to.

    ``spent`` and ``lost`` count from the first request that the cache knows: what was billed, and
    what may have been.
    """

    prices: Prices
    budget: float | None
    spent: float
    lost: float = 0.0
    _held: float = 0.0
    _under_way: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def hold(self, bound: Tokens) -> bool:
        """Hold back what a request can cost; wait for others to end where it does not fit now.

        Returns whether it fits into the budget, together with all that is spent or held.
        """
        cost = self.prices.of(bound)
        async with self._changed:
            await self._changed.wait_for(lambda: self._fits(cost) or not self._under_way)
            if not self._fits(cost):
                return False
            self._held += cost
            self._under_way += 1
            return True

    async def settle(self, bound: Tokens, *, used: Tokens = NOTHING, lost: bool = False) -> None:
        """Let go of what was held, and count what was spent or may have been."""
        async with self._changed:
            self._under_way -= 1
            self._held = self._held - self.prices.of(bound) if self._under_way else 0.0
            self.spent += self.prices.of(used)
            self.lost += self.prices.of(bound) if lost else 0.0
            self._changed.notify_all()

    def _fits(self, cost: float) -> bool:
        if self.budget is None:
            return True
        return self.spent + self.lost + self._held + cost <= self.budget


def checked_prices(prompt: float | None, completion: float | None, budget: float | None) -> Prices:
    """Give the prices.

    Raises InputError: a price or the budget has no end; or there is a budget and not both prices,
    by which alone it can be kept.
    """
    given = {"--price-in": prompt, "--price-out": completion, "--budget": budget}
    for option, amount in given.items():
        if amount is not None and not math.isfinite(amount):
            raise InputError(option, f"is {amount}", "a number")
    if budget is not None and (prompt is None or completion is None):
        allowed = "--price-in and --price-out, for a million tokens each"
        raise InputError("--budget", "needs prices", allowed)
    return Prices(prompt=prompt, completion=completion)
