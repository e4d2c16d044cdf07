"""The addresses of a study's server. Requests are checked, and answers get the required headers.

A cookie that only this server can make identifies the sender of a request. Participants can only
start a session, answer their current step, and fetch pictures whose names they received.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from importlib.resources.abc import Traversable
from typing import Any, Final

from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter, run_sync
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hype.errors import HypeError
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.session.stage import ink_of
from hype.study.studies import AnyStudy, GrowingStudy
from hype.study.web_settings import WebSettings
from hype.web.arrivals import Entrance, HandedIn, Participant, TurnedAway, check_path
from hype.web.connections import WithRates
from hype.web.desk import Desk, draw_code
from hype.web.experimenter import CLIENT, fill_page, watch_routes
from hype.web.owners import OwnersPage
from hype.web.pictures import Pictures
from hype.web.sitting import Browser, Sitting
from hype.web.sittings import DisplayUnfit, Sittings
from hype.web.tokens import ServerKey
from hype.web.watch import Watch
from hype.web.wire import (
    CALLBACKS,
    PRESENTATIONS,
    AnswerReport,
    BodyT,
    DisplayReport,
    ImageSize,
    Json,
    PauseReport,
    Refused,
    Seated,
    SitReport,
    StepReport,
    display_rate,
    report_in,
)

COOKIE: Final = "hype"
KINDS: Final = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""Default headers of every answer. They isolate pages, so browsers give them finer clocks."""
TURK: Final = "https://*.mturk.com"
"""Mechanical Turk, whose pages show the study in a frame and receive the form at the end."""
THREADS: Final = 8
"""The number of threads that wait for the record; each uses one connection at a time."""
CONNECTIONS: Final = THREADS + 2
"""The connections to PostgreSQL: one per thread, one for newcomers who wait, one in reserve."""
COME_AGAIN_S: Final = "5"
PICTURE_S: Final = 0.02
"""A picture is sent this long after its request, to hide how long it took to read the file."""
ENCODING_S: Final = 1.0
"""How long a request waits for a new model's images; after that, the newcomer is asked to wait."""


class WithHeaders:
    """Adds security headers to every answer."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._headers = HEADERS | {"Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except asyncio.CancelledError:  # the server is stopping, and the record has not answered
            await refusal(Refused(503, "busy", wait_s=1.0))(scope, receive, sending)


def watch_of(
    now: Callable[[], AnyStudy],
    desk: Callable[[], AbstractContextManager[Desk]],
    is_served: Callable[[], bool] = lambda: True,
) -> Watch:
    """Return the study's `Watch`, which reads what the live page shows."""
    protocol = protocol_of(now())
    return Watch(now, protocol.design.status, protocol.checks.roundings, desk, is_served)


class StudyServer:
    """The server of one study: its addresses and their handlers."""

    def __init__(
        self,
        study: AnyStudy,
        engine: Engine,
        key: ServerKey,
        desk: Desk,
        remark: Callable[[str], None],
        *,
        pilot: bool = False,
        new_version: bool = False,
    ) -> None:
        """``pilot``: show only a few trials of each kind; the record is temporary.

        ``new_version``: whether newcomers may start another version of the study.
        """
        self._study = study
        self._pilot = pilot
        self._key = key
        self._desk = desk
        self._entrance = Entrance(study, key, desk)
        self._remark = remark
        self._at_door = CapacityLimiter(1)
        self._growing = GrowingStudy(study, load_any, remark)
        self._sittings = Sittings(
            engine, self._growing, course_of, key, pilot=pilot, new_version=new_version
        )
        self._owners = OwnersPage(self._growing, key)
        self._pictures = Pictures(self._growing, remark)

    def app(self) -> ASGIApp:
        watch = watch_of(self._growing.now, lambda: nullcontext(self._desk))
        routes = [
            Route("/", self._arrive),
            Route("/join/{code}", self._arrive),
            Route("/check/{token}", self._arrive),
            Route("/enter/{code}/{proof}", self._enter),
            Route("/enter/{code}/{proof}/over", self._over),
            Route("/simulated/{code}/{proof}", self._arrive_simulated),
            Route("/session", self._session),
            Route("/api/sit", self._taking(SitReport, self._sit, self._at_door), methods=["POST"]),
            Route("/api/step", self._taking(AnswerReport, self._answer), methods=["POST"]),
            Route("/api/pause", self._taking(PauseReport, self._pause), methods=["POST"]),
            Route("/api/stop", self._taking(Seated, self._stop), methods=["POST"]),
            Route("/api/simulated", self._taking(StepReport, self._simulated), methods=["POST"]),
            Route("/picture/{name}", self._picture),
            Route("/static/{name}", self._static),
            *watch_routes(self._study, watch, self._key),
            *self._owners.routes(),
        ]
        handlers: Mapping[Any, Any] = {
            Refused: refused,
            HTTPException: self._missing,
            HypeError: self._log_failure,
            SQLAlchemyError: self._log_failure,
        }
        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._open)
        rated = WithRates(app, whose=self._who, told_to_wait=self._ask_to_wait)
        return WithHeaders(rated, policy_of(self._study.settings.web, pilot=self._pilot))

    @asynccontextmanager
    async def _open(self, _app: Starlette) -> AsyncIterator[None]:
        """Load what the first participant needs; when the server ends, stop adding a model."""
        current_default_thread_limiter().total_tokens = THREADS
        self._pictures.encode()
        with suppress(HypeError):  # participants are asked to wait; the log gives the reason
            self._sittings.load()
        try:
            yield
        finally:
            self._owners.close()

    # --- coming in

    async def _arrive(self, request: Request) -> Response:
        """Let people in by their link; if it identifies nobody, by the cookie of this server."""
        query, who, checker = request.query_params.multi_items(), self._who(request), ""
        code, token = map(request.path_params.get, ("code", "token"))
        if token is not None:
            checker, link = self._study.settings.name_checker(draw_code()), check_path(self._key)
            if not checker or not secrets.compare_digest(f"/check/{token}".encode(), link.encode()):
                raise HTTPException(404)
            is_checker = who and self._study.settings.is_checker(who.evaluator)
            status = await run_in_threadpool(self._sittings.status, who) if who else None
            who = who if is_checker and status != "complete" else None  # None: a new checker
        if who is not None and not query and code is None:
            return RedirectResponse(f"{root_of(request)}/session", status_code=303)
        try:
            came = await run_in_threadpool(self._entrance.come, query, code, checker=checker)
        except TurnedAway as away:
            return self._notice(away.text, status=403 if away.text == "not_invited" else 200)
        if await run_in_threadpool(self._is_closed_to, came):
            return self._notice("doors_closed", status=403)
        if self._entrance.web.platform == "mturk" and "assignmentId" in request.query_params:
            return await self._leave_frame(came)
        return self._welcome(came, request)

    async def _leave_frame(self, who: Participant) -> Response:
        """Return a page for a platform's frame, which has no cookies: a link, or the final form."""
        if form := await run_in_threadpool(self._hand_in, who):
            return self._notice("handing_in", form=form)
        address = f"/enter/{who.evaluator}/{self._key.name('enter', who.evaluator)}"
        return self._notice("accepted", link=address)

    def _hand_in(self, who: Participant) -> HandedIn | None:
        status = self._sittings.status(who)
        return self._entrance.hand_in(who, status) if status else None

    async def _enter(self, request: Request) -> Response:
        """Let a participant in from a platform's frame."""
        who = self._check_cookie(request)
        return self._welcome(who, request) if who else self._notice("not_here", status=404)

    async def _over(self, request: Request) -> Response:
        """Tell the frame whether it can submit the task."""
        who = self._check_cookie(request)
        if who is None:
            raise HTTPException(404)
        return JSONResponse({"over": await run_in_threadpool(self._hand_in, who) is not None})

    def _check_cookie(self, request: Request, kind: str = "enter") -> Participant | None:
        code, proof = request.path_params["code"], request.path_params["proof"]
        genuine = secrets.compare_digest(proof, self._key.name(kind, code))
        return Participant(code) if genuine else None

    def _notice(
        self, name: str, *, status: int = 200, link: str = "", form: HandedIn | None = None
    ) -> Response:
        """Return a page with a few words, and perhaps a link or a form to continue."""
        words = self._entrance.words
        filled = {**self._entrance.notice(name), "link": link, "form": form, "words": words}
        response = self._page("notice.html", status_code=status, **filled)
        if name == "busy":
            response.headers["Refresh"] = COME_AGAIN_S
        return response

    def _page(self, name: str, status_code: int = 200, **filled: object) -> Response:
        study = self._study.settings.study
        filled |= {"language": study.language, "study": study.name}
        content = fill_page(name, **filled)
        return Response(content, status_code=status_code, media_type="text/html")

    async def _arrive_simulated(self, request: Request) -> Response:
        who = self._check_cookie(request, "simulated")
        if who is None:
            raise HTTPException(404)
        return self._welcome(who._replace(simulated=True), request)

    def _welcome(self, who: Participant, request: Request) -> Response:
        root = root_of(request)
        response = RedirectResponse(f"{root}/session", status_code=303)
        response.set_cookie(
            COOKIE,
            self._key.cookie(who.evaluator, simulated=who.simulated),
            path=root or "/",
            httponly=True,
            samesite="lax",  # browsers do not send a strict cookie after a click on another site
            secure=request.url.scheme == "https",
            max_age=30 * 86_400,
        )
        return response

    async def _session(self, request: Request) -> Response:
        who = self._who(request)
        if who is None:
            return self._notice("no_cookies", status=403)
        return self._page(
            "index.html",
            pause=self._study.settings.keys.pause,
            simulated=who.simulated,
            pilot=self._pilot,
            flashes=await run_in_threadpool(self._sittings.flashes, who),
            words=self._entrance.words,
        )

    def _who(self, request: Request) -> Participant | None:
        known = self._key.known(request.cookies.get(COOKIE, ""))
        return Participant(*known) if known else None

    # --- a session

    def _sit(self, who: Participant, report: SitReport) -> Json:
        display, flashes = report.display, self._sittings.flashes(who)
        browser = browser_of(self._study, report)
        if flashes and browser.rate is None:
            raise Refused(400, "bad", "the display was not measured")
        if name := self._unfit(display, browser, flashes=flashes):
            width, height = self._entrance.web.smallest_window or (0, 0)
            words = self._entrance.notice(name, width=width, height=height)
            return {"refused": words | {"again": name != "no_phones"}}
        try:
            if self._is_closed_to(who):
                return {"refused": self._entrance.notice("doors_closed")}
            if not self._pictures.are_ready(ENCODING_S):
                raise Refused(503, "busy", wait_s=ENCODING_S)
            return self._sittings.sit(who, browser)
        except TurnedAway as away:
            words = self._entrance.notice(away.text)
            return {"refused": self._entrance.farewell(who, words | {"ended": away.ended})}
        except DisplayUnfit as error:
            self._remark(f"{who.evaluator}: {error}")
            raise Refused(409, "unfit") from None

    def _unfit(self, display: DisplayReport, browser: Browser, *, flashes: bool) -> str:
        """Return the name of the text that says why a window is unfit; empty if it is fit."""
        web = self._entrance.web
        by_finger = display.touch and not display.hover
        if by_finger and (flashes or not web.phones):
            return "no_phones"
        width, height = web.smallest_window or (0, 0)
        if display.width < width or display.height < height:
            return "small_window"
        steady = browser.rate is None or browser.rate.is_held
        return "unsteady_display" if flashes and not (steady or self._pilot) else ""

    def _is_closed_to(self, who: Participant) -> bool:
        """Return whether a participant cannot start now, because the doors are closed."""
        is_closed = not who.simulated and self._desk.closing_time() is not None
        return is_closed and self._sittings.status(who) is None

    def _answer(self, who: Participant, report: AnswerReport) -> Json:
        return self._do_at_seat(who, report, lambda sitting: sitting.take(report))

    def _pause(self, who: Participant, report: PauseReport) -> Json:
        return self._do_at_seat(who, report, lambda sitting: sitting.pause(report))

    def _stop(self, who: Participant, report: Seated) -> Json:
        return self._do_at_seat(who, report, Sitting.stop)

    def _simulated(self, who: Participant, report: StepReport) -> Json:
        """Return the answer of a simulated participant; refuse everybody else."""
        if not who.simulated:
            raise Refused(404, "bad")
        return self._do(who, report, lambda sitting: sitting.simulated(report.step))

    def _do_at_seat(self, who: Participant, report: Seated, do: Callable[[Sitting], Json]) -> Json:
        """Call ``do`` with the sender's sitting, and return the step that follows."""
        step = self._do(who, report, do)
        ended = step["kind"] == "end" and not self._pilot
        return {"step": self._entrance.farewell(who, step) if ended else step}

    def _do(self, who: Participant, report: Seated, do: Callable[[Sitting], Json]) -> Json:
        """Call ``do`` with the sender's sitting, if the sender's page still has the seat."""
        try:
            return self._sittings.do(who, report.seat, do)
        except TurnedAway as away:
            return {"kind": "end", "id": "", "ended": "quit"} | self._entrance.notice(away.text)

    def _taking(
        self,
        kind: type[BodyT],
        do: Callable[[Participant, BodyT], Json],
        line: CapacityLimiter | None = None,
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that reads a report, passes it to ``do``, and sends the result.

        With a ``line``, requests are handled one after another, so that many newcomers do not delay
        running sessions. If a page no longer waits, its request is dropped; the page repeats it.
        """

        async def endpoint(request: Request) -> Response:
            who = self._who(request)
            if who is None:
                raise Refused(410, "gone")
            report = await report_in(request, kind)
            async with line or nullcontext():
                if line and await request.is_disconnected():
                    return Response(status_code=408)
                return JSONResponse(await run_sync(do, who, report))

        return endpoint

    # --- what a page needs

    async def _picture(self, request: Request) -> Response:
        who = self._who(request)
        if who is None:
            raise HTTPException(404)
        due_s = time.monotonic() + PICTURE_S
        content = await run_in_threadpool(self._content, who, request.path_params["name"])
        if content is None:
            raise HTTPException(404)
        await asyncio.sleep(due_s - time.monotonic())
        return Response(content, media_type="image/png")

    def _content(self, who: Participant, name: str) -> bytes | None:
        wanted = self._sittings.picture(who, name)
        return self._pictures.content(wanted) if wanted else None

    def _ask_to_wait(self, request: Request, status: int, wait_s: float) -> Response:
        """Ask the sender to wait; if the answer will be shown to a person, send a page."""
        response = refusal(Refused(status, "busy", wait_s=wait_s))
        if "text/html" not in request.headers.get("accept", ""):
            return response
        notice = self._notice("busy", status=status)
        notice.headers["Retry-After"] = response.headers["Retry-After"]
        return notice

    async def _log_failure(self, request: Request, error: Exception) -> Response:
        """Log an error, but do not send it, since it contains names of files."""
        who = self._who(request)
        self._remark(f"{who.evaluator}: {error}" if who else str(error))
        return self._ask_to_wait(request, 503, 1.0)

    async def _missing(self, request: Request, error: Exception) -> Response:
        """Send an HTTP error; if an address does not exist, a person gets a page that says so."""
        if not isinstance(error, HTTPException):
            raise error
        if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            return self._notice("not_here", status=404)
        return Response(f"{error.status_code} {error.detail}\n", status_code=error.status_code)

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name == "colours.css":
            return Response(colours_of(self._study), media_type="text/css")
        return file_in(CLIENT, name)


def root_of(request: Request) -> str:
    """Return the path under which this server is reached; empty if it is the whole site."""
    return str(request.scope.get("root_path", ""))


def file_in(folder: Traversable, name: str) -> Response:
    files_by_name = {file.name: file for file in folder.iterdir()}
    kind = KINDS.get(name[name.rfind(".") :])
    if name not in files_by_name or kind is None:
        raise HTTPException(404)
    return Response(files_by_name[name].read_bytes(), media_type=kind)


def policy_of(web: WebSettings, *, pilot: bool = False) -> str:
    """Return the policy of a study's pages: only its platform may show them in a frame.

    A pilot is shown in a frame of the local page, which is on the same site.
    """
    if pilot:
        return POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    if web.platform != "mturk":
        return POLICY
    framed = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {TURK}")
    return framed.replace("form-action 'self'", f"form-action 'self' {TURK}")


async def refused(_request: Request, error: Exception) -> Response:
    if not isinstance(error, Refused):
        raise error
    return refusal(error)


def refusal(error: Refused) -> Response:
    headers = {"Retry-After": str(max(1, round(error.wait_s)))} if error.wait_s else {}
    content = {"error": error.error, "detail": error.detail, "wait_s": error.wait_s}
    return JSONResponse(content, status_code=error.status, headers=headers)


def browser_of(study: AnyStudy, page: SitReport) -> Browser:
    """Convert a report to the facts about its browser that a session needs.

    Raises Refused: the reported intervals between callbacks are impossible.
    """
    report = page.display
    try:
        rate = display_rate(report.intervals) if report.intervals else None
    except ValueError as error:
        raise Refused(400, "bad", str(error)) from None
    display = study.settings.display
    facts = report.model_dump(exclude={"intervals", "presentations"}) | {
        "page": page.page,
        "screen_px": [round(side * report.ratio) for side in (report.width, report.height)],
        "image_side_px": ImageSize.of(display, flashes=study.flashes).side_px(
            report.width, report.height
        ),
        "enlarge": display.enlarge,
    }
    if rate:
        facts |= {
            "sync": PRESENTATIONS if report.presentations else CALLBACKS,
            "refresh_hz": rate.refresh_hz,
            "regular_share": rate.regular,
        }
    return Browser(facts)


def colours_of(study: AnyStudy) -> str:
    display = study.settings.display
    ground, ink = (", ".join(map(str, rgb)) for rgb in (display.background, ink_of(display)))
    return f":root {{ --ground: rgb({ground}); --ink: rgb({ink}); }}\n"
