"""Encode images so that a participant learns only what they show.

Before participants come, each image is decoded and encoded again, which drops all other data in its
file. Files are padded to the size of the largest before they are sent. So neither the size nor the
loading time shows which image it is.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from hype.errors import HypeError, InputError
from hype.files import inside, make_folder
from hype.masks.maskset import read_mask_sets
from hype.session.materials import read_others, read_stimuli
from hype.session.stage import place_of_picture
from hype.session.steps import PictureRequest
from hype.stimuli.images import content_of, decode, png_bytes
from hype.study.studies import AnyStudy, GrowingStudy
from hype.system import folder_for
from hype.workers import Call, worker_pool

FOLDER: Final = "pictures-1"
"""Folder of encoded images in the user's cache. Rename the folder when the encoding changes."""
END: Final = b"IEND\xaeB\x60\x82"
FEW: Final = 100
"""Up to this number, images are encoded without starting other processes."""
AT_A_TIME: Final = 16


Originals = Mapping[PictureRequest, tuple[Path, str]]
"""The file of each image of a study, and its checksum."""


def file_of(sha256: str) -> Path:
    return folder_for("cache") / FOLDER / f"{sha256}.png"


class Pictures:
    """The encoded images of a study, and of models that joined after the server started."""

    def __init__(self, growing: GrowingStudy, remark: Callable[[str], None]) -> None:
        self._growing, self._remark = growing, remark
        self._of: AnyStudy | None = None
        self._originals: Originals = {}
        self._most_bytes = 0
        self._encoding = Lock()
        self._encoder = Thread()

    def are_ready(self, wait_s: float = 0.0) -> bool:
        """Start to encode new images; wait at most ``wait_s``; return whether all are encoded."""
        study = self._growing.now()
        if study is not self._of:
            encoder = self._encoder
            if not encoder.is_alive():
                encoder = Thread(target=self.encode, daemon=True)
                encoder.start()  # before others can see it: only a started thread can be joined
                self._encoder = encoder
            encoder.join(wait_s)
        return study is self._of

    def encode(self) -> None:
        """Encode all current images of the study; ``remark`` receives problems with images."""
        with self._encoding:
            study = self._growing.now()
            if study is self._of:
                return
            try:
                originals = originals_of(study)
                for problem in encode_all(originals):
                    self._remark(str(problem))
                files = {file_of(sha256) for _, sha256 in originals.values()}
                sizes = (file.stat().st_size for file in files if file.exists())
                self._most_bytes = max(self._most_bytes, *sizes, 0)
                self._originals = originals  # set after _most_bytes, since new images may be larger
            except HypeError as error:
                self._remark(str(error))
            self._of = study

    def content(self, request: PictureRequest) -> bytes:
        """Return a picture as a PNG; browsers ignore the padding after its end.

        Raises InputError: the file is missing, or is no image.
        """
        self.are_ready()  # a model may have joined since
        try:
            _, sha256 = self._originals[request]
            content = file_of(sha256).read_bytes()
        except (KeyError, FileNotFoundError):  # the study was changed, or the cache was emptied
            content = encoded(inside(*place_of_picture(self._growing.now(), request)))
        self._most_bytes = max(self._most_bytes, len(content))
        return content.ljust(self._most_bytes, b"\0")


def originals_of(study: AnyStudy) -> Originals:
    """List all images and masks that a study can show.

    Raises InputError: a manifest is wrong, or a mask cannot be read.
    """

    def place(request: PictureRequest) -> Path:
        return inside(*place_of_picture(study, request))

    found = {}
    for stimulus in chain(read_stimuli(study).stimuli, read_others(study)):
        request = PictureRequest(stimulus.path, mask=False)
        found[request] = place(request), stimulus.sha256
    if study.masks_folder is not None:
        for name in read_mask_sets(study.masks_folder, study.added_sets).paths:
            path = place(request := PictureRequest(name, mask=True))
            found[request] = path, hashlib.sha256(content_of(path)).hexdigest()
    return found


def encode_all(
    originals: Originals, tell: Callable[[int, int], object] = lambda *_: None
) -> list[InputError]:
    """Encode all images that are not encoded yet; return an error for each that fails.

    ``tell`` receives the number of encoded images, and the total.
    """
    make_folder(folder_for("cache") / FOLDER)
    by_sum = {sha256: path for path, sha256 in originals.values()}
    wanted = [(path, sha256) for sha256, path in by_sum.items() if not is_whole(file_of(sha256))]
    parts = [wanted[first : first + AT_A_TIME] for first in range(0, len(wanted), AT_A_TIME)]
    calls: Iterator[Call[list[InputError]]] = ((encode, (part,)) for part in parts)
    problems = []
    with worker_pool(1 if len(wanted) <= FEW else None) as pool:
        for number, refused in enumerate(pool.run(calls), start=1):
            problems += refused
            tell(min(number * AT_A_TIME, len(wanted)), len(wanted))
    return problems


def encode(originals: Iterable[tuple[Path, str]]) -> list[InputError]:
    """Encode images to their files; return an error for each that fails."""
    problems = []
    for path, sha256 in originals:
        file = file_of(sha256)
        try:
            if hashlib.sha256(content_of(path)).hexdigest() != sha256:
                decode(path)  # raises if the file is empty or broken
                problem = "changed since its checksum was computed"
                raise InputError(path, problem, "put the image back, or scan the folder again")
            new = file.with_suffix(f".{os.getpid()}")
            new.write_bytes(encoded(path))  # not synced: an incomplete file is made again
            new.replace(file)
        except InputError as error:
            problems.append(error)
        except OSError as error:
            problems.append(InputError(file, f"cannot be written: {error.strerror}"))
    return problems


def encoded(path: Path) -> bytes:
    """Encode an image again.

    Raises InputError: the image cannot be decoded.
    """
    return png_bytes(decode(path).convert("RGB"))


def is_whole(file: Path) -> bool:
    """Return whether a file contains a complete encoded image."""
    try:
        with file.open("rb") as encoded_before:
            encoded_before.seek(-len(END), os.SEEK_END)
            return encoded_before.read() == END
    except OSError:
        return False
