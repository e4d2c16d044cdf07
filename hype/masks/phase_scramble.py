"""Phase scrambling: noise with a picture's amplitude spectrum, and nothing of its layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.float64]


def phase_scramble(image: Pixels, rng: np.random.Generator) -> Pixels:
    """Give noise with the amplitude spectrum, mean and standard deviation of ``image``.

    The phases of white noise are added to the picture's own, the same in each channel, which
    keeps the relations between the colours (Prins 2007; Dakin et al. 2002).

    Parameters
    ----------
    image
        Pixels in 0 to 1, shape (height, width, channels).

    Returns
    -------
    Pixels in 0 to 1, same shape. What falls outside after scrambling is clipped.
    """
    noise = np.fft.rfft2(rng.standard_normal(image.shape[:2]))
    phase = noise / np.abs(noise)
    phase[0, 0] = 1.0  # the mean keeps its sign
    spectrum = np.fft.rfft2(image, axes=(0, 1))
    scrambled = np.fft.irfft2(spectrum * phase[..., np.newaxis], s=image.shape[:2], axes=(0, 1))
    return np.clip(scrambled, 0.0, 1.0)


def spectrum_error(mask: Pixels, source: Pixels) -> float:
    """Distance of two amplitude spectra, the mean left out, relative to the second's norm."""
    kept, wanted = (np.abs(np.fft.rfft2(pixels, axes=(0, 1))) for pixels in (mask, source))
    kept[0, 0] = wanted[0, 0] = 0.0
    norm = float(np.linalg.norm(wanted))
    return float(np.linalg.norm(kept - wanted)) / norm if norm else 0.0
