"""Whether studies that are scored together read alike, on the conditions that they share.

A condition that two studies have is an anchor: its scores in the two differ by what differs between
the studies, people, images and whatever else was otherwise on the day. The effect of a study is the
mean over its anchors of its score less that of all others, with the error of people and images
crossed (`hype.statistics.crossed`); images of the two are taken for different samples.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.answers.joined import PART, StudyEffect
from hype.confine import inside
from hype.files import read_table
from hype.masks.maskset import COLUMNS, MANIFEST
from hype.protocols.hype.condition_scores import CONFIDENCE, JudgementRows, inference
from hype.protocols.hype.exclusion import counted, without_spoiled
from hype.protocols.hype.results import unit_of
from hype.protocols.hype.trial import SCORED_TASKS
from hype.session.records import has_folder
from hype.statistics.proportions import holm
from hype.stimuli.manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.protocols.hype.condition_scores import Options
    from hype.protocols.hype.settings import Study

FEWEST: Final = 2
"""Evaluators of a condition in a study, and in all others, below which there is no error."""


def materials_of(study: Study) -> dict[str, object]:
    """Say of what is here how masks were made, and which images are real."""
    if not has_folder(study):
        return {}
    real = sorted(image.sha256 for image in read_manifest(study.stimuli_folder).real)
    digest = hashlib.sha256("".join(real).encode()).hexdigest()[:12]
    made = {}
    if study.masks_folder is not None:
        manifest = inside(study.masks_folder, MANIFEST)
        rows = [row for _, row in read_table(manifest, COLUMNS, made_by="hype masks make")]
        made = {"masks": ", ".join(sorted({f"{r['method']} {r['size_px']} px" for r in rows}))}
    return {"real images": f"{len(real)} images of checksum {digest}", **made}


def study_effects(judgements: pd.DataFrame, options: Options) -> tuple[StudyEffect, ...]:
    """Give the effect of each study that shares a condition with others, of each method.

    ``judgements``: as `check_judgements` returns them, with the column `PART`.
    """
    kept = judgements[counted(judgements)]
    effects: list[StudyEffect] = []
    for task in SCORED_TASKS:
        rows = kept[kept["task"].eq(task)]
        found = list(_of_method(rows, task, options))
        p = np.array([np.nan if effect.p is None else effect.p for effect in found])
        corrected = holm(p) if rows[PART].nunique() > 2 else p  # of two, one test says all
        effects += [
            replace(effect, p=None if np.isnan(own) else float(own))
            for effect, own in zip(found, corrected.tolist(), strict=True)
        ]
    return tuple(effects)


def _of_method(rows: pd.DataFrame, task: str, options: Options) -> Iterator[StudyEffect]:
    for part in map(str, rows[PART].unique()):
        effect = _of_part(rows, task, part, options)
        if effect is not None:
            yield effect


def _of_part(rows: pd.DataFrame, task: str, part: str, options: Options) -> StudyEffect | None:
    own = rows[PART].astype(str).eq(part)
    shared = set(rows.loc[own, "condition"].astype(str)) & set(
        rows.loc[~own, "condition"].astype(str)
    )
    if not shared:
        return None
    names = sorted(shared)
    anchors = rows[rows["condition"].astype(str).isin(shared)]
    place = {name: number for number, name in enumerate(names)}
    cell = 2 * anchors["condition"].astype(str).map(place).astype(int) + own[anchors.index]
    labels = [f"{number:06}" for number in range(2 * len(names))]
    frame = anchors.assign(condition=[labels[number] for number in cell])
    frame["condition"] = frame["condition"].astype("category")
    scored = without_spoiled(frame) if options.spoiled == "leave-out" else frame
    if set(scored["condition"].astype(str)) != set(labels):
        return None
    inferred = inference(JudgementRows(protocol=task, shown=frame, scored=scored), options)
    sides = np.zeros((len(labels), 2))
    sides[np.arange(len(labels)), np.arange(len(labels)) % 2] = 1 / len(names)
    difference = float(inferred.score @ (sides[:, 1] - sides[:, 0]))
    effect = StudyEffect(
        part=part,
        protocol=task,
        unit=unit_of(task),
        conditions=tuple(names),
        difference=difference,
        ci_low=None,
        ci_high=None,
        p=None,
    )
    if min(inferred.evaluators) < FEWEST:
        return effect
    error = inferred.scores.averaged(sides).error_of_difference(1, 0)
    if error.variance <= 0:
        return effect
    reach = error.reach(CONFIDENCE)
    return replace(
        effect, ci_low=difference - reach, ci_high=difference + reach, p=error.p(difference)
    )
