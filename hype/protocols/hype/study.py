"""A study of HYPE's methods: its settings, and where its file lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.trial import Task
from hype.protocols.studies import AnyStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(AnyStudy):
    """A study of HYPE's methods, "time" and "infinity"."""

    settings: StudyFile

    @property
    def scores_nobody(self) -> bool:
        return self.settings.only_qualifies

    @property
    def masks_folder(self) -> Path | None:
        """The mask set, where there is one and a method that shows masks."""
        needed = "time" in self.settings.study.methods and self.settings.masks.folder
        return self.folder / self.settings.masks.folder if needed else None

    @property
    def other_sets(self) -> Mapping[str, Path]:
        """The set of the qualification, where it has one of its own, and that of obvious images."""
        test, catch = self.settings.qualification, self.settings.catch
        named = {
            Task.QUALIFICATION.value: test.stimuli if test.enabled else "",
            Task.CATCH.value: catch.stimuli if catch.trials else "",
        }
        return {name: self.folder / folder for name, folder in named.items() if folder}
