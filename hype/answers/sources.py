"""What a command reads answers from: a study or a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import pandas as pd

from hype.answers.choices import ReadingChoices
from hype.answers.groups import with_columns
from hype.console import warn
from hype.errors import InputError
from hype.statistics.cells import GroupScores
from hype.stimuli.manifest import ImageFolders
from hype.study.phrases import left_out_in_words
from hype.tables.answers import CheckedTable, TableReader
from hype.tables.codebook import codebook_of
from hype.tables.reasons import Weight, in_order, weighed
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    from hype.session.outgoing import Outgoing
    from hype.study.studies import AnyStudy

Opened: TypeAlias = "AnyStudy | FrameTable"
"""A study, or a table, that was read."""

Scored = TypeVar("Scored", bound=Any)
StudyT = TypeVar("StudyT")


def of_version(source: Opened, number: int | None, *, simulated: bool) -> Opened:
    """Give of a study that has several versions the one that was chosen; a table as it is.

    Raises InputError: there are several and none was chosen, or one that there is not; or the
    answers cannot be read.
    """
    if isinstance(source, FrameTable):
        return source
    from hype.session.outgoing import of_version as study_of_version
    from hype.study.versions import differences, in_words

    study = study_of_version(source, number, simulated=simulated)
    if study.version is None and (changed := differences(study, source, simulated=simulated)):
        warn(
            f"{source.path}: differs from what evaluators were given ({in_words(changed)}), and "
            "what they answered is read as they were given it"
        )
    return study


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAnswers(Generic[StudyT]):
    """Answers to be scored, and what is known of them beyond their rows.

    ``frame``: as the check of their kind returns it. ``table``: as it was read, where they are of
    one. ``study``: the study, where they are not of a table; of several that were joined, the
    first. ``registration``, ``said``: the SHA-256 (hex) of what was registered, and sentences on
    it, if anything was. ``check``: the check of their kind. ``file``: their table's. ``parts``: of
    how many studies or tables they are. ``grouped``: their scores by group. ``left_out``: notes on
    whom the study file leaves out.
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    check: Callable[..., pd.DataFrame]
    table: CheckedTable | None = None
    study: StudyT | None = None
    registration: str | None = None
    said: tuple[str, ...] = ()
    file: Path | None = None
    parts: int = 1
    grouped: tuple[GroupScores, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def stimuli(self) -> ImageFolders | None:
        """Where the images are, where a study tells it."""
        study: Any = self.study
        return study.image_folders if study else None

    def origin(self) -> dict[str, str]:
        """Say where they come from: also the SHA-256 of the table, or of the answers as CSV."""
        from hashlib import sha256

        if self.file and self.file.is_file():
            what, data = "SHA-256 of the table", self.file.read_bytes()
        else:
            csv = self.frame.to_csv(index=False, lineterminator="\n")
            what, data = "SHA-256 of the answers as CSV", csv.encode()
        return {**self.provenance, what: sha256(data).hexdigest()}

    def add_notes(self, score: Scored) -> Scored:
        if self.table:
            return self.table.add_notes(score)
        left_out = weighed(Weight.LEFT_OUT, self.left_out)
        noted: Scored = replace(score, notes=in_order((*left_out, *score.notes)))
        return noted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How answers of one kind are read.

    ``outgoing``: gives how they leave a study; tables need none of what that takes. ``table``: how
    a table of them is read and checked.
    """

    outgoing: Callable[[], Outgoing[Any]]
    table: TableReader

    def answers(self, source: Opened, choices: ReadingChoices) -> LoadedAnswers[Any]:
        """Read the answers that were chosen, of a study or of a table."""
        if choices.simulated and choices.people:
            raise InputError("--simulated --people", "both given", "one of them")
        if isinstance(source, FrameTable):
            answers = self._of_table(source, choices)
        else:
            answers = self._of_study(source, choices)
        return with_columns(answers, choices) if choices.by_columns else answers

    def _of_table(self, source: FrameTable, choices: ReadingChoices) -> LoadedAnswers[Any]:
        codebook = codebook_of(choices)
        kind = True if choices.simulated else False if choices.people else None
        table = self.table.load(source, simulated=kind, codebook=codebook)
        doubts = (*weighed(Weight.SCOPE, source.notes), *table.doubts)
        table = replace(table, left_out=source.left_out, doubts=doubts)
        return LoadedAnswers(
            frame=table.frame,
            title=source.file.stem if source.file else "Answers",
            provenance={
                "source": source.file.name if source.file else str(source),
                **codebook.said(),
            },
            file=source.file,
            table=table,
            check=self.table.check,
        )

    def _of_study(self, study: AnyStudy, choices: ReadingChoices) -> LoadedAnswers[Any]:
        """Read a study's answers, where it keeps them."""
        from hype.registration import registration_of
        from hype.session.outgoing import cells_by_column, reading
        from hype.store.record import record_of

        simulated = choices.simulated
        columns = {column.name for column in self.table.row.read} | {*choices.by_columns}
        with reading(study) as engine:
            outgoing = self.outgoing()
            answers = outgoing.read(engine, study, simulated=simulated, columns=columns)
            frame = pd.DataFrame(cells_by_column(answers))
        if frame.empty:
            raise outgoing.none_of(study, simulated=simulated)
        registration = registration_of(study)
        sha256 = registration.sha256 if registration else None
        return LoadedAnswers(
            frame=self.table.check(frame, where=record_of(study).where, simulated=simulated),
            title=study.settings.study.name,
            provenance={
                "study": study.settings.study.name,
                "study checksum": study.checksum(),
                "study seed": str(study.settings.study.seed),
                **({"study version": str(study.version)} if study.version else {}),
                **({"registration": sha256} if sha256 else {}),
            },
            study=study,
            registration=sha256,
            left_out=tuple(left_out_in_words(study.settings.study.left_out, {*frame["evaluator"]})),
            check=self.table.check,
        )
