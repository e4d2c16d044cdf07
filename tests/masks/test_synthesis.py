"""Textures have the statistics of their source, and nothing else of it."""

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.ndimage
from long import long_but

from hype.errors import InputError
from hype.masks.model import TextureModel
from hype.masks.synthesis import (
    Comparison,
    Source,
    Texture,
    Tolerance,
    synthesise,
    visible_amplitudes,
)

SMALL = TextureModel(scales=2, orientations=4, window=7)
COLOUR = TextureModel(scales=2, orientations=3, window=5)
MODELS = {64: SMALL, 128: TextureModel(scales=3, orientations=4, window=7)}
SINGLE = 1.05
"""Tolerance: the search uses errors in single precision; in double they may be a bit larger."""


def smooth(shape: tuple[int, int], seed: int, width: float = 2) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal(shape)
    values = scipy.ndimage.gaussian_filter(noise, (0.6 * width, width), mode="wrap")
    return values / values.std()


def blobs(shape: tuple[int, int] = (64, 64), seed: int = 1) -> np.ndarray:
    """Return patches of two levels with soft edges, and some noise."""
    grain = np.random.default_rng(seed + 50).standard_normal(shape)
    return np.clip(0.5 + 0.25 * np.tanh(2 * smooth(shape, seed)) + 0.03 * grain, 0, 1)


def stripes(shape: tuple[int, int] = (64, 64), seed: int = 2) -> np.ndarray:
    """Return slanting, wavy stripes of two levels, and some noise."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    wave = np.sin(2 * np.pi * (x + y / 2) / 8 + smooth(shape, seed, width=4)) > 0
    grain = np.random.default_rng(seed + 50).standard_normal(shape)
    return np.clip(0.4 + 0.25 * wave + 0.05 * grain, 0, 1)


def coloured(shape: tuple[int, int] = (64, 64)) -> np.ndarray:
    one, two, three = (blobs(shape, seed) for seed in (1, 2, 3))
    return np.stack([one, 0.7 * one + 0.3 * two, 0.3 * one + 0.7 * three], axis=-1)


SOURCES = {"blobs": blobs, "stripes": stripes}


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(blobs(), SMALL)


@pytest.fixture(scope="module")
def colour_source() -> Source:
    return Source(coloured(), COLOUR)


def texture(source: Source, seed: int = 0, **tolerance: float) -> Texture:
    return synthesise(source, np.random.default_rng(seed), Tolerance(**tolerance))


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


@pytest.mark.parametrize("side", long_but([64], MODELS))
@pytest.mark.parametrize("name", long_but(["stripes"], SOURCES))
def test_a_texture_has_the_statistics_of_its_source(name: str, side: int) -> None:
    picture = SOURCES[name]((side, side))
    found = texture(Source(picture, MODELS[side]))
    off = Comparison(picture, MODELS[side]).errors(found.pixels)

    assert found.converged
    assert found.evaluations < Tolerance().evaluations
    assert found.pixels.shape == (side, side, 1)
    assert off.pop("total") <= SINGLE * Tolerance().total
    assert max(off.values()) <= SINGLE * Tolerance().family, off


def test_a_colour_texture_has_the_statistics_of_its_source(colour_source: Source) -> None:
    found = texture(colour_source)
    off = Comparison(coloured(), COLOUR).errors(found.pixels)

    assert found.converged
    assert found.pixels.shape == (64, 64, 3)
    assert off.pop("total") <= SINGLE * Tolerance().total
    assert max(off.values()) <= SINGLE * Tolerance().family, off
    pairs = [np.corrcoef(image.reshape(-1, 3).T) for image in (found.pixels, coloured())]
    assert np.allclose(*pairs, rtol=0, atol=0.02)
    assert pairs[0][0, 1] > 0.5


def test_colours_that_say_nothing_of_their_own() -> None:
    """Equal colours stay equal, and a constant colour stays constant."""
    equal = texture(Source(np.repeat(blobs()[..., np.newaxis], 3, axis=2), COLOUR)).pixels
    assert np.ptp(equal, axis=2).max() < 1e-6

    picture = coloured()
    picture[..., 1] = 0.25
    found = texture(Source(picture, COLOUR))
    assert found.converged
    assert np.allclose(found.pixels[..., 1], 0.25, rtol=0, atol=1e-6)
    assert found.pixels[..., 0].std() == pytest.approx(picture[..., 0].std(), rel=0.01)


@pytest.mark.parametrize("name", ["source", "colour_source"])
def test_noise_has_the_sources_levels_and_nearly_its_spectrum(
    name: str, request: pytest.FixtureRequest
) -> None:
    """The noise has correlations only up to the distance that the model sees."""
    source: Source = request.getfixturevalue(name)
    noises = [source.finest.noise(np.random.default_rng(seed)) for seed in range(8)]
    power = np.mean([np.abs(np.fft.rfft2(noise)) ** 2 for noise in noises], axis=0)
    wanted = visible_amplitudes(source.finest.spectra, source.finest.shape, source.model)

    assert noises[0].dtype == np.float32
    for levels, *channels in zip(source.finest.levels, *noises, strict=True):
        assert all(np.array_equal(np.sort(channel.ravel()), levels) for channel in channels)
    assert correlation(np.sqrt(power), wanted) > 0.97
    assert abs(correlation(noises[0], noises[1])) < 0.3


@pytest.mark.parametrize("name", long_but(["source"], ["source", "colour_source"]))
def test_the_seed_decides(name: str, request: pytest.FixtureRequest) -> None:
    """Results are the same to the bit, even if the source was used before."""
    source: Source = request.getfixturevalue(name)
    one, other, same = (texture(source, seed) for seed in (1, 2, 1))
    fresh = texture(
        Source(blobs(), SMALL) if name == "source" else Source(coloured(), COLOUR), seed=1
    )

    assert one.pixels.tobytes() == same.pixels.tobytes() == fresh.pixels.tobytes()
    assert one.evaluations == same.evaluations == fresh.evaluations
    assert abs(correlation(one.pixels, other.pixels)) < 0.3


def test_a_texture_is_shifted_to_where_it_shows_least_of_its_source(
    source: Source, colour_source: Source
) -> None:
    """The shift keeps all statistics and hides the picture best; here the source is shifted."""
    for one, picture in ((source, blobs()[..., np.newaxis]), (colour_source, coloured())):
        hidden = one.hide_picture(one.colour.separate(picture).astype(np.float32))
        step, centred = one.model.step, picture - picture.mean(axis=(0, 1))
        shifted = {
            shift: np.roll(picture, shift, axis=(0, 1))
            for shift in np.ndindex(one.shape)
            if not any(n % step for n in shift)
        }
        shown = {shift: abs(np.vdot(image, centred)) for shift, image in shifted.items()}
        (chosen,) = (
            shift
            for shift, image in shifted.items()
            if np.allclose(one.colour.blend(hidden), image, rtol=0, atol=1e-6)
        )
        # If two shifts differ only by rounding, which varies between processors, either is right.
        assert shown[chosen] - min(shown.values()) < 1e-4 * max(shown.values())
        assert Comparison(picture, one.model).errors(shifted[chosen])["total"] < 1e-9


@pytest.mark.parametrize("name", long_but(["stripes"], SOURCES))
def test_pixels_stay_nearly_within_the_sources_range(name: str) -> None:
    picture = SOURCES[name]()
    found = texture(Source(picture, SMALL)).pixels

    assert found.min() > picture.min() - 0.02
    assert found.max() < picture.max() + 0.02


@pytest.mark.parametrize("name", long_but(["blobs"], SOURCES))
def test_a_picture_of_two_levels(name: str) -> None:
    """Its skewness and kurtosis are at an extreme, where no small change of pixels moves them."""
    picture = (SOURCES[name]() > 0.5).astype(float)
    found = texture(Source(picture, SMALL)).pixels

    assert Comparison(picture, SMALL).errors(found)["total"] < 0.05


def regular_pictures() -> Iterator[tuple[str, np.ndarray, TextureModel]]:
    """Yield pictures with many constant statistics, or with a single frequency."""
    y, x = np.mgrid[:64, :64]
    checks = (x // 8 + y // 8) % 2.0
    dot = ((x == 20) & (y == 30)).astype(float)
    yield "grating", 0.5 + 0.5 * np.sin(2 * np.pi * x / 8), SMALL
    yield "finest grating", x % 2.0, SMALL
    yield "checkerboard", checks, SMALL
    yield "coloured checkerboard", np.stack([checks, 1 - checks, 0.5 * checks], axis=-1), COLOUR
    yield "edge", (x < 32).astype(float), SMALL
    yield "ramp", x / 63, SMALL
    yield "dot", dot, SMALL
    yield "tiny", blobs((16, 16)), TextureModel(scales=1)


@pytest.mark.parametrize(
    ("picture", "model"), [pytest.param(*rest, id=name) for name, *rest in regular_pictures()]
)
def test_regular_and_tiny_pictures_give_numbers(picture: np.ndarray, model: TextureModel) -> None:
    """There is no warning: warnings are errors here."""
    found = texture(Source(picture, model), evaluations=20).pixels

    assert found.shape[:2] == picture.shape[:2]
    assert np.isfinite(found).all()
    assert np.isfinite([*Comparison(picture, model).errors(found).values()]).all()
    assert found.std() > 0.1 * picture.std()


def test_a_search_is_given_up(source: Source) -> None:
    """The search ends soon after the allowed evaluations: it finishes its last step."""
    found = texture(source, total=1e-9, evaluations=5)

    assert not found.converged
    assert 5 <= found.evaluations < 15


def test_errors_are_relative_to_the_sources_statistics() -> None:
    """At half the contrast, standard deviations are wrong by a half, but correlations are not."""
    picture = blobs()
    off = Comparison(picture, SMALL).errors(picture.mean() + (picture - picture.mean()) / 2)
    halved = {name: off[name] for name in ("magnitude_std", "lowpass_std")}
    same = {name: off[name] for name in off if "correlation" in name or "lowpass_k" in name}

    assert halved == pytest.approx(dict.fromkeys(halved, 0.5))
    assert off["highpass_variance"] == pytest.approx(0.75)
    assert len(same) == 7
    assert max(same.values()) < 1e-9
    assert 0 < off["total"] < 0.5


def with_pixel(value: float) -> np.ndarray:
    picture = blobs()
    picture[3, 4] = value
    return picture


IMPOSSIBLE = {
    "not a number": (with_pixel(np.nan), r"has pixels that are not numbers; values 0 to 1"),
    "infinite": (with_pixel(np.inf), r"has pixels that are not numbers"),
    "above white": (with_pixel(255), r"has values from 0\.\d+ to 255; values 0 to 1"),
    "below black": (with_pixel(-0.5), r"has values from -0\.5 to 0\.\d+"),
    "one dimension": (np.zeros(64), r"has shape \(64,\); \(H, W\) or \(H, W, 3\)"),
    "four dimensions": (np.zeros((2, 64, 64, 3)), r"has shape \(2, 64, 64, 3\)"),
    "two channels": (np.zeros((64, 64, 2)), r"has shape \(64, 64, 2\)"),
    "transparency": (np.zeros((64, 64, 4)), r"has shape \(64, 64, 4\)"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_impossible_images(what: str) -> None:
    picture, message = IMPOSSIBLE[what]
    with pytest.raises(InputError, match=f"^the source image: {message}"):
        Source(picture, SMALL)
    with pytest.raises(InputError, match=message):
        Comparison(blobs(), SMALL).errors(picture)
    with pytest.raises(InputError, match=message):
        Comparison(picture, SMALL).errors(blobs())


def test_an_image_that_is_too_small_for_the_model() -> None:
    with pytest.raises(InputError, match=r"^64 x 64 px: too small for 4 scales .*a window of 7"):
        Source(blobs())
    with pytest.raises(InputError, match=r"^64 x 64 px: too small for 4 scales"):
        Comparison(blobs(), TextureModel()).errors(blobs())
    with pytest.raises(InputError, match=r"^a mask: cannot have 64 x 12 px"):
        Source(blobs((12, 64)), TextureModel(scales=1, window=5))
