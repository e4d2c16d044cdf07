"""What goes beside BIDS tables: on the data set, on each task, on what showed the images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hype.export.about import About
from hype.export.bids.tables import HED_VERSION
from hype.export.readme import Told
from hype.export.session_table import Sitting
from hype.sessions.facts import versions
from hype.study.studies import AnyStudy

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
"""Fields of BIDS, and the keys of ``dataset.toml`` that say them."""


def said(about: About, fields: Mapping[str, str]) -> dict[str, Any]:
    """Give the fields that the owners of the data filled in."""
    values = about.model_dump(mode="json")
    return {field: values[key] for field, key in fields.items() if values[key]}


def dataset_description(told: Told) -> dict[str, Any]:
    """Describe the data set."""
    return {
        "Name": told.title,
        "BIDSVersion": BIDS_VERSION,
        "HEDVersion": HED_VERSION,
        "DatasetType": "raw",
        **said(told.about, ON_DATASET),
        "ReferencesAndLinks": [told.kind.link, *told.about.references],
        "GeneratedBy": [
            {
                "Name": "hype",
                "Version": versions().get("hype", ""),
                "Description": "hype export --format bids"
                + (" --simulated" if told.simulated else ""),
            }
        ],
        "SourceDatasets": [{"URL": "bids::sourcedata/record"}],
    }


def task_sidecar(
    told: Told, task: str, dictionary: Mapping[str, object], presentation: Mapping[str, object]
) -> dict[str, Any]:
    """Describe a task and the columns of its tables."""
    words = told.kind.tasks(told.study.settings)[task]
    return {
        "TaskName": task,
        **({"TaskDescription": words.description} if words.description else {}),
        "Instructions": words.instructions,
        **said(told.about, ON_TASK),
        **({"StimulusPresentation": presentation} if presentation else {}),
        **dictionary,
    }


def stimulus_presentation(study: AnyStudy, sitting: Sitting) -> dict[str, object]:
    """Say what showed the images of a session, and on what; nothing if nothing was shown."""
    if not sitting.shown:
        return {}
    facts = {
        "OperatingSystem": sitting.system,
        "SoftwareVersion": sitting.versions.get("psychopy"),
        "ScreenRefreshRate": sitting.display.get("refresh_hz"),
        **screen(study, sitting.display.get("screen_px")),
    }
    return PSYCHOPY | {name: fact for name, fact in facts.items() if fact}


def screen(study: AnyStudy, size_px: object) -> dict[str, object]:
    """Give a screen's size, in pixels and in metres, and how far away it was; pixels are square."""
    if not (isinstance(size_px, list) and len(size_px) == 2 and all(size_px)):
        return {}
    found: dict[str, object] = {"ScreenResolution": size_px, "ScreenOrigin": ["center", "center"]}
    monitor = study.settings.monitor
    if monitor is None:
        return found
    width_m = monitor.width_cm / 100
    return {
        **found,
        "ScreenSize": [width_m, round(width_m * size_px[1] / size_px[0], 4)],
        "ScreenDistance": monitor.distance_cm / 100,
    }
