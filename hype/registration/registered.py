"""What a registration fixes of a study: its settings, its files, and the planned analysis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hype.confine import inside
from hype.errors import InputError
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.masks.maskset import read_masks
from hype.protocols.registry import conduct_of, protocol_of
from hype.protocols.studies import AnyStudy
from hype.session.materials import check_sum, read_others
from hype.stimuli.manifest import MANIFEST, read_manifest, sha256_of

Json = dict[str, Any]


def frozen(study: AnyStudy, *, images: bool = True) -> Json:
    """Give all that is fixed; without ``images`` what can be read in no time.

    Raises
    ------
    InputError
        A manifest, an image or a mask is missing or wrong.
    """
    folder = study.stimuli_folder
    fixed: Json = {
        "study": {"checksum": study.checksum(), "settings": json.loads(study.resolved())},
        "stimuli": {"manifest_sha256": file_sum(folder / MANIFEST)},
        "analysis": planned_analysis(study),
    }
    if study.masks_folder:
        fixed["masks"] = {"manifest_sha256": file_sum(study.masks_folder / MASK_MANIFEST)}
    for name, other in study.other_sets.items():
        fixed[name] = {"manifest_sha256": file_sum(other / MANIFEST)}
    for name, file in protocol_of(study).fixed_files(study).items():
        fixed[name] = {"sha256": file_sum(file)}
    return fixed | (files_of(study) if images else {})


def files_of(study: AnyStudy) -> Json:
    """Give the checksums of all images and masks, as their files are now; None for lost ones."""
    stimuli = read_manifest(study.stimuli_folder)
    images = sums(stimuli.folder, (one.path for one in stimuli.stimuli))
    for name, folder in study.other_sets.items():
        others = sums(folder, (one.path for one in read_manifest(folder).stimuli))
        images |= {f"{name}/{path}": found for path, found in others.items()}
    found: Json = {"images": images}
    if study.masks_folder:
        masks = read_masks(study.masks_folder)
        found["mask_files"] = sums(masks.folder, masks.paths)
    return found


def sums(folder: Path, names: Iterable[str]) -> dict[str, str | None]:
    """Give the checksum of each file of a folder; None for one that is lost."""
    paths = {name: inside(folder, name) for name in names}
    return {name: file_sum(path) if path.exists() else None for name, path in paths.items()}


def require_whole(study: AnyStudy, content: Mapping[str, Any]) -> None:
    """Refuse to fix images that are not what their manifest says, and masks that are lost.

    Raises
    ------
    InputError
        Names the first such file.
    """
    for stimulus in (*read_manifest(study.stimuli_folder).stimuli, *read_others(study)):
        if content["images"][stimulus.path] != stimulus.sha256:
            check_sum(study, stimulus)
    lost = [name for name, found in content.get("mask_files", {}).items() if found is None]
    if lost and study.masks_folder:
        raise InputError(study.masks_folder / lost[0], "is missing, and the manifest lists it")


def file_sum(path: Path) -> str:
    """SHA-256 (hex) of a file that must be there."""
    try:
        return sha256_of(path)
    except FileNotFoundError:
        raise InputError(path, "is missing") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None


def planned_analysis(study: AnyStudy) -> Json:
    """Give what is planned: of how many, by which rules, put to which tests."""
    conduct = conduct_of(study)
    places, each = len(conduct.cells), conduct.evaluators_per_cell
    numbers = {"places": places, "evaluators_per_place": each, "evaluators": places * each}
    return numbers | protocol_of(study).planned_analysis(study)


def summary(content: Mapping[str, Any]) -> dict[str, str]:
    """Say in short what a registration fixes, line by line."""
    images, masks = content.get("images", {}), content.get("mask_files", {})
    plan = content["analysis"]
    lines = {
        "study": f"settings {content['study']['checksum'][:12]}…",
        "stimuli": f"{len(images):,} images, manifest "
        f"{content['stimuli']['manifest_sha256'][:12]}…",
    }
    if masks:
        lines["masks"] = f"{len(masks):,} files"
    if "validation" in content:
        lines["validation"] = f"the listed comparisons {content['validation']['sha256'][:12]}…"
    return (
        lines
        | asked_lines(plan)
        | careless_lines(plan)
        | {
            "evaluators": f"{plan['evaluators']:,} ({plan['evaluators_per_place']:,} in each of "
            f"{plan['places']:,} {'place' if plan['places'] == 1 else 'places'})",
            "not scored": "; ".join(plan["not_scored"]),
            "tests": f"α = {plan['alpha']:g}; {'; '.join(plan['tests'])}",
        }
    )


def careless_lines(plan: Json) -> dict[str, str]:
    """Say in short who is called careless; nothing where there is no such rule."""
    if "careless" not in plan:
        return {}
    fate = "left out" if plan["careless_left_out"] else "named and scored"
    return {"careless": f"{'; '.join(plan['careless'])} ({fate})"}


def asked_lines(plan: Json) -> dict[str, str]:
    """Say in short what ratings and rankings are about; nothing of other studies."""
    if "axes" in plan:
        names = ", ".join(one["axis"] for one in plan["axes"])
        number = f"{len(plan['axes'])} ({names})" if len(plan["axes"]) > 1 else names
        return {"axes": number}
    rule = plan.get("screening")
    if not rule:
        return {}
    checkers = f", checkers {', '.join(rule['checkers'])}" if rule["checkers"] else ""
    groups = "1 group" if rule["test"] == 1 else f"{rule['test']:,} groups"
    test = f"a test of {groups}" if rule["test"] else "no test"
    return {"screening": f"{test}; {rule['check_share']:.0%} ranked again{checkers}"}
