"""`hype timing`: exposures without a participant, and what an outside witness says of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer

from hype.cli.options import Json, OnScreen, StudyPath, Windowed
from hype.console import err, out, print_json, progress, warn
from hype.errors import InputError
from hype.protocols.hype.exposures import (
    EXPOSURES_FILE,
    OpenedStation,
    Row,
    exposures_of,
    keep_exposures,
    last_onset_unix_s,
    patch_of,
    plan_exposures,
    play,
    read_exposures,
)
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.report.terminal import timing_lines
from hype.session.stage import Seating
from hype.session.timing import table_of_rows
from hype.station.display import ensure_display

if TYPE_CHECKING:
    from hype.witness.comparison import Played, Witnessed
    from hype.witness.log import Change, Levels

PATIENCE_S: Final = 60.0
"""How long after the last exposure its log may be on its way."""
SETTLED_S: Final = 2.0
"""A log that did not change for so long is finished."""
LOOK_S: Final = 0.25
"""Pause between two looks whether it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was played, by its own account, and how the log of its witness is to be read."""

    played: tuple[Played, ...]  # the trials in order, at least one
    levels: Levels  # what the patch's colours mean
    since_unix_s: float  # when, by the wall clock, the last image came on
    kept_in: Path  # where the trials are kept

    def against(self, changes: tuple[Change, ...]) -> Witnessed:
        from hype.witness.comparison import compare

        return compare(self.played, changes, self.levels)


def log_of(path: Path, evidence: Evidence, *, dark: bool) -> tuple[Change, ...] | None:
    """Read a witness's log, if it is there and tells of what was played.

    A log by another clock, with fewer images than were played, tells of it once it is finished.
    One without any image does only if ``dark``: it may just as well have been begun for what is
    yet to be played.

    Raises InputError: it was finished after what was played, and is no log.
    """
    from hype.witness.comparison import covers, times_shown
    from hype.witness.log import read_witness

    try:
        written_unix_s = path.stat().st_mtime
    except OSError:
        return None
    since = written_unix_s > evidence.since_unix_s
    finished = since and time.time() - written_unix_s > SETTLED_S
    try:
        changes = read_witness(path)
    except InputError:
        if finished:
            raise
        return None  # it is being written
    if covers(evidence.played, changes, evidence.levels, written_since=since):
        return changes
    shows_any = dark or times_shown(changes, evidence.levels) > 0
    return changes if finished and shows_any else None


def await_log(
    path: Path, evidence: Evidence, *, waiting: Callable[[str], None]
) -> tuple[Change, ...]:
    """Give a witness's log of what was just played; say so if that has to be waited for.

    Raises InputError: it did not come within `PATIENCE_S`, or is no log.
    """
    end_s = time.monotonic() + PATIENCE_S
    changes = log_of(path, evidence, dark=True)
    if changes is None:
        waiting(f"Waiting for {path} (at most {PATIENCE_S:.0f} s)")
    while changes is None and time.monotonic() < end_s:
        time.sleep(LOOK_S)
        changes = log_of(path, evidence, dark=True)
    if changes is not None:
        return changes
    problem = "does not tell of the last exposures" if path.exists() else "there is no such log"
    raise InputError(
        path,
        problem,
        f"what was played is kept in {evidence.kept_in}; once the log is there, the same command "
        "compares the two without playing again",
    )


PROOF: Final = (
    "Flips are what the program did, not what the screen showed. Only a photodiode on\n"
    "the patch can prove the light; --witness LOG.csv compares its log."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposures:
    """What was played: now, in the window ``opened``, or by an earlier command (None)."""

    rows: tuple[Row, ...]
    opened: OpenedStation | None


def timing(
    study: StudyPath,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", help="exposures of each duration")
    ] = 2,
    exposures: Annotated[
        str,
        typer.Option(
            "--exposures",
            metavar="MS",
            help='durations, such as "100 500"; without it, all that the study can ask for',
        ),
    ] = "",
    witness: Annotated[
        Path | None,
        typer.Option("--witness", metavar="LOG.csv", help="an outside witness's log: t_s,rgb"),
    ] = None,
    as_json: Json = False,
    windowed: Windowed = False,
    screen: OnScreen = None,
) -> None:
    """Play exposures without a participant, and say how exact they were."""
    if trials < 1:
        raise InputError("--trials", f"{trials} is too few", "at least 1")
    loaded = load_study(study)
    durations_ms = chosen_exposures(exposures, exposures_of(loaded))
    shown = played_before(loaded, witness) if witness else None
    if shown is None:
        seating = Seating(
            simulated=False,
            virtual_display=ensure_display(virtual_allowed=True),
            windowed=windowed,
            screen=screen,
        )
        shown = play_now(loaded, durations_ms, trials, seating)
    comparison = witnessed(loaded, shown, witness) if witness else None
    if as_json:
        print_json(as_object(loaded, shown, comparison))
    else:
        print_exposures(shown, comparison)
    raise typer.Exit(0 if comparison is None or comparison.confirmed else 1)


def chosen_exposures(text: str, usual_ms: tuple[float, ...]) -> tuple[float, ...]:
    """Read --exposures; what the study uses where it is empty."""
    allowed = 'milliseconds above 0, such as "100 300 500"'
    chosen: dict[float, None] = {}
    for word in text.replace(",", " ").split():
        try:
            duration_ms = float(word)
        except ValueError:
            duration_ms = math.nan
        if not 0 < duration_ms < math.inf:
            raise InputError("--exposures", f"{word!r} is no duration", allowed)
        chosen[duration_ms] = None
    return tuple(sorted(chosen)) or usual_ms


def played_before(study: Study, log: Path) -> Exposures | None:
    """Give what was played last, if ``log`` tells of it."""
    if not (study.folder / EXPOSURES_FILE).exists():
        return None
    rows = tuple(row for _, row in read_exposures(study))
    evidence = evidence_of(study, rows)
    if not evidence.played or log_of(log, evidence, dark=False) is None:
        return None
    when = datetime.fromtimestamp(evidence.since_unix_s).astimezone()
    err.print(
        f"{log} tells of the exposures that were played on {when:%Y-%m-%d at %H:%M:%S}; these are "
        f"compared, and nothing is played. To play anew, remove {log}."
    )
    return Exposures(rows=rows, opened=None)


def play_now(
    study: Study, durations_ms: Sequence[float], trials: int, seating: Seating
) -> Exposures:
    rng = np.random.default_rng(study.settings.study.seed)
    plan = plan_exposures(study, read_pools(study), durations_ms, trials, rng)
    windows: list[OpenedStation] = []
    bar = progress()
    bar.live.auto_refresh = False  # a bar that moves by itself would disturb the exposures

    def advance() -> None:
        bar.advance(task)
        bar.refresh()

    def opened(window: OpenedStation) -> None:
        windows.append(window)
        bar.console.print(patch_sentence(window))

    with bar:
        task = bar.add_task("Playing", total=len(plan))
        rows = play(study, plan, seating, opened=opened, played=advance, remark=warn)
    keep_exposures(study, rows)
    return Exposures(rows=rows, opened=windows[0])


def evidence_of(study: Study, rows: Sequence[Row]) -> Evidence:
    """Give what a witness can be asked about."""
    from hype.witness.comparison import played_of_rows
    from hype.witness.log import Levels

    patch, path = patch_of(study), study.folder / EXPOSURES_FILE
    return Evidence(
        played=played_of_rows((f"{path} trial {row['trial']}", row) for row in rows),
        levels=Levels(on_rgb=patch.on_rgb, masks_rgb=patch.masks_rgb, off_rgb=patch.off_rgb),
        since_unix_s=last_onset_unix_s(rows),
        kept_in=path,
    )


def witnessed(study: Study, shown: Exposures, log: Path) -> Witnessed:
    evidence = evidence_of(study, shown.rows)
    return evidence.against(await_log(log, evidence, waiting=err.print))


def as_object(study: Study, shown: Exposures, comparison: Witnessed | None) -> dict[str, object]:
    patch = asdict(patch_of(study))
    if shown.opened:
        patch["x_px"], patch["y_px"] = shown.opened.patch_px
    trials = comparison.trials if comparison else ()
    seen: dict[float | None, Row] = {t.played.onset_s: t.to_json() for t in trials}
    return {
        "study": str(study.path),
        "display": shown.opened.display if shown.opened else None,
        "patch": patch,
        "timing": table_of_rows(shown.rows).to_json(),
        "trials": [row | seen.get(onset_s(row), {}) for row in shown.rows],
        "witness": comparison.to_json() if comparison else None,
    }


def onset_s(row: Row) -> float | None:
    return float(row["flips_s"].split()[0]) if row["flips_s"] else None


def print_exposures(shown: Exposures, comparison: Witnessed | None) -> None:
    if shown.opened:
        out.print(display_sentence(shown.opened.display))
        out.print(patch_sentence(shown.opened))
        out.print()
    out.print("By the program's own flips", style="bold")
    out.print(timing_lines(table_of_rows(shown.rows)))
    out.print(PROOF, style="dim")
    if comparison is not None:
        from hype.witness.comparison import witness_lines

        out.print()
        out.print(witness_lines(comparison))


def display_sentence(display: Any) -> str:
    """Say on what display, and how, the exposures were timed."""
    width, height = display["window_px"]
    timed = {
        "vsync": "each flip waited for the screen",
        "software": "timed by the program, since flips do not wait here",
    }
    return f"{width} x {height} px at {display['refresh_hz']:g} Hz, {timed[display['sync']]}."


def patch_sentence(opened: OpenedStation) -> str:
    x_px, y_px = opened.patch_px
    return f"The middle of the photodiode patch is pixel {x_px}, {y_px} of the screen."
