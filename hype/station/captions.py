"""The words on the screens: keys by their names, and texts with their placeholders filled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from hype.station.config import Speech, StationConfig

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
    capital = key.upper() if len(key) == 1 else key.capitalize()
    return capital if len(capital) == len(key) else key  # ß has none


def name_in_sentence(key: str, speech: Speech) -> str:
    """Give a key the name that it has in a sentence, where some have another form."""
    if own := speech.own.get(key) or speech.said.get(key):
        return own
    if key.startswith(NUMBER_PAD):
        digit = cap_label(key.removeprefix(NUMBER_PAD), speech)
        return speech.number_pad.format(digit=digit)
    return cap_label(key, speech)


def filled_text(config: StationConfig, name: str, values: Mapping[str, Any]) -> str:
    """Fill the placeholders of one of a study's texts."""
    keys, texts = config.keys, config.texts
    named = partial(name_in_sentence, speech=config.speech)
    if "pay" in values:
        amount = values["pay"].replace(".", config.speech.decimal_mark)
        values = {**values, "pay": amount}
    return texts[name].format(
        left_key=named(keys.left),
        right_key=named(keys.right),
        left_answer=texts.get(keys.left_means, ""),
        right_answer=texts.get(keys.right_means, ""),
        tie_key=named(keys.tie),
        undo_key=named(keys.undo),
        not_relevant_key=named(keys.not_relevant),
        axes=texts.get("axes", ""),
        continue_key=named(keys.go_on),
        pause_key=named(keys.pause),
        question=config.trials.question,
        **values,
    )
