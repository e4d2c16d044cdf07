"""A study's data as a BIDS data set: behavioural tables, their sidecars, stimuli, raw records.

The standard is the Brain Imaging Data Structure, https://bids-specification.readthedocs.io.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine

from hype.export.about import read_about
from hype.export.bids.answers import write_answers, write_sidecars
from hype.export.bids.names import names_of
from hype.export.bids.people import write_participants, write_sessions
from hype.export.bids.sidecars import dataset_description
from hype.export.bids.tables import READING
from hype.export.folder import new_folder, write_json, write_text
from hype.export.kinds.base import ExportKind
from hype.export.kinds.of_study import kind_of
from hype.export.pieces import Tally
from hype.export.raw_record import write_raw_record
from hype.export.readme import Told, introduction, read_told, to_be_known
from hype.export.shown_images import copy_images, images_shown
from hype.study.studies import AnyStudy


def write_bids(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    """Write the data of people, or those of simulated evaluators, and say how many answers.

    Raises
    ------
    InputError
        There is none; ``folder`` is not new or empty, or cannot be written; an image that was
        shown is gone or is another one now; ``dataset.toml`` is wrong. Then nothing is written.
    """
    kind = kind_of(study)
    kind.outgoing.require(engine, study, simulated=simulated)
    about = read_about(study)
    tally = Tally()
    with new_folder(folder) as root, engine.connect() as connection:
        told = read_told(connection, study, kind, about, simulated=simulated)
        shown = images_shown(connection, kind, simulated=simulated)
        places = copy_images(study, shown, root / "stimuli")
        names = names_of((who.evaluator for who in told.evaluators), told.sittings, places)
        exported = kind.outgoing.read(engine, study, simulated=simulated)
        write_sidecars(root, told, write_answers(root, names, kind, exported, tally))
        write_participants(root, names, kind.people(connection, study, tally, simulated))
        write_sessions(root, names, kind, told.sittings, tally)
        write_raw_record(connection, kind, root / "sourcedata" / "record", simulated=simulated)
        write_json(root / "dataset_description.json", dataset_description(told))
        write_text(root / "README.md", "\n\n".join(readme(told, tally)) + "\n")
    return tally.answers


def readme(told: Told, tally: Tally) -> Iterator[str]:
    """Give the paragraphs of the read-me file."""
    yield from introduction(told, tally)
    yield "## What is where"
    yield "\n".join(f"- {line}" for line in what_is_where(told.kind))
    yield from to_be_known(told)
    yield READING


def what_is_where(kind: ExportKind) -> Iterator[str]:
    """Say what each part of the data set holds."""
    places = ", ".join(f"`{image.place.name}`" for image in kind.images)
    paths = ", ".join(f"`{image.path}`" for image in kind.images)
    yield (
        f"`sub-…/ses-…/beh/…_beh.tsv`: {kind.name}, {kind.per_answer}; `task-…_beh.json` says "
        "what each column holds, and what was asked in which words"
    )
    yield f"`participants.tsv`: all evaluators, also those without {kind.name}, who have no folder"
    yield (
        "`sub-…/sub-…_sessions.tsv`: an evaluator's sessions; a session without a folder is one "
        f"without {kind.name}"
    )
    yield (
        "`stimuli/`: the images that were shown, each certain to be the one that was (SHA-256). "
        f"A row has an image's place there ({places}) and its path in the study ({paths}); "
        f"`stimuli/manifest.csv` has both{'. ' if kind.on_images else ''}{kind.on_images}"
    )
    yield "`sourcedata/record/`: the record row by row, with all times and events"
