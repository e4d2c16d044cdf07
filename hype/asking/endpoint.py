"""The endpoint: requests go out at their pace, and what comes back is a reply or says why not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from hype.asking.requests import LIMIT, LOGPROBS, SCHEMA, Reply, checked_endpoint, reply_in
from hype.errors import InputError

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

PASSING: Final = (408, 409, 425, 429)
"""States that pass by themselves, as those of 500 and above do."""
LONGEST_SAID: Final = 300
LARGEST_REPLY_BYTES: Final = 1_000_000
SAID: Final = {
    LIMIT: "the server wants max_completion_tokens instead of max_tokens",
    LOGPROBS: "the server gives no log-probabilities",
    SCHEMA: "the server takes no json_schema: only the wording asks for JSON",
}
HINTS: Final = {
    LIMIT: ("max_completion_tokens",),
    LOGPROBS: ("logprob",),
    SCHEMA: ("response_format", "json_schema", "schema", "structured", "grammar", "guided"),
}
"""By which words of a refusal it is known what a server does not take."""


class NoReply(Exception):
    """A request had no reply this time; another time it may have one.

    ``billed``: whether it may have been answered and billed all the same. ``wait_s``: how long the
    server asks to be left alone.
    """

    def __init__(self, said: str, *, billed: bool, wait_s: float | None = None) -> None:
        super().__init__(said)
        self.billed, self.wait_s = billed, wait_s


class RequestRefused(Exception):
    """The server does not take such a request, or not from here."""


def key_in(environment: Mapping[str, str], variable: str | None, endpoint: str) -> str:
    """Take the key out of the environment.

    The usual variable is not read for an endpoint without encryption: such a key is of another
    service, and everybody on the way would read it.

    Raises InputError: a variable was named that is not set.
    """
    if variable is None:
        usual = environment.get("OPENAI_API_KEY") if endpoint.startswith("https:") else None
        return usual or "none"  # the client must send something
    if not (key := environment.get(variable, "").strip()):
        raise InputError("--key-variable", f"{variable} is not set in the environment")
    return key


@dataclass(kw_only=True)
class Pace:
    """When the next request may go out: so many a minute, and not before a server's time is up."""

    per_minute: float | None
    clock: Callable[[], float]
    _next: float = 0.0

    async def turn(self) -> None:
        while (wait := self._next - self.clock()) > 0:
            await asyncio.sleep(wait)
        if self.per_minute:
            self._next = max(self._next, self.clock()) + 60 / self.per_minute

    def hold(self, seconds: float) -> None:
        self._next = max(self._next, self.clock() + seconds)


@dataclass(kw_only=True)
class Endpoint:
    """A server of the chat protocol, with what it was found not to take."""

    url: str
    key: str = field(repr=False)
    timeout_s: float
    now: Callable[[], datetime]  # for a server that says until when it wants to be left alone
    say: Callable[[str], None]
    without: frozenset[str] = frozenset()
    _client: AsyncClient = field(init=False, repr=False)

    async def __aenter__(self) -> Endpoint:
        from httpx2 import AsyncClient

        headers = {"Authorization": f"Bearer {self.key}", "Accept-Encoding": "identity"}
        self._client = AsyncClient(
            base_url=checked_endpoint(self.url), headers=headers, timeout=self.timeout_s
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def reply(
        self, body_without: Callable[[frozenset[str]], dict[str, Any]]
    ) -> tuple[str, Reply]:
        """Send a request; give its reply as it came, and read.

        What the server does not take is left out from then on, and said once.

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
            # Of all of it: a server may send a byte now and then for ever.
            response, text = await asyncio.wait_for(self._exchange(body), self.timeout_s)
        except (TimeoutException, asyncio.TimeoutError):
            raise NoReply(f"no reply within {self.timeout_s:g} s", billed=True) from None
        except HTTPError as error:
            said = f"the connection failed: {self._shown(error)}"
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
            said = f"the reply cannot be read: {self._shown(error)}"
            raise NoReply(said, billed=True) from None

    async def _exchange(self, body: dict[str, Any]) -> tuple[Response, str]:
        """Send a request and read its reply, without the key if it stands in it."""
        content = b""
        async with self._client.stream("POST", "/chat/completions", json=body) as response:
            async for part in response.aiter_bytes():
                content += part
                if len(content) > LARGEST_REPLY_BYTES:
                    problem = f"the reply has more than {LARGEST_REPLY_BYTES:,} bytes"
                    raise NoReply(problem, billed=True)
        return response, self._without_key(content.decode(errors="replace"))

    def _shown(self, error: BaseException) -> str:
        """Give what an error says on one line, never the key."""
        text = " ".join(str(error).split()) or type(error).__name__
        return self._without_key(text)[:LONGEST_SAID]

    def _without_key(self, text: str) -> str:
        # A shorter key is a placeholder (EMPTY, x), which may well stand in an honest reply.
        return text.replace(self.key, "…") if len(self.key) >= 8 else text


def waiting_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read how long a server asks to be left alone: seconds, or until when; None where it does not.

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
