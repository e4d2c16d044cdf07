"""The matrix that weights residuals agrees with the gradients."""

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage

from hype.masks.fields import Analyser
from hype.masks.jacobian import Jacobian, gram_of_blocks, invert_damped
from hype.masks.model import (
    BANDS,
    ImageMoments,
    Statistics,
    StatisticsLayout,
    TextureModel,
    blocks_of,
    layouts,
    pull_back,
)

MODEL = TextureModel(scales=2, orientations=3, window=5)
ALL = 1000.0
"""A radius that includes all frequencies of these images."""


def image(channels: int, side: int) -> np.ndarray:
    """Return smooth skewed noise without energy at the highest frequencies, which G omits."""
    noise = np.random.default_rng(channels).standard_normal((channels, side, side))
    values = np.exp(scipy.ndimage.gaussian_filter(noise, (0, 0.8, 1.2), mode="wrap"))
    spectrum = scipy.fft.fft2(values - values.mean(axis=(1, 2), keepdims=True))
    spectrum[:, side // 2] = spectrum[:, :, side // 2] = 0
    return scipy.fft.ifft2(spectrum).real / values.std()


def views(channels: int) -> np.ndarray:
    if channels == 1:
        return np.ones((1, 1))
    mixing = np.random.default_rng(0).standard_normal((3, channels))
    return np.vstack([mixing, np.eye(channels)])


class Case:
    """An image, and the derivatives of its moments, one by one and as a matrix."""

    def __init__(self, channels: int, side: int = 48, model: TextureModel = MODEL) -> None:
        self.analyser = Analyser((side, side), model, views(channels), np.float64)
        seen = len(views(channels))
        self.channels = channels
        self.layout: StatisticsLayout
        self.statistics: StatisticsLayout
        self.layout, self.statistics = layouts(model, channels, 3 if channels > 1 else 1, seen)
        self.image = image(channels, side)

    def gram(self, **part: float) -> np.ndarray:
        self.analyser.moments(self.image)
        every = np.arange(self.layout.size)
        return Jacobian(self.analyser, self.layout, **part).gram(every)

    @property
    def together(self) -> np.ndarray:
        """Tell which pairs the matrix contains: two moments of finest bands, or two of no band."""
        scales = np.concatenate(
            [
                np.unravel_index(kept, self.layout.shapes[name])[0]
                if name.startswith(BANDS)
                else np.full(len(kept), -1)
                for name, kept in self.layout.kept.items()
            ]
        )
        return (scales[:, None] == scales) & (scales <= 0)

    def explicit(self) -> np.ndarray:
        rows = []
        for unit in np.eye(self.layout.size):
            self.analyser.moments(self.image)
            rows.append(self.analyser.gradient(ImageMoments(*self.layout.unpack(unit))).ravel())
        return np.array(rows)


@pytest.fixture(scope="module", params=[1, pytest.param(2, marks=pytest.mark.long)])
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def relative(difference: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """Return entries relative to the lengths of the two gradients whose product they are."""
    lengths = np.sqrt(np.diag(gram))
    return np.abs(difference) / np.outer(lengths, lengths)


def test_the_matrix_is_that_of_explicit_gradients(case: Case) -> None:
    jacobian = case.explicit()
    wanted = jacobian @ jacobian.T
    found = case.gram(radius=ALL, tile=case.image.shape[1])
    off = relative(found - wanted, wanted) * case.together

    # the pixels' third and fourth rows, squares and cubes, reach the highest frequencies
    *_, cubes, fourths = case.layout.numbers("pixels")
    assert off[cubes].max() < 0.02
    assert off[fourths].max() < 0.02
    off[[*cubes, *fourths]] = off[:, [*cubes, *fourths]] = 0
    assert off.max() < 1e-8
    correlations = relative(wanted, wanted) * case.together - np.eye(len(wanted))
    assert correlations.max() > 0.5, "little is compared if statistics are independent"


def test_blocks_give_the_lengths_of_the_statistics_gradients(case: Case) -> None:
    """Use random weights for all families except the pixels', which reach high frequencies."""
    colours = views(case.channels)[:3]
    a, pixels = case.analyser, case.image[0].size
    m = a.moments(case.image)
    jacobian = Jacobian(a, case.layout, ALL, case.image.shape[1])
    every = blocks_of(case.statistics, case.channels, MODEL.orientations)
    blocks = {block: numbers for block, numbers in every.items() if block[0] <= 0}
    grams = gram_of_blocks(jacobian, m, colours, blocks, case.statistics)
    rng = np.random.default_rng(0)

    assert np.array_equal(
        np.sort(np.concatenate(list(every.values()))), np.arange(case.statistics.size)
    )
    for numbers, gram in zip(blocks.values(), grams, strict=True):
        weights = np.zeros(case.statistics.size)
        weights[numbers] = rng.standard_normal(len(numbers))
        weights[case.statistics.slices["pixels"]] = 0
        a.moments(case.image)
        g = Statistics(*case.statistics.unpack(weights))
        gradient = a.gradient(pull_back(g, m, colours, pixels))
        own = weights[numbers]
        assert own @ gram @ own == pytest.approx(np.sum(gradient**2), rel=1e-8)


@pytest.mark.parametrize(
    ("channels", "side", "within"),
    [(1, 128, 0.2), pytest.param(2, 96, 0.28, marks=pytest.mark.long)],
)
def test_a_random_part_of_the_frequencies_and_folded_tiles_stand_for_all(
    channels: int, side: int, within: float
) -> None:
    """Single products with doubled parents vary most, and there are many of them."""
    case = Case(channels, side, TextureModel(scales=3, orientations=3, window=5))
    every, part = case.gram(radius=ALL, tile=side), case.gram(tile=side // 2)
    made = np.diag(case.together)
    ratios = np.diag(part)[made] / np.diag(every)[made]

    assert np.abs(ratios - 1).max() < within
    assert np.abs(ratios - 1).mean() < 0.045
    assert ratios.mean() == pytest.approx(1, abs=0.01)
    assert not np.array_equal(part, every)


@pytest.mark.parametrize("damping", [0.0, 0.1, 0.3])
def test_the_inverse_is_that_of_the_damped_matrix(damping: float) -> None:
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((12, 40)) * np.geomspace(1e-3, 1e3, 12)[:, None]
    gram = rows @ rows.T
    most = np.sqrt(np.diag(gram).max())
    damped = gram + damping * np.diag(np.diag(gram))
    scale = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))

    found = invert_damped(gram, damping, most)
    assert np.allclose(found * scale, np.linalg.inv(damped / scale), rtol=1e-6, atol=1e-9)


def test_what_cannot_be_mended_has_no_weight() -> None:
    """A statistic that no change of the image moves would otherwise have an infinite weight."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((6, 40))
    rows[[1, 4]] = 0
    moving = np.array([0, 2, 3, 5])
    found = invert_damped(rows @ rows.T, 0.1, 7.0)

    assert not np.any(found[[1, 4]])
    assert not np.any(found[:, [1, 4]])
    without = invert_damped(rows[moving] @ rows[moving].T, 0.1, 7.0)
    assert np.allclose(found[np.ix_(moving, moving)], without)
