"""Whether a study's staircase can settle in the trials that it has, and what to change if not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from hype.check.findings import Finding, Preflight
from hype.protocols.hype.settings import TimeSettings
from hype.protocols.hype.settling import (
    Played,
    Settling,
    TimedDesign,
    settling,
    trials_needed,
    workable,
)
from hype.protocols.studies import Study

QUARTERS: Final = (0.25, 0.5, 0.75)
WITHOUT: Final = 'methods = ["infinity"], which has no staircase'
REHEARSAL: Final = "to rehearse only, time.staircase.allow_unsettled = true"


def check_settling(flight: Preflight, study: Study) -> None:
    """Say what the staircase can measure, and find fault with one that cannot settle."""
    time = study.settings.time
    played = settling(time.staircase.rule, time.trials)
    flight.facts["staircase_measures"] = played and facts_of(played)
    if found := unsettled(time):
        flight.find(found)


def facts_of(played: Settling) -> dict[str, object]:
    """Give what was found, in numbers."""
    return {
        "trials": played.trials,
        "settles": played.settles,
        "from_ms": played.from_ms,
        "to_ms": played.to_ms,
        "doubling": round(played.doubling, 3),
        "observers": [asdict(each) for each in played.observers],
    }


def unsettled(time: TimeSettings) -> Finding | None:
    """Find fault with a staircase that cannot settle, unless the study accepts that."""
    rule, accepted = time.staircase.rule, time.staircase.allow_unsettled
    played = settling(rule, time.trials)
    if accepted or (played and played.settles) or not rule.settles_above_chance:
        return None
    if rule.min_ms == rule.max_ms:
        return finding(
            f"all exposures last {rule.min_ms:g} ms, which will be the score of everybody",
            f"let min_ms and max_ms differ; or {REHEARSAL}",
        )
    if played is None:
        return finding(
            f"the staircase settles at {rule.settles_at:.1%} correct, and people who press a wrong "
            "key now and then are not so often right: the exposure would always rise to max_ms",
            "take a smaller up_ms, a larger down_ms or a smaller correct_to_descend",
        )
    return finding(shortcoming(played), "; or ".join(remedies(time)))


def finding(message: str, remedy: str) -> Finding:
    return Finding(code="staircase-unsettled", severity="problem", message=message, remedy=remedy)


def shortcoming(played: Settling) -> str:
    """Say how observers would score whose true scores are a quarter, half, … of the range on."""
    rule = played.rule
    span = rule.max_ms / rule.min_ms
    some = [played.nearest(rule.min_ms * span**share) for share in QUARTERS]
    return (
        f"{played.trials} trials a block do not bring the staircase from {rule.start_ms:g} ms to "
        f"where it settles: observers whose true scores are {listed(some, 'true_ms')} ms score "
        f"{listed(some, 'score_ms')} ms; {reach(played)}"
    )


def listed(observers: Sequence[Played], name: str) -> str:
    return "{:.0f}, {:.0f} and {:.0f}".format(*(getattr(each, name) for each in observers))


def reach(played: Settling) -> str:
    """Say what is measured."""
    whole = f"{played.rule.min_ms:g} to {played.rule.max_ms:g} ms"
    if not played.doublings:
        return f"it measures nothing of {whole}"
    part = f"{played.from_ms:.0f} to {played.to_ms:.0f} ms"
    more = "" if played.settles else f", less than half of the doublings from {whole}"
    return f"it measures {part}{more}"


def remedies(time: TimeSettings) -> Iterator[str]:
    """Yield what would make a staircase settle, each by itself."""
    rule = time.staircase.rule
    design = workable(rule, time.blocks, time.trials)
    if design:
        yield f"with no more images, {settings_of(design)} ({reach(design.played)})"
    more = trials_needed(rule, time.trials)
    if more:
        images = time.blocks * more // 2
        yield f"time.trials = {more}, which takes {images} real images and {images} of a condition"
    yield WITHOUT
    yield REHEARSAL


def settings_of(design: TimedDesign) -> str:
    """Write a design as it stands in a study file."""
    rule = design.rule
    return (
        f"time.blocks = {design.blocks}, time.trials = {design.trials}, "
        f"time.staircase.down_ms = {rule.down_ms:g} and up_ms = {rule.up_ms:g}"
    )
