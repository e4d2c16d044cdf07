"""`hype score`: what the answers say, in the terminal."""

from __future__ import annotations

from rich.console import RenderableType

from hype.answers.choices import Choices, chosen
from hype.answers.groups import add_groups, in_groups
from hype.cli.options import Apart, Json, Sources, alone
from hype.console import out, print_json
from hype.errors import InputError
from hype.protocols.opening import (
    chosen_answers,
    for_others,
    printed,
    read_answers,
    score_together,
    version_of,
)
from hype.protocols.registry import HYPE
from hype.report.groups import laid_out


@chosen
def score(sources: Sources, choices: Choices, apart: Apart = False, as_json: Json = False) -> None:
    """Print every figure of the paper's tables, and what stands beside them."""
    from hype.protocols.hype.score import write_images

    if len(sources) > 1:
        if choices.image_table:
            raise InputError("--images", str(choices.image_table), "sample or fixed, of several")
        protocol, answers, scored = score_together(sources, choices, apart=apart)
        if as_json:
            print_json(add_groups(protocol.scoring.as_object(scored), answers.grouped))
        else:
            _show(protocol.scoring.laid_out(answers, scored), *laid_out(answers.grouped))
        return
    source = alone(sources, apart=apart)
    protocol, found = chosen_answers(source, choices)
    images = choices.image_table
    if images and protocol is not HYPE:
        raise for_others("--images", [HYPE], protocol, source)
    read = read_answers(protocol, found, choices)
    answers = in_groups(read, choices, protocol.scoring.group_measures)
    scored = protocol.scoring.score(answers, choices)
    if images:
        write_images(answers, images)
    if as_json:
        print_json(add_groups(printed(protocol, scored, found), answers.grouped))
        return
    if version := version_of(found):
        out.print(f"Version {version} of the study", markup=False)
    _show(protocol.scoring.laid_out(answers, scored), *laid_out(answers.grouped))


def _show(*parts: RenderableType) -> None:
    """Print: lines end between words at a terminal; what a program reads has a line a sentence."""
    from rich.console import Group

    out.print(Group(*parts), soft_wrap=not out.is_terminal, crop=False)
