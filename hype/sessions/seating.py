"""How a session is to be held: options of the command, not of the study."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """Who sits down, and at which window."""

    simulated: bool
    virtual_display: bool = False
    windowed: bool = False
    screen: int | None = None
    observer_seed: int = 0
    allow_unsynced: bool = False
