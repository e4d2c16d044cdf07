"""What is sent to the server: read up to its limits, and refused where it is no report."""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request

from hype.web.wire import Body

LARGEST_BODY: Final = 256 << 10
LONGEST_BODY_S: Final = 30.0
"""How long a report may take to come: a slow network has sent the largest one by then."""
BodyT = TypeVar("BodyT", bound=Body)


class Refused(Exception):
    """A request that is answered by why not: an HTTP status and a word that the client knows."""

    def __init__(self, status: int, error: str, detail: str = "", wait_s: float = 0.0) -> None:
        super().__init__(detail or error)
        self.status, self.error, self.detail, self.wait_s = status, error, detail, wait_s


async def report_in(request: Request, kind: type[BodyT]) -> BodyT:
    """Read a report, and check it.

    Raises Refused: it is none of this kind.
    """
    require_own_page(request)
    try:
        return kind.model_validate_json(await body_of(request))
    except ValidationError:
        raise Refused(400, "bad", "the report is none") from None


def require_own_page(request: Request) -> None:
    """Refuse what a page of another site sends, as far as the browser says so."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Refused(403, "bad", "another site sent this")


async def body_of(request: Request) -> bytes:
    """Read what was sent, as JSON of this site's own pages and of no great size."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(400, "bad", "a report is JSON")
    try:
        return await asyncio.wait_for(content_of(request), LONGEST_BODY_S)
    except asyncio.TimeoutError:
        raise Refused(408, "bad", "the report took too long to come") from None


async def content_of(request: Request) -> bytes:
    content = bytearray()
    try:
        async for part in request.stream():
            content += part
            if len(content) > LARGEST_BODY:
                raise Refused(413, "bad", "the report is too long")
    except ClientDisconnect:
        raise Refused(400, "bad", "the report broke off") from None  # and nobody hears it
    return bytes(content)
