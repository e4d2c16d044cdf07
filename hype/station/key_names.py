"""What a key is called: on a cap, and in a sentence."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from hype.station.config import Speech

SIGNS: Final = MappingProxyType(
    {
        "left": "\N{LEFTWARDS ARROW}",
        "right": "\N{RIGHTWARDS ARROW}",
        "up": "\N{UPWARDS ARROW}",
        "down": "\N{DOWNWARDS ARROW}",
        "comma": ",",
        "period": ".",
        "slash": "/",
        "semicolon": ";",
        "minus": "\N{MINUS SIGN}",
    }
)
"""Keys with a sign that is the same in every language."""
NUMBER_PAD: Final = "num_"
"""What the names of the keys of the number pad begin with."""


def cap_label(key: str, speech: Speech) -> str:
    """Give a key the name that is printed on it."""
    if own := speech.own.get(key) or speech.caps.get(key) or SIGNS.get(key):
        return own
    if key.startswith(NUMBER_PAD):
        return f"Num {cap_label(key.removeprefix(NUMBER_PAD), speech)}"
    return key.upper() if len(key) == 1 else key.capitalize()


def name_in_sentence(key: str, speech: Speech) -> str:
    """Give a key the name that it has in a sentence, where some have another form."""
    if own := speech.own.get(key) or speech.said.get(key):
        return own
    if key.startswith(NUMBER_PAD):
        digit = cap_label(key.removeprefix(NUMBER_PAD), speech)
        return speech.number_pad.format(digit=digit)
    return cap_label(key, speech)
