"""Separate colours into uncorrelated channels, and blend them again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.masks.synthesis import HALF_LEVEL, colour_of


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


def picture(seed: int = 0) -> np.ndarray:
    """Return a picture with three correlated colours."""
    mix = np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.1, 0.2, 0.6]])
    return noise(24, 36, 3, seed=seed) @ mix.T


@given(
    seed=st.integers(0, 2**32),
    mix=st.lists(st.floats(0, 1 / 3), min_size=9, max_size=9),
)
def test_blending_undoes_separating(seed: int, mix: list[float]) -> None:
    """The result differs only by principal components of less than half a grey level."""
    image = noise(12, 10, 3, seed=seed) @ np.reshape(mix, (3, 3)) + 0.1 * noise(12, 10, 1)
    colour = colour_of(image)
    found = colour.blend(colour.separate(image))

    left_out = 3 - colour.mixing.shape[1]
    assert np.sqrt(np.mean((found - image) ** 2)) <= left_out * HALF_LEVEL + 1e-10
    if not left_out:
        assert np.allclose(found, image, rtol=0, atol=1e-10)


@pytest.mark.parametrize("image", [picture(), noise(9, 7, 1)], ids=["colour", "grey"])
def test_separating_undoes_blending(image: np.ndarray) -> None:
    colour = colour_of(image)
    channels = noise(colour.mixing.shape[1], 5, 6, seed=1)
    blended = colour.blend(channels)

    assert blended.shape == (5, 6, image.shape[2])
    assert np.allclose(colour.separate(blended), channels, rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_channels_are_uncorrelated_and_of_one_size(seed: int) -> None:
    image = picture(seed)
    channels = colour_of(image).separate(image)

    assert channels.shape == (3, 24, 36)
    assert np.allclose(channels.mean(axis=(1, 2)), 0, atol=1e-12)
    assert np.allclose(np.cov(channels.reshape(3, -1)), np.eye(3), atol=1e-9)


@pytest.mark.parametrize("colours", [1, 3])
@pytest.mark.parametrize("contrast", [0, 0.4 / 255])
def test_an_even_image_is_refused(colours: int, contrast: float) -> None:
    """A contrast of half a grey level is too small."""
    image = np.full((8, 8, colours), 0.25)
    image[::2] += contrast
    with pytest.raises(InputError, match="the source image: has a single colour; a picture with"):
        colour_of(image)


def test_equal_colours_are_one_channel() -> None:
    image = np.repeat(noise(16, 16, 1), 3, axis=2)
    colour = colour_of(image)
    channels = colour.separate(image)

    assert colour.mixing.shape == (3, 1)
    assert colour.views.shape == (4, 1)
    assert np.var(channels, ddof=1) == pytest.approx(1)
    assert np.allclose(colour.blend(channels), image, rtol=0, atol=1e-10)


def test_a_colour_that_does_not_vary_is_left_out() -> None:
    """A constant colour has no skewness, kurtosis or correlations; blending restores it."""
    image = picture()
    image[..., 1] = 0.5
    colour = colour_of(image)

    assert colour.varying.tolist() == [True, False, True]
    assert colour.mixing.shape == (3, 2)
    assert np.array_equal(colour.colours, colour.mixing[[0, 2]])
    assert colour.views.shape == (4, 2)
    assert np.allclose(colour.blend(colour.separate(image)), image, rtol=0, atol=1e-10)
