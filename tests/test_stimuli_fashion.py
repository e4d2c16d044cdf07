"""The demonstration's stimuli: complete, equal in form, different only in their content."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

SET = Path(__file__).parents[1] / "stimuli" / "fashion"
CONDITIONS = ("gaussian", "pca", "vae", "flow")
CLASSES = {
    *("t-shirt", "trouser", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "ankle-boot"),
}
PER_SOURCE = 400
SIZE_PX = 128
FRAME_PX = 4  # on every side, black in all pictures
FIELD_PX = 8  # where the data set's 28 x 28 pixels start
N_FOLDS = 10

# A guessing classifier is right for Binomial(800, 1/2) of the 800 pictures of a comparison, which
# is at most this share in 99.9% of cases.
CHANCE_BOUND = stats.binom.ppf(0.999, 2 * PER_SOURCE, 0.5) / (2 * PER_SOURCE)


@pytest.fixture(scope="module")
def manifest() -> pd.DataFrame:
    return pd.read_csv(SET / "manifest.csv", keep_default_na=False, dtype=str)


@pytest.fixture(scope="module")
def pixels(manifest: pd.DataFrame) -> np.ndarray:
    """Return all pictures in the order of the manifest, (2000, 128, 128) bytes."""
    return np.stack([np.asarray(Image.open(SET / path)) for path in manifest["path"]])


@pytest.fixture(scope="module")
def features(manifest: pd.DataFrame, pixels: np.ndarray) -> np.ndarray:
    """Return features of a picture apart from its content, one row per picture.

    The background consists of the black frame, the corners between the picture's edge and the data
    set's own field, and the outermost pixels of that field: a garment may touch these, but hardly
    changes their median.
    """
    frame = pixels[:, ring(0, FRAME_PX)]
    corners = pixels[:, ring(0, FIELD_PX) & corner_patches(FIELD_PX)]
    edge = pixels[:, ring(FIELD_PX, FIELD_PX + 4)]
    return np.column_stack(
        [
            [(SET / path).stat().st_size for path in manifest["path"]],
            [png_header(SET / path)[2] for path in manifest["path"]],
            pixels.min(axis=(1, 2)),
            pixels.max(axis=(1, 2)),
            frame.mean(axis=1),
            frame.max(axis=1),
            corners.mean(axis=1),
            np.median(edge, axis=1),
        ]
    ).astype(float)


def png_header(path: Path) -> tuple[int, int, int, int]:
    """Return width, height, bit depth and colour type of a PNG file."""
    start = path.read_bytes()[:26]
    assert start[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(start[k : k + 4], "big") for k in (16, 20))
    return width, height, start[24], start[25]


def ring(outer: int, inner: int) -> np.ndarray:
    """Mark the pixels at least `outer` and less than `inner` pixels from the edge."""
    place = np.arange(SIZE_PX)
    depth = np.minimum(place, SIZE_PX - 1 - place)
    depth = np.minimum(depth[:, None], depth)
    return (depth >= outer) & (depth < inner)


def corner_patches(size: int) -> np.ndarray:
    """Mark the four squares of `size` pixels in the corners."""
    place = np.arange(SIZE_PX)
    near = np.minimum(place, SIZE_PX - 1 - place) < size
    return near[:, None] & near


def cross_validated_accuracy(classifier: Any, real: np.ndarray, fake: np.ndarray) -> float:
    """Return the share of pictures that a classifier trained on other ones sorts correctly."""
    x = np.concatenate([real, fake])
    y = np.repeat([True, False], [len(real), len(fake)])
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=1)
    return float(cross_val_score(classifier, x, y, cv=folds).mean())


CLASSIFIERS = {
    "the best split of one feature": DecisionTreeClassifier(max_depth=1),
    "all features weighed": make_pipeline(StandardScaler(), LogisticRegression()),
}


def source(manifest: pd.DataFrame, condition: str) -> np.ndarray:
    """Mark the rows of a condition, or of the real pictures ("")."""
    return (manifest["condition"] == condition).to_numpy()


def test_every_source_has_every_class_equally_often(manifest):
    counts = manifest.groupby(["kind", "condition", "label"]).size()

    assert set(manifest["label"]) == CLASSES
    assert set(counts.index.droplevel("label")) == {
        ("real", ""),
        *(("fake", condition) for condition in CONDITIONS),
    }
    assert (counts == PER_SOURCE // len(CLASSES)).all()
    assert len(counts) == (1 + len(CONDITIONS)) * len(CLASSES)


def test_manifest_lists_exactly_the_pictures_that_are_there(manifest):
    paths = [*(SET / "real").rglob("*.png"), *(SET / "fake").rglob("*.png")]
    there = {path.relative_to(SET).as_posix(): path for path in paths}
    digests = [hashlib.sha256(there[path].read_bytes()).hexdigest() for path in manifest["path"]]

    assert set(manifest["path"]) == {*there}
    assert manifest["path"].is_monotonic_increasing
    assert list(manifest["sha256"]) == digests
    assert manifest["sha256"].is_unique


def test_file_number_does_not_tell_the_class(manifest):
    for condition in ("", *CONDITIONS):
        labels = manifest.loc[source(manifest, condition), "label"].to_numpy()
        assert np.mean(labels[1:] == labels[:-1]) < 0.2  # 0.1 if shuffled, 0.975 if not


def test_all_pictures_have_the_same_form(manifest, pixels):
    assert {png_header(SET / path) for path in manifest["path"]} == {(SIZE_PX, SIZE_PX, 8, 0)}
    assert len({(SET / path).stat().st_size for path in manifest["path"]}) == 1
    assert (pixels.min(axis=(1, 2)) == 0).all()
    assert (pixels.max(axis=(1, 2)) == 255).all()
    assert (pixels[:, ring(0, FRAME_PX)] == 0).all()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_form_and_background_give_no_source_away(manifest, features, condition, classifier):
    real, fake = features[source(manifest, "")], features[source(manifest, condition)]

    accuracy = cross_validated_accuracy(CLASSIFIERS[classifier], real, fake)

    assert accuracy < CHANCE_BOUND


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("column", [0, 7])
def test_the_same_classifier_detects_a_planted_giveaway(manifest, features, column, classifier):
    """The classifier notices if one feature of a quarter of the fakes differs by one unit."""
    real, fake = features[source(manifest, "")], features[source(manifest, "flow")].copy()
    fake[: len(fake) // 4, column] += 1

    accuracy = cross_validated_accuracy(CLASSIFIERS[classifier], real, fake)

    assert accuracy > CHANCE_BOUND
