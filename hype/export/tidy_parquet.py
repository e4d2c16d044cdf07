"""Parquet files with a description of each column: all answers, or preferences.

Unlike in CSV, text has no added apostrophes, and a cell without a value is null.

Preferences are pairs of images for reward models and preference tuning. Each row has two images of
one prompt; the first one got more votes. Only scored answers count: comparisons, pairs of images in
rankings, and ratings of pairs on the axis that asks which image is better overall.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import Engine

from hype.errors import InputError
from hype.export.data_set import read_about
from hype.export.kind import Ballot, CountedRows, ExportKind, ImageKey, unit_of
from hype.export.tidy_csv import column_entry, provenance, write_description
from hype.files import write_bytes
from hype.session.outgoing import Cells
from hype.store.record import record_of
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType, Column, Kind

BATCH_ROWS: Final = 1 << 14
"""Number of rows that are read at a time; earlier rows stay in memory as compressed bytes."""
TYPES: Final = {
    CellType.TEXT: pa.string(),
    CellType.WHOLE: pa.int64(),
    CellType.NUMBER: pa.float64(),
    CellType.FLAG: pa.bool_(),
    CellType.NUMBERS: pa.string(),
}
LEVELS: Final = pa.dictionary(pa.int8(), pa.string())


def write_parquet(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> int:
    """Write the answers of people or of simulated evaluators; return their number.

    Raises InputError: the folder cannot be written, or the record contains an impossible value.
    """
    schema = arrow_schema(kind.columns, provenance(study, kind, simulated=simulated))
    passing = CountedRows(kind.outgoing.read(engine, study, simulated=simulated))
    try:
        content = encode_parquet(passing, kind.columns, schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        problem = f"cannot be written as Parquet ({error})"
        raise InputError(record_of(study).where, problem, "for details, run hype verify") from None
    write_bytes(folder / f"{kind.name}.parquet", content)
    return passing.answers


def encode_parquet(rows: Iterable[Cells], columns: Sequence[Column], schema: Any) -> bytes:
    content = io.BytesIO()
    with parquet.ParquetWriter(content, schema) as writer:
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH_ROWS)):
            writer.write_batch(record_batch(batch, columns, schema))
    return content.getvalue()


def arrow_schema(columns: Sequence[Column], what: Mapping[str, object]) -> Any:
    metadata = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in what.items()
    }
    fields = []
    for column in columns:
        about = {"description": column.meaning}
        if unit := unit_of(column):
            about["unit"] = unit
        if column.levels:
            about["levels"] = json.dumps(dict(column.levels), ensure_ascii=False)
        kind = LEVELS if column.levels else TYPES[column.kind.cell_type]
        fields.append(pa.field(column.name, kind, nullable=column.null, metadata=about))
    return pa.schema(fields, metadata=metadata)


def record_batch(rows: Sequence[Cells], columns: Sequence[Column], schema: Any) -> Any:
    """Turn rows into columns, with null where a cell is empty."""
    arrays = [
        pa.array([None if cell == "" and column.null else cell for cell in cells], type=kind)
        for column, cells, kind in zip(columns, zip(*rows, strict=True), schema.types, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema)


NAME: Final = "preferences"
OF_PAIR: Final = (
    Column("prompt", Kind.TEXT, "what both images should show"),
    Column("chosen", Kind.TEXT, "path of the image that got more votes, within the stimulus set"),
    Column("rejected", Kind.TEXT, "path of the image that got fewer votes"),
    Column("chosen_condition", Kind.TEXT, "condition of the chosen image"),
    Column("rejected_condition", Kind.TEXT, "condition of the other image"),
    Column("chosen_sha256", Kind.TEXT, "SHA-256 of the chosen image's file"),
    Column("rejected_sha256", Kind.TEXT, "SHA-256 of the other image's file"),
    Column("votes_chosen", Kind.WHOLE, "how often the chosen image was preferred"),
    Column("votes_rejected", Kind.WHOLE, "how often the other image was preferred"),
    Column("ties", Kind.WHOLE, "how often neither was preferred"),
    Column("votes", Kind.WHOLE, "how often the two were compared: the sum of votes and ties"),
    Column(
        "margin",
        Kind.NUMBER,
        "(votes_chosen - votes_rejected) / votes: above 0, and 1 if all votes agree",
    ),
    Column("simulated", Kind.FLAG, "whether evaluators were simulated"),
)
"""The columns that all protocols have for a pair."""
LEFT_OUT: Final = (
    "Pairs with the same number of votes for both images are left out; pairs_left_out counts them."
)


def pairs_of(ballot: Ballot, *, simulated: bool) -> tuple[list[Cells], int]:
    """Return a row for each pair in which one image got more votes, and count the other pairs.

    The order of the two images does not matter; a replaced file counts as another image. Rows are
    sorted by prompt and paths, so that the same votes always give the same file.
    """
    votes: dict[tuple[str, ImageKey, ImageKey, tuple[object, ...]], Counter[ImageKey | None]] = {}
    for vote, times in ballot.count_votes().items():
        one, other = sorted((vote.one, vote.other), key=place)
        better = (vote.one if vote.verdict > 0 else vote.other) if vote.verdict else None
        votes.setdefault((vote.prompt, one, other, vote.about), Counter())[better] += times
    met = sorted(votes, key=lambda pair: (pair[0], place(pair[1]), place(pair[2]), str(pair[3])))
    rows: list[Cells] = []
    for prompt, one, other, about in met:
        cast = votes[prompt, one, other, about]
        chosen, rejected = (one, other) if cast[one] > cast[other] else (other, one)
        won, lost, number = cast[chosen], cast[rejected], cast.total()
        if won > lost:
            paths, conditions, sums = zip(chosen, rejected, strict=True)
            counts = (won, lost, cast[None], number, (won - lost) / number)
            rows.append((prompt, *paths, *conditions, *sums, *counts, simulated, *about))
    return rows, len(met) - len(rows)


def place(image: ImageKey) -> tuple[str, str, str]:
    path, condition, sha256 = image
    return path, sha256, condition


def write_preferences(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> str:
    """Write the pairs of people or of simulated evaluators; return their number as a text.

    Raises InputError: the study does not ask which of two images is better; no answer is scored;
    all pairs are ties; ``dataset.toml`` is wrong; the folder cannot be written.
    """
    if kind.pairs is None:
        raise InputError(study.path, "has no pairs of images")
    about = read_about(study)
    ballot = kind.pairs.votes(engine, study, simulated)
    rows, left_out = pairs_of(ballot, simulated=simulated)
    columns = (*OF_PAIR, *kind.pairs.columns)
    if not rows:
        problem = f"contains no scored {study.answers.removesuffix('s')}"
        if left_out:
            problem = "contains no pair in which one image got more votes than the other"
        allowed = "--format csv exports all answers, with the reasons for exclusion"
        raise InputError(record_of(study).where, problem, allowed)
    facts = {
        **provenance(study, kind, simulated=simulated),
        **({"license": about.license} if about.license else {}),
        "evaluators_scored": len(ballot.by_evaluator),
        **ballot.facts,
        "comparisons_scored": sum(votes.total() for votes in ballot.by_evaluator.values()),
        "pairs": len(rows),
        "pairs_left_out": left_out,
    }
    table = encode_parquet(rows, columns, arrow_schema(columns, facts))
    names = [column.name for column in columns]
    objects = (json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    write_bytes(folder / f"{NAME}.jsonl", "".join(objects).encode())  # ASCII: only \n ends a line
    write_bytes(folder / f"{NAME}.parquet", table)
    description = {
        **facts,
        "left_out": LEFT_OUT,
        "columns": [column_entry(description) for description in columns],
    }
    write_description(folder / f"{NAME}.json", description)
    words = f"; {left_out} left out, with the same number of votes for both images"
    return f"{len(rows)} pairs{words if left_out else ''}"
