"""`hype score`: what the answers say, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hype.answers.choices import Choices, chosen
from hype.answers.sources import chosen_answers, for_others
from hype.cli.options import Json, Source
from hype.console import out, print_json
from hype.protocols.registry import HYPE

if TYPE_CHECKING:
    from hype.protocols.studies import OneOfVersions


@chosen
def score(source: Source, choices: Choices, as_json: Json = False) -> None:
    """Print every figure of the paper's tables, and what stands beside them."""
    protocol, found = chosen_answers(source, choices)
    images = choices.image_table
    if images and protocol is not HYPE:
        raise for_others("--images", [HYPE], protocol, source)
    answers = protocol.read(found, choices)
    scored = protocol.score(answers, choices)
    if images:
        HYPE.write_images(answers, images)
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
