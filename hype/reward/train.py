"""From votes and features to a reward model, and what it is held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.ndimage import laplace
from threadpoolctl import threadpool_limits

from hype.errors import InputError
from hype.features.features import FeatureArray
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
    shortcuts_of,
    single_against_averaged,
    temperature_of,
)
from hype.reward.head import Head, Training, best_head, of_pairs
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

FAINT: Final = 1e-4
"""The penalty of a score of a few simple measures."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedModel:
    """A head whose scores are log-odds, and what it may claim."""

    head: Head
    prompts: Mapping[VoteSplit, IntArray]
    evaluation: Evaluation
    temperature: float  # by which scores were divided


def train_model(
    votes: Votes,
    features: FeatureArray,
    measures: Mapping[str, FloatArray],
    *,
    weigh_people: bool = False,
    seed: int = 0,
    tell: Callable[[], object] = lambda: None,
) -> TrainedModel:
    """Train a head on the training prompts, and hold it against people on the test prompts.

    Parameters
    ----------
    features
        Of each image of the votes, shape (images, d).
    measures
        Simple ones of each image, by name, that a model might go by.
    weigh_people
        By how they agree with others on the training prompts.
    tell
        Is called after each fit.

    The same seed gives the same model, however many threads there are.

    Raises InputError: as from `split_prompts`, or a part holds no choice. Raises NotTrained.
    """
    split, chance = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    prompts = split_prompts(votes, split)
    parts = {part: votes.of(np.isin(votes.prompt, some)) for part, some in prompts.items()}
    for part, some in parts.items():
        if not some.verdict.any():
            problem = f"nobody chose between images of the prompts for {part.value}"
            raise InputError("votes", problem, "more votes, or more prompts")
    train, validation, tests = (parts[part] for part in VoteSplit)
    weight = weights_by_agreement(train) if weigh_people else np.ones(votes.evaluators)
    pairs = pairs_of(train, weight)
    with threadpool_limits(1, user_api="blas"):
        held = of_pairs(features, pairs_of(validation, weight))
        head = best_head(Training(features, pairs), held, tell)
        raw = head.scores(features)
        temperature = temperature_of(validation, raw)
        offset = float(raw[pairs.images].mean())
        scores = (raw - offset) / temperature
        unseen = unseen_models(tests, pairs, features, raw, head.penalty, tell)
        simple = dict(fitted_measures(measures, votes, pairs))
        evaluation = Evaluation(
            agreement=agreement_with_people(tests, scores, "reward model"),
            single_averaged=single_against_averaged(tests),
            train_accuracy=float(hits(train, scores).mean()),
            calibration=calibrated(tests, raw, temperature, chance),
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
) -> Iterator[UnseenModel]:
    """Leave out one condition after the other, to see whether what is learnt holds for it too.

    ``pairs``: for training. ``seen``: the model's score of each image.
    """
    of_one, of_other = tests.condition[pairs.one], tests.condition[pairs.other]
    for number, name in enumerate(tests.conditions):
        left = pairs.of((of_one != number) & (of_other != number))
        sides = tests.condition[np.stack([tests.first, tests.second])] == number
        asked = tests.of(sides[0] != sides[1])
        if not (left.for_one + left.for_other).any() or not asked.verdict.any():
            continue
        head = Training(features, left).fit(penalty)
        tell()
        yield UnseenModel(
            condition=name,
            unseen=accuracy(asked, head.scores(features)),
            seen=accuracy(asked, seen),
        )


def fitted_measures(
    measures: Mapping[str, FloatArray], votes: Votes, pairs: VotedPairs
) -> Iterator[tuple[str, FloatArray]]:
    """Yield the scores of heads on simple measures alone, shape (images,), and on the condition."""
    columns = {name: values[:, None] for name, values in measures.items()}
    if len(columns) > 1:
        columns[TOGETHER] = np.column_stack(list(measures.values()))
    columns[FINGERPRINT] = np.eye(len(votes.conditions))[votes.condition]
    for name, values in columns.items():
        yield name, Training(values, pairs).fit(FAINT).scores(values)


def measures_of(images: Sequence[Path]) -> dict[str, FloatArray]:
    """Measure what a model might go by instead of what people see, of each image, by name.

    Brightness is the mean of grey values, sharpness the logarithm of the variance of their
    Laplacian (Pech-Pacheco et al. 2000, "Diatom autofocusing in brightfield microscopy"), sizes are
    logarithms.

    Raises InputError: an image cannot be decoded.
    """
    rows = []
    for path in images:
        grey = np.asarray(decode(path).convert("L"), dtype=float)
        sharpness = float(np.log1p(laplace(grey).var()))
        rows.append((grey.mean(), sharpness, np.log(path.stat().st_size), np.log(grey.size)))
    names = ("brightness", "sharpness", "size of the file", "size in pixels")
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))
