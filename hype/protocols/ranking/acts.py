"""What can be done with a ranking: by which keys, and what is said of how far it is."""

from __future__ import annotations

from typing import Final

from hype.protocols.ranking.trial import Act, PartialRanking
from hype.station.config import Keys

TYING: Final = "tying"
"""Text of the key of a tie once it was pressed."""
BETWEEN: Final = " \N{MIDDLE DOT} "
"""Between places in the order so far."""


def keys_of_acts(keys: Keys) -> dict[Act, str]:
    """Give the keys of all that is not an image, from left to right."""
    return {Act.UNDO: keys.undo, Act.TIE: keys.tie, Act.ACCEPT: keys.go_on}


def key_of_letter(letter: str) -> str:
    return letter.lower()


def order_of(standing: PartialRanking) -> str:
    """Write down what stands: places with the letters of their images, the best first."""
    ranks = standing.ranks()
    tiers = [f"{ranks[tier[0]]} {' = '.join(tier)}" for tier in standing.tiers]
    return BETWEEN.join(tiers) + (" =" if standing.tying else "")
