"""Loops over pixels, compiled once for each precision and kept in the user's cache.

NumPy reads memory once for each operation; a loop does all operations in one pass. Complex fields
are indexed (band, pixel) or (band, row, column). Statistics are named as in section 2.2 of Portilla
& Simoncelli (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn, TypeVar, cast

import numpy as np

from hype.files import kernel_folder
from hype.masks.model import Field

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
TAPS: Final = 4
"""Stencils read this number of taps at a time, so padded fields need as many extra columns."""


def compile_kernel(function: Kernel, **how: Any) -> Kernel:
    """Compile a kernel at its first call. ``fastmath`` may reorder sums, always the same way.

    Without Numba, this module can be imported, but calling a kernel raises the import error.
    """
    try:
        import numba
    except ModuleNotFoundError as error:
        return cast("Kernel", partial(refuse, error))
    vars(numba.config)["CACHE_DIR"] = str(kernel_folder())
    how = how or {"cache": True, "error_model": "numpy"}
    return cast("Kernel", numba.njit(fastmath=True, **how)(function))


def refuse(error: ModuleNotFoundError, *_: object) -> NoReturn:
    raise error


@compile_kernel
def split(half: Field, masks: Field, phase: complex, bands: Field) -> None:
    """Filter a real image's half spectrum into the full spectra of one level's bands.

    Shapes: ``half`` (H, W/2+1); ``masks`` and ``bands`` (orientations, h, w), h <= H, w <= W.
    The other half of the image's spectrum is the mirrored conjugate.
    """
    height = half.shape[0]
    orientations, h, w = masks.shape
    pr, pi = phase.real, phase.imag
    for k in range(orientations):
        for y in range(h):
            row = y if y < h // 2 else height - h + y
            mirror = (height - row) % height
            for x in range(w // 2):
                v, m = half[row, x], masks[k, y, x]
                bands[k, y, x] = complex(
                    m * (pr * v.real - pi * v.imag), m * (pr * v.imag + pi * v.real)
                )
            for x in range(w // 2, w):
                v, m = half[mirror, w - x], masks[k, y, x]
                bands[k, y, x] = complex(
                    m * (pr * v.real + pi * v.imag), m * (pi * v.real - pr * v.imag)
                )


@compile_kernel
def join(bands: Field, masks: Field, phase: complex, half: Field) -> None:
    """Add bands to ``half``; this is the adjoint of `split` on real images."""
    height = half.shape[0]
    orientations, h, w = masks.shape
    pr, pi = phase.real, phase.imag
    once = masks.dtype.type(0.5)
    for k in range(orientations):
        for y in range(h):
            row = y if y < h // 2 else height - h + y
            mirror = (height - row) % height
            v, m = bands[k, y, 0], masks[k, y, 0]
            half[row, 0] += complex(
                m * (pr * v.real + pi * v.imag), m * (pr * v.imag - pi * v.real)
            )
            for x in range(1, w // 2):
                v, m = bands[k, y, x], once * masks[k, y, x]
                half[row, x] += complex(
                    m * (pr * v.real + pi * v.imag), m * (pr * v.imag - pi * v.real)
                )
            for x in range(w // 2 + 1, w):
                v, m = bands[k, y, x], once * masks[k, y, x]
                half[mirror, w - x] += complex(
                    m * (pr * v.real + pi * v.imag), m * (pi * v.real - pr * v.imag)
                )


@compile_kernel
def polar(bands: Field, fields: Field) -> None:
    """Compute magnitudes minus their mean (rows 0 to B) and real parts (B to 2 B) of B bands."""
    count, n = bands.shape
    for b in range(count):
        total = 0.0
        for i in range(n):
            v = bands[b, i]
            magnitude = np.sqrt(v.real * v.real + v.imag * v.imag)
            fields[b, i] = magnitude
            fields[count + b, i] = v.real
            total += magnitude
        mean = fields.dtype.type(total / n)
        for i in range(n):
            fields[b, i] -= mean


@compile_kernel
def polar_adjoint(bands: Field, gradient: Field) -> None:
    """Overwrite ``bands`` with their gradient, from the gradient of `polar`'s fields."""
    count, n = bands.shape
    least = gradient.dtype.type(1e-30)
    for b in range(count):
        for i in range(n):
            v = bands[b, i]
            slope = gradient[b, i] / (np.sqrt(v.real * v.real + v.imag * v.imag) + least)
            bands[b, i] = complex(slope * v.real + gradient[count + b, i], slope * v.imag)


@compile_kernel
def double_phase(bands: Field, fields: Field) -> None:
    """For B bands z, compute |z| minus its mean, and z squared / |z| (real and imaginary parts).

    A doubled phase turns as fast as a finer scale's phase, so that the two can be compared.
    """
    count, n = bands.shape
    least, two = fields.dtype.type(1e-30), fields.dtype.type(2)
    for b in range(count):
        total = 0.0
        for i in range(n):
            v = bands[b, i]
            magnitude = np.sqrt(v.real * v.real + v.imag * v.imag)
            slope = fields.dtype.type(1) / (magnitude + least)
            fields[b, i] = magnitude
            fields[count + b, i] = (v.real * v.real - v.imag * v.imag) * slope
            fields[2 * count + b, i] = two * v.real * v.imag * slope
            total += magnitude
        mean = fields.dtype.type(total / n)
        for i in range(n):
            fields[b, i] -= mean


@compile_kernel
def double_phase_adjoint(bands: Field, gradient: Field) -> None:
    """Overwrite ``bands`` with their gradient, from the gradient of the fields.

    With z = r exp(it), the field is w = r exp(2it). If r changes, w moves along exp(2it), as far as
    z; if t changes, w moves at right angles to exp(2it), twice as far as z.
    """
    count, n = bands.shape
    least, two = gradient.dtype.type(1e-30), gradient.dtype.type(2)
    for b in range(count):
        for i in range(n):
            v = bands[b, i]
            scale = gradient.dtype.type(1) / (np.sqrt(v.real * v.real + v.imag * v.imag) + least)
            c, s = v.real * scale, v.imag * scale
            c2, s2 = c * c - s * s, two * c * s
            re, im = gradient[count + b, i], gradient[2 * count + b, i]
            along = re * c2 + im * s2 + gradient[b, i]
            across = two * (im * c2 - re * s2)
            bands[b, i] = complex(along * c - across * s, along * s + across * c)


@compile_kernel
def wrap(fields: Field, reach: int, padded: Field) -> None:
    """Copy fields (B, h, w); pad each side by ``reach`` rows or columns of the opposite side."""
    count, h, w = fields.shape
    for b in range(count):
        for y in range(h + 2 * reach):
            row = (y - reach + h) % h
            for x in range(reach):
                padded[b, y, x] = fields[b, row, w - reach + x]
                padded[b, y, w + reach + x] = fields[b, row, x]
            for x in range(w):
                padded[b, y, reach + x] = fields[b, row, x]
            for x in range(w + 2 * reach, padded.shape[2]):
                padded[b, y, x] = 0


@partial(compile_kernel, inline="always")
def dot(a: Field, b: Field) -> Any:
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compile_kernel
def autocorrelate(padded: Field, reach: int, moments: Field) -> None:
    """Compute mean products (B, lags) of wrapped fields and shifted fields, in the order of `lags`.

    The products give coefficient correlations of lowpass images, and magnitude correlations of
    bands.
    """
    count, height, _ = padded.shape
    h, w = height - 2 * reach, padded.shape[2] - 2 * reach - TAPS
    for b in range(count):
        for lag in range(moments.shape[1]):
            moments[b, lag] = 0
        for y in range(h):
            here = padded[b, y + reach, reach : reach + w]
            lag = 0
            for dy in range(reach + 1):
                there = padded[b, y + reach + dy]
                for dx in range(-reach if dy else 0, reach + 1):
                    moments[b, lag] += dot(here, there[reach + dx : reach + dx + w])
                    lag += 1
        for lag in range(moments.shape[1]):
            moments[b, lag] /= h * w


@compile_kernel
def correlate(padded: Field, taps: Field, result: Field) -> None:
    """Add to ``result`` (B, h, w) the wrapped fields correlated with ``taps`` (B, rows, columns).

    The number of columns is a multiple of `TAPS`; taps outside the window are zero.
    """
    count, h, w = result.shape
    for b in range(count):
        for y in range(h):
            out = result[b, y]
            for j in range(taps.shape[1]):
                row = padded[b, y + j]
                for i in range(0, taps.shape[2], TAPS):
                    t0, t1, t2, t3 = (
                        taps[b, j, i],
                        taps[b, j, i + 1],
                        taps[b, j, i + 2],
                        taps[b, j, i + 3],
                    )
                    part = row[i : i + w + TAPS]
                    for x in range(w):
                        out[x] += (
                            t0 * part[x] + t1 * part[x + 1] + t2 * part[x + 2] + t3 * part[x + 3]
                        )


@compile_kernel
def turn(weights: Field, unit: Field, turned: Field) -> None:
    """Multiply real fields (k, H, W) by one complex field (H, W); add up their tiles (h, w)."""
    h, w = turned.shape[1:]
    for k in range(weights.shape[0]):
        for top in range(0, weights.shape[1], h):
            for left in range(0, weights.shape[2], w):
                for y in range(h):
                    part, phase = weights[k, top + y], unit[top + y]
                    out = turned[k, y]
                    for x in range(w):
                        weight, u = part[left + x], phase[left + x]
                        out[x] += complex(weight * u.real, weight * u.imag)


@compile_kernel
def gather(
    spectra: Field,
    places: Field,
    weights: Field,
    signs: Field,
    phase: complex,
    rows: Field,
    matrix: Field,
) -> None:
    """Add weighted entries of spectra (k, n) to rows of a matrix, as real and imaginary parts.

    Entry ``places[i]`` times ``phase``, conjugated where ``signs[i]`` is -1, is added at columns
    2 i and 2 i + 1 of row ``rows[k]``.
    """
    pr, pi = phase.real, phase.imag
    for k in range(len(rows)):
        row, spectrum = matrix[rows[k]], spectra[k]
        for i in range(len(places)):
            v = spectrum[places[i]]
            row[2 * i] += weights[i] * (pr * v.real - pi * v.imag)
            row[2 * i + 1] += weights[i] * signs[i] * (pr * v.imag + pi * v.real)
