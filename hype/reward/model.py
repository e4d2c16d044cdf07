"""A reward model: a linear head on features of images, and its folder.

Differences of scores predict choices: the first of two images with scores s₁ and s₂ is chosen with
probability σ(s₁ − s₂) (Bradley & Terry 1952). Ties follow Davidson (1970), "On extending the
Bradley-Terry model to accommodate ties in paired comparison experiments", Journal of the American
Statistical Association 65, equation 2.4. The loss is the mean of −log probability over votes;
L-BFGS minimises it. Without ties the loss equals, up to a constant, the KL divergence of
softmax(s₁, s₂) from the shares of the votes (Wu et al., 2023, equation 3), weighted by the number
of votes. The folder contains `model.json` (the weights, and facts about the features and the
training data) and `card.md`, a text for readers. Reading a model does not run code from its files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field, FiniteFloat, ValidationError
from scipy.optimize import minimize
from scipy.special import expit

from hype.errors import HypeError, InputError
from hype.features import FeatureArray, read_features
from hype.files import aside, csv_lines, read_bytes, write_bytes
from hype.judges.files import ImageFacts, read_image_facts
from hype.report.tabular import Row
from hype.reward.votes import VotedPairs, VoteSplit
from hype.statistics.arrays import FloatArray
from hype.stimuli.collection import images_in
from hype.stimuli.manifest import MANIFEST, Stimuli, file_in, read_stimulus_set
from hype.study.mistakes import explain_each
from hype.study.studies import STUDY_FILE, AnyStudy
from hype.study.table import Settings
from hype.system import move_folder

PENALTIES: Final = (100.0, 10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
"""Penalties to try, in this order, as factors of half the sum of squared weights in the loss."""
PATIENCE: Final = 2
"""The search ends if this many penalties in a row do not improve the validation loss."""
MOST_STEPS: Final = 500
RELATIVE: Final = 1e-8
"""The loss counts as minimal if a step reduces it by less than this share."""
MOST_DOUBLES: Final = 50_000_000
"""Features with at most this many values are converted to double precision for training."""
BLOCK: Final = 4_096
"""Number of images that are summed in single precision; such sums are added in double precision."""
PAIRS_A_FEATURE: Final = 8
"""Maximum number of pairs per feature from which the curvature of the loss is computed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Head:
    """A linear model: an image's score is ``weight`` (d,) times its features, minus ``offset``."""

    weight: FloatArray
    offset: float = 0.0
    log_nu: float = -np.inf  # the logarithm of Davidson's ν; −inf without ties
    penalty: float = 0.0
    steps: int = 0  # number of steps to the minimum of the loss

    def scores(self, features: FeatureArray) -> FloatArray:
        """Return the score of each image, shape (n,)."""
        own = features @ self.weight.astype(features.dtype)
        return np.asarray(own, dtype=float) - self.offset


def negative_log_likelihood(
    ahead: FloatArray, pairs: VotedPairs, log_nu: float
) -> tuple[float, FloatArray, float]:
    """Return −log probability, summed over votes, and its derivatives by ``ahead`` and ``log_nu``.

    ``ahead``: the score of ``one`` minus the score of ``other``, shape (pairs,). ``log_nu``: the
    logarithm of Davidson's ν; −inf without ties.
    """
    votes = pairs.for_one + pairs.for_other + pairs.ties
    total = np.logaddexp(np.logaddexp(ahead / 2, -ahead / 2), log_nu)
    for_one, for_other, tied = (np.exp(x - total) for x in (ahead / 2, -ahead / 2, log_nu))
    margin = pairs.for_one - pairs.for_other
    loss = float(votes @ total - margin @ ahead / 2)
    if pairs.ties.any():
        loss -= float(pairs.ties.sum()) * log_nu
    slope = (votes * (for_one - for_other) - margin) / 2
    return loss, slope, float(votes @ tied - pairs.ties.sum())


class Training:
    """Features and votes for training heads.

    ``features``: the features of all images, shape (n, d); a feature that does not vary gets no
    weight. ``pairs``: pairs of these images. The search is over weights of standardised features.
    Features of a network are correlated, so the loss has a long, narrow valley. If there are enough
    pairs, the search therefore moves along the principal axes of the loss's curvature (at equal
    scores). Each axis is divided by the root of its curvature.
    """

    def __init__(self, features: FeatureArray, pairs: VotedPairs) -> None:
        rows, self.pairs = select_images(features, pairs)
        self.features = rows.astype(np.float64) if rows.size <= MOST_DOUBLES else rows
        mean = self.features.mean(axis=0, dtype=np.float64)
        squares = sum(((rows - mean) ** 2).sum(axis=0) for rows in split_blocks(self.features))
        spread = np.sqrt(squares / len(self.features))
        varies = spread > 1e-9 * np.maximum(1e-30, np.abs(mean))
        self.scale = np.where(varies, 1 / np.where(varies, spread, 1.0), 0.0)
        self.axes = self.principal_axes()

    def principal_axes(self) -> tuple[FloatArray, FloatArray] | None:
        """Return the loss's curvatures (d,) and axes (d, d), or None if there are too few pairs."""
        number, pairs = self.features.shape[1], self.pairs
        if len(pairs.one) < number:
            return None
        some = np.linspace(0, len(pairs.one) - 1, min(len(pairs.one), PAIRS_A_FEATURE * number))
        rows = np.unique(some.astype(int))
        apart = self.features[pairs.one[rows]] - self.features[pairs.other[rows]]
        inner = (apart.T @ apart).astype(np.float64) * np.outer(self.scale, self.scale)
        values, axes = np.linalg.eigh(inner / (4 * len(rows)))
        return np.maximum(values, 0.0), axes

    def loss(self, point: FloatArray, penalty: float) -> tuple[float, FloatArray]:
        """Return the mean loss over votes plus the penalty, and the derivatives.

        ``point``: the weights of standardised features, then log ν.
        """
        pairs, has_ties = self.pairs, bool(self.pairs.ties.any())
        scores = Head(weight=point[:-1] * self.scale).scores(self.features)
        ahead = scores[pairs.one] - scores[pairs.other]
        log_nu = float(point[-1]) if has_ties else -np.inf
        loss, slope, of_nu = negative_log_likelihood(ahead, pairs, log_nu)
        of_scores = np.bincount(pairs.one, slope, len(scores)).astype(float)
        of_scores -= np.bincount(pairs.other, slope, len(scores))
        of_scores = of_scores.astype(self.features.dtype)
        blocks = zip(split_blocks(of_scores), split_blocks(self.features), strict=True)
        of_weight = sum((part @ rows).astype(float) for part, rows in blocks) * self.scale
        decayed = np.append(point[:-1], 0.0)
        slopes = np.append(of_weight, of_nu if has_ties else 0.0) / pairs.total
        value = loss / pairs.total + penalty / 2 * float(decayed @ decayed)
        return value, slopes + penalty * decayed

    def fit(self, penalty: float, begin: Head | None = None) -> Head:
        """Minimise the loss, starting from the head ``begin`` to save steps.

        Raises HypeError: the minimum was not reached in `MOST_STEPS` steps.
        """
        own = np.zeros(len(self.scale) + 1)
        if begin:
            np.divide(begin.weight, self.scale, out=own[:-1], where=self.scale > 0)
            own[-1] = begin.log_nu if np.isfinite(begin.log_nu) else 0.0
        if self.axes is None:
            found, steps = run_lbfgs(lambda point: self.loss(point, penalty), own)
        else:
            values, axes = self.axes
            root = np.sqrt(values + penalty)
            outward = axes / root

            def loss(along: FloatArray) -> tuple[float, FloatArray]:
                value, slope = self.loss(np.append(outward @ along[:-1], along[-1]), penalty)
                return value, np.append(outward.T @ slope[:-1], slope[-1])

            along, steps = run_lbfgs(loss, np.append(root * (axes.T @ own[:-1]), own[-1]))
            found = np.append(outward @ along[:-1], along[-1])
        return Head(
            weight=found[:-1] * self.scale,
            log_nu=float(found[-1]) if self.pairs.ties.any() else -np.inf,
            penalty=penalty,
            steps=steps,
        )


def split_blocks(values: Any) -> list[Any]:
    return [values[at : at + BLOCK] for at in range(0, len(values), BLOCK)]


def select_images(features: FeatureArray, pairs: VotedPairs) -> tuple[FeatureArray, VotedPairs]:
    """Keep only the images in the given pairs, and renumber them."""
    used, places = np.unique(np.append(pairs.one, pairs.other), return_inverse=True)
    one, other = np.split(places, 2)
    rows = features[used] if len(used) < len(features) else features
    return rows, replace(pairs, one=one, other=other)


def run_lbfgs(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], start: FloatArray
) -> tuple[FloatArray, int]:
    options: Any = {"maxiter": MOST_STEPS, "maxcor": 20, "ftol": RELATIVE, "gtol": 1e-7}
    found: Any = minimize(loss, start, method="L-BFGS-B", jac=True, options=options)
    if found.status == 1:
        raise HypeError(f"the minimum of the loss was not reached in {MOST_STEPS} steps")
    return np.asarray(found.x, dtype=float), int(found.nit)


def loss_on(head: Head, features: FeatureArray, pairs: VotedPairs) -> float:
    """Return the mean loss on the votes that are not ties; NaN if there are none."""
    scores = head.scores(features)
    decided = replace(pairs, ties=np.zeros(len(pairs.one)))
    ahead, total = scores[pairs.one] - scores[pairs.other], decided.total
    return negative_log_likelihood(ahead, decided, -np.inf)[0] / total if total else np.nan


def best_head(
    training: Training,
    validation: tuple[FeatureArray, VotedPairs],
    tell: Callable[[], object] = lambda: None,
) -> Head:
    """Reduce the penalty until the validation loss stops falling; return the best head.

    ``tell`` is called after each fit.
    """
    losses: list[float] = []
    path: list[Head] = []
    for penalty in PENALTIES:
        path.append(training.fit(penalty, path[-1] if path else None))
        losses.append(loss_on(path[-1], *validation))
        tell()
        if len(losses) - int(np.argmin(losses)) > PATIENCE:
            break
    return path[int(np.argmin(losses))]


SETTINGS: Final = "model.json"
CARD: Final = "card.md"
LARGEST_BYTES: Final = 64 << 20
"""The maximum size of ``model.json``; with 1,280 weights, the file has 40 kB."""


class PromptParts(Settings):
    """What the votes on each prompt were used for."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]

    @property
    def parts(self) -> dict[VoteSplit, tuple[str, ...]]:
        return {part: getattr(self, part.value) for part in VoteSplit}


class DataFacts(Settings):
    """The data that a model was trained on."""

    study: str
    study_checksum: str
    question: str
    simulated: bool
    """Whether all evaluators were simulated."""
    evaluators: int
    images: int
    votes: int
    votes_left_out: int
    """Number of votes on images whose files have changed since they were shown."""
    votes_sha256: str
    prompts: PromptParts


class FeatureFacts(Settings):
    """The features that a model uses."""

    source: str
    sha256: str
    """SHA-256 of the features of all images that people voted on."""


class ModelSettings(Settings):
    """``model.json``."""

    format: Literal[1] = 1
    hype_version: str
    seed: int
    penalty: float
    temperature: float
    log_nu: float | None = None
    """Davidson's log ν for scores that are not divided by the temperature; null without ties."""
    features: FeatureFacts
    data: DataFacts
    scores: Annotated[dict[str, Any], Field(default_factory=dict)]
    """The evaluation of the model; it is not used for scoring."""
    offset: FiniteFloat
    """The number that is subtracted from the weighted sum of an image's features."""
    weight: Annotated[tuple[FiniteFloat, ...], Field(min_length=1)]
    """The weight of each feature."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RewardModel:
    """A reward model and its folder."""

    folder: Path
    settings: ModelSettings

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def training_evaluators(self) -> str:
        return "simulated evaluators" if self.settings.data.simulated else "people"

    @cached_property
    def part_of_prompt(self) -> dict[str, str]:
        """What the votes on each prompt were used for."""
        prompts = self.settings.data.prompts.parts
        return {prompt: part.value for part, some in prompts.items() for prompt in some}

    def scores(self, features: FeatureArray, where: object) -> FloatArray:
        """Return the score of each image, shape (images,).

        Raises InputError: the number of features differs from that in training.
        """
        weight = np.array(self.settings.weight)
        if features.shape[1] != len(weight):
            problem = f"{features.shape[1]:,} features per image"
            allowed = f"{len(weight):,}, as in the training of {self.folder}"
            raise InputError(where, problem, allowed)
        return Head(weight=weight, offset=self.settings.offset).scores(features)


def write_model(folder: Path, settings: ModelSettings, card: str) -> None:
    """Write a model completely, or not at all.

    Raises InputError: the folder is not empty, or cannot be written.
    """
    text = json.dumps(settings.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside(folder.parent.resolve(), "reward") as temporary:
            temporary.chmod(0o755)
            write_bytes(temporary / SETTINGS, text.encode(), private=False)
            write_bytes(temporary / CARD, card.encode(), private=False)
            move_folder(temporary, folder.resolve())
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def read_model(folder: Path) -> RewardModel:
    """Read a model.

    Raises InputError: the file is missing, or `hype reward train` did not write it.
    """
    path = folder / SETTINGS
    try:
        settings = ModelSettings.model_validate_json(read_bytes(path, most_bytes=LARGEST_BYTES))
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(path, problem, "a folder that hype reward train made") from None
    except ValidationError as error:
        mistakes = "\n  ".join(explain_each(error.errors(), ModelSettings))
        raise InputError(path, mistakes) from None
    return RewardModel(folder=folder, settings=settings)


COLUMNS: Final = ("judge", "image", "score", "part", "trained_on")
DIGITS: Final = 6
MOST_GROUPS: Final = 4
"""The maximum number of images picked per prompt, as many as in a usual comparison study."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ImagesToScore:
    """Images to score, and the facts about them."""

    images: Mapping[str, Path]  # the image files by name, in order
    study: AnyStudy | None = None
    known: Mapping[str, ImageFacts]  # facts by image name, for images of a study that have a prompt


def pictures_at(place: Path, load: Callable[[Path], AnyStudy]) -> ImagesToScore:
    """List the images of a study, of a stimulus set, or of any folder.

    Raises InputError: there are no images, or the study file or manifest is wrong.
    """
    if place.is_dir() and not (place / STUDY_FILE).exists():
        if (place / MANIFEST).exists():
            return ImagesToScore(images=images_of(place), known={})
        root = place.resolve()
        images = {p.resolve().relative_to(root).as_posix(): p for p in images_in(place)}
        return ImagesToScore(images=images, known={})

    study = load(place)
    images = images_of(study.image_folders)
    return ImagesToScore(images=images, study=study, known=read_image_facts(study))


def images_of(stimuli: Stimuli) -> dict[str, Path]:
    """Find the images of a stimulus set, or of a study, in the order of the manifests.

    Raises InputError: as in `hype.stimuli.manifest.read_stimulus_set`.
    """
    return {s.path: file_in(stimuli, s.path) for s in read_stimulus_set(stimuli).stimuli}


def scores_of(
    model: RewardModel, pictures: ImagesToScore, images: Sequence[str], file: Path
) -> FloatArray:
    """Score some of the images; ``file`` contains their features.

    Raises InputError: features are missing, or their number differs from that in training.
    """
    return model.scores(read_features(file, images, list(pictures.images)).values, file)


def score_table(model: RewardModel, images: Sequence[tuple[str, str]], scores: FloatArray) -> str:
    """Write a CSV table for ``--judges``: each image's score, and what its prompt was used for."""
    digits = scores.round(DIGITS).tolist()
    rows = [
        (model.name, name, score, part, model.training_evaluators)
        for (name, part), score in zip(images, digits, strict=True)
    ]
    return csv_lines([COLUMNS, *rows])


def picks_of(
    scores: Mapping[str, float], known: Mapping[str, ImageFacts], n: int, seed: int
) -> list[Row]:
    """In groups of n + 1 images of a prompt, take one at random, and pick the best of the others.

    Each row has the `prompt`, the paths of the `picked` and the `random` image, and their scores.

    All prompts have the same number of groups, at most `MOST_GROUPS`; prompts with fewer than n + 1
    images are left out. ``scores``: the scores of one condition's images.
    """
    rng = np.random.default_rng(seed)
    by_prompt: dict[str, list[str]] = {}
    for name in sorted(scores):
        by_prompt.setdefault(known[name]["prompt"], []).append(name)
    enough = {prompt: names for prompt, names in by_prompt.items() if len(names) > n}
    if not enough:
        most = max(map(len, by_prompt.values()), default=0)
        problem = f"{n}: no prompt has more than {most} images of the condition"
        raise InputError("--n", problem, f"a smaller number: a group has {n} + 1 images")
    groups = min(MOST_GROUPS, *(len(names) // (n + 1) for names in enough.values()))
    picks = []
    for prompt, names in sorted(enough.items()):
        drawn = rng.permutation(len(names))[: groups * (n + 1)].reshape(groups, n + 1)
        for first, *rest in drawn.tolist():
            best = max((names[k] for k in rest), key=lambda name: scores[name])
            other = names[first]
            picks.append(
                {
                    "prompt": prompt,
                    "picked": best,
                    "picked_score": scores[best],
                    "random": other,
                    "random_score": scores[other],
                }
            )
    return picks


def predict_win_rate(picks: Sequence[Row]) -> float:
    """Predict the share of votes for picked images if they are compared with random images."""
    rates = [
        float(expit(one["picked_score"] - other["random_score"]))
        for one in picks
        for other in picks
        if one["prompt"] == other["prompt"]
    ]
    return float(np.mean(rates))
