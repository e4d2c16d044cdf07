"""Study files to start from: templates in the protocols' folders, and their shared parts here."""

from __future__ import annotations

import json
from pathlib import Path


def filled_in(template: Path, name: str, **values: object) -> str:
    """Write a study file by its template; ``name`` is the study's."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701  TOML, which nobody shows as a page
        keep_trailing_newline=True,
        loader=FileSystemLoader([template.parent, Path(__file__).parent]),
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    quoted = json.dumps(name, ensure_ascii=False)  # a JSON string is a TOML string
    return environment.get_template(template.name).render(name=quoted, **values)
