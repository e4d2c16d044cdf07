"""The pre-flight of images: whether all are there and intact, and which traces reveal the fakes.

JPEG leaves blocks of 8 x 8 pixels, cameras blur, programs write smaller files: people and judges
may go by such traces. A linear classifier learns them from some images and is tried on the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hype.check.findings import Preflight
from hype.errors import InputError, quoted
from hype.files import inside
from hype.session.materials import check_file, read_stimuli
from hype.stimuli.images import SUFFIXES, decode
from hype.stimuli.manifest import MANIFEST, Stimulus, StimulusSet, read_manifest
from hype.study.studies import AnyStudy

FORMATS: Final = MappingProxyType({"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg"})
"""Suffixes that are another name for a format."""
COLOURS: Final = MappingProxyType({"L": "grey", "RGB": "colour"})
"""What the two modes of a decoded image are called."""
ALIKE: Final = "bring all images to one size, format and mode of colour; hype new does"
Trait = Callable[[Stimulus], str | None]


def stimuli_of(flight: Preflight, study: AnyStudy) -> StimulusSet | None:
    if not study.added:
        return manifest_of(flight, study.stimuli_folder)
    return flight.attempt("manifest-wrong", lambda: read_stimuli(study))


def manifest_of(flight: Preflight, folder: Path) -> StimulusSet | None:
    code = "manifest-wrong" if (folder / MANIFEST).exists() else "manifest-missing"
    return flight.attempt(code, lambda: read_manifest(folder))


@dataclass(frozen=True, kw_only=True)
class SeenImages:
    """Features of images besides the picture itself: traits by name, measured traces by path."""

    traits: Mapping[str, Trait]
    traces: Mapping[str, Floats]


def check_images(flight: Preflight, stimuli: StimulusSet, *, fact: str = "images") -> SeenImages:
    """Decode every image, and measure its features besides the picture itself.

    The numbers of images are kept as the ``fact``.
    """
    modes: dict[str, str] = {}
    traces: dict[str, Floats] = {}
    animated = 0
    for stimulus in stimuli.stimuli:
        if image := look_at(flight, stimuli, stimulus):
            modes[stimulus.path] = image.mode
            file = stimuli.folder_of(stimulus.path) / stimulus.path
            traces[stimulus.path] = traces_of(image, file.stat().st_size)
            animated += image.info["animated"]
    if animated:
        flight.warn(
            "images-animated",
            f"{stimuli.folder}: {animated} images are animations, and only their first frame is "
            "shown",
            "nothing, if the first frame is meant",
        )
    kinds = {(stimulus.condition, modes.get(stimulus.path)) for stimulus in stimuli.stimuli}
    if all({(name, "L"), (name, "RGB")} <= kinds for name, _ in kinds):
        flight.warn(
            "images-of-two-modes",
            f"{stimuli.folder}: in every condition some images are grey and some are in colour",
            ALIKE,
        )
    flight.facts[fact] = dict(Counter(s.condition or "real" for s in stimuli.stimuli))
    listed = {s.path for s in stimuli.stimuli}
    unlisted = [
        path
        for kind in ("real", "fake")
        for file in sorted((stimuli.folder / kind).rglob("*"))
        if file.suffix.lower() in SUFFIXES
        and (path := file.relative_to(stimuli.folder).as_posix()) not in listed
    ]
    if unlisted:
        flight.warn(
            "images-unlisted",
            f"{stimuli.folder}: {len(unlisted)} images are not in the manifest and will not be "
            f"shown, {unlisted[0]} among them",
            f"take them up with: hype stimuli scan {quoted(stimuli.folder)}",
        )
    traits: dict[str, Trait] = {
        "size": lambda s: "{} x {} px".format(*stimuli.sizes_px[s.path]),
        "format": lambda s: format_of(s.path),
        "colour": lambda s: COLOURS.get(modes.get(s.path, "")),
    }
    return SeenImages(traits=traits, traces=traces)


def warn_of_traces(flight: Preflight, stimuli: StimulusSet, seen: SeenImages) -> None:
    """Warn of conditions that a simple classifier tells from real images without the picture."""
    real = [seen.traces[s.path] for s in stimuli.real if s.path in seen.traces]
    for condition in stimuli.conditions:
        fake = [seen.traces[s.path] for s in stimuli.fake(condition) if s.path in seen.traces]
        giveaway = measure_giveaway(real, fake)
        if giveaway and giveaway.auc >= TELLING_AUC:
            flight.warn(
                "giveaway-measured",
                f"{stimuli.folder}: without a look at the picture, a simple classifier tells real "
                f"images from those of {condition!r} (AUC {giveaway.auc:.2f}; 0.5 is chance); the "
                f"strongest trace is {giveaway.strongest} (AUC {giveaway.strongest_auc:.2f})",
                "if the files and not the model make this difference, give all images one history: "
                "hype new --match-compression",
            )


def look_at(flight: Preflight, stimuli: StimulusSet, stimulus: Stimulus) -> Image.Image | None:
    """Decode one image and compare it with its manifest; None if it cannot be decoded."""
    folder = stimuli.folder_of(stimulus.path)
    path = flight.attempt("image-elsewhere", lambda: inside(folder, stimulus.path))
    if path is None:
        return None
    if not path.exists():
        flight.attempt("image-missing", lambda: check_file(folder, stimulus.path, stimulus.sha256))
        return None
    image = flight.attempt("image-unreadable", lambda: decode(path))
    if image:
        flight.attempt("image-changed", lambda: require_same(stimuli, stimulus, image))
    return image


def require_same(stimuli: StimulusSet, stimulus: Stimulus, image: Image.Image) -> None:
    """Refuse an image whose bytes or size are not those of the manifest."""
    folder = stimuli.folder_of(stimulus.path)
    check_file(folder, stimulus.path, stimulus.sha256)
    if image.size != stimuli.sizes_px[stimulus.path]:
        path = folder / stimulus.path
        raise InputError(path, f"is {image.width} x {image.height} px, unlike its manifest")


def traits_of(some: Sequence[Stimulus], trait: Trait) -> tuple[str, ...]:
    """Return the different values of a trait among some images, where it is known."""
    return tuple(sorted({value for s in some if (value := trait(s))}))


def format_of(path: str) -> str:
    suffix = Path(path).suffix.lower().removeprefix(".")
    return FORMATS.get(suffix, suffix)


BLOCK_PX: Final = 8
TRACES: Final = {
    "blockiness": slice(0, 1),
    "file size": slice(1, 2),
    "sharpness": slice(2, 3),
    "mean colour": slice(3, 6),
}
"""Which of the numbers of an image belong to which trace."""
FEWEST: Final = 40
"""Fewest images of each side for a result."""
FOLDS: Final = 5
PENALTY: Final = 1.0
"""On the squared weights of standardised traces."""
TELLING_AUC: Final = 0.75

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Giveaway:
    """How well all traces together tell two sides apart, and the strongest of them.

    An AUC is how often the classifier puts an image of one side above one of the other: 0.5 is
    chance, 1 is always.
    """

    auc: float
    strongest: str
    strongest_auc: float


def traces_of(image: Image.Image, file_bytes: int) -> Floats:
    """Measure an image: blockiness, file size, sharpness (on logarithmic scales), mean colour."""
    grey = np.asarray(image.convert("L"), dtype=np.float64)
    colour = np.asarray(image.convert("RGB"), dtype=np.float64).mean(axis=(0, 1))
    inner = grey[1:-1, 1:-1]
    around = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:]
    sharpness = np.var(4 * inner - around) if inner.size else 0.0
    return np.array([blockiness(grey), np.log(file_bytes), np.log(sharpness + 1), *colour])


def blockiness(grey: Floats) -> float:
    """Return the ratio of pixel differences across the edges of blocks to those elsewhere.

    The logarithm; edges are where columns, and rows, differ most at steps of `BLOCK_PX`.
    """
    ratios = []
    for pixels in (grey, grey.T):
        steps = np.abs(np.diff(pixels, axis=1)).mean(axis=0)
        if len(steps) < BLOCK_PX:
            return 0.0
        means = np.array([steps[start::BLOCK_PX].mean() for start in range(BLOCK_PX)])
        ratios.append(np.log((means.max() + 0.1) / (np.median(means) + 0.1)))
    return float(np.mean(ratios))


def measure_giveaway(real: Sequence[Floats], fake: Sequence[Floats]) -> Giveaway | None:
    """Measure how well the traces tell the sides apart; None if there are too few images."""
    if min(len(real), len(fake)) < FEWEST:
        return None
    traces = np.vstack([*real, *fake])
    is_fake = np.repeat([0.0, 1.0], [len(real), len(fake)])
    alone = {
        name: cross_validated_auc(traces[:, columns], is_fake) for name, columns in TRACES.items()
    }
    strongest = max(alone, key=lambda name: alone[name])
    return Giveaway(
        auc=cross_validated_auc(traces, is_fake),
        strongest=strongest,
        strongest_auc=alone[strongest],
    )


def cross_validated_auc(traces: Floats, is_fake: Floats) -> float:
    """Classify each fifth of the images by the other four; return the mean AUC of the fifths."""
    from scipy.stats import mannwhitneyu  # takes a second, and every session loads this module

    fold = np.empty(len(is_fake), dtype=np.int64)
    rng = np.random.default_rng(0)
    for side in (0.0, 1.0):
        members = np.flatnonzero(is_fake == side)
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    aucs = []
    for number in range(FOLDS):
        test = fold == number
        scores = traces_scored(traces, is_fake, test)
        fakes, reals = scores[is_fake[test] == 1], scores[is_fake[test] == 0]
        aucs.append(mannwhitneyu(fakes, reals).statistic / (len(fakes) * len(reals)))
    return float(np.mean(aucs))


def traces_scored(traces: Floats, is_fake: Floats, test: NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression to the images that are not tested; score those that are."""
    from scipy.optimize import minimize
    from scipy.special import expit

    train = traces[~test]
    spread = train.std(axis=0)
    standard = (traces - train.mean(axis=0)) / np.where(spread > 0, spread, 1)
    design = np.column_stack([np.ones(len(standard)), standard])
    known, answer = design[~test], is_fake[~test]

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = known @ weights
        penalised = np.concatenate([[0.0], weights[1:]])
        value = (
            np.logaddexp(0, logits).sum() - answer @ logits + PENALTY / 2 * penalised @ penalised
        )
        return float(value), known.T @ (expit(logits) - answer) + PENALTY * penalised

    fitted = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B")
    scores: Floats = design[test] @ fitted.x
    return scores
