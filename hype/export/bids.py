"""Write a study's data as a BIDS data set: behavioural tables, sidecars, stimuli, raw records.

The standard is the Brain Imaging Data Structure, https://bids-specification.readthedocs.io.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, Row

from hype.errors import InputError, quote_path
from hype.export.data_set import (
    About,
    DataSet,
    introduction,
    new_folder,
    read_about,
    read_data_set,
    reader_notes,
    write_bytes,
    write_chunks,
    write_json,
    write_raw_record,
    write_text,
)
from hype.export.kind import ExportKind, Fact, Tally, labels, paths, pieces, unit_of
from hype.export.people import had_images, read_evaluators, session_facts
from hype.files import (
    LARGEST_IMAGE_BYTES,
    MISSING_WORDS,
    check_relative,
    csv_lines,
    guard,
    inside,
    read_bytes,
    read_table,
)
from hype.session.facts import versions
from hype.session.outgoing import Exported
from hype.session.steps import NO_ANSWER
from hype.stimuli.manifest import COLUMNS, MANIFEST
from hype.store.columns import object_in
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType, Column, Kind

PUT_BACK: Final = "put back the image that was shown"
LICENCES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "LICENCE.md", "LICENCE.txt")


def copy_images(
    study: AnyStudy, kind: ExportKind, exported: Exported, folder: Path
) -> dict[str, str]:
    """Copy all shown images into ``folder``, with their rows of the manifest, and the licences.

    Returns, for each image, its path in ``folder``, written with plain characters.

    Raises InputError: an image is missing, or is not the one that was shown.
    """
    at = [tuple(map(exported.columns.index, (image.path, image.sha256))) for image in kind.images]
    shown: dict[str, set[str]] = defaultdict(set)
    for row in exported.rows:
        for column, sha256 in at:
            if row[column] is not None:
                shown[str(row[column])].add(str(row[sha256]))
    places = paths(sorted(shown))
    for image, place in places.items():
        write_bytes(folder / place, read_shown(study, image, shown[image]))
    joined = (("", stimuli) for stimuli in study.added_sets.values())
    listed = []
    for beginning, stimuli in (("", study.stimuli_folder), *joined, *study.other_sets.items()):
        made_by = f"hype stimuli scan {quote_path(stimuli)}"
        for _, cells in read_table(inside(stimuli, MANIFEST), COLUMNS, made_by=made_by):
            path = f"{beginning}/{cells['path']}" if beginning else cells["path"]
            if path in places:
                listed.append(cells | {"path": path})
        for name in LICENCES:
            if inside(stimuli, name).is_file():
                licence = read_bytes(stimuli / name, most_bytes=LARGEST_IMAGE_BYTES)
                write_bytes(folder / beginning / name, licence)
    columns = list(dict.fromkeys(name for cells in listed for name in cells if name))
    manifest = sorted((places[cells["path"]], *map(cells.get, columns)) for cells in listed)
    write_text(folder / MANIFEST, csv_lines([("stim_file", *columns), *manifest]))
    return places


def read_shown(study: AnyStudy, image: str, checksums: set[str]) -> bytes:
    """Read an image, and check that it is the one that was shown."""
    check_relative("a trial's image", image)
    path = inside(*study.place_of(image))
    try:
        content = read_bytes(path, most_bytes=LARGEST_IMAGE_BYTES)
    except OSError as error:
        raise InputError(
            path, f"was shown and cannot be read: {error.strerror}", PUT_BACK
        ) from None
    if {hashlib.sha256(content).hexdigest()} != checksums:
        problem = "is not the image that was shown: its SHA-256 differs"
        if len(checksums) > 1:
            problem = "changed between sessions: its SHA-256 differs"
        raise InputError(path, problem, PUT_BACK)
    return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The data set's name for each evaluator (by code), session (by number) and image (by path)."""

    subjects: Mapping[str, str]
    sessions: Mapping[int, str]
    images: Mapping[str, str]

    def table(self, evaluator: str, session: int, task: str) -> Path:
        """Return the path of the table with an evaluator's answers to a task in a session."""
        parts = (self.subjects[evaluator], self.sessions[session])
        name = "_".join((*parts, f"task-{task}", "beh.tsv"))
        return Path(*parts, "beh", name)

    def place(self, image: object) -> str:
        return self.images[str(image)] if image else ""


NOTHING: Final = "n/a"
MISREAD_HERE: Final = re.compile(r"'*(?:\"|n/a\Z)")
"""Cells that some programs misread: text that starts with a quotation mark (the following lines are
read as part of the cell), and text that is the same as the word for missing values."""

FORMATS: Final = {
    CellType.TEXT: "string",
    CellType.WHOLE: "integer",
    CellType.NUMBER: "number",
    CellType.FLAG: "boolean",
    CellType.NUMBERS: "string",
}

HED_VERSION: Final = "8.4.0"

STIMULUS: Final = "Experimental-stimulus, Visual-presentation, Image"

HED: Final = {
    "truth": {made: f"({STIMULUS}, Label/{made})" for made in ("real", "fake")},
    "answer": {NO_ANSWER: "Omitted-action"},
    "correct": {"true": "Correct-action", "false": "Incorrect-action"},
}
"""Machine-readable tags for the values of columns (Hierarchical Event Descriptors)."""

READING: Final = (
    "An apostrophe is added before text that starts with =, +, -, @ or a quotation mark, so that "
    "no program reads it as a formula or a quotation. It is also added before the words "
    f"{', '.join(sorted(MISSING_WORDS))} and {NOTHING}, so that no program reads them as missing "
    "values, and before text such as 'NA, which already has an apostrophe."
)
"""Tells the readers of a data set which cells have an added apostrophe."""


def cell(value: object) -> str:
    """Write a value on one line; mark text that programs would misread."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    line = "".join(c if c.isprintable() else " " for c in value)
    return f"'{line}" if MISREAD_HERE.match(line) else guard(line)


def lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    return ("\t".join(map(cell, row)) + "\n" for row in rows)


def header(columns: Iterable[Column]) -> str:
    return "\t".join(column.name for column in columns) + "\n"


def dictionary(columns: Iterable[Column]) -> dict[str, object]:
    return {column.name: entry(column) for column in columns}


def entry(column: Column) -> dict[str, object]:
    """Describe one column. In BIDS, a list of numbers is text with a delimiter."""
    described: dict[str, object] = {"Description": description(column)}
    if unit := unit_of(column):
        described["Units"] = unit
    if column.levels:
        described["Levels"] = {cell(level): meaning for level, meaning in column.levels.items()}
    else:
        described["Format"] = FORMATS[column.kind.cell_type]
    if column.kind is Kind.NUMBERS:
        described["Delimiter"] = " "
    cells = ("true", "false") if column.kind is Kind.FLAG else column.levels
    level_tags = HED.get(column.name, {})
    if column.name == "answer":
        level_tags = {cell: f"(Participant-response, Label/{cell})" for cell in cells} | level_tags
    if tags := {cell: tag for cell, tag in level_tags.items() if cell in cells}:
        described["HED"] = tags
    return described


def description(column: Column) -> str:
    """Describe a column: its meaning, its missing values, and where apostrophes are explained."""
    meaning = column.meaning.replace("empty", NOTHING)
    if column.null and NOTHING not in meaning:
        meaning += f"; {NOTHING} if there is none"
    if column.kind is Kind.TEXT and not column.levels:
        meaning += "; README.md explains apostrophes"
    return meaning


STANDARD_NAMES: Final = {"started_utc": "acq_time"}
"""Columns that have another name in BIDS."""

PARTICIPANT: Final = Column(
    "participant_id", Kind.TEXT, "name of the evaluator's folder: sub- and the code"
)
SESSION: Final = Column("session_id", Kind.TEXT, "the session's number for this evaluator, from 01")


def write_sessions(
    root: Path, names: Names, facts: Sequence[Fact], sessions: Sequence[Row[Any]]
) -> None:
    described = (fact.column for fact in facts)
    columns = (SESSION, *(replace(c, name=STANDARD_NAMES.get(c.name, c.name)) for c in described))
    for session in sessions:
        subject = names.subjects[session.evaluator]
        table = root / Path(subject, f"{subject}_sessions.tsv")
        if not table.exists():
            write_chunks(table, [header(columns)])
        row = (names.sessions[session.id], *(fact.of(session) for fact in facts))
        write_chunks(table, lines([row]))
    if sessions:
        write_json(root / "sessions.json", dictionary(columns))


BIDS_VERSION: Final = "1.11.1"
PSYCHOPY: Final = {"SoftwareName": "PsychoPy", "SoftwareRRID": "SCR_006571"}

ON_DATASET: Final = {
    "Authors": "authors",
    "License": "license",
    "Acknowledgements": "acknowledgements",
    "Funding": "funding",
    "EthicsApprovals": "ethics_approvals",
    "Keywords": "keywords",
    "DatasetDOI": "doi",
}

ON_TASK: Final = {
    "InstitutionName": "institution",
    "InstitutionAddress": "institution_address",
    "InstitutionalDepartmentName": "institution_department",
    "CogAtlasID": "cog_atlas_id",
    "CogPOID": "cogpo_id",
}
"""Fields of BIDS, each with the key of ``dataset.toml`` that contains its value."""


def about_fields(about: About, fields: Mapping[str, str]) -> dict[str, Any]:
    values = about.model_dump(mode="json")
    return {field: values[key] for field, key in fields.items() if values[key]}


def dataset_description(data_set: DataSet) -> dict[str, Any]:
    return {
        "Name": data_set.title,
        "BIDSVersion": BIDS_VERSION,
        "HEDVersion": HED_VERSION,
        "DatasetType": "raw",
        **about_fields(data_set.about, ON_DATASET),
        "ReferencesAndLinks": [data_set.kind.link, *data_set.about.references],
        "GeneratedBy": [
            {
                "Name": "hype",
                "Version": versions().get("hype", ""),
                "Description": "hype export --format bids"
                + (" --simulated" if data_set.simulated else ""),
            }
        ],
        "SourceDatasets": [{"URL": "bids::sourcedata/record"}],
    }


def stimulus_presentation(study: AnyStudy, session: Row[Any]) -> dict[str, object]:
    """Describe the software and the display of a session; {} if the session showed no images."""
    if not had_images(session):
        return {}
    display = object_in(session.display)
    facts = {
        "OperatingSystem": object_in(session.machine).get("system"),
        "SoftwareVersion": object_in(session.versions).get("psychopy"),
        "ScreenRefreshRate": display.get("refresh_hz"),
    }
    size_px, monitor = display.get("screen_px"), study.settings.monitor
    if isinstance(size_px, list) and len(size_px) == 2 and all(size_px):
        facts |= {"ScreenResolution": size_px, "ScreenOrigin": ["center", "center"]}
        if monitor is not None:
            width_m = monitor.width_cm / 100
            facts["ScreenSize"] = [width_m, round(width_m * size_px[1] / size_px[0], 4)]
            facts["ScreenDistance"] = monitor.distance_cm / 100
    return PSYCHOPY | {name: fact for name, fact in facts.items() if fact}


Tables = Mapping[str, Mapping[Path, int]]
"""For each task: the paths of its tables, and for each path the number of the session."""


def columns_of(kind: ExportKind) -> tuple[Column, ...]:
    return (*kind.columns, *(image.place for image in kind.images))


def write_answers(
    root: Path, names: Names, kind: ExportKind, exported: Exported, tally: Tally
) -> Tables:
    """Write and count all answers; add columns with the images' paths in the data set."""
    first_line = header(columns_of(kind))
    images = [exported.columns.index(image.path) for image in kind.images]
    tables: dict[str, dict[Path, int]] = defaultdict(dict)
    for evaluator, session, task, answers in pieces(exported, tally, kind.labels):
        table = names.table(evaluator, session, task)
        if table not in tables[task]:
            write_chunks(root / table, [first_line])
        tables[task][table] = session
        rows = ((*row, *(names.place(row[at]) for at in images)) for row in answers)
        write_chunks(root / table, lines(rows))
    return tables


def write_sidecars(root: Path, data_set: DataSet, tables: Tables) -> None:
    """Describe each task in a file in the data set's root.

    The display is described there if all sessions had the same one, else next to each table.
    """
    columns = dictionary(columns_of(data_set.kind))
    by_session = {
        session.id: stimulus_presentation(data_set.study, session) for session in data_set.sessions
    }
    for task, table in tables.items():
        shown = [by_session[session] for session in table.values()]
        common = shown[0] if all(presentation == shown[0] for presentation in shown) else {}
        words = data_set.kind.tasks(data_set.study)[task]
        sidecar = {
            "TaskName": task,
            **({"TaskDescription": words.description} if words.description else {}),
            "Instructions": words.instructions,
            **about_fields(data_set.about, ON_TASK),
            **({"StimulusPresentation": common} if common else {}),
            **columns,
        }
        write_json(root / f"task-{task}_beh.json", sidecar)
        for file, session in table.items():
            if not common and by_session[session]:
                presentation = {"StimulusPresentation": by_session[session]}
                write_json((root / file).with_suffix(".json"), presentation)


def write_bids(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> int:
    """Write the data of people or of simulated evaluators; return the number of answers.

    Raises InputError: there are no answers; ``folder`` is not new or empty, or cannot be written;
    an image that was shown is missing or has changed; ``dataset.toml`` is wrong. Then nothing is
    written.
    """
    kind.outgoing.require(engine, study, simulated=simulated)
    about = read_about(study)
    tally = Tally()
    with new_folder(folder) as root, engine.connect() as connection:
        data_set = read_data_set(connection, study, kind, about, simulated=simulated)
        exported = kind.outgoing.read(engine, study, simulated=simulated)
        subjects = labels(who.evaluator for who in data_set.evaluators)
        numbers: dict[str, count[int]] = defaultdict(lambda: count(1))
        names = Names(
            subjects={code: f"sub-{made}" for code, made in subjects.items()},
            sessions={
                session.id: f"ses-{next(numbers[session.evaluator]):02d}"
                for session in data_set.sessions
            },
            images=copy_images(study, kind, exported, root / "stimuli"),
        )
        exported = kind.outgoing.read(engine, study, simulated=simulated)
        write_sidecars(root, data_set, write_answers(root, names, kind, exported, tally))
        facts = tuple(kind.people(connection, study, tally, simulated))
        described = (PARTICIPANT, *(fact.column for fact in facts))
        rows = (
            (names.subjects[who.evaluator], *(fact.of(who) for fact in facts))
            for who in read_evaluators(connection, simulated=simulated)
        )
        write_chunks(root / "participants.tsv", [header(described), *lines(rows)])
        write_json(root / "participants.json", dictionary(described))
        # Evaluators without answers have no folder, and so no table of sessions.
        answered = [who for who in data_set.sessions if tally.by_evaluator[who.evaluator]]
        write_sessions(root, names, session_facts(kind, tally), answered)
        write_raw_record(connection, kind, root / "sourcedata" / "record", simulated=simulated)
        write_json(root / "dataset_description.json", dataset_description(data_set))
        write_text(root / "README.md", "\n\n".join(readme(data_set, tally)) + "\n")
    return tally.answers


def readme(data_set: DataSet, tally: Tally) -> Iterator[str]:
    kind = data_set.kind
    places = ", ".join(f"`{image.place.name}`" for image in kind.images)
    paths = ", ".join(f"`{image.path}`" for image in kind.images)
    yield from introduction(data_set, tally)
    yield "## Files"
    yield (
        f"- `sub-…/ses-…/beh/…_beh.tsv`: {kind.name}, {kind.per_answer}; `task-…_beh.json` gives "
        "the meaning of each column, and the instructions of the task\n"
        f"- `participants.tsv`: all evaluators, also those without {kind.name}, who have no folder"
        "\n- `sub-…/sub-…_sessions.tsv`: an evaluator's sessions; a session without a folder has "
        f"no {kind.name}\n"
        "- `stimuli/`: the images that were shown, each checked by its SHA-256. "
        f"Tables give an image's path in this folder ({places}) and in the study ({paths}); "
        f"`stimuli/manifest.csv` has both{'. ' if kind.on_images else ''}{kind.on_images}\n"
        "- `sourcedata/record/`: the record row by row, with all times and events"
    )
    yield from reader_notes(data_set)
    yield READING
