"""From moments to statistics and back: layouts, flat fields and gradients."""

import numpy as np
import pytest
import scipy.ndimage

from hype.masks.fields import Analyser
from hype.masks.model import (
    ImageMoments,
    Statistics,
    TextureModel,
    layouts,
    pull_back,
    statistics_of,
)
from hype.masks.synthesis import Colour, colour_of

SHAPE = (48, 32)
MODEL = TextureModel(scales=2, orientations=3, window=5)
GREY = "grey"
PICTURES = (GREY, "two channels", "three channels")


def smooth(seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal(SHAPE)
    values = scipy.ndimage.gaussian_filter(noise, (0.8, 1.2), mode="wrap")
    return values / np.abs(values).max()


def picture(name: str) -> np.ndarray:
    """Return a smooth random picture with skewed levels."""
    one, two, three = (np.exp(smooth(seed)) / 4 for seed in range(3))
    if name == GREY:
        return one[..., np.newaxis]
    if name == "two channels":
        return np.stack([one, (one + two) / 2, two], axis=-1)
    return np.stack([one, (one + two) / 2, three], axis=-1)


class Measured:
    """One picture's moments, and their layouts."""

    def __init__(self, name: str, image: np.ndarray | None = None, *, mean: float = 0) -> None:
        pixels = picture(name)
        self.colour: Colour = colour_of(pixels)
        channels = self.colour.mixing.shape[1]
        views = self.colour.views
        self.layouts = layouts(MODEL, channels, len(self.colour.colours), len(views))
        analyser = Analyser(SHAPE, MODEL, views, np.float64)
        shown = self.colour.separate(pixels) if image is None else image
        self.moments: ImageMoments = analyser.moments(shown + mean)
        self.pixels = SHAPE[0] * SHAPE[1]

    def statistics(self, m: ImageMoments) -> Statistics:
        return statistics_of(m, self.colour.colours, self.pixels)


@pytest.fixture(scope="module", params=PICTURES)
def measured(request: pytest.FixtureRequest) -> Measured:
    found = Measured(request.param, mean=0.2)  # an image other than the source may have such a mean
    assert found.colour.mixing.shape[1] == PICTURES.index(request.param) + 1
    return found


def test_correlations_are_those_of_the_moments(measured: Measured) -> None:
    """Compare with the formulae, for the two kinds with two fields of one scale."""
    m, s = measured.moments, measured.statistics(measured.moments)
    std = np.sqrt(m.lags[:, :, 0])
    real = np.sqrt(np.diagonal(m.reals, axis1=1, axis2=2))
    kurtosis = m.low_fourths / m.low_lags[..., 0] ** 2

    assert np.allclose(s.magnitude_std, std)
    assert np.allclose(s.magnitude_correlation, m.pairs / (std[:, :, None] * std[:, None, :]))
    assert np.allclose(s.real_correlation, m.reals / (real[:, :, None] * real[:, None, :]))
    assert np.allclose(s.lowpass_kurtosis, kurtosis)
    assert np.abs(np.triu(s.magnitude_correlation, 1)).max() <= 1
    assert np.abs(s.parent_real_correlation).max() <= 1


@pytest.mark.parametrize("family", Statistics._fields)
def test_pulling_back_is_the_gradient(family: str, measured: Measured) -> None:
    """Compare with central differences, for a weighted sum of one family's statistics."""
    moments, statistics = measured.layouts
    part = statistics.slices[family]
    rng = np.random.default_rng(part.start)
    weights = np.zeros(statistics.size)
    weights[part] = rng.standard_normal(part.stop - part.start)
    at = moments.pack(measured.moments)
    way = np.abs(at) * rng.standard_normal(moments.size)
    step = 1e-5
    up, down = (
        statistics.pack(measured.statistics(ImageMoments(*moments.unpack(at + sign * step * way))))
        for sign in (1, -1)
    )
    g = Statistics(*statistics.unpack(weights))
    pulled = pull_back(g, measured.moments, measured.colour.colours, measured.pixels)

    assert [np.shape(field) for field in pulled] == list(moments.shapes.values())
    change = weights @ (up - down) / (2 * step)
    assert moments.pack(pulled) @ way == pytest.approx(change, rel=1e-6, abs=1e-12)
    assert abs(change) > 1e-6 or family == "colour_correlation"


@pytest.mark.parametrize("name", PICTURES)
def test_flat_fields(name: str) -> None:
    """There is no division by 0, which would be a warning, and here an error."""
    channels = PICTURES.index(name) + 1
    flat = Measured(name, np.zeros((channels, *SHAPE)))
    found = flat.statistics(flat.moments)

    assert np.array_equal(found.lowpass_kurtosis, np.full((3, channels), 3.0))
    for family, values in found._asdict().items():
        assert family == "lowpass_kurtosis" or not np.any(values[:3]), family
    _, statistics = flat.layouts
    g = Statistics(*statistics.unpack(np.ones(statistics.size)))
    pulled = pull_back(g, flat.moments, flat.colour.colours, flat.pixels)
    assert all(np.isfinite(field).all() for field in pulled)
