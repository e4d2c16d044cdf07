"""Images as they reach a participant: they tell nothing but what they show.

Each is decoded and encoded anew, so that nothing of its file is left, before anybody comes, and is
filled up to the size of the largest. So neither its size nor its time says what it is.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, takewhile
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final, NamedTuple

from hype.confine import inside
from hype.errors import HypeError, InputError
from hype.files import make_folder
from hype.masks.maskset import read_mask_sets
from hype.protocols.load import GrowingStudy
from hype.protocols.studies import AnyStudy
from hype.session.materials import read_others, read_stimuli
from hype.session.stage import place_of_picture
from hype.session.steps import PictureRequest
from hype.stimuli.images import content_of, decode, png_bytes
from hype.system import folder_for, lock, open_file, put_last
from hype.workers import Call, worker_pool

FOLDER: Final = "pictures-1"
"""Of the encoded ones, in the user's cache. Give it another name when they come out otherwise."""
END: Final = b"IEND\xaeB\x60\x82"
FEW: Final = 32
"""Images that are encoded without starting other processes for it."""
AT_A_TIME: Final = 16
LOOK_S: Final = 0.5
"""Between two looks at whether a model joined."""
NICENESS: Final = 10


class Source(NamedTuple):
    """An image of a study, and the file that it is encoded to, which its checksum names."""

    path: Path
    sha256: str

    @property
    def file(self) -> Path:
        return folder_for("cache") / FOLDER / f"{self.sha256}.png"


class Pictures:
    """The encoded images of a study, with those of models that joined since."""

    def __init__(self, growing: GrowingStudy, remark: Callable[[str], None]) -> None:
        self._growing, self._remark = growing, remark
        self._of: AnyStudy | None = None
        self._files: dict[PictureRequest, Path] = {}
        self._most_bytes = 0
        self._encoding = Lock()
        self._ended = Event()

    @contextmanager
    def kept_up(self) -> Iterator[None]:
        """Encode what the study shows, and while this lasts what models bring that join it."""

        def keep_up() -> None:
            while not self._ended.wait(LOOK_S):
                self.prepare()

        self.prepare()
        Thread(target=keep_up, daemon=True).start()
        try:
            yield
        finally:
            self._ended.set()

    def prepare(self, wait_s: float = -1) -> bool:
        """Encode what the study shows by now; False if that takes others more than ``wait_s``."""
        study = self._growing.now()
        if study is self._of:
            return True
        if not self._encoding.acquire(timeout=wait_s):
            return False
        try:
            if study is not self._of:
                self._take_up(study)
        finally:
            self._encoding.release()
        return True

    def _take_up(self, study: AnyStudy) -> None:
        problems: Sequence[HypeError]
        try:
            sources = sources_of(study)
            problems = encode_all(sources.values(), lambda *_: None, self._ended.is_set)
            files = {request: source.file for request, source in sources.items()}
            sizes = (file.stat().st_size for file in files.values() if file.exists())
            self._most_bytes = max(self._most_bytes, *sizes, 0)
            self._files = files  # after the size: what is new is larger, if anything
        except HypeError as error:
            problems = [error]
        for problem in problems:
            self._remark(str(problem))
        self._of = study

    def content(self, request: PictureRequest) -> bytes:
        """Give a picture as a PNG; what follows its end is not looked at.

        Raises InputError: it is missing, or no image.
        """
        try:
            content = self._files[request].read_bytes()
        except (KeyError, FileNotFoundError):  # of a study as it was, or swept out of the cache
            path = inside(*place_of_picture(self._growing.now(), request))
            content = encoded(path)
        self._most_bytes = max(self._most_bytes, len(content))
        return content.ljust(self._most_bytes, b"\0")


def sources_of(study: AnyStudy) -> dict[PictureRequest, Source]:
    """List all images and masks that a study can show.

    Raises InputError: a manifest is wrong, or a mask cannot be read.
    """

    def place(request: PictureRequest) -> Path:
        return inside(*place_of_picture(study, request))

    found = {}
    for stimulus in chain(read_stimuli(study).stimuli, read_others(study)):
        request = PictureRequest(stimulus.path, mask=False)
        found[request] = Source(place(request), stimulus.sha256)
    if study.masks_folder is not None:
        for name in read_mask_sets(study.masks_folder, study.added_sets).paths:
            request = PictureRequest(name, mask=True)
            path = place(request)
            found[request] = Source(path, hashlib.sha256(content_of(path)).hexdigest())
    return found


def encode_all(
    sources: Iterable[Source],
    tell: Callable[[int, int], object],
    until: Callable[[], bool] = lambda: False,
) -> list[InputError]:
    """Encode what is not yet, and give what is wrong with images that cannot be.

    ``tell`` hears how many of how many are; ``until`` says when to give up.
    """
    home = folder_for("cache") / FOLDER
    make_folder(home)
    held = open_file(home / ".lock", os.O_RDWR | os.O_CREAT)
    try:
        lock(held, wait=True)  # other workers wait, and find that all is done
        by_sum = {source.sha256: source for source in sources}
        wanted = [source for source in by_sum.values() if not is_whole(source.file)]
        parts = [wanted[first : first + AT_A_TIME] for first in range(0, len(wanted), AT_A_TIME)]
        problems, done = [], 0
        with worker_pool(1 if len(wanted) <= FEW else None) as pool:
            behind = pool.executor is not None
            calls: Iterator[Call[list[InputError]]] = ((encode, (one, behind)) for one in parts)
            for refused in pool.run(takewhile(lambda _: not until(), calls)):
                problems += refused
                done += AT_A_TIME
                tell(min(done, len(wanted)), len(wanted))
        return problems
    finally:
        os.close(held)


def encode(sources: Iterable[Source], behind: bool) -> list[InputError]:
    """Encode images to their files, ``behind`` all other programs; give those that cannot be."""
    if behind:
        put_last(os.getpid(), NICENESS)
    problems = []
    for source in sources:
        try:
            content = encoded(source.path, source.sha256)
            new = source.file.with_suffix(f".{os.getpid()}")
            new.write_bytes(content)  # not synced: a file that a power cut left half is made anew
            new.replace(source.file)
        except InputError as error:
            problems.append(error)
        except OSError as error:
            problems.append(InputError(source.file, f"cannot be written: {error.strerror}"))
    return problems


def encoded(path: Path, sha256: str | None = None) -> bytes:
    """Encode an image anew.

    Raises InputError: it cannot be decoded, or has another checksum.
    """
    if sha256 is not None and hashlib.sha256(content_of(path)).hexdigest() != sha256:
        decode(path)  # an empty or broken file is named as such
        problem = "changed since its checksum was taken"
        raise InputError(path, problem, "put the image back, or scan the folder again")
    return png_bytes(decode(path).convert("RGB"))


def is_whole(file: Path) -> bool:
    """Whether an image was encoded to a file, to its end."""
    try:
        with file.open("rb") as encoded_before:
            encoded_before.seek(-len(END), os.SEEK_END)
            return encoded_before.read() == END
    except OSError:
        return False
