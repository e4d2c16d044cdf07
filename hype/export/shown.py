"""The images of a trial, and the tables of the record, as several kinds of answers have them."""

from __future__ import annotations

from sqlalchemy import Table

from hype.export.columns import ExportedColumn, Kind
from hype.export.kind import ShownImage
from hype.store.schema import demographics, evaluators, events, removals, sessions, studies


def only_image() -> ShownImage:
    return ShownImage(path="image", sha256="image_sha256", place=place_of("stim_file", "the image"))


def image_of(which: str, words: str) -> ShownImage:
    place = place_of(f"{which}_stim_file", words)
    return ShownImage(path=f"{which}_image", sha256=f"{which}_sha256", place=place)


def place_of(name: str, image: str) -> ExportedColumn:
    """Describe the column that says where an image lies."""
    return ExportedColumn(
        name=name,
        meaning=f"the place under stimuli/ of {image}: its path, written with plain characters",
        kind=Kind.TEXT,
    )


def raw_with(answers: Table) -> tuple[Table, ...]:
    return (studies, evaluators, demographics, sessions, answers, events, removals)
