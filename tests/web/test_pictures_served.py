"""The size and loading time of images reveal nothing: images are encoded early and padded."""

import io
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long import long_but
from PIL import Image
from served import HOST, served
from small_studies import STUDIES
from test_addition import grown

from hype.errors import FilesRefused
from hype.protocols.load import load_any
from hype.session.materials import read_stimuli
from hype.stimuli.collection import scan
from hype.study.studies import AnyStudy, GrowingStudy
from hype.web import pictures
from hype.web.serving import doors_of


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for what in ("cache", "state"):
        monkeypatch.setenv(f"XDG_{what.upper()}_HOME", str(tmp_path / what))
    return tmp_path / "cache" / "hype" / pictures.FOLDER


@pytest.fixture
def never_encoded(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list of the files that are encoded; a test clears it first."""
    paths: list[Path] = []
    encoded = pictures.encoded

    def noted(path: Path) -> bytes:
        paths.append(path)
        return encoded(path)

    monkeypatch.setattr(pictures, "encoded", noted)
    return paths


def fetched(tab: Any) -> Iterator[bytes]:
    """Answer to the end, and fetch all pictures as a page does."""
    while tab.step["kind"] != "end":
        for picture in tab.step.get("pictures", ()):
            status, content = tab.client.get(f"/picture/{picture['id']}")
            assert status == 200
            yield content
        status, body = tab.answer()
        assert status == 200, body


def plain(study: AnyStudy) -> AnyStudy:
    """Replace all images of a study by small files with a single grey."""
    files = sorted(study.stimuli_folder.rglob("*.png"))
    for number, file in enumerate(files):
        Image.new("L", (16, 16), number).save(file)
    scan(study.stimuli_folder)
    return study


def pixels(content: bytes) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image)


@pytest.mark.parametrize("kind", long_but(["comparison"], STUDIES))
def test_all_have_one_size_and_are_encoded_before_anybody_comes(
    kind, tmp_path, own_cache, never_encoded
):
    study = STUDIES[kind](tmp_path / "study")
    with doors_of(study, HOST, 0):
        pass
    assert {path.suffix for path in own_cache.iterdir()} == {".png"}
    never_encoded.clear()
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        contents = list(fetched(tab))
    assert len(contents) > 5
    assert len({len(content) for content in contents}) == 1
    assert max(len(content.rstrip(b"\0")) for content in contents) <= len(contents[0])
    assert len({pixels(content).tobytes() for content in contents}) > 3
    assert never_encoded == []


def test_what_joins_is_encoded_at_once_and_all_are_as_large_as_it(tmp_path, never_encoded):
    without_masks = {"methods": ["infinity"]}
    study = plain(STUDIES["hype"](tmp_path / "s", study=without_masks, time=None))
    with served(study) as open_tab:
        before = open_tab("before")
        before.sit()
        before.go_to("scene")
        (one, *_) = before.step["pictures"]
        size = len(before.client.get(f"/picture/{one['id']}")[1])
        now = grown(study, tmp_path, "new")
        after = open_tab("after")
        while after.sit()[0] == 503:  # images are being encoded
            time.sleep(0.05)
        never_encoded.clear()
        sizes = {len(content) for content in fetched(after)}
        of_before = [len(content) for content in fetched(before)]
    assert sizes == {of_before[-1]}
    assert sizes.pop() > size
    assert now.added
    assert never_encoded == []


def test_images_that_cannot_be_shown_are_all_named_before_the_doors_open(tmp_path):
    study = STUDIES["comparison"](tmp_path / "study")
    first, second, *_ = [study.stimuli_folder / one.path for one in read_stimuli(study).stimuli]
    first.unlink()
    second.write_bytes(b"no image")
    with pytest.raises(FilesRefused) as refused, doors_of(study, HOST, 0):
        pass
    assert str(first) in str(refused.value)
    assert f"{second}: is not an image" in str(refused.value)


def test_what_was_swept_out_of_the_cache_or_cut_is_made_anew(tmp_path, own_cache):
    study = STUDIES["comparison"](tmp_path / "study")
    with served(study) as open_tab:
        tab = open_tab()
        tab.sit()
        tab.go_to("scene")
        addresses = [f"/picture/{one['id']}" for one in tab.step["pictures"]]
        whole = [tab.client.get(address) for address in addresses]
        for file in own_cache.glob("*.png"):
            file.unlink()
        assert [tab.client.get(address) for address in addresses] == whole
    with served(study):
        cut, *others = own_cache.glob("*.png")
        content = cut.read_bytes()
    cut.write_bytes(content[:-20])
    with served(study):
        assert cut.read_bytes() == content
        assert len(others) > 3


def test_many_may_ask_at_once_while_a_model_joins(tmp_path, monkeypatch):
    """Threads that switch as often as possible all find a running encoder."""
    growing = GrowingStudy(STUDIES["comparison"](tmp_path / "study"), load_any, print)
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):
            asked = pictures.Pictures(growing, print)
            crowd = [threading.Thread(target=asked.are_ready, args=(5,)) for _ in range(12)]
            for one in crowd:
                one.start()
            for one in crowd:
                one.join()
            assert asked.are_ready(5)
    finally:
        sys.setswitchinterval(before)
    assert failed == []
