"""The addresses of the local page. It opens only on this machine, and only with a link."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import segno
from jinja2 import Environment, PackageLoader
from pydantic import Field
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hype.console import printable
from hype.errors import HypeError, InputError
from hype.files import inside
from hype.local_page.form import NEW, WrongSettings, text_of_value
from hype.local_page.places import (
    Dropped,
    describe_folder,
    file_of,
    form_at,
    name_of,
    place_of,
    read_study,
    studies_in,
    write_changes,
)
from hype.local_page.preview import Previews
from hype.local_page.programs import (
    COMMANDS,
    REPORTS,
    CommandRequest,
    Options,
    Programs,
    command_of,
)
from hype.protocols.hype.design import fit_design
from hype.protocols.hype.settings import QUALIFICATION
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.session.materials import list_making
from hype.stimuli.collection import collect
from hype.stimuli.images import decode, png_bytes
from hype.study.studies import AnyStudy
from hype.study.texts import LANGUAGES, pack_of
from hype.system import is_name_everywhere
from hype.web.app import POLICY, WithHeaders, file_in, watch_of
from hype.web.desk import open_desk
from hype.web.experimenter import DOORWAY, KEPT_S, handlers_of_watch, report_page
from hype.web.serving import is_served
from hype.web.watch import Watch
from hype.web.wire import Body, Refused, report_in

HOSTS: Final = ["127.0.0.1", "localhost"]
CLIENTS: Final = {"page": files("hype.local_page") / "client", "web": files("hype.web") / "client"}
STEPS: Final = ("make", "look", "settings", "check", "run", "watch", "results")
FIRST: Final = "look"
"""The step that the page shows when a study is opened."""
PAGES: Final = Environment(loader=PackageLoader(__package__, "client"), autoescape=True)
PAGES.globals["text_of_value"] = text_of_value
GONE: Final = "This browser has no access to the page yet. Run hype open again to get a new link."
THUMBNAIL_PX: Final = 160
HYPE: Final = "hype"
"""The template of studies that ask whether an image is real or fake."""
EXAMPLE: Final = "my-study"
Name = Annotated[str, Field(max_length=512)]


class ImageSource(Body):
    """A folder of images dropped on the page, and the name of their model (empty if real)."""

    name: Name
    folder: Name


class NewStudy(Body):
    """Folders of images, and the options of `hype new` for making a study from them."""

    sources: Annotated[tuple[ImageSource, ...], Field(max_length=100)]
    options: Options = Field(default_factory=dict)
    name: Name = ""


class Changes(Body):
    """Changed settings; None removes a setting. ``seen``: the file's checksum when it was shown."""

    seen: Name
    changes: tuple[tuple[tuple[Name, ...], str | None], ...]


class Guarded:
    """Refuses requests without the cookie, and requests from the pages of other sites."""

    def __init__(self, app: ASGIApp, local_page: LocalPage) -> None:
        self._app, self._local_page = app, local_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            request = Request(scope)
            if not request.url.path.startswith("/enter/"):
                app = self._refusal(request) or app
        await app(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        if not self._local_page.knows(request):
            return Response(f"{GONE}\n", status_code=403, media_type="text/plain")
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        own = f"{request.url.scheme}://{request.headers.get('host', '')}"
        writes = request.method not in ("GET", "HEAD")
        if site not in ("same-origin", "none") or (writes and origin != own):
            return Response("Another site sent this.\n", status_code=403, media_type="text/plain")
        return None


class LocalPage:
    """The local page of one folder: its addresses and its programs."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._key, self._links = secrets.token_urlsafe(24), set[str]()
        self._cookie = f"hype-page-{port}"  # one name per port: browsers send all ports' cookies
        self.dropped = Dropped(folder)
        self.programs = Programs(self.dropped.shorten)
        self.previews = Previews()
        self._watches: dict[tuple[Path, str], Watch] = {}

    @property
    def cookie(self) -> str:
        """The cookie that identifies a browser of this user."""
        return f"{self._cookie}={self._key}"

    def draw_link(self, at: str = "") -> str:
        """Return a path that gives one browser access and opens a study, or the list of studies."""
        token = secrets.token_urlsafe(24)
        self._links.add(token)
        return f"/enter/{token}?{urlencode({'at': at})}" if at else f"/enter/{token}"

    def app(self) -> ASGIApp:
        routes = [
            Route("/", self._home),
            Route("/enter/{token}", self._enter),
            *(
                Route(f"/watch{at}", do, methods=[method])
                for at, do, method in handlers_of_watch(self._watch)
            ),
            Route("/report", self._report),
            Mount("/preview/{key}", self.previews),
            Route("/api/again", self._taking(Body, self._again), methods=["POST"]),
            Route("/qr", self._draw_code),
            Route("/api/drop", self._keep_image, methods=["PUT"]),
            Route("/api/scan", self._taking(NewStudy, self._scan), methods=["POST"]),
            Route("/api/picture", self._picture),
            Route("/api/new", self._taking(NewStudy, self._new), methods=["POST"]),
            Route("/api/form", self._form),
            Route("/api/form", self._taking(Changes, self._change), methods=["POST"]),
            Route("/api/preview", self._taking(Body, self._preview), methods=["POST"]),
            Route("/api/programs", self._taking(CommandRequest, self._start), methods=["POST"]),
            Route("/api/programs", self._programs),
            Route("/api/stop", self._taking(CommandRequest, self._stop), methods=["POST"]),
            Route("/{step}", self._page),
            Route("/static/{name}", self._static),
            Route("/{room}/client/{name}", self._static),
        ]
        handlers: Mapping[Any, Any] = dict.fromkeys((HypeError, WrongSettings, Refused), refuse)
        guard = [Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS), Middleware(Guarded, self)]
        return WithHeaders(
            Starlette(
                routes=routes, exception_handlers=handlers, middleware=guard, lifespan=self._open
            ),
            f"{POLICY}; frame-src 'self'",
        )

    @asynccontextmanager
    async def _open(self, _app: Starlette) -> AsyncIterator[None]:
        """When the server ends, end its programs and previews, and remove the dropped images."""
        with self.dropped.kept:
            yield
            await run_in_threadpool(self.programs.end)
            await run_in_threadpool(self.previews.end)

    # --- coming in

    def knows(self, request: Request) -> bool:
        given = request.cookies.get(self._cookie, "")
        return secrets.compare_digest(given.encode(), self._key.encode())

    async def _enter(self, request: Request) -> Response:
        """Exchange a link for a cookie. A link works once: other users may see it in `ps`."""
        at, token = request.query_params.get("at"), request.path_params["token"]
        to = f"/{FIRST}?{urlencode({'at': at})}" if at else "/"
        if self.knows(request):
            return RedirectResponse(to, status_code=303)
        if token not in self._links:
            return Response(f"{GONE}\n", status_code=403, media_type="text/plain")
        self._links.remove(token)
        page = DOORWAY.format(to=escape(to), label="To the studies")
        response = Response(page, media_type="text/html")
        response.set_cookie(
            self._cookie, self._key, httponly=True, samesite="strict", max_age=KEPT_S
        )
        return response

    def _again(self, request: Request, _nothing: Body) -> dict[str, Any]:
        """Return a new link for a `hype open` that found this server running."""
        return {"link": self.draw_link(request.query_params.get("at", ""))}

    # --- pages

    async def _home(self, _request: Request) -> Response:
        def fill() -> str:
            studies = [(self._at(path), name_of(path)) for path in studies_in(self._folder)]
            languages = [(code, pack_of(code).name) for code in LANGUAGES]
            page = PAGES.get_template("home.html")
            return page.render(
                folder=self._folder, studies=studies, first=FIRST, languages=languages
            )

        return Response(await run_in_threadpool(fill), media_type="text/html")

    async def _page(self, request: Request) -> Response:
        step = request.path_params["step"]
        if step not in STEPS:
            raise HTTPException(404)

        def fill() -> str:
            path = self._study_at(request)
            return PAGES.get_template(f"{step}.html").render(
                folder=self._folder,
                file=file_of(path),
                name=name_of(path),
                at=self._at(path),
                quoted=shlex.quote(self._at(path)),
                unit=read_study(path, unit_of, "") if step == "make" else "",
                step=step,
                steps=STEPS,
            )

        return Response(await run_in_threadpool(fill), media_type="text/html")

    def _at(self, study: Path) -> str:
        return study.relative_to(self._folder).as_posix()

    async def _static(self, request: Request) -> Response:
        room, name = request.path_params.get("room", "web"), request.path_params["name"]
        if room not in CLIENTS:
            raise HTTPException(404)
        return file_in(CLIENTS[room], name)

    def _study_at(self, request: Request) -> Path:
        """Return the study that a request names.

        Raises InputError: the study is not in the local page's folder.
        """
        return place_of(self._folder, request.query_params.get("at", "."))

    # --- a new study

    async def _keep_image(self, request: Request) -> Response:
        try:
            await self.dropped.keep_image(request.query_params.get("path", ""), request.stream())
        except ClientDisconnect:
            raise Refused(400, "bad", "the upload of the image was interrupted") from None
        return JSONResponse({})

    def _scan(self, _request: Request, sent: NewStudy) -> dict[str, Any]:
        """Describe folders of images, and say what `hype new` would make or why it would refuse."""
        options = sent.options
        template, method = options.get("--template", HYPE), options.get("--method")
        size = options.get("--size", "")
        folders = {source.name: self.dropped.at(source.folder) for source in sent.sources}
        words = self._words_of_new(sent, Path(sent.name.strip() or EXAMPLE))
        command = self.dropped.shorten(shlex.join(["hype", *words]))
        notes, problem = [], ""
        if not folders:
            return {"folders": [], "problem": "", "notes": [], "command": command}
        try:
            if len(folders) < len(sent.sources):
                raise InputError("two folders", "have the same name", "a different name for each")
            images = collect(
                folders,
                prompted=template not in (HYPE, QUALIFICATION),
                side_px=int(size) if size.isdecimal() else None,
                skip_smaller="--skip-smaller" in options,
                match_compression="--match-compression" in options,
                keep="--keep" in options,
            )
            notes = [f"All images become {images.side_px} x {images.side_px} px.", *images.notes]
            if template == HYPE and "" in folders and len(folders) > 1:
                counts = {name: len(files) for name, files in images.files.items()}
                fit_design(counts, [method] if method else None)
        except HypeError as error:
            problem = str(error)
            if isinstance(error, InputError) and error.where == "--method time":
                problem = f"Flashed images: {error.problem}. Add images, or do not flash them."
        return {
            "folders": [describe_folder(self.dropped.at(one.folder)) for one in sent.sources],
            "problem": printable(self.dropped.shorten(problem)),
            "notes": [self.dropped.shorten(note) for note in notes],
            "command": command,
        }

    def _words_of_new(self, new: NewStudy, place: Path) -> list[str]:
        words = command_of(CommandRequest(task="new", options=new.options), place, place)
        for source in new.sources:
            option = f"--fake={source.name}" if source.name else "--real"
            words.append(f"{option}={self.dropped.at(source.folder)}")
        return words

    async def _picture(self, request: Request) -> Response:
        """Return a small copy of a dropped image."""

        def draw() -> bytes:
            image = decode(self.dropped.at(request.query_params.get("path", "")))
            image.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
            return png_bytes(image)

        return Response(await run_in_threadpool(draw), media_type="image/png")

    def _new(self, _request: Request, new: NewStudy) -> dict[str, Any]:
        """Start `hype new` to make a study from images."""
        name = new.name.strip()
        if not name or "/" in name or name[0] in ".-" or not is_name_everywhere(name):
            raise InputError("the study's name", f"{name!r} cannot be a folder", f"as in {EXAMPLE}")
        place = self._folder / name
        if place.exists():
            raise InputError("the study's name", f"{name!r} exists already", "another name")
        self.programs.start(f"new {place}", self._words_of_new(new, place))
        return {"at": self._at(place)}

    # --- a study

    async def _form(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._fill_form, request))

    def _fill_form(self, request: Request) -> dict[str, Any]:
        """Return the settings of a study as fields, and the mistakes in them."""
        path = self._study_at(request)
        form = form_at(path, in_browser=request.query_params.get("in_browser") == "true")
        page = PAGES.get_template("form.html")
        groups, people = form.pop("groups"), form["people"]
        html = page.render(groups=groups, people=people, at=self._at(path), new=NEW)
        return form | {"html": html}

    def _change(self, request: Request, sent: Changes) -> dict[str, Any]:
        write_changes(self._study_at(request), sent.seen, sent.changes)
        return self._fill_form(request)

    def _preview(self, request: Request, _nothing: Body) -> dict[str, Any]:
        return dict(self.previews.begin(load_any(self._study_at(request))))

    def _start(self, request: Request, asked: CommandRequest) -> dict[str, Any]:
        path = self._study_at(request)
        study = load_any(path)
        words = list_making(study) if asked.task == "new" else command_of(asked, path, study.folder)
        self.programs.start(f"{asked.task} {path}", words)
        return {}

    async def _programs(self, request: Request) -> Response:
        """Return the state of each program, and whether the study's file exists (``begun``)."""
        path = await run_in_threadpool(self._study_at, request)
        states = {task: self.programs.state(f"{task} {path}") for task in COMMANDS}
        left: list[str] = []
        if not states["new"]:
            left = await run_in_threadpool(read_study, path, list_making, left)
        if left:
            states["new"] = {"lines": [], "code": 1, "stopped": True, "result": None}
        begun = {"begun": file_of(path).is_file()}
        return JSONResponse({task: state | begun for task, state in states.items() if state})

    def _stop(self, request: Request, asked: CommandRequest) -> dict[str, Any]:
        self.programs.stop(f"{asked.task} {self._study_at(request)}")
        return {}

    def _watch(self, request: Request) -> Watch:
        """Return the object that watches a study; make a new one if the study file changed."""
        study = load_any(self._study_at(request))
        version = (study.path, study.settings_json())
        if version not in self._watches:
            self._watches[version] = watch_of(
                lambda: study, lambda: open_desk(study), lambda: is_served(study)
            )
        return self._watches[version]

    async def _draw_code(self, request: Request) -> Response:
        code = segno.make(request.query_params.get("link", ""), micro=False)
        picture = BytesIO()
        code.save(picture, kind="svg", omitsize=True, border=4, light="white")
        return Response(picture.getvalue(), media_type="image/svg+xml")

    async def _report(self, request: Request) -> Response:
        """Return the latest report."""
        simulated = request.query_params.get("simulated") == "1"
        study = await run_in_threadpool(lambda: load_any(self._study_at(request)))
        page = inside(study.folder, REPORTS[simulated])
        if not page.is_file():
            raise InputError(page, "is not there", "make the report first")
        return report_page(await run_in_threadpool(page.read_bytes))

    def _taking(
        self, kind: type[Any], do: Callable[[Request, Any], dict[str, Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            sent = await report_in(request, kind)
            return JSONResponse(await run_in_threadpool(do, request, sent))

        return endpoint


def unit_of(study: AnyStudy) -> str:
    return protocol_of(study).planned(study, None).unit


async def refuse(_request: Request, error: Exception) -> Response:
    """Describe what is wrong with a request of the page, and which settings are wrong."""
    status = error.status if isinstance(error, Refused) else 422
    mistakes = error.mistakes if isinstance(error, WrongSettings) else ()
    content = {"detail": printable(str(error)), "mistakes": mistakes}
    return JSONResponse(content, status_code=status)
