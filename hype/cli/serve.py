"""`hype serve`: a study for whoever has a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from hype.cli.options import StudyPath
from hype.console import out, warn
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
) -> None:
    """Let participants take part with a browser; answers go into the study's record."""
    try:
        import uvicorn
    except ImportError:
        raise InputError(
            "hype serve", "needs Starlette and uvicorn", "pip install 'hype[web]'"
        ) from None
    from hype.web.serving import opened

    loaded = load_any(study)
    with opened(loaded, warn) as (app, _):
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", server_header=False, access_log=False
        )
        out.print(f"Open to participants at http://{host}:{port}/ — end it with Ctrl-C.")
        uvicorn.Server(config).run()
