"""What the screen makes of a study's exposures and masks, and whether the study accepts that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hype.errors import InputError
from hype.protocol.frames import EXACT_MS, Rounding, frames_of, rates_exact_for, rounding_of
from hype.sessions.check_settling import check_settling
from hype.sessions.findings import Preflight
from hype.study.studies import Study

Kind = Literal["exposure", "mask"]


def refuse_rounding(study: Study, refresh_hz: float) -> None:
    """Refuse a refresh rate that misses exposures or masks by more than the study accepts.

    Raises
    ------
    InputError
        Names the first of the worst, what it would last, and the rates that show all exactly.
    """
    for kind, rounding in roundings(study, refresh_hz):
        if not is_accepted(study, rounding):
            raise rounded_too_far(study, kind, rounding)


def check_exposures(flight: Preflight, study: Study, refresh_hz: float) -> None:
    """Say what the staircase settles at and measures, and what the screen makes of durations."""
    if "time" not in study.settings.study.methods:
        return
    rule = study.settings.time.staircase.rule
    flight.facts["staircase_settles_at"] = round(rule.settles_at, 4)
    if not rule.settles_above_chance:
        flight.warn(
            "staircase-below-chance",
            f"the staircase settles at {rule.settles_at:.1%} correct, which is no threshold",
            "take a larger up_ms, a smaller down_ms or a larger correct_to_descend",
        )
    check_settling(flight, study)
    for kind, rounding in roundings(study, refresh_hz):
        if kind == "exposure":
            flight.facts["exposures"] = exposure_facts(rounding)
        else:
            flight.facts["masks_shown"] = mask_facts(rounding)
        judge(flight, study, kind, rounding)


def roundings(study: Study, refresh_hz: float) -> Iterator[tuple[Kind, Rounding]]:
    """Yield what a refresh rate makes of all exposures, and of the masks if there are any."""
    settings = study.settings
    if "time" not in settings.study.methods:
        return
    # Timed practice is flashed at the staircase's first level, so it brings no other exposure.
    yield "exposure", rounding_of(settings.time.staircase.rule.levels(), refresh_hz)
    if settings.time.masks:
        yield "mask", rounding_of((settings.time.mask_ms,), refresh_hz)


def judge(flight: Preflight, study: Study, kind: Kind, rounding: Rounding) -> None:
    """Add a finding if durations are rounded and the study did not say that it accepts that."""
    code = f"{kind}-rounded"
    if not is_accepted(study, rounding):
        flight.add(code, rounded_too_far(study, kind, rounding))
    elif rounding.inexact_ms and study.settings.timing.rounding_ms is None:
        flight.warn(
            code,
            f"at {rounding.refresh_hz:g} Hz {worst_of(kind, rounding)}",
            f"{exact_rates(study)}; or say with timing.rounding_ms what you accept",
        )


def is_accepted(study: Study, rounding: Rounding) -> bool:
    """Whether a study accepts the largest deviation; what counts as exact is always accepted."""
    accepted_ms = study.settings.timing.rounding_ms
    return accepted_ms is None or rounding.deviation_ms <= max(accepted_ms, EXACT_MS)


def rounded_too_far(study: Study, kind: Kind, rounding: Rounding) -> InputError:
    """Name the worst of the durations that are rounded further than the study accepts."""
    return InputError(
        study.path,
        f"timing.rounding_ms = {study.settings.timing.rounding_ms:g}: "
        f"at {rounding.refresh_hz:g} Hz {worst_of(kind, rounding)}",
        exact_rates(study),
    )


def worst_of(kind: Kind, rounding: Rounding) -> str:
    """Say what becomes of the duration that the frames miss by most."""
    what = "the exposure" if kind == "exposure" else "a mask"
    return (
        f"{what} of {rounding.worst_ms:g} ms lasts {rounding.worst_shown_ms:.1f} ms, "
        f"off by {rounding.deviation_ms:.1f} ms"
    )


def exact_rates(study: Study) -> str:
    """Say which refresh rates show exposures and masks exactly."""
    time = study.settings.time
    masks_ms = (time.mask_ms,) if time.masks else ()
    rates = rates_exact_for((*time.staircase.rule.levels(), *masks_ms))
    if not rates:
        return "choose durations that are whole frames; no usual refresh rate shows these exactly"
    return f"set display and display.refresh_hz to {alternatives(rates)} Hz: all exact"


def alternatives(rates_hz: tuple[float, ...]) -> str:
    """List refresh rates: 100, 200 or 500."""
    *most, last = (f"{hz:g}" for hz in rates_hz)
    return f"{', '.join(most)} or {last}" if most else last


def exposure_facts(rounding: Rounding) -> dict[str, object]:
    """Give the numbers of all exposures."""
    inexact = set(rounding.inexact_ms)
    return {
        "refresh_hz": rounding.refresh_hz,
        "levels": len(rounding.durations_ms),
        "shortest_ms": rounding.durations_ms[0],
        "longest_ms": rounding.durations_ms[-1],
        "distinct": rounding.distinct,
        "exact_ms": tuple(ms for ms in rounding.durations_ms if ms not in inexact),
        "inexact_ms": rounding.inexact_ms,
        "largest_deviation_ms": round(rounding.deviation_ms, 3),
        "worst_ms": rounding.worst_ms,
        "worst_shown_ms": round(rounding.worst_shown_ms, 3),
        "exact_at_hz": rounding.exact_at_hz,
    }


def mask_facts(rounding: Rounding) -> dict[str, object]:
    """Give the numbers of a mask."""
    return {
        "refresh_hz": rounding.refresh_hz,
        "mask_ms": rounding.worst_ms,
        "frames": frames_of(rounding.worst_ms, rounding.refresh_hz),
        "shown_ms": round(rounding.worst_shown_ms, 3),
        "deviation_ms": round(rounding.deviation_ms, 3),
        "exact": not rounding.inexact_ms,
        "exact_at_hz": rounding.exact_at_hz,
    }
