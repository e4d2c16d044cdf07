"""Making a mask set: the choice of images, interruptions, and the manifest."""

import csv
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from builders import contents, named_images, noise, stimulus_set
from PIL import Image

from hype.errors import InputError
from hype.masks import make
from hype.masks.make import ALL_COLUMNS, MOST_SOURCES, MaskJob, make_masks, sources
from hype.masks.maskset import read_masks
from hype.masks.model import TextureModel
from hype.stimuli.collection import scan
from hype.stimuli.images import decode
from hype.stimuli.manifest import StimulusSet, read_manifest


@pytest.fixture
def images(tmp_path: Path) -> StimulusSet:
    return read_manifest(stimulus_set(tmp_path / "stimuli", {"": 6, "crude": 3, "good": 3}))


def job(number: int = 6, *, seed: int = 0, size_px: int = 16) -> MaskJob:
    return MaskJob(number=number, size_px=size_px, seed=seed, method="phase-scramble")


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "manifest.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_made(images: StimulusSet, tmp_path: Path) -> None:
    folder = tmp_path / "masks"
    made = list(make_masks(images, folder, job(3, seed=4, size_px=24)))
    found = read_masks(folder)

    assert made == [True, True, True]
    assert (found.paths, found.size_px) == (("00001.png", "00002.png", "00003.png"), 24)
    assert {decode(folder / name).size for name in found.paths} == {(24, 24)}
    for row in rows(folder):
        assert tuple(row) == ALL_COLUMNS
        assert (row["method"], row["seed"], row["size_px"]) == ("phase-scramble", "4", "24")
        assert (images.folder / row["source"]).is_file()
        assert 0 <= float(row["error"]) < 0.5


def test_sources_are_real_and_fake_in_turn_and_all_equally_often(tmp_path: Path) -> None:
    """24 sources from 6 real images and 3 images of each of two models: each is used twice."""
    folder = named_images(tmp_path / "stimuli", {"": 6, "crude": 3, "good": 3})
    drawn = list(islice(sources(read_manifest(folder), 1), 24))

    assert [path.startswith("real") for path in drawn] == [True, False] * 12
    counts = Counter(drawn)
    assert Counter(path.rpartition("/")[0] for path in drawn) == {
        "real": 12,
        "fake/crude": 6,
        "fake/good": 6,
    }
    assert set(counts.values()) == {2}


@pytest.mark.parametrize("after", [1, 3, 5])
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    after: int, images: StimulusSet, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    list(make_masks(images, whole, job()))
    running = make_masks(images, broken, job())
    for _ in range(after):
        next(running)
    running.close()

    assert len(list(broken.glob("*.png"))) == after
    assert read_masks(broken).paths == read_masks(whole).paths
    assert list(make_masks(images, broken, job())) == [False] * after + [True] * (6 - after)
    assert contents(broken) == contents(whole)


def test_a_mask_that_was_lost_is_made_again(images: StimulusSet, tmp_path: Path) -> None:
    list(make_masks(images, tmp_path / "masks", job()))
    before = contents(tmp_path / "masks")
    (tmp_path / "masks/00002.png").unlink()

    assert list(make_masks(images, tmp_path / "masks", job())) == [*[False] * 5, True]
    assert contents(tmp_path / "masks") == before


def test_more_masks_keep_the_ones_there_are(images: StimulusSet, tmp_path: Path) -> None:
    folder = tmp_path / "masks"
    list(make_masks(images, folder, job(3)))

    assert list(make_masks(images, folder, job(5))) == [False] * 3 + [True] * 2
    assert len(read_masks(folder).paths) == 5
    assert list(make_masks(images, folder, job(2))) == [False] * 2
    assert len(read_masks(folder).paths) == 2


@pytest.mark.parametrize("other", [job(seed=9), job(size_px=20)], ids=["seed", "size"])
def test_another_job_makes_all_masks_anew(
    other: MaskJob, images: StimulusSet, tmp_path: Path
) -> None:
    list(make_masks(images, tmp_path / "masks", job()))

    assert all(make_masks(images, tmp_path / "masks", other))
    assert {row["seed"] for row in rows(tmp_path / "masks")} == {str(other.seed)}
    assert read_masks(tmp_path / "masks").size_px == other.size_px


@pytest.mark.parametrize(
    "impossible", [job(0), job(-1), job(size_px=15), job(size_px=5000)], ids=str
)
def test_impossible_jobs(impossible: MaskJob, images: StimulusSet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot make .*at least 1, of 16 to 4096"):
        list(make_masks(images, tmp_path / "masks", impossible))
    assert not (tmp_path / "masks").exists()


TEXTURE = MaskJob(number=4, size_px=32, seed=0, model=TextureModel(scales=1))


@pytest.mark.parametrize(
    ("mode", "made"),
    [("P", "RGB"), pytest.param("L", "L", marks=pytest.mark.long)],
)
def test_textures_are_made_of_whatever_a_stimulus_may_be(
    mode: str, made: str, tmp_path: Path
) -> None:
    folder = tmp_path / "stimuli"
    for index, part in enumerate(("real", "fake/a")):
        (folder / part).mkdir(parents=True)
        colours = [noise(3 * index + channel, 32) for channel in range(3)]
        picture = Image.merge("RGB", colours).convert(mode)
        picture.save(folder / part / "0.png")
    scan(folder)
    list(make_masks(read_manifest(folder), tmp_path / "masks", TEXTURE))

    assert decode(tmp_path / "masks/00001.png").mode == made


def test_an_even_picture_is_refused_by_name(images: StimulusSet, tmp_path: Path) -> None:
    for image in images.stimuli:
        Image.new("L", (16, 16), 90).save(images.folder / image.path)
    with pytest.raises(InputError, match=r"real/00\d\.png: has a single colour"):
        list(make_masks(images, tmp_path / "masks", TEXTURE))


@pytest.mark.parametrize("counts", [{"": 3}, {"a": 3}], ids=["only real", "only fake"])
def test_a_set_of_one_kind_of_image_only(counts: dict[str, int], tmp_path: Path) -> None:
    """Scanning refuses such a set, but a manifest written by hand may have only one kind."""
    folder = named_images(tmp_path / "stimuli", counts)
    for image in read_manifest(folder).stimuli:
        (folder / image.path).parent.mkdir(parents=True, exist_ok=True)
        noise(len(image.path)).save(folder / image.path)
    with pytest.raises(InputError):
        list(make_masks(read_manifest(folder), tmp_path / "masks", job()))


def test_sources_that_lie_elsewhere_are_not_opened(images: StimulusSet, tmp_path: Path) -> None:
    noise(99).save(tmp_path / "private.png")
    for image in images.stimuli:
        (images.folder / image.path).unlink()
        (images.folder / image.path).symlink_to(tmp_path / "private.png")
    with pytest.raises(InputError, match=r"00\d\.png: leads out of its folder, to .*private"):
        list(make_masks(images, tmp_path / "masks", job()))


def test_a_manifest_that_lies_elsewhere_is_not_gone_on_with(
    images: StimulusSet, tmp_path: Path
) -> None:
    list(make_masks(images, tmp_path / "masks", job(1)))
    (tmp_path / "masks/manifest.csv").rename(tmp_path / "theirs.csv")
    (tmp_path / "masks/manifest.csv").symlink_to("../theirs.csv")
    with pytest.raises(InputError, match=r"manifest\.csv: leads out of its folder"):
        list(make_masks(images, tmp_path / "masks", job(1)))


def test_a_link_in_the_place_of_a_mask_is_replaced_and_not_followed(
    images: StimulusSet, tmp_path: Path
) -> None:
    (tmp_path / "masks").mkdir()
    (tmp_path / "theirs.png").write_bytes(b"theirs")
    (tmp_path / "masks/00001.png").symlink_to("../theirs.png")
    list(make_masks(images, tmp_path / "masks", job(1)))

    assert (tmp_path / "theirs.png").read_bytes() == b"theirs"
    assert decode(tmp_path / "masks/00001.png").size == (16, 16)


class Missing:
    """Replaces the synthesis: textures of some pictures have too large errors."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, images: StimulusSet, errors: dict[str, float]
    ) -> None:
        self.made: list[str] = []
        self.errors = errors
        self.names = {
            make.fit_to(decode(images.folder / image.path), TEXTURE.size_px).tobytes(): image.path
            for image in images.stimuli
        }
        monkeypatch.setattr(make, "masks_of", self.masks_of)

    def masks_of(self, pixels: make.Pixels, _: MaskJob, numbers: Sequence[int]) -> list[make.Mask]:
        source = self.names[pixels.tobytes()]
        self.made += [source] * len(numbers)
        error = f"{self.errors.get(source, 0.001):.6f}"
        return [make.Mask(n, f"{source} {n}".encode(), {"error": error}) for n in numbers]


def test_another_picture_of_the_kind_is_taken_where_statistics_are_missed(
    images: StimulusSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "masks"
    first = next(sources(images, 0))
    textures = Missing(monkeypatch, images, {first: 0.01})
    assert list(make_masks(images, folder, TEXTURE)) == [True] * 4
    row, *others = rows(folder)

    assert row["source"] != first
    assert row["source"].startswith("real/")
    assert (row["sources_tried"], float(row["error"])) == ("2", 0.001)
    assert {other["sources_tried"] for other in others} == {"1"}
    assert (folder / "00001.png").read_bytes() == f"{row['source']} 0".encode()
    assert len(textures.made) == 5
    assert list(make_masks(images, folder, TEXTURE)) == [False] * 4
    assert len(textures.made) == 5, "finished masks were made again"


def test_if_all_pictures_miss_the_mask_that_misses_least_is_kept(
    images: StimulusSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {image.path: 0.02 + 0.001 * i for i, image in enumerate(images.stimuli)}
    textures = Missing(monkeypatch, images, every)
    list(make_masks(images, tmp_path / "masks", TEXTURE))

    assert len(textures.made) == MOST_SOURCES * 4
    found = rows(tmp_path / "masks")
    assert {row["sources_tried"] for row in found} == {str(MOST_SOURCES)}
    for number, row in enumerate(found):
        tried = islice(sources(images, 0), number, number + 4 * MOST_SOURCES, 4)
        assert row["source"] == min(tried, key=lambda source: every[source])
        assert float(row["error"]) == pytest.approx(every[row["source"]])
        assert (tmp_path / "masks" / row["path"]).read_bytes().startswith(row["source"].encode())
