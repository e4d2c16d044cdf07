"""The sign at a study's doors: whether newcomers are let in, for all workers and after restarts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hype.errors import InputError
from hype.files import make_folder
from hype.protocols.studies import AnyStudy
from hype.web.tokens import key_file


@dataclass(frozen=True, slots=True)
class DoorSign:
    """A file that is there as long as the doors are closed."""

    path: Path

    @classmethod
    def of(cls, study: AnyStudy) -> DoorSign:
        return cls(key_file(study.folder).with_suffix(".closed"))

    @property
    def since_unix_s(self) -> float | None:
        """When the doors were closed; None while they are open."""
        try:
            return self.path.stat().st_mtime
        except OSError:
            return None

    def open(self) -> None:
        """Let newcomers in.

        Raises InputError: the sign cannot be taken away.
        """
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(self.path, f"cannot be deleted: {error.strerror}") from None

    def close(self) -> None:
        """Let nobody new in; those who have begun go on.

        Raises InputError: the sign cannot be put up.
        """
        make_folder(self.path.parent)
        try:
            self.path.touch(exist_ok=True)
        except OSError as error:
            raise InputError(self.path, f"cannot be written: {error.strerror}") from None
