"""Sources of answers: studies and tables.

Several sources can be scored together. If the settings of the sources agree, the answers are joined
in one frame. Otherwise the error names the setting that differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import pandas as pd

from hype.answers.choices import ReadingChoices
from hype.answers.groups import join_columns
from hype.console import warn
from hype.errors import InputError
from hype.statistics.cells import GroupScores
from hype.stimuli.manifest import ImageFolders, checksums_in
from hype.study.differences import MOST_SHOWN, write_value
from hype.study.phrases import describe_left_out
from hype.tables.answers import CheckedTable, TableReader
from hype.tables.codebook import codebook_of
from hype.tables.reasons import Weight, sort_notes, weigh
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    from hype.session.outgoing import Outgoing
    from hype.study.studies import AnyStudy


Opened: TypeAlias = "AnyStudy | FrameTable"
"""An opened study or table."""

Scored = TypeVar("Scored", bound=Any)
StudyT = TypeVar("StudyT")


def choose_version(source: Opened, number: int | None, *, simulated: bool) -> Opened:
    """Return the chosen version of a study; return a table unchanged.

    Raises InputError: there are several versions and none was chosen; the chosen version is
    unknown; or the answers cannot be read.
    """
    if isinstance(source, FrameTable):
        return source
    from hype.session.outgoing import choose_version as study_of_version
    from hype.study.differences import describe_changes, differences

    study = study_of_version(source, number, simulated=simulated)
    if study.version is None and (changed := differences(study, source, simulated=simulated)):
        warn(
            f"{source.path}: the study changed after evaluators took part "
            f"({describe_changes(changed)}); answers are read with its earlier version"
        )
    return study


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAnswers(Generic[StudyT]):
    """Answers to score, and facts about their source.

    ``frame``: the checked answers. ``check``: the function that checks them. ``table``, ``file``:
    the checked table and its file; None for a study. ``study``: the study (the first of several);
    None for a table. ``registration``: the SHA-256 (hex) of the study's registration, if any.
    ``said``: sentences about the registration. ``parts``: the number of studies or tables.
    ``grouped``: the scores by group. ``left_out``: notes on people that the study file leaves out.
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
        """The folders of the images, if there is a study."""
        study: Any = self.study
        return study.image_folders if study else None

    def origin(self) -> dict[str, str]:
        """Return where the answers come from, and a SHA-256 of the table or of the answers."""
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
        left_out = weigh(Weight.LEFT_OUT, self.left_out)
        noted: Scored = replace(score, notes=sort_notes((*left_out, *score.notes)))
        return noted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads one kind of answers.

    ``outgoing``: returns the reader of a study's answers. ``table``: reads and checks a table.
    """

    outgoing: Callable[[], Outgoing[Any]]
    table: TableReader

    def answers(self, source: Opened, choices: ReadingChoices) -> LoadedAnswers[Any]:
        if choices.simulated and choices.people:
            raise InputError("--simulated --people", "both given", "one of them")
        if isinstance(source, FrameTable):
            answers = self._read_table_answers(source, choices)
        else:
            answers = self._read_study_answers(source, choices)
        return join_columns(answers, choices) if choices.by_columns else answers

    def _read_table_answers(
        self, source: FrameTable, choices: ReadingChoices
    ) -> LoadedAnswers[Any]:
        codebook = codebook_of(choices)
        kind = True if choices.simulated else False if choices.people else None
        table = self.table.load(source, simulated=kind, codebook=codebook)
        table = replace(table, doubts=(*weigh(Weight.SCOPE, source.notes), *table.doubts))
        return LoadedAnswers(
            frame=table.frame,
            title=source.file.stem if source.file else "Answers",
            provenance={
                "source": source.file.name if source.file else str(source),
                **codebook.describe(),
            },
            file=source.file,
            table=table,
            check=self.table.check,
        )

    def _read_study_answers(self, study: AnyStudy, choices: ReadingChoices) -> LoadedAnswers[Any]:
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
            left_out=tuple(describe_left_out(study.settings.study.left_out, {*frame["evaluator"]})),
            check=self.table.check,
        )


IMAGES: Final = {"image": "image_sha256"} | {
    f"{side}_image": f"{side}_sha256" for side in ("left", "right", "first", "second")
}
"""The columns of images, each with the column of its checksums."""
COMPARED: Final = (
    *("evaluator", "condition", "task", "block", "trial", "group", "axis"),
    *(*IMAGES, "answer", "rank", "rt_ms"),
)
"""Rows that are equal in these columns may be the same answer, read twice."""
KEPT: Final = ("status", "excluded", "verdict", "repeats", "exposure_", "mask_", "floor", "ceiling")
"""A column whose name starts with one of these words is kept even if some sources lack it.

Its cells are then empty for those sources. Any other column is dropped unless all sources have it.
"""
ALIKE: Final = "the same protocol, masks, real images, and settings that affect answers"


def join(
    loaded: Mapping[str, LoadedAnswers[Any]],
    common_settings: Callable[[Any], Mapping[str, object]],
    *,
    apart: bool,
) -> tuple[LoadedAnswers[Any], list[str]]:
    """Combine the answers of several named sources; also return notes on the sources.

    ``common_settings``: returns the settings that all studies must share. ``apart``: whether the
    same code in two sources means two people.

    Raises InputError: sources differ in a common setting, or contain the same answers.
    """
    _refuse_unlike(common_settings, [answers.study for answers in loaded.values() if answers.study])
    titles = [answers.title for answers in loaded.values()]
    names = titles if len(set(titles)) == len(titles) else [*loaded]
    each = [*loaded.values()]
    sums = [_checksums(answers) for answers in each]
    frames = _name_images(each, sums)
    parts, shared = _name_people(dict(zip(names, frames, strict=True)), apart=apart)
    tables = {name: one.table for name, one in zip(names, each, strict=True) if one.table}
    unscored = CheckedTable(
        frame=pd.DataFrame(),
        missing=tuple(missing for table in tables.values() for missing in table.missing),
        doubts=tuple(doubt for table in tables.values() for doubt in table.doubts),
        left_out=sum((Counter(table.left_out) for table in tables.values()), Counter()),
    )
    notes = [*weigh(Weight.SCOPE, _notes(parts, tables)), *unscored.notes]
    if shared:
        who = "other people" if apart else "the same people"
        notes.append(
            f"{shared:,} codes of evaluators occur in several of these sources and count as {who}."
        )
    return _concatenate(parts, each), notes


def _refuse_unlike(
    common_settings: Callable[[Any], Mapping[str, object]], studies: Sequence[Any]
) -> None:
    """Refuse studies that differ in a setting that affects answers."""
    settings = [common_settings(study) for study in studies] if len(studies) > 1 else []
    for study, own in zip(studies, settings, strict=False):
        differences = [
            f"{key} is {write_value(own.get(key))} instead of {write_value(settings[0].get(key))}"
            for key in {**settings[0], **own}
            if own.get(key) != settings[0].get(key)
        ]
        if differences:
            listed = "; ".join(differences[:MOST_SHOWN])
            problem = f"cannot be scored together with {studies[0].path}: {listed}"
            raise InputError(study.path, problem, ALIKE)


def _checksums(answers: LoadedAnswers[Any]) -> dict[str, str]:
    """Return the checksum of each image, from the study's manifest or from the table."""
    if answers.study is not None:
        return (answers.stimuli and checksums_in(answers.stimuli)) or {}
    pairs = (
        answers.frame[[image, checksum]].drop_duplicates().astype(str).itertuples(index=False)
        for image, checksum in IMAGES.items()
        if image in answers.frame and checksum in answers.frame
    )
    return {image: checksum for rows in pairs for image, checksum in rows if checksum}


def _name_images(
    loaded: Sequence[LoadedAnswers[Any]], sums: Sequence[Mapping[str, str]]
) -> Iterator[pd.DataFrame]:
    """Add the checksum to a name that several images share."""
    images = Counter(name for name, _ in {pair for own in sums for pair in own.items()})
    for answers, own in zip(loaded, sums, strict=True):
        labels = {n: f"{n} ({checksum[:8]})" for n, checksum in own.items() if images[n] > 1}
        named = answers.frame.copy(deep=False)
        for column in (column for column in IMAGES if labels and column in named):
            cells = named[column].astype(str)
            named[column] = cells.map(labels).fillna(cells).astype("category")
        yield named


def _name_people(
    parts: Mapping[str, pd.DataFrame], *, apart: bool
) -> tuple[dict[str, pd.DataFrame], int]:
    """Rename people who share a code if ``apart``; otherwise rename their blocks or sessions."""
    if any("evaluator" not in part for part in parts.values()):
        return dict(parts), 0
    codes = Counter(str(code) for part in parts.values() for code in part["evaluator"].unique())
    shared = {code for code, number in codes.items() if number > 1}
    named: dict[str, pd.DataFrame] = {}
    for name, part in parts.items():
        again = part["evaluator"].isin(shared)
        column = "evaluator" if apart else "session" if "group" in part else "block"
        if named and not apart and again.any():
            _refuse_again(part[again], [parts[earlier] for earlier in named], name)
        if named and column in part and again.any():
            cells = part[column].astype(str)
            renamed = cells.where(~again, cells + f" of {name}").astype("category")
            named[name] = part.assign(**{column: renamed})
        else:
            named[name] = part
    return named, len(shared)


def _refuse_again(part: pd.DataFrame, before: Sequence[pd.DataFrame], name: str) -> None:
    """Refuse answers that an earlier source also contains."""
    columns = [c for c in COMPARED if all(c in frame for frame in (part, *before))]
    earlier = [frame[columns].astype(str) for frame in before]
    again = part[columns].astype(str).merge(pd.concat(earlier).drop_duplicates())
    is_telling = "rt_ms" in columns and not set(IMAGES).isdisjoint(columns)
    if len(again) >= (1 if is_telling else max(10, len(part))):
        first = ", ".join(f"{column} {value}" for column, value in again.iloc[0].items())
        problem = f"contains {len(again):,} answers that were already read: {first}"
        raise InputError(name, problem, "each answer once")


def _notes(parts: Mapping[str, pd.DataFrame], tables: Collection[str]) -> Iterator[str]:
    yield f"Scored together: {', '.join(parts)}."
    if 0 < len(tables) < len(parts):
        said = "may differ from the study in masks, display and other settings"
        yield f"Tables do not give the settings of a study: {', '.join(tables)} {said}."
    sides = ("condition", "left", "right", "first", "second")
    conditions = [{c for s in sides if s in p for c in p[s].unique()} for p in parts.values()]
    for name, own in zip(parts, conditions, strict=True):
        if sum(not own.isdisjoint(other) for other in conditions) == 1:
            doubt = (
                "a difference between its conditions and theirs may be a difference between "
                "the studies"
            )
            yield f"{name} shares no condition with the others: {doubt}."


def _concatenate(
    parts: Mapping[str, pd.DataFrame], loaded: Sequence[LoadedAnswers[Any]]
) -> LoadedAnswers[Any]:
    frames = parts.values()
    columns = dict.fromkeys(column for frame in frames for column in frame)
    kept = [c for c in columns if str(c).startswith(KEPT) or all(c in frame for frame in frames)]
    whole = pd.concat([f.reindex(columns=kept, fill_value="") for f in frames], ignore_index=True)
    when = "onset_unix_s"
    if when in whole and all(frame[when].is_monotonic_increasing for frame in frames):
        # Elo ratings depend on the order of answers
        whole = whole.sort_values(when, kind="stable", ignore_index=True)
    title = " and ".join(parts)
    each = zip(parts, loaded, strict=True)
    return LoadedAnswers(
        frame=loaded[0].check(whole, where=title),
        title=title,
        provenance={f"{n}: {key}": v for n, one in each for key, v in one.provenance.items()},
        study=next((answers.study for answers in loaded if answers.study), None),
        check=loaded[0].check,
        parts=len(loaded),
        left_out=tuple(note for answers in loaded for note in answers.left_out),
    )
