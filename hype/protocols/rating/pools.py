"""What a study of ratings draws from, read from its folders."""

from __future__ import annotations

from collections.abc import Mapping

from hype.errors import InputError
from hype.protocols.prompted.pools import by_prompt, chosen_images, manifest_of, taking_part
from hype.protocols.rating.sampling import RatingPools, Truths, rating_pools
from hype.protocols.studies import RatingStudy
from hype.stimuli.manifest import read_extra_columns, read_manifest


def read_rating_pools(study: RatingStudy) -> RatingPools:
    """Read what is rated.

    Raises
    ------
    InputError
        A manifest is wrong; there is no prompt, or too few conditions or images of it; the study
        names a condition or an axis that is not there; a cell says something is right that cannot
        be answered.
    """
    stimuli = read_manifest(study.stimuli_folder)
    names = taking_part(study, stimuli)
    refuse_unknown_axes(study, names)
    made = by_prompt(study, stimuli, names)
    prompts = tuple(chosen_images(study, text, images) for text, images in made.items())
    return rating_pools(study.settings, names, prompts, truths_of(study))


def refuse_unknown_axes(study: RatingStudy, names: tuple[str, ...]) -> None:
    """Refuse simulated people who would find something of an axis that is not asked."""
    for name in names:
        taste = study.settings.observers.get(name)
        for axis in taste.axes if taste else ():
            if axis not in study.settings.axis_names:
                problem = f"observers.{name}.axes: {axis!r} is not among rating.axes"
                known = ", ".join(study.settings.axis_names)
                raise InputError(study.path, problem, f"one of {known}")


def truths_of(study: RatingStudy) -> Truths:
    """Read what is right of each image, on the axes that have a column for it.

    Raises
    ------
    InputError
        The manifest lacks the column, or a cell of it is none of the axis's answers.
    """
    settings = study.settings
    columns = {
        name: settings.axis(name).truth_column
        for name in settings.axis_names
        if settings.axis(name).truth_column
    }
    if not columns:
        return {}
    cells = read_extra_columns(study.stimuli_folder)
    for axis, column in columns.items():
        check_column(study, axis, column, cells)
    return {
        path: tuple((axis, row[column]) for axis, column in columns.items() if row.get(column))
        for path, row in cells.items()
    }


def check_column(
    study: RatingStudy, axis: str, column: str, cells: Mapping[str, Mapping[str, str]]
) -> None:
    """Refuse a column that is not there, and cells that are no answer; empty ones say nothing."""
    if not any(column in row for row in cells.values()):
        problem = f"has no column {column!r}, which axes.{axis}.truth_column names"
        raise InputError(manifest_of(study), problem)
    levels = study.settings.levels_of(axis)
    for path, row in cells.items():
        if row.get(column) and row[column] not in levels:
            raise InputError(
                manifest_of(study),
                f"says {row[column]!r} in the column {column!r} of {path}",
                f"one of {', '.join(levels)}, the answers of the axis {axis!r}; or nothing",
            )
