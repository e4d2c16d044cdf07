"""The rules of Psych-DS, written out from its schema, version 1.5.1.

In https://github.com/psych-ds/psych-DS, schema_model, `rules/files` lists the required files,
`rules/errors.yaml` errors in their content, and `meta/context.yaml` keywords of file names. The
schema's errors and warnings are both errors here, except missing metadata for single folders or
files. The properties of schema.org's types are from https://schema.org/Dataset and
https://schema.org/PropertyValue.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

KEYWORDS = {
    *("study", "site", "subject", "session", "task", "condition"),
    *("trial", "stimulus", "description"),
}
DATA_FILE = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.(csv|tsv)")
FOLDERS = ("data", "analysis", "results", "materials", "documentation")
NAMESPACES = (
    "http://schema.org",
    "http://schema.org/",
    "https://schema.org",
    "https://schema.org/",
)
PROPERTIES = {
    "Dataset": {
        *("name", "description", "variableMeasured", "schemaVersion", "author", "license"),
        *("keywords", "citation", "identifier", "temporalCoverage"),
    },
    "PropertyValue": {
        *("name", "description", "unitText", "unitCode", "value", "valueReference"),
        *("minValue", "maxValue", "measurementTechnique", "propertyID"),
    },
    "Person": {"name"},
}
"""The properties of schema.org that the exports use."""


def breaches(root: Path) -> list[str]:
    """List the rules that a data set breaks."""
    return [*wrong_files(root), *wrong_metadata(root), *wrong_data(root)]


def wrong_files(root: Path) -> Iterator[str]:
    """Check required and recommended files and folders: MISSING_…, FILE_NOT_CHECKED."""
    for name in FOLDERS:
        if not (root / name).is_dir():
            yield f"no folder {name}"
    for stem in ("README", "CHANGES"):
        if not any((root / f"{stem}{ending}").is_file() for ending in (".md", ".txt")):
            yield f"no {stem}"
    for name in ("dataset_description.json", ".psychds-ignore"):
        if not (root / name).is_file():
            yield f"no {name}"
    ignored = tuple((root / ".psychds-ignore").read_text("utf-8").split("\n"))
    for path in files_of(root):
        known = path.startswith(("README.", "CHANGES.", "dataset_description.json", ".psychds"))
        passed_over = any(path.startswith(line) for line in ignored if line.endswith("/"))
        if not (known or passed_over or (path.startswith("data/") and path.endswith(".csv"))):
            yield f"{path}: not covered"


def files_of(root: Path) -> list[str]:
    """Return the paths of all files, hidden ones too."""
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


def wrong_metadata(root: Path) -> Iterator[str]:
    """Check metadata: JSON_KEY_REQUIRED, MISSING_DATASET_TYPE, UNKNOWN_NAMESPACE and others."""
    about = json.loads((root / "dataset_description.json").read_text("utf-8"))
    if about.get("@context") not in NAMESPACES:
        yield "the namespace is not that of schema.org"
    if about.get("@type") != "Dataset":
        yield "is no Dataset"
    for key in ("name", "description", "variableMeasured"):
        if not about.get(key):
            yield f"no {key}"
    yield from wrong_properties(about)


def wrong_properties(value: Any) -> Iterator[str]:
    """Check objects: OBJECT_TYPE_MISSING, INVALID_SCHEMAORG_PROPERTY."""
    if isinstance(value, list):
        for one in value:
            yield from wrong_properties(one)
    if isinstance(value, Mapping):
        kind = value.get("@type", "")
        for key in value:
            if not key.startswith("@") and key not in PROPERTIES.get(kind, ()):
                yield f"{key} is not a property of {kind or 'an object without a type'}"
            yield from wrong_properties(value[key])


def wrong_data(root: Path) -> Iterator[str]:
    """Check MISSING_DATAFILE, FILENAME_…, CSV_…, ROWID_VALUES_NOT_UNIQUE, VARIABLE_MISSING_…."""
    tables = sorted((root / "data").glob("*.csv"))
    about = json.loads((root / "dataset_description.json").read_text("utf-8"))
    variables = [one["name"] for one in about["variableMeasured"]]
    found: set[str] = set()
    for table in tables:
        if not DATA_FILE.fullmatch(table.name):
            yield f"{table.name}: no name of a data file"
        if unknown := {pair.split("-")[0] for pair in table.name.split("_")[:-1]} - KEYWORDS:
            yield f"{table.name}: unofficial keywords {unknown}"
        header, *rows = csv.reader(io.StringIO(table.read_text("utf-8")), strict=True)
        if any(len(row) != len(header) for row in rows) or not all(header):
            yield f"{table.name}: rows are not as long as the header"
        if len(set(header)) < len(header) or "row_id" in header:
            yield f"{table.name}: columns {header}"
        found |= set(header)
    if not tables:
        yield "no data file"
    if found != set(variables) or len(found) < len(variables):
        yield f"columns and variables differ: {found ^ set(variables)}"
