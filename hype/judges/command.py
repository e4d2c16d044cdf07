"""The files of automated judges, with what a study knows of the images that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hype.judges.known_to_study import KnownImage
    from hype.judges.table import Judges
    from hype.protocols.studies import AnyStudy, PromptedStudy, RatingStudy

STYLE: Final = "style"
"""The column of a manifest that says in which style a prompt asks for an image."""


def judges_in(
    paths: Sequence[Path], study: AnyStudy | None, *, rated: Iterable[str] = ()
) -> Judges:
    """Read the files of judges, for answers of a study or, without one, of a table.

    Parameters
    ----------
    rated
        The items that people rated; those of the study's design that they have not are passed over.

    Raises
    ------
    InputError
        A file cannot be read, or says something twice or wrong.
    """
    from hype.judges.files import read_judges
    from hype.judges.known_to_study import with_known_images, without_items
    from hype.protocols.studies import PromptedStudy, RatingStudy

    judges = read_judges(paths)
    if not judges.answers.empty and isinstance(study, RatingStudy):
        judges = without_items(judges, items_of(study) - set(map(str, rated)))
    if judges.scores.empty or not isinstance(study, PromptedStudy):
        return judges
    return with_known_images(judges, images_of(study))


def items_of(study: RatingStudy) -> set[str]:
    """List the items of a study's design, by name.

    Raises
    ------
    InputError
        What the study draws from is wrong, or its folder is not here.
    """
    from hype.protocols.rating.pools import read_rating_pools
    from hype.session.records import require_folder

    require_folder(study, "--judges")
    return {item.name for share in read_rating_pools(study).shares for item in share}


def images_of(study: PromptedStudy) -> dict[str, KnownImage]:
    """Tell what a study's manifest says of its images, of those that have a prompt.

    Raises
    ------
    InputError
        It cannot be read, or the study's folder is not here.
    """
    from hype.judges.known_to_study import KnownImage
    from hype.protocols.prompted.pools import candidate
    from hype.session.records import require_folder
    from hype.stimuli.manifest import read_extra_columns, read_manifest

    require_folder(study, "--judges")
    extra = read_extra_columns(study.stimuli_folder)
    asked, found = study.asked, {}
    for stimulus in read_manifest(study.stimuli_folder).stimuli:
        cells = extra[stimulus.path]
        if shows := cells.get(asked.prompt_column, ""):
            found[stimulus.path] = KnownImage(
                condition=candidate(stimulus).condition,
                prompt=asked.prompts.get(shows, shows),
                style=cells.get(STYLE, ""),
            )
    return found
