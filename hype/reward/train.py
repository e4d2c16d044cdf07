"""Train a reward model on votes and features, and evaluate it: accuracy and shortcuts.

The evaluation uses the test prompts. Intervals treat evaluators and prompts as independent units.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from scipy.ndimage import laplace
from scipy.optimize import minimize_scalar
from scipy.special import expit
from threadpoolctl import threadpool_limits

from hype.errors import InputError
from hype.export.kind import ExportKind
from hype.features import FeatureArray, read_features, require_memory
from hype.judges.benchmark import Benchmark, benchmark_table
from hype.judges.choices import agree_with_rankings, list_ranked_choices
from hype.judges.results import (
    ChoiceAgreement,
    CountedEstimate,
    JudgeOptions,
    RowUnits,
    estimate_difference,
    estimate_share,
)
from hype.report.tabular import Row, Rows
from hype.reward.model import (
    DataFacts,
    FeatureFacts,
    Head,
    ModelSettings,
    PromptParts,
    Training,
    best_head,
    images_of,
    select_images,
)
from hype.reward.votes import (
    VotedPairs,
    Votes,
    VoteSplit,
    others_choices,
    pairs_of,
    read_votes,
    split_prompts,
)
from hype.session.facts import versions
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import JsonValue, plain
from hype.stimuli.images import decode
from hype.stimuli.manifest import file_in
from hype.study.studies import AnyStudy
from hype.tables.cells import make_categories

BINS: Final = 10
"""The number of bins for the predicted probability, from ½ to 1."""
WIDEST: Final = 3.0
"""Limit (±) of the temperature's logarithm, which would be −∞ if all choices were predicted."""
DRAWS: Final = 200
"""Number of simulations of choices from the predictions, to find the error by chance."""
PLACE: Final = "the image on the left, or shown first"
FINGERPRINT: Final = "which model made it"
TOGETHER: Final = "brightness, sharpness and sizes together"
COPIES: Final = 3
"""Training needs memory for this many copies of all features."""
CONFIDENCE: Final = 0.95
GROUPS: Final = 10
"""Number of groups of prompts in a benchmark, as in Wu et al. (2023)."""
FAINT: Final = 1e-4
"""The penalty for heads that use only a few simple measures."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The evaluation of a reward model."""

    agreement: ChoiceAgreement  # Agreement of the model with people, and of people with each other.
    # How often a person makes the same choice as most others ("single against averaged").
    single_averaged: CountedEstimate | None
    train_accuracy: float | None  # Accuracy on the training prompts.
    calibration: Row | None  # From `measure_calibration`.
    shortcuts: Rows  # From `shortcuts_of`.
    unseen: Rows  # From `unseen_models`.
    benchmark: Benchmark | None  # Each condition's mean ± SD over groups of test prompts.

    def to_json(self) -> dict[str, JsonValue]:
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedModel:
    """A head and its evaluation; differences of the head's scores are log-odds."""

    head: Head
    prompts: Mapping[VoteSplit, IntArray]
    evaluation: Evaluation
    temperature: float  # The head's scores are already divided by this temperature.


def train_model(
    votes: Votes,
    features: FeatureArray,
    measures: Mapping[str, FloatArray],
    *,
    seed: int = 0,
    tell: Callable[[], object] = lambda: None,
) -> TrainedModel:
    """Train a head on the training prompts, and compare it with people on the test prompts.

    ``features``: a row of features for each image in ``votes``, shape (images, d). ``measures``:
    simple measures of each image, by name, that a model might use as a shortcut. ``tell``: called
    after each fit. The same seed gives the same model, with any number of threads.

    Raises InputError: as in `split_prompts`, or a part of the prompts has only ties. Raises
    HypeError: the minimum of the loss was not reached.
    """
    split, chance = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    prompts = split_prompts(votes, split)
    parts = {part: votes.select(np.isin(votes.prompt, some)) for part, some in prompts.items()}
    for part, some in parts.items():
        if not some.verdict.any():
            problem = f"no vote on the prompts for {part.value} prefers an image"
            raise InputError("votes", problem, "more votes, or more prompts")
    train, validation, tests = (parts[part] for part in VoteSplit)
    pairs = pairs_of(train)
    with threadpool_limits(1, user_api="blas"):
        held = select_images(features, pairs_of(validation))
        head = best_head(Training(features, pairs), held, tell)
        raw = head.scores(features)
        temperature = temperature_of(validation, raw)
        offset = float(raw[pairs.images].mean())
        scores = (raw - offset) / temperature
        unseen = unseen_models(tests, pairs, features, raw, head.penalty, tell)
        columns = {name: values[:, None] for name, values in measures.items()}
        if len(columns) > 1:
            columns[TOGETHER] = np.column_stack(list(measures.values()))
        columns[FINGERPRINT] = np.eye(len(votes.conditions))[votes.condition]
        simple = {
            name: Training(values, pairs).fit(FAINT).scores(values)
            for name, values in columns.items()
        }
        evaluation = Evaluation(
            agreement=compare_with_people(tests, scores),
            single_averaged=single_averaged(tests),
            train_accuracy=float(hits(train, scores).mean()),
            calibration=measure_calibration(tests, raw, temperature, chance),
            shortcuts=tuple(shortcuts_of(tests, scores, simple)),
            unseen=tuple(unseen),
            benchmark=benchmark_of(tests, scores),
        )
    scaled = replace(head, weight=head.weight / temperature, offset=offset / temperature)
    return TrainedModel(
        head=scaled, prompts=prompts, evaluation=evaluation, temperature=temperature
    )


def unseen_models(
    tests: Votes,
    pairs: VotedPairs,
    features: FeatureArray,
    seen: FloatArray,
    penalty: float,
    tell: Callable[[], object],
) -> Iterator[Row]:
    """Leave out each condition in turn: train without it, and test on choices with its images.

    Yields the accuracy of each such head, and that of the reward model on the same choices.
    ``pairs``: the training pairs. ``seen``: the reward model's score of each image.
    """
    of_one, of_other = tests.condition[pairs.one], tests.condition[pairs.other]
    for number, name in enumerate(tests.conditions):
        left = pairs.select((of_one != number) & (of_other != number))
        sides = tests.condition[np.stack([tests.first, tests.second])] == number
        asked = tests.select(sides[0] != sides[1])
        if not (left.for_one + left.for_other).any() or not asked.verdict.any():
            continue
        head = Training(features, left).fit(penalty)
        tell()
        yield {
            "condition": name,
            "unseen": accuracy(asked, head.scores(features)),
            "seen": accuracy(asked, seen),
        }


def measures_of(images: Sequence[Path]) -> dict[str, FloatArray]:
    """Measure simple properties of images that a model might use as shortcuts; return them by name.

    Brightness is the mean of the grey values. Sharpness is the logarithm of the variance of their
    Laplacian (Pech-Pacheco et al., 2000, "Diatom autofocusing in brightfield microscopy"). Sizes
    are logarithms.

    Raises InputError: an image cannot be decoded.
    """
    rows = []
    for path in images:
        grey = np.asarray(decode(path).convert("L"), dtype=float)
        sharpness = float(np.log1p(laplace(grey).var()))
        rows.append((grey.mean(), sharpness, np.log(path.stat().st_size), np.log(grey.size)))
    names = ("brightness", "sharpness", "size of the file", "size in pixels")
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


def lead(votes: Votes, scores: FloatArray) -> FloatArray:
    """Return the score of the chosen image minus that of the other, for each vote without a tie."""
    ahead = (scores[votes.first] - scores[votes.second]) * votes.verdict
    return np.asarray(ahead[votes.verdict != 0], dtype=float)


def hits(votes: Votes, scores: FloatArray) -> FloatArray:
    """Return 1 if the chosen image has the higher score, 0 if the lower, ½ for equal scores."""
    return (1 + np.sign(lead(votes, scores))) / 2


def units_of(votes: Votes) -> RowUnits:
    decided = votes.verdict != 0
    return RowUnits(evaluator=votes.evaluator[decided], item=votes.prompt[decided])


def accuracy(votes: Votes, scores: FloatArray) -> CountedEstimate:
    return estimate_share(hits(votes, scores), units_of(votes), CONFIDENCE)


def temperature_of(votes: Votes, scores: FloatArray) -> float:
    """Find the temperature that makes the choices most likely; 1 if there are no choices."""
    ahead = lead(votes, scores)
    if not np.abs(ahead).any():
        return 1.0
    best = minimize_scalar(
        lambda log_t: float(np.logaddexp(0, -ahead / np.exp(log_t)).mean()),
        bounds=(-WIDEST, WIDEST),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(np.exp(best.x))


def calibration_error(chances: FloatArray, right: BoolArray) -> float:
    """Return the distance between predicted and actual share in a bin, averaged over choices.

    ``chances``: the probability of the more probable side; the bins divide the range from ½ to 1
    equally. ``right``: whether people chose this side.
    """
    place = np.minimum((2 * (chances - 0.5) * BINS).astype(int), BINS - 1)
    apart = np.bincount(place, chances) - np.bincount(place, right)
    return float(np.abs(apart).sum() / len(chances))


def measure_calibration(
    votes: Votes, scores: FloatArray, temperature: float, rng: np.random.Generator
) -> Row | None:
    """Compare predicted probabilities with choices, as in Guo et al. (2017), "On calibration".

    ``scores``: the scores before they are divided by the temperature, which is fitted on the
    validation prompts. Returns the expected calibration error with and without the temperature,
    and the mean error by chance if people choose with the predicted probabilities.
    """
    ahead = lead(votes, scores)
    if not ahead.size:
        return None
    right = ahead > 0
    before, chances = expit(np.abs(ahead)), expit(np.abs(ahead) / temperature)
    drawn = [calibration_error(chances, rng.random(len(chances)) < chances) for _ in range(DRAWS)]
    return {
        "temperature": temperature,
        "error": calibration_error(chances, right),
        "error_before": calibration_error(before, right),
        "error_of_chance": float(np.mean(drawn)),
    }


def compare_with_people(votes: Votes, scores: FloatArray) -> ChoiceAgreement:
    """Compare scores with votes, as `hype score --judges` does for a preference model."""
    number = np.arange(len(votes.verdict))
    image = np.concatenate([votes.first, votes.second])
    side = np.concatenate([votes.verdict, -votes.verdict])

    def categories(codes: IntArray, names: Sequence[str]) -> pd.Series:
        return make_categories(codes, names, pd.RangeIndex(len(codes)))

    # A vote counts as a ranking of two images; its prompt is the group.
    table = pd.DataFrame(
        {
            "ranking": np.tile(number, 2),
            "evaluator": categories(
                np.tile(votes.evaluator, 2), list(map(str, range(votes.evaluators)))
            ),
            "group": categories(np.tile(votes.prompt, 2), votes.prompts),
            "image": categories(image, votes.images),
            "condition": categories(votes.condition[image], votes.conditions),
            "rank": np.where(side < 0, 2, 1),
            "finished": True,
        }
    )
    people, place = list_ranked_choices(table), {path: n for n, path in enumerate(votes.images)}
    own = scores[[place[path] for path in people.names]]
    return agree_with_rankings("reward model", own, people, JudgeOptions(confidence=CONFIDENCE))


def single_averaged(votes: Votes) -> CountedEstimate | None:
    """Return how often a person agrees with most others; an even split counts half."""
    same, chosen = others_choices(votes)
    shared = (votes.verdict != 0) & (chosen > 0)
    if not shared.any():
        return None
    agreed = (1 + np.sign(2 * same - chosen)[shared]) / 2
    units = RowUnits(evaluator=votes.evaluator[shared], item=votes.prompt[shared])
    return estimate_share(agreed, units, CONFIDENCE)


def shortcuts_of(
    votes: Votes, scores: FloatArray, simple: Mapping[str, FloatArray]
) -> Iterator[Row]:
    """Compare a model with simple rules: a measure of the image, its side, or its condition.

    Yields the rule's accuracy, and the model's accuracy minus the rule's. ``simple``: the scores of
    the images by each rule.
    """
    units, own = units_of(votes), hits(votes, scores)
    others = {name: hits(votes, values) for name, values in simple.items()}
    if votes.by_place:
        others[PLACE] = (1 + votes.verdict[votes.verdict != 0]) / 2
    for name, other in others.items():
        gain = own - other
        yield {
            "name": name,
            "accuracy": estimate_share(other, units, CONFIDENCE),
            "gain": estimate_difference(float(gain.mean()), gain - gain.mean(), units, CONFIDENCE),
        }


def benchmark_of(votes: Votes, scores: FloatArray) -> Benchmark | None:
    """Return the mean score of each condition over prompts; None if there is only one prompt."""
    image, first = np.unique(np.append(votes.first, votes.second), return_index=True)
    prompt = np.tile(votes.prompt, 2)[first]
    prompts = len(np.unique(prompt))
    if prompts < 2:
        return None
    table = pd.DataFrame(
        {
            "condition": [votes.conditions[n] for n in votes.condition[image]],
            "prompt": [votes.prompts[n] for n in prompt],
            "score": scores[image],
        }
    )
    return benchmark_table(table, groups=min(GROUPS, prompts))


def train_on_study(
    study: AnyStudy,
    kind: ExportKind,
    file: Path,
    *,
    simulated: bool,
    seed: int,
    tell: Callable[[], object],
) -> tuple[ModelSettings, Evaluation]:
    """Train a head on features (from ``file``) of the images on which people voted.

    ``tell`` is called after each fit.

    Raises InputError: as in `read_votes`, `read_features` and `train_model`.
    """
    votes = read_votes(study, kind, simulated=simulated)
    table = read_features(file, votes.images, list(images_of(study.image_folders)))
    features = table.values  # noqa: PD011  no pandas frame
    require_memory(file, COPIES * features.nbytes)
    measures = measures_of([file_in(study.image_folders, name) for name in votes.images])
    trained = train_model(votes, features, measures, seed=seed, tell=tell)
    head, digest = trained.head, hashlib.sha256()
    for row in features:
        digest.update(row.astype("<f8").tobytes())
    asked = kind.asked(study.settings)
    parts = {
        part.value: tuple(votes.prompts[n] for n in some) for part, some in trained.prompts.items()
    }
    settings = ModelSettings(
        hype_version=versions().get("hype", ""),
        seed=seed,
        penalty=head.penalty,
        temperature=trained.temperature,
        log_nu=head.log_nu if np.isfinite(head.log_nu) else None,
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
