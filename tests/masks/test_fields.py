"""Moments of an image and their gradients, in both precisions."""

import numpy as np
import pytest
import scipy.ndimage
from long import long_but

from hype.masks.fields import Analyser
from hype.masks.model import ImageMoments, StatisticsLayout, TextureModel, layouts, statistics_of

SHAPE = (48, 32)
MODEL = TextureModel(scales=2, orientations=3, window=5)
DEEP = TextureModel(scales=3, orientations=4, window=5)


def colours(channels: int) -> np.ndarray:
    return np.random.default_rng(channels).standard_normal((3, channels))


def views(channels: int) -> np.ndarray:
    if channels == 1:
        return np.ones((1, 1))
    return np.vstack([colours(channels), np.eye(channels)])


def image(channels: int = 1, shape: tuple[int, int] = SHAPE, seed: int = 0) -> np.ndarray:
    """Return smooth noise with skewed levels around 0; all channels have the same scale."""
    noise = np.random.default_rng(seed).standard_normal((channels, *shape))
    smooth = np.exp(scipy.ndimage.gaussian_filter(noise, (0, 0.8, 1.2), mode="wrap"))
    return smooth / smooth.std() - smooth.mean() / smooth.std()


def analyser(channels: int, model: TextureModel = MODEL, **settings: object) -> Analyser:
    return Analyser(SHAPE, model, views(channels), **settings)


def layout(channels: int, model: TextureModel = MODEL) -> StatisticsLayout:
    seen = views(channels)
    return layouts(model, channels, len(seen), len(seen))[0]


def slopes(measure: Analyser, places: StatisticsLayout, weights: np.ndarray) -> tuple[float, float]:
    """Return the slope of a weighted sum of moments: by its gradient, and by differences."""
    shape, step = (measure.channels, *measure.shape), 1e-5
    x, way = image(*shape[:1], shape[1:]), np.random.default_rng(1).standard_normal(shape)
    up, down = (places.pack(measure.moments(x + sign * step * way)) for sign in (1, -1))
    measure.moments(x)
    gradient = measure.gradient(ImageMoments(*places.unpack(weights)))
    return float(np.vdot(gradient, way)), float(weights @ (up - down) / (2 * step))


@pytest.mark.parametrize("field", ImageMoments._fields)
@pytest.mark.parametrize("channels", long_but([1, 3], [1, 2, 3]))
def test_gradients_are_those_of_the_moments(field: str, channels: int) -> None:
    """Compare with central differences, for a weighted sum of one field; some need colours."""
    places, measure = layout(channels), analyser(channels, precision=np.float64)
    part = places.slices[field]
    weights = np.zeros(places.size)
    weights[part] = np.random.default_rng(part.start).standard_normal(part.stop - part.start)
    found, change = slopes(measure, places, weights)

    assert found == pytest.approx(change, rel=1e-6, abs=1e-12)
    assert (abs(change) > 1e-6) == (part.stop > part.start)


@pytest.mark.parametrize(
    ("shape", "model"),
    [
        *((SHAPE, TextureModel(scales=1, orientations=n, window=7)) for n in (2, 4, 5)),
        *((SHAPE, TextureModel(scales=3, orientations=n, window=7)) for n in (2, 4, 5)),
        *((DEEP.extend((64, side)), DEEP) for side in (40, 56)),
    ],
)
def test_gradients_of_other_models_and_sizes(shape: tuple[int, int], model: TextureModel) -> None:
    places, measure = layout(1, model), Analyser(shape, model, views(1), np.float64)
    size = np.abs(places.pack(measure.moments(image(1, shape))))
    found, change = slopes(
        measure, places, np.random.default_rng(0).standard_normal(places.size) / size
    )

    assert found == pytest.approx(change, rel=1e-5)


@pytest.mark.parametrize("channels", [1, 3])
def test_single_precision_is_nearly_double(channels: int) -> None:
    """Compare moments, statistics and a gradient, family by family."""
    _, statistics = layouts(MODEL, channels, len(views(channels)), len(views(channels)))
    places, x = layout(channels), image(channels)
    weights = np.random.default_rng(0).standard_normal(places.size)
    moments, families, gradients = [], [], []
    for precision in (np.float32, np.float64):
        measure = analyser(channels, precision=precision)
        m = measure.moments(x.astype(precision))
        moments.append(places.pack(m))
        families.append(statistics.pack(statistics_of(m, views(channels), x[0].size)))
        gradients.append(measure.gradient(ImageMoments(*places.unpack(weights))))

    assert gradients[0].dtype == np.float32
    assert np.linalg.norm(gradients[0] - gradients[1]) < 1e-3 * np.linalg.norm(gradients[1])
    for (single, double), slices in ((moments, places.slices), (families, statistics.slices)):
        for name, part in slices.items():
            off = np.linalg.norm(single[part] - double[part])
            assert off <= 1e-3 * np.linalg.norm(double[part]), name


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_an_analyser_remembers_nothing(precision: type) -> None:
    places = layout(2)
    x, y = (image(2, seed=seed).astype(precision) for seed in (1, 2))
    weights = ImageMoments(*places.unpack(np.random.default_rng(0).standard_normal(places.size)))
    used, fresh = (analyser(2, precision=precision) for _ in range(2))
    used.moments(y)
    used.gradient(weights)
    used.moments(y)
    found, wanted = used.moments(x), fresh.moments(x)

    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(used.gradient(weights), fresh.gradient(weights))
