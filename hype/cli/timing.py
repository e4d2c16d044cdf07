"""`hype timing`: exposures without a participant, and a comparison with an outside witness."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from hype.answers.choices import shell_option
from hype.cli.options import Json, OnScreen, StudyPath, Windowed
from hype.console import out, print_json, progress, warn
from hype.errors import InputError
from hype.protocols.hype.exposures import (
    EXPOSURES_FILE,
    MADE_BY,
    Row,
    exposures_of,
    keep_exposures,
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
from hype.witness import Witnessed, compare, read_witness, trials_of_rows

PROOF: Final = (
    "The times of flips show what the program did, not what the screen showed. Only a\n"
    "photodiode on the patch measures the light; to compare its log, use --witness LOG.csv."
)


def timing(
    study: StudyPath,
    trials: Annotated[int, shell_option("--trials N", "exposures of each duration")] = 2,
    exposures: Annotated[
        str,
        shell_option(
            "--exposures MS",
            'durations in ms, such as "100 500" (default: all durations of the study)',
        ),
    ] = "",
    witness: Annotated[
        Path | None,
        shell_option(
            "--witness LOG.csv", "compare this log (t_s,rgb) with the last played exposures"
        ),
    ] = None,
    as_json: Json = False,
    windowed: Windowed = False,
    screen: OnScreen = None,
) -> None:
    """Play exposures without a participant, and report how exact they were.

    With a witness's log, the exit code is 1 if it does not agree with the last played exposures.
    """
    if trials < 1:
        raise InputError("--trials", f"{trials} is too few", "at least 1")
    loaded = load_study(study)
    durations_ms = parse_exposures(exposures, exposures_of(loaded))
    if witness:
        placed = list(read_exposures(loaded))
        played = trials_of_rows(placed)
        if not played:
            raise InputError(loaded.folder / EXPOSURES_FILE, "has no exposures", MADE_BY)
        look = patch_of(loaded)
        seen = compare(played, read_witness(witness), (look.on_rgb, *look.masks_rgb, look.off_rgb))
        if as_json:
            facts = json_object(loaded, [row for _, row in placed])
            print_json(facts | {"witness": seen.to_json()})
        else:
            for line in describe_witness(seen):
                out.print(line)
        raise typer.Exit(0 if seen.confirmed else 1)
    seating = Seating(
        simulated=False,
        virtual_display=ensure_display(virtual_allowed=True),
        windowed=windowed,
        screen=screen,
    )
    rows, display, patch_px = play_now(loaded, durations_ms, trials, seating)
    if as_json:
        patch = patch_of(loaded).model_dump() | dict(zip(("x_px", "y_px"), patch_px, strict=True))
        print_json(json_object(loaded, rows) | {"display": display, "patch": patch})
        return
    out.print(describe_display(display))
    out.print(describe_patch(patch_px))
    out.print()
    out.print("Durations of exposures, from the times of flips", style="bold")
    out.print(timing_lines(table_of_rows(rows)))
    out.print(PROOF, style="dim")


def describe_witness(seen: Witnessed) -> Iterator[str]:
    """Describe what the witness saw, and how well it agrees with the flips."""
    once = [trial for trial in seen.trials if trial.times_seen == 1]
    others = f", and {seen.unplayed:,} images that were not played" if seen.unplayed else ""
    yield f"The witness saw {len(once):,} of {len(seen.trials):,} images exactly once{others}."
    if not once:
        yield "Is the photodiode aimed at the middle of the patch?"
        return
    onsets_ms = [abs(trial.onset_ms) for trial in once if trial.onset_ms is not None]
    apart_ms = max(trial.disagreement_ms for trial in once)
    yield f"The witness's onsets differ from the flips by at most {max(onsets_ms):.2f} ms."
    yield f"The witness's durations differ from the flips' by at most {apart_ms:.2f} ms."
    off, false = (sum(map(attrgetter(name), once)) for name in ("off", "falsely_ok"))
    yield f"Exposures off by more than a frame: {off:,} ({false:,} with the verdict ok)."
    if seen.clock_offset_s:
        yield "The clocks of witness and program differ, so they were aligned by the images."


def parse_exposures(text: str, usual_ms: tuple[float, ...]) -> tuple[float, ...]:
    """Read --exposures; without it, return the exposures of the study."""
    allowed = 'milliseconds above 0, such as "100 300 500"'
    chosen: dict[float, None] = {}
    for word in text.replace(",", " ").split():
        try:
            duration_ms = float(word)
        except ValueError:
            duration_ms = math.nan
        if not 0 < duration_ms < math.inf:
            raise InputError("--exposures", f"{word!r} is not a duration", allowed)
        chosen[duration_ms] = None
    return tuple(sorted(chosen)) or usual_ms


def play_now(
    study: Study, durations_ms: Sequence[float], trials: int, seating: Seating
) -> tuple[tuple[Row, ...], Mapping[str, object], tuple[int, int]]:
    rng = np.random.default_rng(study.settings.study.seed)
    plan = plan_exposures(study, read_pools(study), durations_ms, trials, rng)
    windows: list[tuple[Mapping[str, object], tuple[int, int]]] = []
    bar = progress()
    bar.live.auto_refresh = False  # a moving bar would disturb the exposures

    def advance() -> None:
        bar.advance(task)
        bar.refresh()

    def opened(display: Mapping[str, object], patch_px: tuple[int, int]) -> None:
        windows.append((display, patch_px))
        bar.console.print(describe_patch(patch_px))

    with bar:
        task = bar.add_task("Playing", total=len(plan))
        rows = play(study, plan, seating, opened=opened, played=advance, remark=warn)
    keep_exposures(study, rows)
    return rows, *windows[0]


def json_object(study: Study, rows: Sequence[Row]) -> dict[str, object]:
    return {"study": str(study.path), "timing": table_of_rows(rows).to_json(), "trials": rows}


def describe_display(display: Any) -> str:
    width, height = display["window_px"]
    timed = {
        "vsync": "each flip waited for the screen",
        "software": "timed by the program, since flips do not wait for the screen",
    }
    return f"{width} x {height} px at {display['refresh_hz']:g} Hz, {timed[display['sync']]}."


def describe_patch(patch_px: tuple[int, int]) -> str:
    x_px, y_px = patch_px
    return f"The middle of the photodiode patch is pixel {x_px}, {y_px} of the screen."
