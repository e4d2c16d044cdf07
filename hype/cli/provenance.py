"""What the figures of a report come from, and what they can be repeated with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hype.study.studies import AnyStudy


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
        **({"registration": registration} if registration else {}),
    }


def bootstrap(made: Drawn | None) -> dict[str, str]:
    """Say what the bootstrap can be repeated with; nothing where there was none."""
    return {"bootstrap": f"{made.draws:,} draws, seed {made.seed}"} if made else {}
