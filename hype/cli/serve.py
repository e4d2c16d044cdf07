"""`hype serve`: a study for whoever has a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from hype.cli.options import StudyPath
from hype.cli.run import push_at_the_end
from hype.console import out
from hype.errors import InputError
from hype.protocols.load import load_any


def serve(
    study: StudyPath,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="on which it listens")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65_535, help="0: any that is free")
    ] = 8000,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=64, help="processes that serve")
    ] = 1,
) -> None:
    """Let participants take part with a browser; answers go into the study's record."""
    try:
        from hype.web.serving import doors_of
        from hype.web.serving import serve as serving
    except ImportError as error:
        problem = f"needs Starlette and uvicorn ({error})"
        raise InputError("hype serve", problem, "pip install 'hype[web]'") from None
    loaded = load_any(study)
    with doors_of(loaded, host, port) as doors:
        address = f"http://{host}:{doors.port}/"
        serving(
            loaded,
            doors,
            workers=workers,
            opened=lambda: out.print(f"Open to participants at {address} (Ctrl-C ends it)."),
        )
    push_at_the_end(loaded)
