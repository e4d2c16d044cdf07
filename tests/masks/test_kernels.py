"""Compiled loops do what the same thing does in NumPy, in both precisions."""

import numpy as np
import pytest

from hype.masks import kernels
from hype.masks.fields import inner
from hype.masks.model import lags

LEVELS = [((32, 48), (32, 48)), ((32, 48), (16, 24)), ((48, 32), (6, 4))]


class Made:
    """Random arrays of one precision."""

    def __init__(self, precision: type) -> None:
        self.real = precision
        self.complex = np.complex64 if precision is np.float32 else np.complex128
        self.tolerance = 2e-5 if precision is np.float32 else 1e-12
        self.rng = np.random.default_rng(5)

    def reals(self, *shape: int) -> np.ndarray:
        return self.rng.standard_normal(shape).astype(self.real)

    def complexes(self, *shape: int) -> np.ndarray:
        return (self.reals(*shape) + 1j * self.reals(*shape)).astype(self.complex)

    def same(self, found: np.ndarray, wanted: np.ndarray) -> bool:
        """Say whether arrays are equal to within rounding, relative to their largest value."""
        size = max(np.abs(wanted).max(), 1)
        return np.allclose(found, wanted, rtol=0, atol=self.tolerance * size)


@pytest.fixture(params=[np.float32, np.float64])
def made(request: pytest.FixtureRequest) -> Made:
    return Made(request.param)


@pytest.mark.parametrize(("large", "small"), LEVELS)
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_split_filters_a_half_spectrum(made: Made, large: tuple, small: tuple, turns: int) -> None:
    image, masks = made.reals(*large), made.reals(3, *small)
    phase = made.complex((-1j) ** turns)
    bands = np.empty(masks.shape, made.complex)
    kernels.split(np.fft.rfft2(image).astype(made.complex), masks, phase, bands)

    assert made.same(bands, inner(np.fft.fft2(image), small) * masks * phase)


@pytest.mark.parametrize(("large", "small"), LEVELS)
@pytest.mark.parametrize("turns", [1, 2])
def test_join_is_the_adjoint_of_split(made: Made, large: tuple, small: tuple, turns: int) -> None:
    """Filters let nothing through at their level's highest frequencies."""
    image, masks, given = made.reals(*large), made.reals(4, *small), made.complexes(4, *small)
    masks[:, small[0] // 2] = masks[:, :, small[1] // 2] = 0
    phase = made.complex((-1j) ** turns)
    bands = np.empty_like(given)
    kernels.split(np.fft.rfft2(image).astype(made.complex), masks, phase, bands)
    before = made.complexes(large[0], large[1] // 2 + 1)
    half = before.copy()
    kernels.join(given, masks, phase, half)
    back = np.fft.irfft2(half - before, s=large, norm="forward")

    size = np.linalg.norm(bands) * np.linalg.norm(given)
    assert abs(np.vdot(given, bands).real - np.vdot(back, image)) < made.tolerance * size
    assert abs(np.vdot(back, image)) > 1


ADJOINTS = {
    "polar": (kernels.polar, kernels.polar_adjoint, 2),
    "double_phase": (kernels.double_phase, kernels.double_phase_adjoint, 3),
}


@pytest.mark.parametrize("name", ADJOINTS)
def test_adjoints_are_the_gradient(name: str) -> None:
    """Of a weighted sum, by central differences; magnitudes' weights have no mean, as theirs."""
    forward, adjoint, parts = ADJOINTS[name]
    made = Made(np.float64)
    bands, way, weights = made.complexes(2, 300), made.complexes(2, 300), made.reals(2 * parts, 300)
    weights[:2] -= weights[:2].mean(axis=1, keepdims=True)
    fields = [np.empty_like(weights) for _ in range(2)]
    step = 1e-6
    for sign, field in zip((1, -1), fields, strict=True):
        forward(bands + sign * step * way, field)
    change = np.vdot(weights, fields[0] - fields[1]) / (2 * step)
    gradient = bands.copy()
    adjoint(gradient, weights)

    assert np.vdot(gradient, way).real == pytest.approx(change, rel=1e-6)


@pytest.mark.parametrize("name", ADJOINTS)
def test_where_there_is_nothing_there_is_no_gradient(name: str, made: Made) -> None:
    forward, adjoint, parts = ADJOINTS[name]
    bands, weights = np.zeros((1, 8), made.complex), made.reals(parts, 8)
    fields = np.empty_like(weights)
    forward(bands, fields)
    weights[1:] = 0
    adjoint(bands, weights)

    assert not np.any(fields)
    assert not np.any(bands)


@pytest.mark.parametrize("reach", [2, 5])
def test_wrap_goes_on_at_the_other_side(made: Made, reach: int) -> None:
    fields = made.reals(2, 9, 12)
    padded = made.reals(2, 9 + 2 * reach, 12 + 2 * reach + kernels.TAPS)
    kernels.wrap(fields, reach, padded)

    around = np.pad(fields, ((0, 0), (reach, reach), (reach, reach)), mode="wrap")
    assert np.array_equal(padded[..., : -kernels.TAPS], around)
    assert not np.any(padded[..., -kernels.TAPS :])


def wrapped(fields: np.ndarray, reach: int) -> np.ndarray:
    padded = np.pad(fields, ((0, 0), (reach, reach), (reach, reach)), mode="wrap")
    return np.ascontiguousarray(np.pad(padded, ((0, 0), (0, 0), (0, kernels.TAPS))))


@pytest.mark.parametrize("window", [5, 7, 9, 11])
def test_autocorrelations_are_mean_products_with_shifts(made: Made, window: int) -> None:
    reach, fields = window // 2, made.reals(2, 16, 11)
    moments = np.full((2, len(lags(window))), np.nan)
    kernels.autocorrelate(wrapped(fields, reach), reach, moments)

    wanted = [
        np.mean(fields * np.roll(fields, (-dy, -dx), (1, 2)), axis=(1, 2))
        for dy, dx in lags(window)
    ]
    assert made.same(moments, np.transpose(wanted))


@pytest.mark.parametrize("window", [5, 7, 9, 11])
def test_correlating_adds_up_shifts(made: Made, window: int) -> None:
    reach, fields = window // 2, made.reals(2, 16, 11)
    taps = np.zeros((2, window, -(-window // kernels.TAPS) * kernels.TAPS), made.real)
    taps[:, :, :window] = made.reals(2, window, window)
    before = made.reals(2, 16, 11)
    result = before.copy()
    kernels.correlate(wrapped(fields, reach), taps, result)

    wanted = before + sum(
        taps[:, j, i][:, None, None] * np.roll(fields, (reach - j, reach - i), (1, 2))
        for j in range(window)
        for i in range(window)
    )
    assert made.same(result, wanted)


def test_gathering_adds_entries_as_real_and_imaginary_parts(made: Made) -> None:
    """To the rows that are named; the others stay as they are."""
    spectra, before = made.complexes(2, 40), made.reals(5, 14)
    places = made.rng.permutation(40)[:7]
    weights, signs = made.reals(7), np.array([1, -1, -1, 1, 1, -1, 1], made.real)
    phase, rows, matrix = made.complex(-1j), np.array([3, 0]), before.copy()
    kernels.gather(spectra, places, weights, signs, phase, rows, matrix)

    read = weights * phase * spectra[:, places]
    wanted = before.copy()
    wanted[rows, ::2] += read.real
    wanted[rows, 1::2] += signs * read.imag
    assert made.same(matrix, wanted)
    assert np.array_equal(matrix[[1, 2, 4]], before[[1, 2, 4]])
