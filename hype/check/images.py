"""The pre-flight of images: whether all are present and intact, and which traces reveal the fakes.

JPEG leaves blocks of 8 x 8 pixels, cameras blur, files differ in size. Such traces may reveal fakes
to people and judges. A linear classifier learns them from some images and is tested on the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hype.check.findings import Preflight
from hype.errors import InputError, quote_path
from hype.files import inside
from hype.session.materials import check_file, read_stimuli
from hype.stimuli.collection import JPEG, JPEG_QUALITY, SOURCE_FORMAT
from hype.stimuli.images import SUFFIXES, content_of, decode
from hype.stimuli.manifest import MANIFEST, Stimulus, StimulusSet, read_extra_columns, read_manifest
from hype.study.studies import AnyStudy

FORMATS: Final = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg"}
"""The formats for file suffixes that are not names of formats."""
COLOURS: Final = {"L": "grey", "RGB": "colour"}
"""Names of the two modes of a decoded image."""
ALIKE: Final = "convert all images to one size, format and colour mode, as hype new does"
Trait = Callable[[Stimulus], str | None]


def stimuli_of(flight: Preflight, study: AnyStudy) -> StimulusSet | None:
    if not study.added:
        return manifest_of(flight, study.stimuli_folder)
    return flight.attempt("manifest-wrong", lambda: read_stimuli(study))


def manifest_of(flight: Preflight, folder: Path) -> StimulusSet | None:
    code = "manifest-wrong" if (folder / MANIFEST).exists() else "manifest-missing"
    return flight.attempt(code, lambda: read_manifest(folder))


LEAST_PX: Final = 100
"""Pictures on pages should be at least this wide and high, since pages never enlarge them."""


def check_page_pictures(flight: Preflight, study: AnyStudy, stimuli: StimulusSet | None) -> None:
    """Check the pictures on pages: each must be an image, but not one of the stimuli."""
    asked = {stimulus.sha256 for stimulus in stimuli.stimuli} if stimuli else set()
    for page, picture in study.settings.pictures.items():
        path = study.folder / picture.file
        image = flight.attempt("page-picture-unreadable", partial(decode, path))
        if image and hashlib.sha256(content_of(path)).hexdigest() in asked:
            problem = f"is one of the stimuli, and pictures.{page} shows it before the trials"
            flight.add("page-picture-asked", InputError(path, problem, "another picture"))
        if image and min(image.size) < LEAST_PX:
            flight.warn(
                "page-picture-small",
                f"{path}: is {image.width} x {image.height} px, and is not enlarged on its page",
                f"for pictures.{page}, use a picture of at least {LEAST_PX} px on each side",
            )


@dataclass(frozen=True, kw_only=True)
class ImageFeatures:
    """Properties of images apart from their content: traits by name, measured traces by path."""

    traits: Mapping[str, Trait]
    traces: Mapping[str, Floats]


def check_images(flight: Preflight, stimuli: StimulusSet, *, fact: str = "images") -> ImageFeatures:
    """Decode every image, and measure properties other than what it shows, such as file size.

    The number of images per condition is stored as the fact named ``fact``.
    """
    modes: dict[str, str] = {}
    traces: dict[str, Floats] = {}
    animated = 0
    for stimulus in stimuli.stimuli:
        if image := check_image(flight, stimuli, stimulus):
            modes[stimulus.path] = image.mode
            file = stimuli.folder_of(stimulus.path) / stimulus.path
            traces[stimulus.path] = traces_of(image, file.stat().st_size)
            animated += image.info["animated"]
    if animated:
        flight.warn(
            "images-animated",
            f"{stimuli.folder}: {animated} images are animations, and only their first frame is "
            "shown",
            "change nothing if people should see only the first frame",
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
            f"shown, such as {unlisted[0]}",
            f"add them with: hype stimuli scan {quote_path(stimuli.folder)}",
        )
    traits: dict[str, Trait] = {
        "size": lambda s: "{} x {} px".format(*stimuli.sizes_px[s.path]),
        "format": lambda s: format_of(s.path),
        "colour": lambda s: COLOURS.get(modes.get(s.path, "")),
    }
    return ImageFeatures(traits=traits, traces=traces)


def warn_of_traces(flight: Preflight, stimuli: StimulusSet, features: ImageFeatures) -> None:
    """Warn of conditions whose images a simple classifier recognises by their traces alone."""
    traces = features.traces
    jpeg = any(
        format_of(path) == "jpeg" or (row.get(SOURCE_FORMAT) == JPEG and not row.get(JPEG_QUALITY))
        for path, row in read_extra_columns(stimuli.folder).items()
    )
    real = [traces[s.path] for s in stimuli.real if s.path in traces]
    for condition in stimuli.conditions:
        fake = [traces[s.path] for s in stimuli.fake(condition) if s.path in traces]
        auc, strongest, strongest_auc = measure_giveaway(real, fake) or (0.0, "", 0.0)
        if auc >= TELLING_AUC:
            flight.warn(
                "giveaway-measured",
                f"{stimuli.folder}: traces of processing alone, such as sharpness, separate real "
                f"images from those of {condition!r} (AUC {auc:.2f}; 0.5 is chance); the "
                f"strongest trace is {strongest} (AUC {strongest_auc:.2f})",
                "if the traces come from the files and not from the model, process all images "
                f"in the same way{': hype new --match-compression' if jpeg else ''}",
            )


def check_image(flight: Preflight, stimuli: StimulusSet, stimulus: Stimulus) -> Image.Image | None:
    """Decode one image and compare it with the manifest; None if it cannot be decoded."""
    folder = stimuli.folder_of(stimulus.path)
    path = flight.attempt("image-elsewhere", lambda: inside(folder, stimulus.path))
    if path is None:
        return None
    check_sum = partial(check_file, folder, stimulus.path, stimulus.sha256)
    if not path.exists():
        flight.attempt("image-missing", check_sum)
        return None
    image = flight.attempt("image-unreadable", lambda: decode(path))
    is_same = image and flight.allows("image-changed", check_sum)
    if image and is_same and image.size != stimuli.sizes_px[stimulus.path]:
        problem = f"is {image.width} x {image.height} px, but the manifest gives another size"
        flight.add("image-changed", InputError(path, problem))
    return image


def traits_of(some: Sequence[Stimulus], trait: Trait) -> tuple[str, ...]:
    """Return the known values of a trait in some images, each once."""
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
"""For each trace, its part of the array that `traces_of` returns."""
FEWEST: Final = 40
"""A result needs at least this many real images and this many fakes."""
FOLDS: Final = 5
PENALTY: Final = 1.0
"""The penalty on the squared weights of a logistic regression on standardised traces."""
TELLING_AUC: Final = 0.75

Floats = NDArray[np.float64]


def traces_of(image: Image.Image, file_bytes: int) -> Floats:
    """Measure an image: blockiness, file size, sharpness (on logarithmic scales), mean colour."""
    grey = np.asarray(image.convert("L"), dtype=np.float64)
    colour = np.asarray(image.convert("RGB"), dtype=np.float64).mean(axis=(0, 1))
    inner = grey[1:-1, 1:-1]
    around = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:]
    sharpness = np.var(4 * inner - around) if inner.size else 0.0
    return np.array([blockiness(grey), np.log(file_bytes), np.log(sharpness + 1), *colour])


def blockiness(grey: Floats) -> float:
    """Return the log of a ratio: pixel differences across block edges to differences elsewhere.

    The edges are the columns and rows at steps of `BLOCK_PX` with the largest differences.
    """
    ratios = []
    for pixels in (grey, grey.T):
        steps = np.abs(np.diff(pixels, axis=1)).mean(axis=0)
        if len(steps) < BLOCK_PX:
            return 0.0
        means = np.array([steps[start::BLOCK_PX].mean() for start in range(BLOCK_PX)])
        ratios.append(np.log((means.max() + 0.1) / (np.median(means) + 0.1)))
    return float(np.mean(ratios))


def check_files(flight: Preflight, study: AnyStudy, stimuli: Iterable[Stimulus]) -> None:
    """Check that images outside a study's stimulus set exist and match their manifests."""
    for stimulus in stimuli:
        folder, name = study.place_of(stimulus.path)
        code = "image-changed" if inside(folder, name).exists() else "image-missing"
        flight.attempt(code, partial(check_file, folder, name, stimulus.sha256))


def measure_giveaway(
    real: Sequence[Floats], fake: Sequence[Floats]
) -> tuple[float, str, float] | None:
    """Measure how well all traces, and the strongest alone, separate fakes from real images.

    Returns the AUC of all traces, the name of the strongest trace and its AUC; None if images are
    too few. An AUC is how often a fake scores higher than a real image (by chance: 0.5).
    """
    if min(len(real), len(fake)) < FEWEST:
        return None
    traces = np.vstack([*real, *fake])
    is_fake = np.repeat([0.0, 1.0], [len(real), len(fake)])
    alone = {
        name: cross_validated_auc(traces[:, columns], is_fake) for name, columns in TRACES.items()
    }
    strongest = max(alone, key=lambda name: alone[name])
    return cross_validated_auc(traces, is_fake), strongest, alone[strongest]


def cross_validated_auc(traces: Floats, is_fake: Floats) -> float:
    """Train on four fifths of the images and test on one fifth, in turn; return the mean AUC."""
    from scipy.stats import mannwhitneyu  # loading takes a second; sessions do not need it

    fold = np.empty(len(is_fake), dtype=np.int64)
    rng = np.random.default_rng(0)
    for side in (0.0, 1.0):
        members = np.flatnonzero(is_fake == side)
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    aucs = []
    for number in range(FOLDS):
        test = fold == number
        scores = score_traces(traces, is_fake, test)
        fakes, reals = scores[is_fake[test] == 1], scores[is_fake[test] == 0]
        aucs.append(mannwhitneyu(fakes, reals).statistic / (len(fakes) * len(reals)))
    return float(np.mean(aucs))


def score_traces(traces: Floats, is_fake: Floats, test: NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression to the images that are not in ``test``, and score the others."""
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
