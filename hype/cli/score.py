"""`hype score` and `hype report`: what the judgements say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hype.cli.options import Json, Simulated, Source, out, print_json
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis import Score, Treatment

Seed = Annotated[int, typer.Option("--seed", metavar="S", help="of the bootstrap")]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="bootstrap resamples", min=100)]
People = Annotated[
    bool, typer.Option("--people", metavar="", help="people only, where a table holds both kinds")
]
KeepSpoiled = Annotated[
    bool | None,
    typer.Option(
        "--keep-spoiled/--leave-out-spoiled",
        metavar="",
        help="score trials that the screen spoiled, or not; else as the study says, and those of "
        "a table are scored",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Judgements to be scored, what they are called, and where they come from.

    ``spoiled`` is what is to become of trials that the screen spoiled.
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    spoiled: Treatment = "keep"


def score(
    source: Source,
    simulated: Simulated = False,
    people: People = False,
    seed: Seed = 0,
    draws: Draws = 10_000,
    keep_spoiled: KeepSpoiled = None,
    as_json: Json = False,
) -> None:
    """Print every figure of the paper's tables."""
    from hype.report.table import score_table

    judgements = load_judgements(source, simulated=simulated, people=people)
    spoiled = treatment(judgements, keep_spoiled)
    scores = score_frame(judgements.frame, seed=seed, draws=draws, spoiled=spoiled)
    if as_json:
        objects = [s.to_json() for s in scores]
        print_json(objects[0] if len(objects) == 1 else objects)
    else:
        out.print(score_table(scores))


def report(
    source: Source,
    destination: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="HTML", help="where the page goes")
    ] = None,
    simulated: Simulated = False,
    people: People = False,
    seed: Seed = 0,
    draws: Draws = 10_000,
    keep_spoiled: KeepSpoiled = None,
) -> None:
    """Write one self-contained page with tables and figures."""
    judgements = load_judgements(source, simulated=simulated, people=people)
    spoiled = treatment(judgements, keep_spoiled)
    scores = score_frame(judgements.frame, seed=seed, draws=draws, spoiled=spoiled)
    path = destination or default_report_path(source)
    out.print(f"report: {write_page(judgements, scores, path)}")


def default_report_path(source: Path) -> Path:
    """Put a report beside the study or the table."""
    folder = source if source.is_dir() else source.parent
    return folder / "report.html"


def treatment(judgements: Judgements, keep_spoiled: bool | None) -> Treatment:
    """Say what becomes of spoiled trials: what the command line says, else what the study does."""
    if keep_spoiled is None:
        return judgements.spoiled
    return "keep" if keep_spoiled else "leave-out"


def score_frame(
    frame: pd.DataFrame, *, seed: int, draws: int = 10_000, spoiled: Treatment = "keep"
) -> tuple[Score, ...]:
    """Score judgements."""
    from hype.analysis import score as score_judgements

    return score_judgements(frame, draws=draws, seed=seed, spoiled=spoiled)


def write_page(judgements: Judgements, scores: tuple[Score, ...], path: Path) -> Path:
    """Write the report page."""
    from hype.report.page import write_report

    return write_report(
        scores,
        path,
        frame=judgements.frame,
        title=judgements.title,
        provenance=judgements.provenance,
    )


def load_judgements(source: Path, *, simulated: bool, people: bool) -> Judgements:
    """Read judgements from a study's record or from a table."""
    if simulated and people:
        raise InputError("--simulated --people", "both given", "one of them")
    if source.suffix.lower() == ".csv":
        return judgements_of_table(source, True if simulated else False if people else None)
    return judgements_of_study(source, simulated=simulated)


def judgements_of_table(path: Path, simulated: bool | None) -> Judgements:
    """Read a tidy table."""
    from hype.analysis import read_judgements
    from hype.sessions.facts import versions

    frame = read_judgements(path, simulated=simulated)
    provenance = {"source": path.name, **versions()}
    return Judgements(frame=frame, title=path.stem, provenance=provenance)


def judgements_of_study(path: Path, *, simulated: bool) -> Judgements:
    """Read a study's record."""
    import pandas as pd

    from hype.analysis import check_judgements
    from hype.sessions.facts import versions
    from hype.store.reading import exported_columns, read_judgements
    from hype.store.record import RECORD_FILE, reading_record
    from hype.study.load import load_study

    study = load_study(path)
    record = study.folder / RECORD_FILE
    with reading_record(record) as engine:
        rows = list(read_judgements(engine, simulated=simulated))
    if not rows:
        kind, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
        hint = f"{other} takes the simulated evaluators" if other else "hype simulate makes some"
        raise InputError(record, f"holds no judgements by {kind}", hint)
    frame = pd.DataFrame(rows, columns=list(exported_columns()))
    settings = study.settings.study
    return Judgements(
        frame=check_judgements(frame, where=record, simulated=simulated),
        title=settings.name,
        provenance={
            "study": settings.name,
            "study checksum": study.checksum(),
            "study seed": str(settings.seed),
            **versions(),
        },
        # Where spoiled trials are repeated, the repetition takes their place.
        spoiled="keep" if study.settings.timing.spoiled_trials == "keep" else "leave-out",
    )
