"""The experimenter's pages of a study's server, which need the secret token in their link.

The token is replaced by a cookie, so that it does not stay in the address bar or the history.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from secrets import compare_digest
from typing import Final

from jinja2 import Environment, PackageLoader
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hype.errors import HypeError
from hype.study.studies import AnyStudy
from hype.web.arrivals import links_of
from hype.web.tokens import ServerKey
from hype.web.watch import Watch
from hype.web.wire import Body, DoorsReport, Json, PlaceReport, Refused, report_in

HTML: Final = "text/html"
Handler = Callable[[Request], Awaitable[Response]]
CLIENT: Final = files(__package__) / "client"
PAGES: Final = Environment(loader=PackageLoader(__package__, "client"), autoescape=True)
KEPT_S: Final = 30 * 86_400
REPORT_POLICY: Final = (
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'"
)
"""The security policy of a report's page: only scripts, styles and images inside it are used."""
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
"""A page that opens the next page; after a redirect, browsers would not send a strict cookie."""


@dataclass(frozen=True, slots=True)
class Access:
    """Opens the addresses below ``/<what>`` only to browsers with the secret link or its cookie."""

    key: ServerKey
    what: str

    @property
    def path(self) -> str:
        return f"/{self.what}"

    @property
    def link(self) -> str:
        return f"{self.path}/{self.key.name(self.what, self.key.links)}"

    @property
    def _cookie(self) -> str:
        return self.key.name(f"{self.what}-cookie", self.key.links)

    async def let_in(self, request: Request) -> Response:
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
        """Return the routes of the secret link and of ``behind`` (address, handler, method)."""
        own = (Route(f"{self.path}{at}", self._guard(do), methods=[m]) for at, do, m in behind)
        return [*own, Route(f"{self.path}/{{token}}", self.let_in)]

    def _guard(self, handler: Handler) -> Handler:
        """Make a handler that answers "not found" to requests without the cookie."""

        async def endpoint(request: Request) -> Response:
            given = request.cookies.get(f"hype-{self.what}", "")
            if not compare_digest(given.encode(), self._cookie.encode()):
                raise HTTPException(404)
            return await handler(request)

        return endpoint


def watch_path(key: ServerKey) -> str:
    """Return the address, with its token, of the experimenter's live page."""
    return Access(key, "watch").link


def fill_page(page: str, **filled: object) -> str:
    """Fill one of the client's pages with texts, or lists of texts."""
    return PAGES.get_template(page).render(filled)


def page_in(name: str, study: str, **filled: object) -> Response:
    """Return one of the experimenter's pages, with the study's name in it."""
    return Response(fill_page(name, name=study, **filled), media_type=HTML)


def report_page(content: bytes) -> Response:
    return Response(content, media_type=HTML, headers={"Content-Security-Policy": REPORT_POLICY})


def watch_routes(study: AnyStudy, watch: Watch, key: ServerKey) -> list[Route]:
    """Return the routes of the page on which the experimenter watches a study."""

    async def page(request: Request) -> Response:
        address = study.settings.web.address or str(request.base_url).rstrip("/")
        links = [*links_of(study, key, address)]
        return page_in("watch.html", study.settings.study.name, links=links)

    return Access(key, "watch").routes(("", page, "GET"), *handlers_of_watch(lambda _: watch))


def handlers_of_watch(watch_at: Callable[[Request], Watch]) -> tuple[tuple[str, Handler, str], ...]:
    """Return the address, handler and method of each request that the live page sends."""

    def answering(do: Callable[..., Json], kind: type[Body] | None = None) -> Handler:
        """Make a handler that reads a request's report, if ``kind`` is given, and calls ``do``."""

        async def endpoint(request: Request) -> Response:
            sent = [await report_in(request, kind)] if kind else []
            try:
                return JSONResponse(await run_in_threadpool(lambda: do(watch_at(request), *sent)))
            except HypeError as error:
                raise Refused(409, "busy", str(error)) from None

        return endpoint

    async def report(request: Request) -> Response:
        simulated = request.query_params.get("simulated") == "1"
        try:
            page = await run_in_threadpool(
                lambda: watch_at(request).write_report(simulated=simulated)
            )
            return report_page(page)
        except HypeError as error:
            return Response(f"There is no report yet: {error}\n", status_code=409)

    return (
        ("/state", answering(Watch.state), "GET"),
        ("/doors", answering(Watch.set_doors, DoorsReport), "POST"),
        ("/place", answering(Watch.change_place, PlaceReport), "POST"),
        ("/report", report, "GET"),
    )
