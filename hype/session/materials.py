"""What a study's stimuli and masks say today; and what stands in for them if they are gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hype.confine import inside
from hype.errors import InputError
from hype.files import read_table
from hype.masks.maskset import COLUMNS, MANIFEST
from hype.protocols.registry import protocol_of
from hype.protocols.studies import AnyStudy, Study
from hype.session.records import at_hand, require_at_hand
from hype.stimuli.manifest import read_manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The conditions of a study; ``problem`` says why they are not those of its stimuli, if so."""

    names: tuple[str, ...]
    problem: str = ""


def conditions_at_hand(study: AnyStudy, met: Iterable[str]) -> Conditions:
    """Give the conditions of a study, whether or not its stimuli can be read.

    Where they cannot, these are the conditions that the study file names, or else those that it
    has simulated evaluators for and those that were ``met`` in the record; there may be more.
    """
    try:
        require_at_hand(study, "the list of conditions")
        return Conditions(
            names=protocol_of(study).conditions(study, read_manifest(study.stimuli_folder))
        )
    except InputError as error:
        known = {*study.settings.observers, *met}
        named = study.settings.stimuli.conditions or tuple(sorted(known))
        return Conditions(names=named, problem=str(error))


def mask_methods(study: Study) -> tuple[str, ...]:
    """Give how the masks of a study were made; nothing where it has none, or none is here."""
    if study.masks_folder is None or not at_hand(study):
        return ()
    try:
        path = inside(study.masks_folder, MANIFEST)
        rows = read_table(path, COLUMNS, made_by="hype masks make")
        return tuple(sorted({row["method"] for _, row in rows}))
    except InputError:
        return ()
