"""The experimenter's addresses of a study's server, behind a token that only this server can make.

The token is exchanged for a cookie, so that it does not stay in address bar or history.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from secrets import compare_digest
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from jinja2 import Environment, FunctionLoader
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hype.errors import HypeError, SessionProblem
from hype.study.studies import AnyStudy
from hype.web.desk import Desk
from hype.web.tokens import ServerKey
from hype.web.watch import Watch
from hype.web.wire import DoorsReport, FreeReport, Json, Refused, report_in
from hype.workers import run_behind

HTML: Final = "text/html"
Handler = Callable[[Request], Awaitable[Response]]
CLIENT: Final = files(__package__) / "client"
KEPT_S: Final = 30 * 86_400
REPORT_POLICY: Final = (
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'"
)
"""For a page that contains everything, with its one script; it may load nothing else."""
DOORWAY: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={to}">
<title>hype</title>
<link rel="icon" href="/static/icon.svg">
</head>
<body><main><h1><a href="{to}">{label}</a></h1></main></body>
</html>
"""
"""Leads on from a page of this site: a strict cookie is not sent on redirects from other sites."""


@dataclass(frozen=True, slots=True)
class Access:
    """Addresses behind a token, which is traded for a cookie; ``what`` says what it opens."""

    key: ServerKey
    what: str

    @property
    def path(self) -> str:
        return f"/{self.what}"

    @property
    def link(self) -> str:
        """The address that lets somebody in."""
        return f"{self.path}/{self.key.name(self.what, self.key.links)}"

    @property
    def _cookie(self) -> str:
        return self.key.name(f"{self.what}-cookie", self.key.links)

    async def let_in(self, request: Request) -> Response:
        """Trade the token for a cookie."""
        if not compare_digest(request.url.path.encode(), self.link.encode()):
            raise HTTPException(404)
        response = Response(DOORWAY.format(to=self.path, label="To the study"), media_type=HTML)
        response.set_cookie(
            f"hype-{self.what}",
            self._cookie,
            path=self.path,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
            max_age=KEPT_S,
        )
        return response

    def routes(self, *behind: tuple[str, Handler, str]) -> list[Route]:
        """Return the way in, and the addresses behind it, each with its handler and method."""
        own = (Route(f"{self.path}{at}", self._guard(do), methods=[m]) for at, do, m in behind)
        return [*own, Route(f"{self.path}/{{token}}", self.let_in)]

    def _guard(self, handler: Handler) -> Handler:
        """Answer everybody else as if there were no such address."""

        async def endpoint(request: Request) -> Response:
            given = request.cookies.get(f"hype-{self.what}", "")
            if not compare_digest(given.encode(), self._cookie.encode()):
                raise HTTPException(404)
            return await handler(request)

        return endpoint


def watch_path(key: ServerKey) -> str:
    """Return the address that lets the experimenter in."""
    return Access(key, "watch").link


def page_text(name: str) -> str:
    return (CLIENT / name).read_text(encoding="utf-8")


PAGES: Final = Environment(loader=FunctionLoader(page_text), autoescape=True)


def fill_page(page: str, **filled: object) -> str:
    """Fill one of the client's pages; what it is filled with is text, or lists of it."""
    return PAGES.get_template(page).render(filled)


def page_in(name: str, study: str) -> Response:
    """Give one of the experimenter's pages, with the study's name in it."""
    return Response(fill_page(name, name=study), media_type=HTML)


def report_page(content: bytes) -> Response:
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(content, media_type=HTML, headers=headers)


class Experimenter:
    """What the experimenter sees and does."""

    def __init__(self, study: AnyStudy, watch: Watch, key: ServerKey, desk: Desk) -> None:
        self._study = study
        self._access = Access(key, "watch")
        self._desk = desk
        self._watch = watch
        self._writing = Lock()

    def routes(self) -> list[Route]:
        return self._access.routes(
            ("", self._page, "GET"),
            ("/state", self._state, "GET"),
            ("/doors", self._doors, "POST"),
            ("/free", self._free, "POST"),
            ("/report", self._report, "GET"),
        )

    async def _page(self, _request: Request) -> Response:
        return page_in("watch.html", self._study.settings.study.name)

    async def _state(self, _request: Request) -> Response:
        try:
            state = await run_in_threadpool(lambda: self._watch.state() | self._state_of_doors())
        except HypeError as error:
            raise Refused(503, "busy", str(error), wait_s=1.0) from None
        return JSONResponse(state)

    async def _doors(self, request: Request) -> Response:
        report = await report_in(request, DoorsReport)

        def turn_sign() -> Json:
            self._desk.set_doors(is_open=report.open)
            return self._state_of_doors()

        try:
            return JSONResponse(await run_in_threadpool(turn_sign))
        except HypeError as error:
            raise Refused(503, "busy", str(error)) from None

    async def _free(self, request: Request) -> Response:
        report = await report_in(request, FreeReport)
        try:
            await run_in_threadpool(self._watch.free, report)
        except HypeError as error:
            raise Refused(409, "busy", str(error)) from None
        return JSONResponse({})

    async def _report(self, request: Request) -> Response:
        simulated = request.query_params.get("simulated") == "1"
        try:
            return report_page(await run_in_threadpool(self._report_now, simulated))
        except HypeError as error:
            return Response(f"There is no report yet: {error}\n", status_code=409)

    def _report_now(self, simulated: bool) -> bytes:
        """Write the report, one at a time."""
        with self._writing:
            return report_of(self._study.path, simulated=simulated)

    def _state_of_doors(self) -> Json:
        since_unix_s = self._desk.closing_time()
        return {"doors": {"open": since_unix_s is None, "closed_unix_s": since_unix_s}}


def report_of(study: Path, *, simulated: bool) -> bytes:
    """Write the report of a study as it is now, in a separate process.

    Raises SessionProblem: it cannot be written, or takes too long.
    """
    with TemporaryDirectory(prefix="hype-report-") as folder:
        page = Path(folder) / "report.html"
        options = ["--simulated"] if simulated else []
        run_behind("report", str(study), "--out", str(page), *options)
        if not page.exists():
            raise SessionProblem("nothing was written")
        return page.read_bytes()
