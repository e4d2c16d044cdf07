"""Every word that a participant of a study of ratings reads."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, ClassVar, Final

from hype.study.texts import (
    CONSENT,
    DECLINED,
    PAUSED,
    PAY,
    PROGRESS,
    REST,
    RESUMED,
    TROUBLE,
    Words,
    asking,
    table_of,
)

KEYS: Final = frozenset(
    ("left_key", "right_key", "not_relevant_key", "continue_key", "pause_key", "axes")
)
PLACEHOLDERS: Final[Mapping[str, Set[str]]] = {
    "welcome": {"minutes"},
    "instructions": {"minutes"},
    "practice": {"trials"},
    "block": PROGRESS,
    "rest": PROGRESS,
    "debrief": PAY | {"answers"},
}
"""What may stand in braces in each text, beside the keys and how many axes there are."""
WELCOME_PAIRS: Final = (
    "Welcome\n\n"
    "You will see pairs of images, each with a caption. You are asked {axes} questions about "
    "each pair.\n\n"
    "It takes about {minutes} minutes."
)
WELCOME_IMAGES: Final = (
    "Welcome\n\n"
    "You will see images, one at a time. You are asked the same questions about each of them "
    "({axes}).\n\n"
    "It takes about {minutes} minutes."
)
INSTRUCTIONS_PAIRS: Final = (
    "How it works\n\n"
    "The questions about a pair come one after the other. Each time choose how much better one "
    "of the two images is, in that respect alone: press a number key, the lower ones for the image "
    "on the left, the higher ones for the one on the right, the middle one for no difference.\n\n"
    "There is nothing else to go by: your own impression counts. Press {pause_key} if you need to "
    "pause."
)
INSTRUCTIONS_IMAGES: Final = (
    "How it works\n\n"
    "The questions about an image come one after the other. The answers and their keys stand "
    "beneath it.\n\n"
    "There is nothing else to go by: your own impression counts. Press {pause_key} if you need to "
    "pause."
)


class RatingTexts(Words):
    """The words on the screens; a paragraph ends at a blank line.

    Empty ones are filled in by what the study rates: pairs or single images.
    """

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = PLACEHOLDERS

    yes: str = "I agree"
    no: str = "I do not agree"
    answer_yes: str = "yes"
    answer_no: str = "no"
    left_much: str = "left much better"
    left: str = "left better"
    equal: str = "no difference"
    right: str = "right better"
    right_much: str = "right much better"
    lowest: str = "lowest"
    highest: str = "highest"
    not_relevant: str = "not relevant"
    continue_hint: str = "Press {continue_key} to go on"
    welcome: str = ""
    resumed: str = RESUMED
    consent: str = CONSENT
    declined: str = DECLINED
    about_you: str = "A question about you"
    withhold: str = "I prefer not to say"
    about_you_hint: str = "Press the number of an answer, or click on it"
    instructions: str = ""
    instructions_not_relevant: str = (
        "If a question does not apply at all, press {not_relevant_key} (not relevant). That is not "
        "the same as no difference."
    )
    instructions_mouse: str = "You can also click on an answer with the mouse."
    practice: str = "Practice\n\nFirst some practice, {trials} in all. It does not count."
    block: str = "Part {block} of {blocks}\n\n{trials} to rate, with {axes} questions each."
    rest: str = REST
    debrief: str = (
        "Thank you, that was all\n\n"
        "You gave {answers} answers.\n\n"
        "You receive {currency}{pay}. Please tell the experimenter that you are done."
    )
    paused: str = PAUSED
    trouble: str = TROUBLE
    resume: str = "Go on"
    quit: str = "Stop here"


def axes_in(tables: Mapping[str, Any], asked: Mapping[str, str]) -> Any:
    """Give the axes of a study, those in the words of a pack that it does not word itself."""
    names, own = table_of(tables, "rating").get("axes"), tables.get("axes", {})
    wanted = [name for name in asked if not isinstance(names, list) or name in names]
    if not isinstance(own, Mapping) or not all(isinstance(one, Mapping) for one in own.values()):
        return own
    return {**own, **{name: asking(asked[name], own.get(name, {})) for name in wanted}}
