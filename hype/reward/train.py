"""From votes and features to a reward model, and what it is held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.ndimage import laplace
from threadpoolctl import threadpool_limits

from hype.errors import InputError
from hype.features.features import FeatureArray, NamedImage
from hype.judges.results import JudgeOptions
from hype.reward.evaluation import (
    FINGERPRINT,
    TOGETHER,
    Evaluation,
    UnseenModel,
    accuracy,
    agreement_with_people,
    benchmark_of,
    calibrated,
    hits,
    relative_spread,
    shortcuts_of,
    single_against_averaged,
    temperature_of,
)
from hype.reward.heads import Each, Head, Trained, Training, along_penalties, of_pairs
from hype.reward.votes import (
    VotedPairs,
    Votes,
    VoteSplit,
    pairs_of,
    split_prompts,
    weights_by_agreement,
)
from hype.statistics.arrays import FloatArray, IntArray
from hype.stimuli.images import decode
from hype.system import cores

FAINT: Final = 1e-4
"""The penalty of a score of a few simple measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """The choices."""

    hidden: int = 0  # units of a hidden layer; 0 for a linear head
    members: int = 5  # trained on resampled prompts, for the spread
    weigh_people: bool = False  # by their agreement with others
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, kw_only=True, eq=False)
class Parted:
    """Votes by what they are for, and as pairs; arrays of the same images."""

    prompts: Mapping[VoteSplit, IntArray]
    votes: Mapping[VoteSplit, Votes]
    pairs: Mapping[VoteSplit, VotedPairs]


def parted(votes: Votes, options: TrainingOptions, seed: np.random.SeedSequence) -> Parted:
    """Split votes by prompt; people are weighed by how they agree on the training prompts.

    Raises InputError: as from `split_prompts`, or a part holds no choice.
    """
    prompts = split_prompts(votes, np.random.default_rng(seed))
    on = {part: votes.of(np.isin(votes.prompt, some)) for part, some in prompts.items()}
    for part, some in on.items():
        if not some.verdict.any():
            problem = f"nobody chose between images of the prompts for {part.value}"
            raise InputError("votes", problem, "more votes, or more prompts")
    weight = np.ones(votes.evaluators)
    if options.weigh_people:
        weight = weights_by_agreement(on[VoteSplit.TRAIN])
    pairs = {part: pairs_of(some, weight) for part, some in on.items()}
    return Parted(prompts=prompts, votes=on, pairs=pairs)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedModel:
    """Heads whose scores are log-odds, and what they may claim."""

    heads: tuple[Head, ...]  # the first of all training prompts, the others of resampled ones
    fitted: Trained  # the first as it was trained, before its scores were made log-odds
    temperature: float
    parts: Parted
    evaluation: Evaluation


def train_model(
    votes: Votes,
    features: FeatureArray,
    measures: Mapping[str, FloatArray],
    options: TrainingOptions,
    tell: Callable[[], object] = lambda: None,
) -> TrainedModel:
    """Train heads on the training prompts, and hold them against people on the test prompts.

    Parameters
    ----------
    features
        Of each image of the votes, shape (images, d).
    measures
        Simple ones of each image, by name, that a model might go by.
    tell
        Is called after each fit.

    The same seed gives the same model, however many threads there are.

    Raises InputError, NotTrained.
    """
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(cores()) as pool:
        return model_of(votes, features, measures, options, tell, pool.map)


def model_of(
    votes: Votes,
    features: FeatureArray,
    measures: Mapping[str, FloatArray],
    options: TrainingOptions,
    tell: Callable[[], object],
    each: Each,
) -> TrainedModel:
    """Train a model as `train_model` does; ``each`` does the work for blocks of images."""
    split, start, resampled, chance = np.random.SeedSequence(options.seed).spawn(4)
    parts = parted(votes, options, split)
    training = Training(features, parts.pairs[VoteSplit.TRAIN], options.hidden, each)
    validation = of_pairs(features, parts.pairs[VoteSplit.VALIDATION])
    whole = along_penalties(training, validation, start, tell)
    raw = whole.head.scores(features)
    temperature = temperature_of(parts.votes[VoteSplit.VALIDATION], raw)
    members = []
    for times, rng in resampled_prompts(parts, options.members, resampled):
        begun = training.start(rng) if options.hidden else whole.point
        members.append(training.fit(whole.penalty, begun, times, rng).head)
        tell()
    by_head = np.array([raw, *(head.scores(features) for head in members)])
    offsets, log_odds = as_log_odds(by_head, parts, temperature)
    heads = (whole.head, *members)

    def fit(left: VotedPairs) -> FloatArray:
        rng = np.random.default_rng(options.seed)
        fewer = Training(features, left, options.hidden, each)
        head = fewer.fit(whole.penalty, fewer.start(rng), rng=rng).head
        tell()
        return head.scores(features)

    unseen = unseen_models(votes, parts, raw, fit, options.confidence)
    evaluation = evaluate(
        parts,
        *(log_odds, temperature, measures, tuple(unseen), options),
        rng=np.random.default_rng(chance),
    )
    return TrainedModel(
        heads=tuple(h.scaled(temperature, at) for h, at in zip(heads, offsets, strict=True)),
        fitted=whole,
        temperature=temperature,
        parts=parts,
        evaluation=evaluation,
    )


def as_log_odds(
    scores: FloatArray, parts: Parted, temperature: float
) -> tuple[list[float], FloatArray]:
    """Divide scores by a temperature, once the mean of the training images is taken off.

    ``scores``: shape (1 + members, images). Gives these means first.
    """
    offsets = scores[:, parts.pairs[VoteSplit.TRAIN].images].mean(axis=1)
    return offsets.tolist(), (scores - offsets[:, None]) / temperature


def resampled_prompts(
    parts: Parted, members: int, seed: np.random.SeedSequence
) -> Iterator[tuple[FloatArray, np.random.Generator]]:
    """Yield how often each prompt counts if training prompts are drawn with replacement.

    How far other prompts would have led elsewhere. A hidden layer also begins elsewhere, by the
    generator.
    """
    prompts = parts.prompts[VoteSplit.TRAIN]
    for own in seed.spawn(members):
        rng = np.random.default_rng(own)
        times = np.zeros(int(prompts.max()) + 1)
        times[prompts] = rng.multinomial(len(prompts), np.full(len(prompts), 1 / len(prompts)))
        yield times, rng


def unseen_models(
    votes: Votes,
    parts: Parted,
    seen: FloatArray,
    fit: Callable[[VotedPairs], FloatArray],
    confidence: float,
) -> Iterator[UnseenModel]:
    """Leave out one condition after the other, to see whether what is learnt holds for it too.

    ``seen``: the model's score of each image. ``fit``: gives the scores of one of fewer pairs.
    """
    pairs, tests = parts.pairs[VoteSplit.TRAIN], parts.votes[VoteSplit.TEST]
    of_one, of_other = votes.condition[pairs.one], votes.condition[pairs.other]
    for number, name in enumerate(votes.conditions):
        left = pairs.of((of_one != number) & (of_other != number))
        sides = votes.condition[np.stack([tests.first, tests.second])] == number
        asked = tests.of(sides[0] != sides[1])
        if not (left.for_one + left.for_other).any() or not asked.verdict.any():
            continue
        yield UnseenModel(
            condition=name,
            unseen=accuracy(asked, fit(left), confidence),
            seen=accuracy(asked, seen, confidence),
        )


def evaluate(
    parts: Parted,
    scores: FloatArray,
    temperature: float,
    measures: Mapping[str, FloatArray],
    unseen: Sequence[UnseenModel],
    options: TrainingOptions,
    *,
    rng: np.random.Generator,
) -> Evaluation:
    """Hold scores against people.

    ``scores``: log-odds of each image, shape (1 + members, images): the model's, then the members'.
    ``temperature``: by which they were divided.
    """
    tests, own = parts.votes[VoteSplit.TEST], scores[0]
    judged = JudgeOptions(confidence=options.confidence)
    simple = {
        name: fitted_scores(values[:, None], parts.pairs[VoteSplit.TRAIN])
        for name, values in measures.items()
    }
    if len(measures) > 1:
        together = np.column_stack(list(measures.values()))
        simple[TOGETHER] = fitted_scores(together, parts.pairs[VoteSplit.TRAIN])
    made_by = np.eye(len(tests.conditions))[tests.condition]
    simple[FINGERPRINT] = fitted_scores(made_by, parts.pairs[VoteSplit.TRAIN])
    return Evaluation(
        agreement=agreement_with_people(tests, own, "reward model", judged),
        single_averaged=single_against_averaged(tests, options.confidence),
        train_accuracy=float(hits(parts.votes[VoteSplit.TRAIN], own).mean()),
        calibration=calibrated(tests, own * temperature, temperature, rng),
        shortcuts=tuple(shortcuts_of(tests, own, simple, options.confidence)),
        unseen=tuple(unseen),
        benchmark=benchmark_of(tests, own),
        spread=relative_spread(tests, own, scores[1:]),
    )


def fitted_scores(measures: FloatArray, pairs: VotedPairs) -> FloatArray:
    """Give the scores of a linear head on a few measures; shape (images,)."""
    training = Training(measures, pairs, hidden=0)
    start = training.start(np.random.default_rng(0))
    return training.fit(FAINT, start).head.scores(measures)


def measures_of(images: Sequence[NamedImage]) -> dict[str, FloatArray]:
    """Measure what a model might go by instead of what people see, of each image, by name.

    Brightness is the mean of grey values, sharpness the logarithm of the variance of their
    Laplacian (Pech-Pacheco et al. 2000, "Diatom autofocusing in brightfield microscopy"), sizes are
    logarithms.

    Raises InputError: an image cannot be decoded.
    """
    rows = []
    for _, path in images:
        image = decode(path)
        grey = np.asarray(image.convert("L"), dtype=float)
        sharpness = float(np.log1p(laplace(grey).var()))
        sizes = (np.log(path.stat().st_size), np.log(grey.size))
        rows.append((grey.mean(), sharpness, *sizes))
    names = ("brightness", "sharpness", "size of the file", "size in pixels")
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))
