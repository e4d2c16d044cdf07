"""What a command reads answers from: a study or a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from hype.answers.choices import Choices
from hype.errors import InputError
from hype.protocols.protocol import StudyProtocol
from hype.protocols.registry import PROTOCOLS, of_table, protocol_of
from hype.tables.codebook import codebook_of, refuse_codebook
from hype.tables.notes import Note, Weight, in_order, weighed
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    import pandas as pd

    from hype.session.outgoing import Outgoing
    from hype.statistics.cells import GroupScores
    from hype.stimuli.manifest import ImageFolders
    from hype.study.studies import AnyStudy, OneOfVersions
    from hype.tables.answers import CheckedTable

    Opened = AnyStudy | Path | FrameTable
    """A study that was read; a table, or its path; or the path of a study that is to be."""

Scored = TypeVar("Scored", bound=Any)
StudyT = TypeVar("StudyT")
TABLES: Final = (".csv", ".tsv", ".txt", ".gz", ".parquet")
"""How the names of tables end."""


def opened(source: str) -> Opened:
    """Open a study, or give the path of a table.

    ``source``: a study file, its folder, or a table.

    Raises InputError: there is no such study, or its file is wrong.
    """
    if is_table(Path(source)):
        return Path(source)
    from hype.protocols.load import load_any

    return load_any(Path(source))


def opened_in_shape(source: str, choices: Choices) -> Opened:
    """Open what was named; or read it as a table that others published.

    Raises InputError: as `opened` and `hype.tables.published.published`.
    """
    if choices.shape is None:
        return opened(source)
    from hype.tables.published import published

    return published(Path(source), choices.shape)


def of_version(source: Opened, number: int | None, *, simulated: bool) -> Opened:
    """Give of a study that has several versions the one that was chosen; a table as it is.

    Raises InputError: there are several and none was chosen, or one that there is not; or the
    answers cannot be read.
    """
    if isinstance(source, Path | FrameTable):
        return source
    from hype.console import warn
    from hype.session.records import of_version as study_of_version
    from hype.study.versions import differences, in_words

    study = study_of_version(source, number, simulated=simulated)
    if study.version is None and (changed := differences(study, source, simulated=simulated)):
        warn(
            f"{source.path}: differs from what evaluators were given ({in_words(changed)}), and "
            "what they answered is read as they were given it"
        )
    return study


def is_table(path: Path) -> bool:
    suffix = path.suffix.lower()
    return not path.is_dir() and (suffix in TABLES or (path.is_file() and suffix != ".toml"))


def study_or_table(source: Opened) -> Opened:
    """Give the study that answers are of, read if need be; or their table.

    Raises InputError: there is no such study, or its file is wrong.
    """
    if not isinstance(source, Path) or is_table(source):
        return source
    from hype.protocols.load import load_any

    return load_any(source)


def one_kind_only(*, simulated: bool, people: bool) -> bool | None:
    """Say which of the two kinds of evaluators a table is asked for; None where it has one kind."""
    if simulated and people:
        raise InputError("--simulated --people", "both given", "one of them")
    return True if simulated else False if people else None


def chosen_answers(source: str | FrameTable, choices: Choices) -> tuple[StudyProtocol, Opened]:
    """Open what holds answers, of the version that was chosen; say of which protocol they are.

    Raises InputError: as `opened`, `answers_in` and `of_version`; or an option that was given is
    for answers of another protocol.
    """
    opened_source = source if isinstance(source, FrameTable) else opened_in_shape(source, choices)
    refuse_choices_of_others(answers_in(opened_source, choices), choices, source)
    opened_source = of_version(opened_source, choices.version, simulated=choices.simulated)
    return answers_in(opened_source, choices), opened_source


def answers_in(source: Opened, choices: Choices) -> StudyProtocol:
    """Tell of which protocol the answers of a study or of a table are.

    Raises InputError: there is no such study, or its file is wrong; it is told what a table calls
    things.
    """
    opened_source = study_or_table(source)
    if isinstance(opened_source, Path | FrameTable):
        from hype.tables.table_files import header_of

        return of_table(codebook_of(choices).names(header_of(opened_source)))
    refuse_codebook(choices, opened_source.path)
    return protocol_of(opened_source)


def refuse_choices_of_others(protocol: StudyProtocol, choices: Choices, source: object) -> None:
    """Refuse an option that was given and has no meaning for this kind of answer.

    Raises InputError: names the first such option.
    """
    for choice in fields(Choices):
        value = getattr(choices, choice.name)
        owners = [one for one in PROTOCOLS if choice.name in one.own_choices]
        if owners and protocol not in owners and value != choice.default:
            raise for_others(option_of(choice.name, value), owners, protocol, source)


def for_others(
    option: str, owners: Sequence[StudyProtocol], protocol: StudyProtocol, source: object
) -> InputError:
    *others, last = (owner.answers for owner in owners)
    names = f"{', '.join(others)} and {last}" if others else last
    return InputError(option, f"is for {names}, and {source} holds {protocol.answers}")


def option_of(name: str, value: object) -> str:
    """Give the option by which a choice was made, as it is typed."""
    if name == "keep_spoiled" and value is False:
        return "--leave-out-spoiled"
    if name == "shape":
        return "--from"
    return f"--{name.replace('_', '-')}"


def printed(protocol: StudyProtocol, scored: Any, opened_source: Opened) -> Any:
    """Make of scores what ``--json`` prints, with the version of the study, if it has several."""
    made = protocol.as_object(scored)
    version = version_of(opened_source)
    return made if version is None else with_version(made, version)


def version_of(opened_source: Opened) -> OneOfVersions | None:
    return None if isinstance(opened_source, Path | FrameTable) else opened_source.version


def with_version(scored: Any, version: OneOfVersions) -> object:
    if isinstance(scored, list):
        return [with_version(score, version) for score in scored]
    return {**scored, "version": {"number": version.number, "of": version.of}}


class Drawn(Protocol):
    """A bootstrap that was made."""

    @property
    def draws(self) -> int:
        """How many resamples."""

    @property
    def seed(self) -> int:
        """What they follow from."""


def provenance_of(study: AnyStudy, registration: str | None) -> dict[str, str]:
    """Say which study, as it stands, and what was registered of it, if anything was."""
    return {
        "study": study.settings.study.name,
        "study checksum": study.checksum(),
        "study seed": str(study.settings.study.seed),
        **({"study version": str(study.version)} if study.version else {}),
        **({"registration": registration} if registration else {}),
    }


def bootstrap(made: Drawn | None) -> dict[str, str]:
    """Say what the bootstrap can be repeated with; nothing where there was none."""
    return {"bootstrap": f"{made.draws:,} draws, seed {made.seed}"} if made else {}


def with_note(table: CheckedTable, source: Opened) -> CheckedTable:
    """Say of answers what was left out when their table was made, if anything was."""
    if not isinstance(source, FrameTable) or not source.note:
        return table
    return replace(table, doubts=(Note(source.note, Weight.SCOPE), *table.doubts))


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

        is_file = self.file is not None and self.file.is_file()
        what = "SHA-256 of the table" if is_file else "SHA-256 of the answers as CSV"
        data = self.file.read_bytes() if self.file and is_file else self._as_csv()
        return {**self.provenance, what: sha256(data).hexdigest()}

    def _as_csv(self) -> bytes:
        return self.frame.to_csv(index=False, lineterminator="\n").encode()

    def add_notes(self, score: Scored) -> Scored:
        if self.table:
            return self.table.add_notes(score)
        left_out = weighed(Weight.LEFT_OUT, self.left_out)
        noted: Scored = replace(score, notes=in_order((*left_out, *score.notes)))
        return noted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How answers of one kind are read.

    ``outgoing``: gives how they leave a study; tables need none of what that takes. ``columns``:
    names of those columns that are scored. ``check``: checks a frame: called with it, where it is
    from, and which evaluators are wanted. ``read``: reads a table: called with its path, which
    evaluators are wanted, and what it calls things.
    """

    outgoing: Callable[[], Outgoing[Any]]
    columns: Collection[str]
    check: Callable[..., pd.DataFrame]
    read: Callable[..., CheckedTable]

    def answers(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        """Read the answers that were chosen, of a study or of a table."""
        answers = self._answers(source, choices)
        if not choices.by_columns:
            return answers
        from hype.answers.groups import with_columns

        return with_columns(answers, choices)

    def _answers(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        simulated = one_kind_only(simulated=choices.simulated, people=choices.people)
        opened = study_or_table(source)
        if not isinstance(opened, Path | FrameTable):
            return self._of_study(opened, choices)
        codebook = codebook_of(choices)
        table = self.read(opened, simulated=simulated, codebook=codebook)
        return LoadedAnswers(
            frame=table.frame,
            title="Answers" if isinstance(opened, FrameTable) else opened.stem,
            provenance={"source": Path(opened.name).name, **codebook.said()},
            file=opened if isinstance(opened, Path) else Path(opened.name),
            table=with_note(table, opened),
            check=self.check,
        )

    def _of_study(self, study: AnyStudy, choices: Choices) -> LoadedAnswers[Any]:
        """Read a study's answers, where it keeps them."""
        import pandas as pd

        from hype.registration import registered_sentences, registration_of
        from hype.session.outgoing import shared_text
        from hype.session.records import reading
        from hype.store.record import RECORD_FILE
        from hype.study.phrases import left_out_in_words

        simulated, columns = choices.simulated, {*self.columns, *choices.by_columns}
        with reading(study) as engine:
            outgoing = self.outgoing()
            answers = outgoing.read(engine, study, simulated=simulated, columns=columns)
            frame = pd.DataFrame(list(shared_text(answers.rows)), columns=list(answers.columns))
        if frame.empty:
            raise outgoing.none_of(study, simulated=simulated)
        registration = registration_of(study)
        sha256 = registration.sha256 if registration else None
        return LoadedAnswers(
            frame=self.check(frame, where=study.folder / RECORD_FILE, simulated=simulated),
            title=study.settings.study.name,
            provenance=provenance_of(study, sha256),
            study=study,
            registration=sha256,
            said=tuple(registered_sentences(registration, study)),
            left_out=tuple(left_out_in_words(study.settings.study.left_out, {*frame["evaluator"]})),
            check=self.check,
        )
