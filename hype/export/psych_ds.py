"""A study's data as a Psych-DS data set: CSV files with descriptive names, and their metadata.

The standard: https://psychds-docs.readthedocs.io/en/latest/reference/rules_and_conventions/.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, Row

from hype.export.data_set import (
    DataSet,
    introduction,
    new_folder,
    query_of,
    read_about,
    read_data_set,
    read_resolved,
    reader_notes,
    summary,
    write_chunks,
    write_json,
    write_raw_record,
    write_text,
)
from hype.export.kind import ExportKind, Fact, Tally, label, labels, pieces, unit_of
from hype.export.people import read_evaluators, session_facts
from hype.export.tidy_csv import READING
from hype.files import csv_lines
from hype.session.facts import versions
from hype.session.outgoing import Exported
from hype.store.schema import studies
from hype.study.studies import AnyStudy
from hype.tables.columns import Column, Kind

SCHEMA_VERSION: Final = "Psych-DS 1.5.1"
UNIT_CODES: Final = {"ms": "C26", "s": "SEC", "Hz": "HTZ"}
"""The codes of units from UN/CEFACT; schema.org requires them."""


def dataset_description(data_set: DataSet, columns: Iterable[Column]) -> dict[str, Any]:
    about = data_set.about
    description: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": data_set.title,
        "description": f"{summary(data_set)} Written by hype {versions().get('hype', '')}.",
        "schemaVersion": SCHEMA_VERSION,
        "author": [{"@type": "Person", "name": name} for name in about.authors],
        "license": about.license,
        "keywords": list(about.keywords),
        "citation": [data_set.kind.reference, *about.references],
        "identifier": about.doi,
        "temporalCoverage": "/".join(data_set.days) if data_set.days else None,
        "variableMeasured": [variable(column) for column in columns],
    }
    return {name: value for name, value in description.items() if value}


def variable(column: Column) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "@type": "PropertyValue",
        "name": column.name,
        "description": column.meaning,
    }
    if unit := unit_of(column):
        entry["unitText"] = unit
        entry["unitCode"] = UNIT_CODES[unit]
    if levels := levels_of(column):
        entry["valueReference"] = [
            {"@type": "PropertyValue", "value": value, "description": meaning}
            for value, meaning in levels.items()
        ]
    return entry


def levels_of(column: Column) -> Mapping[str, str]:
    """Return a column's possible values with their meanings; empty if they are not listed."""
    if column.kind is Kind.FLAG:
        return {"true": "yes", "false": "no"}
    return column.levels


DATA: Final = Path("data")

IGNORED: Final = (
    "# The validator skips these: they are not tables, or not part of the standard.",
    "data/raw/",
    "materials/",
    "documentation/",
    "analysis/",
    "results/",
)

ANALYSIS: Final = """# Analysis

`hype score STUDY` computes the scores from the study. `hype score {name}.csv` computes
them from the table that `hype export STUDY --format csv` writes. In the tables in `data/`,
rows with an empty column `excluded` are scored.
"""

RESULTS: Final = """# Results

This folder has no results: `hype score` and `hype report` compute them from the {name}.
"""


def write_psych_ds(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> int:
    """Write the data of people or of simulated evaluators; return the number of answers.

    Raises InputError: there are no answers; ``folder`` is not new or empty, or cannot be written;
    ``dataset.toml`` is wrong. Then nothing is written.
    """
    kind.outgoing.require(engine, study, simulated=simulated)
    about = read_about(study)
    tally = Tally()
    with new_folder(folder) as root, engine.connect() as connection:
        data_set = read_data_set(connection, study, kind, about, simulated=simulated)
        write_answers(root, data_set, kind.outgoing.read(engine, study, simulated=simulated), tally)
        people = tuple(kind.people(connection, study, tally, simulated))
        came = read_evaluators(connection, simulated=simulated)
        write_table(root, data_set, "evaluators", people, came)
        about_sessions = session_facts(kind, tally)
        write_table(root, data_set, "sessions", about_sessions, data_set.sessions)
        write_raw_record(connection, kind, root / DATA / "raw", simulated=simulated)
        for row in connection.execute(query_of(studies, simulated=simulated)):
            place = root / "materials" / f"study-{row.checksum[:12]}.json"
            write_json(place, read_resolved(row.resolved))
        unique: dict[str, Column] = {}
        for column in (*kind.columns, *(fact.column for fact in (*people, *about_sessions))):
            unique.setdefault(column.name, column)
        columns = unique.values()
        write_json(root / "dataset_description.json", dataset_description(data_set, columns))
        write_text(root / "README.md", "\n\n".join(readme(data_set, tally)) + "\n")
        changes = ["# Changes", "## 1.0.0"]
        if data_set.days:
            changes.append(f"Sessions up to {data_set.days[1]} (UTC).")
        changes.append(f"{len(data_set.evaluators)} evaluators, {len(data_set.sessions)} sessions.")
        if data_set.removed:
            changes.append(f"The data of {data_set.removed} evaluators were removed on request.")
        write_text(root / "CHANGES.md", "\n\n".join(changes) + "\n")
        write_text(root / ".psychds-ignore", "\n".join(IGNORED) + "\n")
        write_text(
            root / "documentation" / "columns.md", "\n".join(data_dictionary(columns)) + "\n"
        )
        write_text(root / "analysis" / "README.md", ANALYSIS.format(name=kind.name))
        write_text(root / "results" / "README.md", RESULTS.format(name=kind.name))
    return tally.answers


def write_answers(root: Path, data_set: DataSet, exported: Exported, tally: Tally) -> None:
    """Write a table for each evaluator and task, and count the answers."""
    subjects = labels(who.evaluator for who in data_set.evaluators)
    written: set[Path] = set()
    for evaluator, _, task, answers in pieces(exported, tally, data_set.kind.labels):
        keywords = {"subject": subjects[evaluator], "task": task}
        table = root / file_name(data_set.study, keywords)
        if table not in written:
            write_chunks(table, [csv_lines([exported.columns])])
        written.add(table)
        write_chunks(table, [csv_lines(answers)])


def write_table(
    root: Path, data_set: DataSet, name: str, facts: Sequence[Fact], rows: Iterable[Row[Any]]
) -> None:
    header = [fact.column.name for fact in facts]
    text = csv_lines([header, *([fact.of(row) for fact in facts] for row in rows)])
    write_text(root / file_name(data_set.study, {"description": name}), text)


def file_name(study: AnyStudy, keywords: Mapping[str, str]) -> Path:
    pairs = {"study": label(study.settings.study.name), **keywords}
    return DATA / "_".join((*(f"{key}-{value}" for key, value in pairs.items()), "data.csv"))


def readme(data_set: DataSet, tally: Tally) -> Iterator[str]:
    yield from introduction(data_set, tally)
    yield "## Files"
    name, rows = data_set.kind.name, data_set.kind.per_answer
    yield (
        f"This is a data set of the standard {SCHEMA_VERSION}.\n\n"
        f"- `data/…_subject-…_task-…_data.csv`: an evaluator's {name} in a task, {rows}\n"
        f"- `data/…_description-evaluators_data.csv`: all evaluators, also those without {name}\n"
        "- `data/…_description-sessions_data.csv`: all sessions\n"
        "- `data/raw/`: the record row by row, with all times and events\n"
        "- `documentation/columns.md`: the meaning of each column, as in "
        "`dataset_description.json`\n"
        "- `materials/`: the study file that was used, with all settings and texts"
    )
    yield from reader_notes(data_set)
    yield from (f"{what[0].upper()}{what[1:]}: {how}" for what, how in READING.items())


def data_dictionary(columns: Iterable[Column]) -> Iterator[str]:
    yield "# Columns"
    for column in columns:
        unit = f" ({unit_of(column)})" if unit_of(column) else ""
        yield f"\n## {column.name}\n\n{column.meaning}{unit}; {column.kind.cell_type.value}"
        if levels := levels_of(column):
            yield ""
            yield from (f"- `{value}`: {meaning}" for value, meaning in levels.items())
