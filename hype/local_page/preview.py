"""Show studies as participants see them, in a frame of the local page, without keeping answers."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path
from threading import Lock

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hype.console import warn
from hype.protocols.registry import course_of
from hype.session.admitting import expect
from hype.study.studies import AnyStudy
from hype.web.app import StudyServer
from hype.web.serving import encode_images, pilot_of


class Previews:
    """The previews of this page, each with its own key; a study has at most one."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[str, ASGIApp, ExitStack]] = {}
        self._turn = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        apps = {key: app for key, app, _ in self._open.values()}
        over = Response("This preview is over. Start it again.\n", 404, media_type="text/plain")
        await apps.get(scope["path_params"]["key"], over)(scope, receive, send)

    def begin(self, study: AnyStudy) -> dict[str, str]:
        """Serve a study with a temporary record; return one link to try it and one to simulate it.

        Raises HypeError: the study's images are missing or cannot be shown.
        """
        encode_images(study)
        with self._turn, ExitStack() as stack:
            self._close(study.path)
            engine, desk = stack.enter_context(pilot_of())
            expect(engine, course_of(study), "nobody", simulated=False)
            key, name, evaluator = desk.key(), secrets.token_hex(8), f"look-{secrets.token_hex(3)}"
            app = StudyServer(study, engine, key, desk, warn, pilot=True).app()
            self._open[study.path] = name, app, stack.pop_all()
        return {
            who: f"/preview/{name}/{way}/{evaluator}/{key.name(way, evaluator)}"
            for who, way in (("own", "enter"), ("simulated", "simulated"))
        }

    def end(self) -> None:
        """End all previews and remove their records."""
        with self._turn:
            for path in list(self._open):
                self._close(path)

    def _close(self, path: Path) -> None:
        if path in self._open:
            self._open.pop(path)[-1].close()
