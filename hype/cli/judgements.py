"""Where judgements come from: a study's record, or a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    spoiled: Treatment = "keep"
    stimuli: Path | None = None

    def with_column(self, name: str) -> Judgements:
        """Look a column up in the manifest of the stimuli, where the judgements lack it."""
        if name in self.frame or self.stimuli is None:
            return self
        from hype.analysis import with_manifest
        from hype.stimuli.manifest import read_extra_columns

        joined = with_manifest(self.frame, read_extra_columns(self.stimuli))
        return replace(self, frame=joined)


def load_judgements(source: Path, *, simulated: bool, people: bool) -> Judgements:
    """Read judgements from a study's record or from a table."""
    if simulated and people:
        raise InputError("--simulated --people", "both given", "one of them")
    if is_table(source):
        return judgements_of_table(source, True if simulated else False if people else None)
    return judgements_of_study(source, simulated=simulated)


def is_table(source: Path) -> bool:
    """Tell a table from a study by its name."""
    return not source.is_dir() and source.suffix.lower() in (".csv", ".tsv", ".txt", ".gz")


def judgements_of_table(path: Path, simulated: bool | None) -> Judgements:
    """Read a tidy table."""
    from hype.analysis import read_judgements

    frame = read_judgements(path, simulated=simulated)
    return Judgements(frame=frame, title=path.stem, provenance={"source": path.name})


def judgements_of_study(path: Path, *, simulated: bool) -> Judgements:
    """Read a study's record."""
    import pandas as pd

    from hype.analysis import check_judgements
    from hype.sessions.exported import COLUMNS, exported_judgements
    from hype.store.record import RECORD_FILE, reading_record
    from hype.study.load import load_study

    study = load_study(path)
    record = study.folder / RECORD_FILE
    with reading_record(record) as engine:
        rows = list(exported_judgements(engine, study, simulated=simulated))
    if not rows:
        kind, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
        hint = f"{other} takes the simulated evaluators" if other else "hype simulate makes some"
        raise InputError(record, f"holds no judgements by {kind}", hint)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    settings = study.settings
    return Judgements(
        frame=check_judgements(frame, where=record, simulated=simulated),
        title=settings.study.name,
        provenance={
            "study": settings.study.name,
            "study checksum": study.checksum(),
            "study seed": str(settings.study.seed),
        },
        # Where spoiled trials are repeated, the repetition takes their place.
        spoiled="keep" if settings.timing.spoiled_trials == "keep" else "leave-out",
        stimuli=study.stimuli_folder,
    )
