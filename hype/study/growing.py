"""A study file that is looked at while a program runs, since models may join."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from hype.errors import InputError
from hype.study.studies import AnyStudy

LARGEST_STUDY_BYTES: Final = 256 << 10


class GrowingStudy:
    """A study that was loaded, with the models that joined since: its file is looked at each time.

    So is whom it leaves out. Nothing else that is changed in the file is followed, nor a model that
    joins with it: who comes to one program is asked the same. ``remark`` is told so.
    """

    def __init__(
        self, study: AnyStudy, load: Callable[[Path], AnyStudy], remark: Callable[[str], None]
    ) -> None:
        self._study, self._load, self._remark = study, load, remark
        self._looked_at: tuple[int, int, int] | None = None
        self._turn = Lock()

    def now(self) -> AnyStudy:
        """Give the study as it is now; where its file cannot be read, as it was."""
        with self._turn:
            with suppress(OSError):
                status = self._study.path.stat()
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                if stamp != self._looked_at:
                    self._looked_at = stamp
                    try:
                        self._study = self._grown(self._load(self._study.path))
                    except InputError as error:
                        self._remark(str(error))
            return self._study

    def _grown(self, read: AnyStudy) -> AnyStudy:
        study = self._study
        if read.settings.study.left_out != study.settings.study.left_out:
            study = study.leaving_out(read.settings.study.left_out)
        if read.added == study.added:
            return study
        if read.with_added({}).checksum() != study.with_added({}).checksum():
            problem = "names a model that joined, and says otherwise what this program began with"
            raise InputError(read.path, problem, "the model is taken up when it is started anew")
        return study.with_added(read.added)
