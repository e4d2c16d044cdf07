"""Phase scrambling keeps the amplitude spectrum, but not the layout."""

import numpy as np
import pytest

from hype.masks.make import phase_scramble, spectrum_error


def picture(height: int = 64, width: int = 64, channels: int = 1) -> np.ndarray:
    """Return a smooth picture of low contrast, whose scrambled version needs no clipping."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:height, :width]
    layout = 0.5 + 0.05 * np.sin(x / 5) * np.cos(y / 9) + 0.01 * rng.standard_normal(x.shape)
    return np.stack([layout + 0.02 * c for c in range(channels)], axis=-1)


def amplitudes(pixels: np.ndarray) -> np.ndarray:
    return np.abs(np.fft.fft2(pixels, axes=(0, 1)))


@pytest.mark.parametrize(("height", "width"), [(64, 64), (33, 48), (17, 17), (16, 31)])
@pytest.mark.parametrize("channels", [1, 3])
def test_amplitudes_mean_and_contrast_are_kept(height: int, width: int, channels: int) -> None:
    source = picture(height, width, channels)
    mask = phase_scramble(source, np.random.default_rng(1))

    assert mask.shape == source.shape
    assert np.allclose(amplitudes(mask), amplitudes(source), atol=1e-9)
    assert np.allclose(mask.mean(axis=(0, 1)), source.mean(axis=(0, 1)))
    assert np.allclose(mask.std(axis=(0, 1)), source.std(axis=(0, 1)))
    assert spectrum_error(mask, source) < 1e-9


def test_nothing_of_the_layout_is_left() -> None:
    """Correlations with the source are 0 on average; in a regular picture of 64 px they vary."""
    source = picture()
    rng = np.random.default_rng(1)
    correlations = [
        np.corrcoef(phase_scramble(source, rng).ravel(), source.ravel())[0, 1] for _ in range(60)
    ]

    assert abs(np.mean(correlations)) < 0.15
    assert np.mean(np.abs(correlations)) < 0.6


def test_relations_between_colours_are_kept() -> None:
    mask = phase_scramble(picture(channels=3), np.random.default_rng(1))

    assert np.allclose(mask[..., 1] - mask[..., 0], 0.02)


def test_a_blank_picture_stays_blank() -> None:
    blank = np.full((16, 16, 1), 0.25)

    assert np.allclose(phase_scramble(blank, np.random.default_rng(1)), 0.25)
    assert spectrum_error(blank, blank) == 0


def test_the_error_is_relative_to_the_sources_spectrum() -> None:
    source = picture()
    halved = source.mean() + (source - source.mean()) / 2

    assert spectrum_error(halved, source) == pytest.approx(0.5)
    assert spectrum_error(np.full_like(source, 0.5), source) == pytest.approx(1)
