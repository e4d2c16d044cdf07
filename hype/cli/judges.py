"""The files of automated judges, with what a study knows of the images that they name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hype.analysis.judges.judge_table import Judges
    from hype.analysis.judges.known_images import KnownImage
    from hype.study.studies import AnyStudy, PromptedStudy

STYLE: Final = "style"
"""The column of a manifest that says in which style a prompt asks for an image."""


def judges_in(paths: Sequence[Path], study: AnyStudy | None) -> Judges:
    """Read the files of judges, for answers of a study or, without one, of a table.

    Raises
    ------
    InputError
        A file cannot be read, or says something twice or wrong.
    """
    from hype.analysis.judges.judge_files import read_judges
    from hype.analysis.judges.known_images import with_known_images
    from hype.study.studies import PromptedStudy

    judges = read_judges(paths)
    if judges.scores.empty or not isinstance(study, PromptedStudy):
        return judges
    return with_known_images(judges, images_of(study))


def images_of(study: PromptedStudy) -> dict[str, KnownImage]:
    """Tell what a study's manifest says of its images, of those that have a prompt."""
    from hype.analysis.judges.known_images import KnownImage
    from hype.sessions.prompted import candidate
    from hype.stimuli.manifest import read_extra_columns, read_manifest

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
