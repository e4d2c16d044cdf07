"""Examining a mask set: a mask must not show its picture, and must keep its statistics."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import named_images, rewrite_row
from PIL import Image

from hype.errors import InputError
from hype.masks.examine import Examined, correlations, examine, examine_mask
from hype.masks.make import MaskJob, make_masks
from hype.masks.maskset import MaskSet, read_masks
from hype.masks.model import TextureModel
from hype.stimuli.collection import scan
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.workers import WorkerPool

HERE = WorkerPool(None, 1)


def pattern(seed: int, side: int = 32) -> Image.Image:
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((side, side))
    smooth = sum(np.roll(noise, n, axis) for n in range(3) for axis in (0, 1))
    return Image.fromarray(np.clip(128 + 25 * smooth, 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make images and their masks once; each test gets a copy."""
    whole = tmp_path_factory.mktemp("made")
    folder = named_images(whole / "stimuli", {"": 2, "a": 2})
    for number, image in enumerate(read_manifest(folder).stimuli):
        (folder / image.path).parent.mkdir(parents=True, exist_ok=True)
        pattern(number).save(folder / image.path)
    scan(folder)
    job = MaskJob(number=4, size_px=32, seed=0, model=TextureModel(scales=1))
    list(make_masks(read_manifest(folder), whole / "masks", job))
    return whole


@pytest.fixture
def images(made: Path, tmp_path: Path) -> StimulusSet:
    return read_manifest(Path(shutil.copytree(made / "stimuli", tmp_path / "stimuli")))


@pytest.fixture
def masks(made: Path, tmp_path: Path) -> MaskSet:
    return read_masks(Path(shutil.copytree(made / "masks", tmp_path / "masks")))


def test_masks_that_are_well(masks: MaskSet, images: StimulusSet) -> None:
    found = sorted(examine(masks, images, HERE), key=lambda one: one.path)

    assert [one.path for one in found] == list(masks.paths)
    for one in found:
        assert one.problems == ()
        assert abs(one.correlation) < 0.2
        assert one.shifted_correlation >= one.correlation
        assert one.errors["total"] < 0.02
        pixels = np.asarray(Image.open(masks.folder / one.path)) / 255
        assert one.luminance == pytest.approx(pixels.mean())
        assert one.contrast == pytest.approx(pixels.std())


def test_a_mask_that_is_its_source_shows_it(masks: MaskSet, images: StimulusSet) -> None:
    first = next(iter(examine(masks, images, HERE)))
    shutil.copy(images.folder / first.source, masks.folder / first.path)
    (found,) = (one for one in examine(masks, images, HERE) if one.path == first.path)

    assert found.correlation == pytest.approx(1)
    assert found.errors["total"] == 0
    assert found.problems == (f"shows its source {found.source}: correlation 1.00",)


def test_a_mask_that_missed_its_statistics() -> None:
    mask = np.asarray(pattern(1))
    model = TextureModel(scales=1)
    found = examine_mask("m.png", "s.png", 255 - mask // 3, mask, model)

    assert found.errors["total"] > 0.005
    assert any("from its source's statistics" in problem for problem in found.problems)


def test_the_best_shift_is_found() -> None:
    source = np.asarray(pattern(1), dtype=np.float64)
    moved = correlations(np.roll(source, (3, 7), (0, 1)), source)

    assert moved.max() == pytest.approx(1)
    assert moved[-3, -7] == pytest.approx(1)
    assert moved[0, 0] == pytest.approx(
        np.corrcoef(np.roll(source, (3, 7), (0, 1)).ravel(), source.ravel())[0, 1]
    )
    assert not correlations(np.ones((4, 4)), source[:4, :4]).any()


def test_a_set_made_elsewhere_has_no_statistics_to_miss(
    masks: MaskSet, images: StimulusSet
) -> None:
    for line in range(4):
        rewrite_row(masks.folder / "manifest.csv", line, scales="", orientations="", window="")
    assert all(one.errors == {} for one in examine(masks, images, HERE))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"source": "real/none.png"}, r"line 2: source 'real/none\.png' is not in "),
        ({"scales": "two"}, r"line 2: texture model .*whole numbers"),
        ({"scales": ""}, r"line 2: texture model .*whole numbers"),
        ({"scales": "3"}, r"line 2: too small for 3 scales"),
    ],
    ids=["source", "scales", "no scales", "too many scales"],
)
def test_manifests_that_are_wrong(
    cells: dict[str, str], message: str, masks: MaskSet, images: StimulusSet
) -> None:
    rewrite_row(masks.folder / "manifest.csv", 0, **cells)
    with pytest.raises(InputError, match=message):
        list(examine(masks, images, HERE))


def test_limits_are_on_either_side() -> None:
    fine = Examined(
        path="m",
        source="s",
        errors={},
        correlation=0.5,
        shifted_correlation=0.9,
        luminance=0.5,
        contrast=0.1,
    )
    assert fine.problems == ()
    assert replace(fine, correlation=-0.51).problems
    assert "shifted: correlation 0.91" in replace(fine, shifted_correlation=0.91).problems[0]
    assert replace(fine, errors={"total": 0.0051}).problems
