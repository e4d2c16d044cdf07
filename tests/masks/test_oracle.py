"""Our statistics agree with those of plenoptic, an independent program.

plenoptic 2.1.1's `PortillaSimoncelli` in double precision is the oracle, once directly if it is
installed, once by stored values. `docs/masks-mapping.md` lists which statistics correspond;
`as_plenoptic` does the same in code:

- pixels                       pixel_statistics, without the last two: smallest and largest
- magnitude_std                magnitude_std
- magnitude_autocorrelation    auto_correlation_magnitude
- magnitude_correlation        cross_orientation_correlation_magnitude
- parent_magnitude_correlation cross_scale_correlation_magnitude
- parent_real_correlation      cross_scale_correlation_real
- lowpass_std                  std_reconstructed
- lowpass_autocorrelation      auto_correlation_reconstructed
- lowpass_skewness             skew_reconstructed
- lowpass_kurtosis             kurtosis_reconstructed
- highpass_variance            var_highpass_residual
- real_correlation             (none)
- colour_correlation           (none)

    python tests/masks/test_oracle.py      makes the stored values again, with plenoptic
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
from numpy.typing import NDArray

from hype.masks.model import Statistics, TextureModel, lags, statistics_of
from hype.masks.synthesis import Measure, colour_of

Array = NDArray[np.float64]
VALUES = Path(__file__).with_name("plenoptic_2_1_1.json")
TOLERANCE = 1e-6
CASES = {
    "patches": ((64, 96), TextureModel(scales=3, orientations=4, window=7)),
    "streaks": ((80, 64), TextureModel(scales=2, orientations=3, window=9)),
}


def uniform(shape: tuple[int, int], seed: int) -> Array:
    """Return noise from a raw bit stream, which is the same in every version of NumPy."""
    raw = np.random.PCG64(seed).random_raw(shape[0] * shape[1])
    return (raw / 2.0**64).reshape(shape)


def image(name: str) -> Array:
    """Return soft patches on a gradient, or slanting streaks, in 256 levels like a picture."""
    (height, width), _ = CASES[name]
    y, x = np.mgrid[:height, :width]
    noise = uniform((height, width), seed=len(name))
    if name == "patches":
        smooth = scipy.ndimage.gaussian_filter(noise - 0.5, (1.5, 2.5), mode="wrap")
        values = np.tanh(4 * smooth / smooth.std()) + 0.8 * x / width - 0.4 * y / height
    else:
        smooth = scipy.ndimage.gaussian_filter(noise - 0.5, (1.0, 3.0), mode="wrap")
        values = smooth / smooth.std() + np.sin(2 * np.pi * (5 * x / width + 3 * y / height))
    values = values + 0.3 * uniform((height, width), seed=1)
    levels = np.round(255 * (values - values.min()) / (values.max() - values.min()))
    return np.asarray(levels / 255)


def statistics(picture: Array, model: TextureModel) -> Statistics:
    """Return our statistics in double precision, with the mean itself, not its difference."""
    pixels = picture[..., np.newaxis]
    colour = colour_of(pixels)
    measure = Measure(picture.shape, model, colour, np.float64)
    moments = measure.analyser.moments(colour.separate(pixels))
    found = statistics_of(moments, colour.colours, picture.size)
    means = found.pixels.copy()
    means[0] += colour.mean
    return found._replace(pixels=means)


def windows(values: Array, window: int) -> Array:
    """Convert our lags (..., L-1) to the part of plenoptic's windows that it keeps; lags first."""
    middle = window // 2
    full = np.ones((*values.shape[:-1], window, window))
    for (y, x), value in zip(lags(window)[1:], np.moveaxis(values, -1, 0), strict=True):
        full[..., middle + y, middle + x] = full[..., middle - y, middle - x] = value
    kept = np.tri(window, dtype=bool)
    kept[range(middle, window), range(middle, window)] = False
    return np.moveaxis(full[..., kept], -1, 0)


def as_plenoptic(s: Statistics, model: TextureModel) -> dict[str, Array]:
    """Return our statistics with plenoptic's names and order: scales last, no duplicates."""
    lower = np.tri(model.orientations, k=-1, dtype=bool)
    families = {
        "pixel_statistics": s.pixels,
        "auto_correlation_magnitude": windows(
            np.swapaxes(s.magnitude_autocorrelation, 0, 1), model.window
        ),
        "skew_reconstructed": s.lowpass_skewness,
        "kurtosis_reconstructed": s.lowpass_kurtosis,
        "auto_correlation_reconstructed": windows(s.lowpass_autocorrelation[:, 0], model.window),
        "std_reconstructed": s.lowpass_std,
        "cross_orientation_correlation_magnitude": s.magnitude_correlation.T[lower],
        "magnitude_std": s.magnitude_std.T,
        "cross_scale_correlation_magnitude": np.moveaxis(s.parent_magnitude_correlation, 0, -1),
        "cross_scale_correlation_real": np.moveaxis(s.parent_real_correlation, 0, -1),
        "var_highpass_residual": s.highpass_variance,
    }
    return {name: values.ravel() for name, values in families.items()}


def by_plenoptic(picture: Array, model: TextureModel) -> dict[str, Array]:
    """Return plenoptic's statistics, with NaN for those that it leaves out as duplicates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of other programs are not our errors
        import plenoptic
        import torch

        oracle = plenoptic.models.PortillaSimoncelli(
            picture.shape, model.scales, model.orientations, model.window
        ).to(torch.float64)
        with torch.no_grad():
            named = oracle.convert_to_dict(oracle(torch.as_tensor(picture)[None, None]))
    found = {name: values.numpy().ravel() for name, values in named.items()}
    found["pixel_statistics"] = found["pixel_statistics"][:4]
    return {name: values[~np.isnan(values)] for name, values in found.items()}


def differences(found: dict[str, Array], wanted: dict[str, Array]) -> dict[str, float]:
    assert found.keys() == wanted.keys()
    return {
        name: float(np.linalg.norm(found[name] - wanted[name]) / np.linalg.norm(wanted[name]))
        for name in wanted
    }


@pytest.mark.parametrize("name", CASES)
def test_statistics_are_those_of_plenoptic(name: str) -> None:
    pytest.importorskip("plenoptic", reason="the extra `benchmarks` is not installed")
    picture, (_, model) = image(name), CASES[name]
    found = as_plenoptic(statistics(picture, model), model)
    off = differences(found, by_plenoptic(picture, model))
    assert max(off.values()) < TOLERANCE, off


@pytest.mark.parametrize("name", CASES)
def test_statistics_are_the_stored_ones_of_plenoptic(name: str) -> None:
    stored = json.loads(VALUES.read_text())["images"][name]
    picture, (_, model) = image(name), CASES[name]
    assert round(float(np.sum(picture * 255))) == stored["sum_of_levels"], "another image"
    wanted = {family: np.array(values) for family, values in stored["statistics"].items()}
    off = differences(as_plenoptic(statistics(picture, model), model), wanted)
    assert max(off.values()) < TOLERANCE, off


def stored_values(name: str) -> dict[str, object]:
    """Return the stored values of one image: ten digits of each statistic."""
    picture, (_, model) = image(name), CASES[name]
    return {
        "sum_of_levels": round(float(np.sum(picture * 255))),
        "scales": model.scales,
        "orientations": model.orientations,
        "window": model.window,
        "statistics": {
            family: [float(f"{value:.10g}") for value in values]
            for family, values in by_plenoptic(picture, model).items()
        },
    }


def write_values() -> None:
    """Write the stored values."""
    content = {
        "made by": "plenoptic 2.1.1, PortillaSimoncelli in float64; pixel minimum and maximum left"
        " out; tests/masks/test_oracle.py makes the images and this file",
        "images": {name: stored_values(name) for name in CASES},
    }
    VALUES.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    write_values()
