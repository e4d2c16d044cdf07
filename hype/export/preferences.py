"""Which image was preferred: pairs for reward models and preference tuning.

A row for each two images of a prompt that met and were not liked equally often: the one that more
people chose, and the other. Only what is scored counts: a comparison, each two images of a ranking,
or the rating of a pair on the axis that says which image is better overall.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Engine

from hype.errors import InputError
from hype.export.data_set import read_about
from hype.export.kind import Ballot, ExportedColumn, ExportKind
from hype.export.tidy_csv import column_entry, provenance
from hype.export.tidy_parquet import arrow_schema, as_parquet
from hype.files import write_bytes
from hype.session.outgoing import Cells
from hype.store.record import RECORD_FILE
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType

NAME: Final = "preferences"
OF_PAIR: Final = (
    ExportedColumn(name="prompt", meaning="what both images are to show", kind=CellType.TEXT),
    ExportedColumn(
        name="chosen",
        meaning="path within the stimulus set of the image that got more votes",
        kind=CellType.TEXT,
    ),
    ExportedColumn(name="rejected", meaning="path of the one that got fewer", kind=CellType.TEXT),
    ExportedColumn(
        name="chosen_condition", meaning="condition that made the chosen image", kind=CellType.TEXT
    ),
    ExportedColumn(
        name="rejected_condition", meaning="condition that made the other", kind=CellType.TEXT
    ),
    ExportedColumn(
        name="chosen_sha256", meaning="SHA-256 of the chosen image's file", kind=CellType.TEXT
    ),
    ExportedColumn(name="rejected_sha256", meaning="SHA-256 of the other's", kind=CellType.TEXT),
    ExportedColumn(
        name="votes_chosen", meaning="how often the chosen image was preferred", kind=CellType.WHOLE
    ),
    ExportedColumn(
        name="votes_rejected", meaning="how often the other was preferred", kind=CellType.WHOLE
    ),
    ExportedColumn(name="ties", meaning="how often both were found alike", kind=CellType.WHOLE),
    ExportedColumn(
        name="votes", meaning="how often they were compared: all of these", kind=CellType.WHOLE
    ),
    ExportedColumn(
        name="margin",
        meaning="(votes_chosen - votes_rejected) / votes: above 0, and 1 where all agree",
        kind=CellType.NUMBER,
    ),
    ExportedColumn(name="simulated", meaning="whether nobody real was asked", kind=CellType.FLAG),
)
"""Of a pair, whatever was asked."""
LEFT_OUT: Final = (
    "Pairs with as many votes for one image as for the other have no chosen one and are left out; "
    "pairs_left_out counts them."
)


class PairedImage(NamedTuple):
    """An image of a pair."""

    path: str
    condition: str
    sha256: str


@dataclass(slots=True, kw_only=True)
class VotedPair:
    """Two images of a prompt that met, in the order of their paths, and what was answered."""

    prompt: str
    images: tuple[PairedImage, PairedImage]
    about: tuple[object, ...]
    votes: Counter[PairedImage] = field(default_factory=Counter)
    ties: int = 0

    @property
    def chosen(self) -> PairedImage:
        return max(self.images, key=lambda image: self.votes[image])

    @property
    def rejected(self) -> PairedImage:
        return min(self.images, key=lambda image: self.votes[image])

    @property
    def decided(self) -> bool:
        one, other = self.images
        return self.votes[one] != self.votes[other]


Met = tuple[str, PairedImage, PairedImage, tuple[object, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """All pairs that met, in the order of prompts and paths."""

    by_images: Mapping[Met, VotedPair]

    @property
    def decided(self) -> Iterator[VotedPair]:
        return (pair for pair in self.by_images.values() if pair.decided)

    @property
    def undecided(self) -> int:
        return sum(not pair.decided for pair in self.by_images.values())


def count_pairs(ballot: Ballot) -> Pairs:
    """Gather votes on the same two images, whichever came first.

    A file that was replaced is another image.
    """
    voted_pairs: dict[Met, VotedPair] = {}
    for vote, times in ballot.alike().items():
        one, other = candidate_of(*vote.one), candidate_of(*vote.other)
        images = (one, other) if place(one) <= place(other) else (other, one)
        pair = voted_pairs.setdefault(
            (vote.prompt, *images, vote.about),
            VotedPair(prompt=vote.prompt, images=images, about=vote.about),
        )
        if vote.verdict:
            pair.votes[one if vote.verdict > 0 else other] += times
        else:
            pair.ties += times
    return Pairs(by_images=in_order(voted_pairs))


def candidate_of(path: str, condition: str, sha256: str) -> PairedImage:
    return PairedImage(path=path, condition=condition, sha256=sha256)


def place(image: PairedImage) -> tuple[str, str, str]:
    return image.path, image.sha256, image.condition


def in_order(voted_pairs: Mapping[Met, VotedPair]) -> dict[Met, VotedPair]:
    """Sort pairs by prompt and paths: the same votes give the same file, whoever came first."""
    ordered = sorted(
        voted_pairs.items(),
        key=lambda item: (item[0][0], *map(place, item[1].images), str(item[1].about)),
    )
    return dict(ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many pairs were written, and how many had no chosen one."""

    pairs: int
    left_out: int

    def __str__(self) -> str:
        summary = f"{self.pairs} pairs"
        left_out = f"{self.left_out} left out, with as many votes for one image as for the other"
        return f"{summary}; {left_out}" if self.left_out else summary


def write_preferences(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> Written:
    """Write the pairs of people, or those of simulated evaluators, and say how many.

    Raises InputError: nothing is scored, or no image got more votes than another; nothing says
    which of two images is preferred; ``dataset.toml`` is wrong; the folder cannot be written.
    """
    if kind.pairs is None:
        raise InputError(study.path, "has no pairs of images")
    about = read_about(study)
    ballot = kind.pairs.votes(engine, study, simulated)
    pairs = count_pairs(ballot)
    columns = (*OF_PAIR, *kind.pairs.columns)
    rows = [row_of(pair, simulated=simulated) for pair in pairs.decided]
    if not rows:
        raise nothing_preferred(study, pairs)
    facts = {
        **provenance(study, kind, simulated=simulated),
        **({"license": about.license} if about.license else {}),
        "evaluators_scored": len(ballot.by_evaluator),
        **ballot.told,
        "comparisons_scored": sum(votes.total() for votes in ballot.by_evaluator.values()),
        "pairs": len(rows),
        "pairs_left_out": pairs.undecided,
    }
    table = as_parquet(rows, columns, arrow_schema(columns, facts))
    write_bytes(folder / f"{NAME}.jsonl", json_lines(rows, columns))
    write_bytes(folder / f"{NAME}.parquet", table)
    description = {
        **facts,
        "left_out": LEFT_OUT,
        "columns": [column_entry(description) for description in columns],
    }
    text = json.dumps(description, ensure_ascii=False, indent=2) + "\n"
    write_bytes(folder / f"{NAME}.json", text.encode())
    return Written(pairs=len(rows), left_out=pairs.undecided)


def nothing_preferred(study: AnyStudy, pairs: Pairs) -> InputError:
    problem = f"holds no {study.answers.removesuffix('s')} that is scored"
    if pairs.undecided:
        problem = "holds no pair of images of which one got more votes than the other"
    return InputError(study.folder / RECORD_FILE, problem, "--format csv has all, and says why")


def row_of(pair: VotedPair, *, simulated: bool) -> Cells:
    chosen, rejected = pair.chosen, pair.rejected
    won, lost = pair.votes[chosen], pair.votes[rejected]
    number = won + lost + pair.ties
    return (
        *(pair.prompt, chosen.path, rejected.path, chosen.condition, rejected.condition),
        *(chosen.sha256, rejected.sha256, won, lost, pair.ties, number, (won - lost) / number),
        *(simulated, *pair.about),
    )


def json_lines(rows: Sequence[Cells], columns: Sequence[ExportedColumn]) -> bytes:
    """Write each row as an object on a line, in ASCII: some text ends a line to some readers."""
    names = [column.name for column in columns]
    objects = (dict(zip(names, row, strict=True)) for row in rows)
    return "".join(json.dumps(entry) + "\n" for entry in objects).encode()
