"""The experimenter's addresses of a study's server, behind a token that only this server can make.

The token is traded for a cookie, so that it stands in no address bar and no history for long.
"""

from __future__ import annotations

import subprocess
import sys
from html import escape
from importlib.resources import files
from pathlib import Path
from secrets import compare_digest
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hype.console import printable
from hype.errors import HypeError, SessionProblem
from hype.protocols.studies import AnyStudy
from hype.system import put_last
from hype.web.entrance import DoorSign
from hype.web.requests import Refused, report_in
from hype.web.tokens import ServerKey
from hype.web.watch import Watch
from hype.web.wire import DoorsReport, Json

COOKIE: Final = "hype-watch"
PATH: Final = "/watch"
KEPT_S: Final = 30 * 86_400
PATIENCE_S: Final = 1800.0
NICENESS: Final = 10
"""Of the program that writes the report: participants go first."""
REPORT_POLICY: Final = (
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'"
)
"""For a page that has all within it, and names its one script itself; it is let at nothing else."""
DOORWAY: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={PATH}">
<title>hype</title>
<link rel="icon" href="/static/icon.svg">
</head>
<body><main><h1><a href="{PATH}">To the study</a></h1></main></body>
</html>
"""


def watch_path(key: ServerKey) -> str:
    """Give the address that lets the experimenter in."""
    return f"{PATH}/{key.name('watch')}"


class Experimenter:
    """What the experimenter sees and does."""

    def __init__(self, study: AnyStudy, key: ServerKey) -> None:
        self._study = study
        self._key = key
        self._sign = DoorSign.of(study)
        self._watch = Watch(study)
        self._writing = Lock()

    def routes(self) -> list[Route]:
        return [
            Route(PATH, self._page),
            Route(f"{PATH}/state", self._state),
            Route(f"{PATH}/doors", self._doors, methods=["POST"]),
            Route(f"{PATH}/report", self._report),
            Route(f"{PATH}/{{token}}", self._let_in),
        ]

    async def _let_in(self, request: Request) -> Response:
        """Trade the token for a cookie.

        The browser opens the page anew, from here: a strict cookie does not go with a redirection
        that began elsewhere, as in a letter with the link.
        """
        if not compare_digest(request.url.path.encode(), watch_path(self._key).encode()):
            raise HTTPException(404)
        response = Response(DOORWAY, media_type="text/html")
        response.set_cookie(
            COOKIE,
            self._cookie,
            path=PATH,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
            max_age=KEPT_S,
        )
        return response

    async def _page(self, request: Request) -> Response:
        self._require(request)
        page = (files(__package__) / "client" / "watch.html").read_text(encoding="utf-8")
        name = escape(self._study.settings.study.name)
        return Response(page.replace("{{name}}", name), media_type="text/html")

    async def _state(self, request: Request) -> Response:
        self._require(request)
        try:
            state = await run_in_threadpool(self._watch.state)
        except HypeError as error:
            raise Refused(503, "busy", str(error), wait_s=1.0) from None
        return JSONResponse(state | self._at_the_doors())

    async def _doors(self, request: Request) -> Response:
        self._require(request)
        report = await report_in(request, DoorsReport)
        try:
            await run_in_threadpool(self._sign.open if report.open else self._sign.close)
        except HypeError as error:
            raise Refused(503, "busy", str(error)) from None
        return JSONResponse(self._at_the_doors())

    async def _report(self, request: Request) -> Response:
        self._require(request)
        simulated = request.query_params.get("simulated") == "1"
        try:
            page = await run_in_threadpool(self._report_now, simulated)
        except HypeError as error:
            return Response(f"There is no report yet: {error}\n", status_code=409)
        headers = {"Content-Security-Policy": REPORT_POLICY}
        return Response(page, media_type="text/html", headers=headers)

    def _report_now(self, simulated: bool) -> bytes:
        """Write the report, one at a time."""
        with self._writing:
            return report_of(self._study.path, simulated=simulated)

    def _at_the_doors(self) -> Json:
        since_unix_s = self._sign.since_unix_s
        return {"doors": {"open": since_unix_s is None, "closed_unix_s": since_unix_s}}

    @property
    def _cookie(self) -> str:
        return self._key.name("watch-cookie")

    def _require(self, request: Request) -> None:
        """Let nobody else see that there is anything."""
        given = request.cookies.get(COOKIE, "")
        if not compare_digest(given.encode(), self._cookie.encode()):
            raise HTTPException(404)


def report_of(study: Path, *, simulated: bool) -> bytes:
    """Have the report of a study written as it is now, by a program of its own.

    Raises SessionProblem: it cannot be written, or takes too long.
    """
    with TemporaryDirectory(prefix="hype-report-") as folder:
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "hype", "report", str(study), "--out", str(page)]
        with subprocess.Popen(
            [*command, "--simulated"] if simulated else command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            put_last(program.pid, NICENESS)
            try:
                _, message = program.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                program.kill()
                raise SessionProblem(f"it took more than {PATIENCE_S / 60:.0f} minutes") from None
        if program.returncode or not page.exists():
            raise SessionProblem(printable(" ".join(message.removeprefix("hype: ").split())))
        return page.read_bytes()
