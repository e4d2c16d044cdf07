"""Every word that a participant of a study of rankings reads."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import ClassVar, Final

from hype.study.texts import CONSENT, DECLINED, PAUSED, PAY, PROGRESS, REST, RESUMED, TROUBLE, Words

KEYS: Final = frozenset(
    ("undo_key", "tie_key", "continue_key", "pause_key", "left_key", "right_key", "question")
)
PLACEHOLDERS: Final[Mapping[str, Set[str]]] = {
    "welcome": {"minutes"},
    "instructions": {"minutes"},
    "practice": {"trials"},
    "test": {"trials"},
    "block": PROGRESS,
    "rest": PROGRESS,
    "debrief": PAY | {"answers"},
}
"""What may stand in braces in each text, beside the keys and the question, which may in all."""


class RankingTexts(Words):
    """The words on the screens; a paragraph ends at a blank line.

    ``{question}`` is what the order is by. `PLACEHOLDERS` lists the other names.
    """

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = PLACEHOLDERS

    yes: str = "I agree"
    no: str = "I do not agree"
    undo: str = "take back"
    tie: str = "next is equal"
    tying: str = "equal to the last one"
    accept: str = "done, go on"
    continue_hint: str = "Press {continue_key} to go on"
    welcome: str = (
        "Welcome\n\n"
        "You will see groups of images, each with a caption, and put each group in order.\n\n"
        "It takes about {minutes} minutes."
    )
    resumed: str = RESUMED
    consent: str = CONSENT
    declined: str = DECLINED
    about_you: str = "A question about you"
    withhold: str = "I prefer not to say"
    about_you_hint: str = "Press the number of an answer, or click on it"
    instructions: str = (
        "How it works\n\n"
        "{question}\n\n"
        "Begin with the best one: press its letter. Then take the best of those that are left, and "
        "so on to the last. Each image shows the place that it got. With {undo_key} you take the "
        "last one back; with {continue_key} you go on when all have a place.\n\n"
        "There is nothing else to go by: your own impression counts. Press {pause_key} if you need "
        "to pause."
    )
    instructions_ties: str = (
        "If an image is as good as the one before it, press {tie_key} first: then both share a "
        "place."
    )
    instructions_mouse: str = "You can also click on the images and keys with the mouse."
    practice: str = "Practice\n\nFirst some practice, {trials} in all. It does not count."
    test: str = (
        "To begin with\n\n"
        "First some groups that everybody puts in order, {trials} in all. Take your time.\n\n"
        "{question}"
    )
    block: str = "Part {block} of {blocks}\n\n{trials} groups to put in order.\n\n{question}"
    rest: str = REST
    debrief: str = (
        "Thank you, that was all\n\n"
        "You put {answers} groups in order.\n\n"
        "You receive {currency}{pay}. Please tell the experimenter that you are done."
    )
    paused: str = PAUSED
    trouble: str = TROUBLE
    resume: str = "Go on"
    quit: str = "Stop here"
