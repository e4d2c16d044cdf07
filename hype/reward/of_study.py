"""From a study to a reward model, from a model to scores of images, and to the best of many."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from hype.errors import InputError
from hype.features.efficientnet_lite0 import NAME as NETWORK
from hype.features.features import (
    Features,
    NamedImage,
    features_of,
    images_of,
    of_images,
    require_memory,
)
from hype.protocols.load import STUDY_FILE, load_any
from hype.protocols.registry import protocol_of
from hype.reward.evaluation import Evaluation
from hype.reward.model import (
    DataFacts,
    FeatureFacts,
    ModelSettings,
    PromptParts,
    RewardModel,
    Tensors,
    spread_over,
    stacked,
)
from hype.reward.train import TrainingOptions, evaluate, measures_of, parted, train_model
from hype.reward.votes import Votes, VoteSplit, read_votes
from hype.session.facts import versions
from hype.statistics.arrays import FloatArray, IntArray
from hype.stimuli.manifest import MANIFEST, Stimuli, file_in
from hype.stimuli.scan import images_in
from hype.tables.spreadsheet_text import csv_lines

if TYPE_CHECKING:
    from hype.judges.files import KnownImage
    from hype.protocols.studies import AnyStudy
    from hype.reward.clip import ClipOptions

Advance = Callable[[int, int], None]
WITHOUT_NAMES: Final = ".npy"
"""Of files whose rows are all images of the manifest."""
COLUMNS: Final = ("judge", "image", "score", "spread", "part", "trained_on")
DIGITS: Final = 6
COPIES: Final = 3
"""Of all features, for which training needs memory beside these themselves."""
MOST_GROUPS: Final = 4
"""Picked images of each prompt, as many as a study of comparisons usually takes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Product:
    """What `hype reward train` makes."""

    settings: ModelSettings
    tensors: Tensors
    evaluation: Evaluation


Learnt = tuple[dict[str, Any], Tensors, Evaluation, Mapping[VoteSplit, IntArray]]
"""Settings, weights, what they get right, and which prompts were for what."""


def product_of_study(
    study: AnyStudy,
    options: TrainingOptions,
    clip: ClipOptions | None,
    *,
    simulated: bool,
    file: Path | None,
    advance: Advance,
    tell: Callable[[], object],
) -> Product:
    """Train a head on features of the images that people voted on, or tune a CLIP model.

    ``file`` has the features; they are the network's if it is None. ``advance`` is called with how
    many images are done, and of how many, ``tell`` after each fit.

    Raises InputError: as from `read_votes`, `features_of`, `train_model` and `tuned_clip`.
    """
    votes = read_votes(study, simulated=simulated)
    places = [(name, file_in(study.image_folders, name)) for name in votes.images]
    if clip:
        own, tensors, evaluation, prompts = clip_of_votes(votes, places, options, clip, tell)
    else:
        table = features_for(study.image_folders, places, file, advance)
        require_memory(file or study.path, COPIES * table.values.nbytes)
        own, tensors, evaluation, prompts = head_of_votes(votes, places, table, options, tell)
    settings = ModelSettings(
        **own,
        hype_version=versions().get("hype", ""),
        seed=options.seed,
        weigh_people=options.weigh_people,
        data=facts_of(study, votes, prompts),
        scores=evaluation.to_json(),
    )
    return Product(settings=settings, tensors=tensors, evaluation=evaluation)


def head_of_votes(
    votes: Votes,
    places: Sequence[NamedImage],
    table: Features,
    options: TrainingOptions,
    tell: Callable[[], object],
) -> Learnt:
    trained = train_model(votes, table.values, measures_of(places), options, tell)
    nu = trained.fitted.log_nu
    digest = hashlib.sha256()
    for row in table.values:
        digest.update(row.astype("<f8").tobytes())
    own = {
        "kind": "head",
        "hidden": options.hidden,
        "members": options.members,
        "penalty": trained.fitted.penalty,
        "temperature": trained.temperature,
        "log_nu": nu if np.isfinite(nu) else None,
        "features": FeatureFacts(
            source=table.source, number=table.values.shape[1], sha256=digest.hexdigest()
        ),
    }
    return own, stacked(trained.heads), trained.evaluation, trained.parts.prompts


def clip_of_votes(
    votes: Votes,
    places: Sequence[NamedImage],
    options: TrainingOptions,
    clip: ClipOptions,
    tell: Callable[[], object],
) -> Learnt:
    from hype.reward.clip import tuned_clip, weights_checksum

    split, chance = np.random.SeedSequence(options.seed).spawn(2)
    parts = parted(votes, options, split)
    tuned = tuned_clip(votes, [path for _, path in places], parts, clip, options, tell)
    evaluation = evaluate(
        parts,
        *(tuned.scores, tuned.temperature, measures_of(places), tuned.unseen, options),
        rng=np.random.default_rng(chance),
    )
    source = f"the CLIP model {clip.folder.resolve().name}"
    own = {
        "kind": "clip",
        "rank": clip.rank,
        "members": len(tuned.scores) - 1,
        "penalty": 0.0,
        "temperature": tuned.temperature,
        "features": FeatureFacts(source=source, number=1, sha256=weights_checksum(clip.folder)),
    }
    return own, tuned.tensors, evaluation, parts.prompts


def facts_of(study: AnyStudy, votes: Votes, parts: Mapping[VoteSplit, IntArray]) -> DataFacts:
    asked = protocol_of(study).exported(study).asked_in(study)
    return DataFacts(
        study=study.settings.study.name,
        study_checksum=study.checksum(),
        question=asked.get("question") or ", ".join(f"{k}: {v}" for k, v in asked.items()),
        simulated=votes.simulated,
        evaluators=votes.evaluators,
        images=len(votes.images),
        votes=len(votes.verdict),
        votes_left_out=votes.left_out,
        votes_sha256=votes.checksum(),
        prompts=PromptParts(
            **{part.value: tuple(votes.prompts[n] for n in some) for part, some in parts.items()}
        ),
    )


def features_for(
    stimuli: Stimuli | None, images: Sequence[NamedImage], file: Path | None, advance: Advance
) -> Features:
    """Give the features of some images of a set.

    Raises InputError, ModuleNotFoundError: as from `features_of`.
    """
    if file is None:
        return features_of(images, advance=advance)
    if stimuli is None or file.suffix.lower() != WITHOUT_NAMES:
        return features_of(images, file=file)
    return of_images(file, features_of(stimuli, file=file), [name for name, _ in images])


@dataclass(frozen=True, kw_only=True, eq=False)
class ImagesToScore:
    """Images to be scored, and what is known of them."""

    images: Sequence[NamedImage]
    stimuli: Stimuli | None = None  # where they are
    study: AnyStudy | None = None
    known: Mapping[str, KnownImage]  # by name: those of a study that have a prompt


def pictures_at(place: Path) -> ImagesToScore:
    """List the images of a study, of a stimulus set, or of any folder.

    Raises InputError: there are none, or what lists them is wrong.
    """
    if place.is_dir() and not (place / STUDY_FILE).exists():
        if (place / MANIFEST).exists():
            return ImagesToScore(images=images_of(place), stimuli=place, known={})
        paths = images_in(place)
        root = place.resolve()
        images = [(path.resolve().relative_to(root).as_posix(), path) for path in paths]
        return ImagesToScore(images=images, known={})
    from hype.judges.files import images_of as of_prompts

    study = load_any(place)
    known = of_prompts(study, study.of_prompts) if study.of_prompts else {}
    stimuli = study.image_folders
    return ImagesToScore(images=images_of(stimuli), stimuli=stimuli, study=study, known=known)


def part_of(model: RewardModel, known: KnownImage | None) -> str:
    """Say what the votes on an image's prompt were for; nothing where there were none."""
    if known is None:
        return ""
    return model.part_of_prompt.get(known.prompt, "")


def scores_of(
    model: RewardModel,
    pictures: ImagesToScore,
    images: Sequence[NamedImage],
    *,
    file: Path | None,
    clip: Path | None,
    advance: Advance,
) -> tuple[FloatArray, FloatArray | None]:
    """Score some of the images; with the spread over members, where there are any.

    Raises InputError: what the model looks at is not given, or is not what it was trained on.
    """
    facts, is_clip = model.settings.features, model.settings.kind == "clip"
    if (other := file if is_clip else clip) is not None:
        problem = f"{other} is not what {model.folder} looks at"
        raise InputError("--features" if is_clip else "--clip", problem, facts.source)
    if is_clip:
        from hype.reward.clip import scores_of_clip

        if clip is None:
            raise InputError("--clip", "is missing", f"the folder of {facts.source}")
        prompts = [pictures.known[name].prompt for name, _ in images]
        scores = scores_of_clip(model, clip, prompts, [path for _, path in images], advance)
        return scores[0], spread_over(scores[1:])
    if file is None and facts.source != NETWORK:
        problem = f"{model.folder} was trained on features of {facts.source}"
        raise InputError("--features", problem, "a file with the same features of these images")
    table = features_for(pictures.stimuli, images, file, advance)
    return model.scores(table.values, file or table.source)


def score_table(
    model: RewardModel,
    images: Sequence[tuple[str, str]],
    scores: FloatArray,
    spread: FloatArray | None,
) -> str:
    """Write scores of images, each with its part, as the CSV table that ``--judges`` takes."""
    digits = scores.round(DIGITS).tolist()
    apart = [""] * len(images) if spread is None else spread.round(DIGITS).tolist()
    rows = [
        (model.name, name, score, other, part, model.trained_on)
        for (name, part), score, other in zip(images, digits, apart, strict=True)
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
    """Cut the images of each prompt into groups of n + 1: the best of n, and the one more.

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
