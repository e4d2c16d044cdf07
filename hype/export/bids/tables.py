"""Tables as BIDS wants them: tab-separated, `n/a` where there is nothing, and their dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hype.analysis.tables.spreadsheet_text import MISSING_WORDS, guarded
from hype.export.columns import ExportedColumn, Kind
from hype.protocol.rating import NOT_RELEVANT
from hype.study.rating_settings import MOST_STEPS

NOTHING: Final = "n/a"
MISREAD_HERE: Final = re.compile(r"'*(?:\"|n/a\Z)")
"""Text that readers of these tables misread: a quote before it opens a quotation, which may swallow
the lines that follow, and the word for nothing stands for nothing."""

FORMATS: Final = {
    Kind.TEXT: "string",
    Kind.WHOLE: "integer",
    Kind.NUMBER: "number",
    Kind.FLAG: "boolean",
    Kind.NUMBERS: "string",
}
LONG_NAMES: Final = {
    "rt_ms": "Response time",
    "key": "Key pressed",
    "exposure_ms": "Exposure requested",
    "mask_ms": "Mask duration requested",
    "image_sha256": "SHA-256 of the image",
    "left_sha256": "SHA-256 of the left image",
    "right_sha256": "SHA-256 of the right image",
    "left": "Condition on the left",
    "right": "Condition on the right",
    "first_sha256": "SHA-256 of the first image",
    "second_sha256": "SHA-256 of the second image",
    "first": "Condition of the first image",
    "second": "Condition of the second image",
    "flips_s": "Times of the flips",
}
HED_VERSION: Final = "8.4.0"
SAID: Final = (
    *("real", "fake", "left", "right", "tie", "yes", "no"),
    *(*map(str, range(MOST_STEPS + 1)), NOT_RELEVANT),
)
STIMULUS: Final = "Experimental-stimulus, Visual-presentation, Image"
HED: Final = {
    "truth": {made: f"({STIMULUS}, Label/{made})" for made in ("real", "fake")},
    "answer": {said: f"(Participant-response, Label/{said})" for said in SAID}
    | {"none": "Omitted-action"},
    "correct": {"true": "Correct-action", "false": "Incorrect-action"},
}
"""What columns say in Hierarchical Event Descriptors, which machines read."""
READING: Final = (
    "Text that begins with =, +, -, @, or a quotation mark has an apostrophe before it, so that no "
    "program takes it for a formula or a quotation; so has text that is one of "
    f"{', '.join(sorted(MISSING_WORDS))} or {NOTHING}, so that none takes it for a missing value, "
    "and text that would be one of these without apostrophes of its own."
)
"""How text is to be read that has an apostrophe before it."""


def cell(value: object) -> str:
    """Write one cell."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    return text_cell(value) if isinstance(value, str) else str(value)


def text_cell(text: str) -> str:
    """Write text on one line, and so that no program takes it for anything else."""
    line = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return f"'{line}" if MISREAD_HERE.match(line) else guarded(line)


def lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Write rows, each as a line."""
    return ("\t".join(map(cell, row)) + "\n" for row in rows)


def header(columns: Iterable[ExportedColumn]) -> str:
    """Write the line that names the columns."""
    return "\t".join(column.name for column in columns) + "\n"


def dictionary(columns: Iterable[ExportedColumn]) -> dict[str, object]:
    """Describe columns."""
    return {column.name: entry(column) for column in columns}


def entry(column: ExportedColumn) -> dict[str, object]:
    """Describe one column. A list of numbers is text to BIDS, with a delimiter in it."""
    found: dict[str, object] = {
        "LongName": long_name(column),
        "Description": description(column),
    }
    if column.unit:
        found["Units"] = column.unit
    if column.levels:
        found["Levels"] = {cell(level): meaning for level, meaning in column.levels.items()}
    else:
        found["Format"] = FORMATS[column.kind]
    if column.kind is Kind.NUMBERS:
        found["Delimiter"] = " "
    cells = ("true", "false") if column.kind is Kind.FLAG else column.levels
    if tags := {said: tag for said, tag in HED.get(column.name, {}).items() if said in cells}:
        found["HED"] = tags
    return found


def description(column: ExportedColumn) -> str:
    """Say what a column holds, and what may stand in its cells beside that."""
    meaning = column.meaning.replace("empty", NOTHING)
    if column.gaps and NOTHING not in meaning:
        meaning += f"; {NOTHING} where there is none"
    if column.kind is Kind.TEXT and not column.levels:
        meaning += "; README.md says what an apostrophe before it means"
    return meaning


def long_name(column: ExportedColumn) -> str:
    """Give a column's name in words."""
    words = column.name.removesuffix(f"_{column.unit}").replace("_", " ")
    return LONG_NAMES.get(column.name, words[:1].upper() + words[1:])
