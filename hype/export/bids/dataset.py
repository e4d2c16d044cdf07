"""A study's data as a BIDS data set: behavioural tables, their sidecars, stimuli, raw records.

The standard is the Brain Imaging Data Structure, https://bids-specification.readthedocs.io.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine

from hype.export.about import read_about
from hype.export.bids.judgements import write_judgements, write_sidecars
from hype.export.bids.names import names_of
from hype.export.bids.people import write_participants, write_sessions
from hype.export.bids.sidecars import dataset_description
from hype.export.bids.tables import READING
from hype.export.evaluator_table import evaluator_rows
from hype.export.folder import new_folder, write_json, write_text
from hype.export.judged import Tally
from hype.export.judged_images import copy_images, images_judged
from hype.export.raw_record import write_raw_record
from hype.export.readme import Told, introduction, read_told, to_be_known
from hype.sessions.exported import exported_judgements, require_judgements
from hype.study.load import Study


def write_bids(engine: Engine, study: Study, folder: Path, *, simulated: bool) -> int:
    """Write the data of people, or those of simulated evaluators, and say how many judgements.

    Raises
    ------
    InputError
        There is none; ``folder`` is not new or empty, or cannot be written; an image that was
        judged is gone or is another one now; ``dataset.toml`` is wrong. Then nothing is written.
    """
    require_judgements(engine, study, simulated=simulated)
    about = read_about(study)
    tally = Tally()
    with new_folder(folder) as root, engine.connect() as connection:
        told = read_told(connection, study, about, simulated=simulated)
        judged = images_judged(connection, simulated=simulated)
        places = copy_images(study.stimuli_folder, judged, root / "stimuli")
        names = names_of((who.evaluator for who in told.evaluators), told.sittings, places)
        exported = exported_judgements(engine, study, simulated=simulated)
        write_sidecars(root, told, write_judgements(root, names, exported, tally))
        people = evaluator_rows(connection, study, tally, simulated=simulated)
        write_participants(root, names, people)
        write_sessions(root, names, told.sittings, tally)
        write_raw_record(connection, root / "sourcedata" / "record", simulated=simulated)
        write_json(root / "dataset_description.json", dataset_description(told))
        write_text(root / "README.md", "\n\n".join(readme(told, tally)) + "\n")
    return tally.judgements


def readme(told: Told, tally: Tally) -> Iterator[str]:
    """Give the paragraphs of the read-me file."""
    yield from introduction(told, tally)
    yield "## What is where"
    yield (
        "- `sub-…/ses-…/beh/…_beh.tsv`: judgements, a row each; `task-…_beh.json` says what each "
        "column holds, and what was asked in which words\n"
        "- `participants.tsv`: all evaluators, also those who judged nothing and have no folder\n"
        "- `sub-…/sub-…_sessions.tsv`: an evaluator's sessions; a session without a folder is one "
        "in which nothing was judged\n"
        "- `stimuli/`: the images that were judged, each certain to be the one that was shown "
        "(SHA-256); `stim_file` leads to it, `image` is its path in the study; "
        "`stimuli/manifest.csv` has both. Masks are named in the column `masks`, and not here\n"
        "- `sourcedata/record/`: the record row by row, with all times and events"
    )
    yield from to_be_known(told)
    yield READING
