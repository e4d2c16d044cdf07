"""Where judgements come from: a study's record, or a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hype.cli.provenance import provenance_of
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis import Treatment


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Judgements to be scored, and what is known of them beyond their rows.

    Attributes
    ----------
    frame
        As `hype.analysis.check_judgements` returns it.
    title
        What they are called.
    provenance
        Where they come from.
    spoiled
        What is to become of trials that the screen spoiled.
    stimuli
        The folder of the stimuli, where a study tells it.
    said
        Sentences on what was registered, if anything was.
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    spoiled: Treatment = "keep"
    stimuli: Path | None = None
    said: tuple[str, ...] = ()

    def with_manifest(self) -> Judgements:
        """Add what the manifest of the stimuli says of the images, where a study names one."""
        if self.stimuli is None:
            return self
        from hype.analysis import with_manifest
        from hype.stimuli.manifest import read_extra_columns

        joined = with_manifest(self.frame, read_extra_columns(self.stimuli))
        return replace(self, frame=joined)


def load_judgements(
    source: Path, *, simulated: bool, people: bool, column: str | None = None
) -> Judgements:
    """Read judgements from a study's record or from a table.

    ``column`` is one that is needed beside those that are scored; a study has it in its record or
    in the manifest of its stimuli.
    """
    wanted = one_kind_only(simulated=simulated, people=people)
    if is_table(source):
        return judgements_of_table(source, wanted)
    return judgements_of_study(source, simulated=simulated, column=column)


def one_kind_only(*, simulated: bool, people: bool) -> bool | None:
    """Say which of the two kinds of evaluators a table is asked for; None where it has one kind."""
    if simulated and people:
        raise InputError("--simulated --people", "both given", "one of them")
    return True if simulated else False if people else None


def is_table(source: Path) -> bool:
    """Tell a table from a study by its name."""
    return not source.is_dir() and source.suffix.lower() in (".csv", ".tsv", ".txt", ".gz")


def judgements_of_table(path: Path, simulated: bool | None) -> Judgements:
    """Read a tidy table."""
    from hype.analysis import read_judgements

    frame = read_judgements(path, simulated=simulated)
    return Judgements(
        frame=frame,
        title=path.stem,
        provenance={"source": path.name},
        spoiled=treatment_in(frame),
    )


def treatment_in(frame: pd.DataFrame) -> Treatment:
    """Tell from its marks whether the study of a table leaves spoiled trials out.

    One that repeats them does too: the repetition takes their place.
    """
    if "excluded" not in frame:
        return "keep"
    from hype.sessions.exported import Excluded

    marked = frame["excluded"].eq(Excluded.SPOILED.value)
    return "leave-out" if marked.any() else "keep"


def judgements_of_study(path: Path, *, simulated: bool, column: str | None = None) -> Judgements:
    """Read a study's record."""
    import pandas as pd

    from hype.analysis import COLUMNS, check_judgements
    from hype.cli.registered import registered_sentences
    from hype.sessions.exported import exported_judgements, no_judgements
    from hype.sessions.registration import registration_of
    from hype.store.record import RECORD_FILE, reading_record
    from hype.study.load import load_study

    study = load_study(path)
    record = study.folder / RECORD_FILE
    with reading_record(record) as engine:
        names = {*(declared.name for declared in COLUMNS), column or ""}
        exported = exported_judgements(engine, study, simulated=simulated, columns=names)
        frame = pd.DataFrame(list(shared_text(exported.rows)), columns=list(exported.columns))
    if frame.empty:
        raise no_judgements(study, simulated=simulated)
    registration = registration_of(study)
    checked = check_judgements(frame, where=record, simulated=simulated)
    judgements = Judgements(
        frame=checked,
        title=study.settings.study.name,
        provenance=provenance_of(study, registration.sha256 if registration else None),
        spoiled=treatment_in(checked),
        stimuli=study.stimuli_folder,
        said=tuple(registered_sentences(registration, study)) if registration else (),
    )
    return judgements if column is None or column in frame else judgements.with_manifest()


def shared_text(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Keep each text once in memory, however many cells it stands in."""
    known: dict[object, object] = {}
    for row in rows:
        yield tuple(known.setdefault(c, c) if isinstance(c, str) else c for c in row)
