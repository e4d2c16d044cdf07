"""From a study to a reward model, from a model to scores of images, and to the best of many."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.special import expit

from hype.errors import InputError
from hype.export.kind import ExportKind
from hype.features import read_features, require_memory
from hype.files import csv_lines
from hype.judges.files import KnownImage
from hype.judges.files import images_of as of_prompts
from hype.reward.model import (
    DataFacts,
    FeatureFacts,
    ModelSettings,
    PromptParts,
    RewardModel,
)
from hype.reward.train import Evaluation, measures_of, train_model
from hype.reward.votes import read_votes
from hype.session.facts import versions
from hype.statistics.arrays import FloatArray
from hype.stimuli.collection import images_in
from hype.stimuli.manifest import MANIFEST, Stimuli, file_in, read_stimulus_set
from hype.study.studies import STUDY_FILE, AnyStudy

COLUMNS: Final = ("judge", "image", "score", "part", "trained_on")
DIGITS: Final = 6
COPIES: Final = 3
"""Of all features; training needs memory for this besides the features themselves."""
MOST_GROUPS: Final = 4
"""Picked images of each prompt, as many as a study of comparisons usually takes."""


def train_on_study(
    study: AnyStudy,
    kind: ExportKind,
    file: Path,
    *,
    simulated: bool,
    weigh_people: bool,
    seed: int,
    tell: Callable[[], object],
) -> tuple[ModelSettings, Evaluation]:
    """Train a head on features of the images that people voted on; ``file`` has the features.

    ``tell`` is called after each fit.

    Raises InputError: as from `read_votes`, `read_features` and `train_model`.
    """
    votes = read_votes(study, kind, simulated=simulated)
    table = read_features(file, votes.images, list(images_of(study.image_folders)))
    require_memory(file, COPIES * table.values.nbytes)
    measures = measures_of([file_in(study.image_folders, name) for name in votes.images])
    trained = train_model(
        *(votes, table.values, measures), weigh_people=weigh_people, seed=seed, tell=tell
    )
    head, digest = trained.head, hashlib.sha256()
    for row in table.values:
        digest.update(row.astype("<f8").tobytes())
    asked = kind.asked_in(study)
    parts = {
        part.value: tuple(votes.prompts[n] for n in some) for part, some in trained.prompts.items()
    }
    settings = ModelSettings(
        hype_version=versions().get("hype", ""),
        seed=seed,
        penalty=head.penalty,
        temperature=trained.temperature,
        log_nu=head.log_nu if np.isfinite(head.log_nu) else None,
        weigh_people=weigh_people,
        features=FeatureFacts(source=table.source, sha256=digest.hexdigest()),
        data=DataFacts(
            study=study.settings.study.name,
            study_checksum=study.checksum(),
            question=asked.get("question") or ", ".join(f"{k}: {v}" for k, v in asked.items()),
            simulated=votes.simulated,
            evaluators=votes.evaluators,
            images=len(votes.images),
            votes=len(votes.verdict),
            votes_left_out=votes.left_out,
            votes_sha256=votes.checksum(),
            prompts=PromptParts(**parts),
        ),
        scores=trained.evaluation.to_json(),
        offset=head.offset,
        weight=tuple(head.weight.tolist()),
    )
    return settings, trained.evaluation


@dataclass(frozen=True, kw_only=True, eq=False)
class ImagesToScore:
    """Images to be scored, and what is known of them."""

    images: Mapping[str, Path]  # where they lie, by name, in their order
    study: AnyStudy | None = None
    known: Mapping[str, KnownImage]  # by name: those of a study that have a prompt


def pictures_at(place: Path, load: Callable[[Path], AnyStudy]) -> ImagesToScore:
    """List the images of a study, of a stimulus set, or of any folder.

    Raises InputError: there are none, or what lists them is wrong.
    """
    if place.is_dir() and not (place / STUDY_FILE).exists():
        if (place / MANIFEST).exists():
            return ImagesToScore(images=images_of(place), known={})
        root = place.resolve()
        images = {p.resolve().relative_to(root).as_posix(): p for p in images_in(place)}
        return ImagesToScore(images=images, known={})

    study = load(place)
    images = images_of(study.image_folders)
    return ImagesToScore(images=images, study=study, known=of_prompts(study))


def images_of(stimuli: Stimuli) -> dict[str, Path]:
    """Find the images of a stimulus set, or of a study, in the order of the manifests.

    Raises InputError: as from `hype.stimuli.manifest.read_stimulus_set`.
    """
    return {s.path: file_in(stimuli, s.path) for s in read_stimulus_set(stimuli).stimuli}


def part_of(model: RewardModel, known: KnownImage | None) -> str:
    """Return what the votes on this image's prompt were used for; empty if there were none."""
    if known is None:
        return ""
    return model.part_of_prompt.get(known.prompt, "")


def scores_of(
    model: RewardModel, pictures: ImagesToScore, images: Sequence[str], file: Path
) -> FloatArray:
    """Score some of the images by their features in a file.

    Raises InputError: these are not given, or are not as many as the model was trained on.
    """
    return model.scores(read_features(file, images, list(pictures.images)).values, file)


def score_table(model: RewardModel, images: Sequence[tuple[str, str]], scores: FloatArray) -> str:
    """Write scores of images, each with its part, as the CSV table that ``--judges`` takes."""
    digits = scores.round(DIGITS).tolist()
    rows = [
        (model.name, name, score, part, model.trained_on)
        for (name, part), score in zip(images, digits, strict=True)
    ]
    return csv_lines([COLUMNS, *rows])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The best of n images of a prompt, and one more that was drawn at random."""

    prompt: str
    # picked, random: their paths in the stimulus set
    picked: str
    picked_score: float
    random: str
    random_score: float


def picks_of(
    scores: Mapping[str, float], known: Mapping[str, KnownImage], n: int, seed: int
) -> list[Pick]:
    """Cut the images of each prompt into groups of n + 1: the best of n, and one more.

    As many groups of each prompt as all have, and at most `MOST_GROUPS`; prompts with fewer than
    n + 1 images are left out. ``scores``: of the images of one condition.
    """
    rng = np.random.default_rng(seed)
    by_prompt: dict[str, list[str]] = {}
    for name in sorted(scores):
        by_prompt.setdefault(known[name].prompt, []).append(name)
    enough = {prompt: names for prompt, names in by_prompt.items() if len(names) > n}
    if not enough:
        most = max(map(len, by_prompt.values()), default=0)
        problem = f"{n}: no prompt has more than {most} images of the condition"
        raise InputError("--n", problem, "fewer, so that one more can be drawn")
    groups = min(MOST_GROUPS, *(len(names) // (n + 1) for names in enough.values()))
    picks = []
    for prompt, names in sorted(enough.items()):
        drawn = rng.permutation(len(names))[: groups * (n + 1)].reshape(groups, n + 1)
        for first, *rest in drawn.tolist():
            best = max((names[k] for k in rest), key=lambda name: scores[name])
            other = names[first]
            picks.append(
                Pick(
                    prompt=prompt,
                    picked=best,
                    picked_score=scores[best],
                    random=other,
                    random_score=scores[other],
                )
            )
    return picks


def expected_win_rate(picks: Sequence[Pick]) -> float:
    """Give the share of votes that the model expects for picked images, over all that will meet."""
    rates = [
        float(expit(one.picked_score - other.random_score))
        for one in picks
        for other in picks
        if one.prompt == other.prompt
    ]
    return float(np.mean(rates))
