"""`hype score`: what the answers say, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hype.answers.choices import Choices, chosen
from hype.answers.sources import chosen_answers, for_others
from hype.cli.options import Json, Source
from hype.console import out, print_json
from hype.errors import InputError
from hype.protocols.hype.judgements import Judgements
from hype.protocols.registry import HYPE

if TYPE_CHECKING:
    from hype.protocols.studies import OneOfVersions

Images = Annotated[
    Path | None,
    typer.Option(
        "--images",
        metavar="CSV",
        help="write how often each image was shown and called fake to this table",
    ),
]


@chosen
def score(source: Source, choices: Choices, images: Images = None, as_json: Json = False) -> None:
    """Print every figure of the paper's tables, and what stands beside them."""
    protocol, found = chosen_answers(source, choices)
    if images and protocol is not HYPE:
        raise for_others("--images", [HYPE], protocol, source)
    answers = protocol.read(found, choices)
    scored = protocol.score(answers, choices)
    if images:
        write_images(answers, images)
    version = None if isinstance(found, Path) else found.version
    if as_json:
        print_json(with_version(protocol.as_object(scored), version))
        return
    if version:
        out.print(f"Version {version} of the study", markup=False)
    out.print(protocol.laid_out(answers, scored))


def with_version(scored: Any, version: OneOfVersions | None) -> object:
    """Add to what is printed for programs which version it is of, where there are several."""
    if version is None:
        return scored
    if isinstance(scored, list):
        return [with_version(one, version) for one in scored]
    return {**scored, "version": {"number": version.number, "of": version.of}}


def write_images(judgements: Judgements, path: Path) -> None:
    from hype.files import write_table
    from hype.protocols.hype.exclusion import counted
    from hype.protocols.hype.images import image_scores
    from hype.protocols.hype.trial import SCORED_TASKS
    from hype.tables.spreadsheet_text import as_cell

    frame = judgements.frame[counted(judgements.frame)]
    table = image_scores(frame[frame["task"].isin(SCORED_TASKS)])
    if table.empty:
        raise InputError("--images", "the judgements name no images", "a column 'image'")
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    cells = ({str(key): as_cell(value) for key, value in row.items()} for row in rows)
    write_table(path, list(table.columns), cells)
