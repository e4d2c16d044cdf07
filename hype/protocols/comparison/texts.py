"""Every word that a participant of a study of comparisons reads."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import ClassVar, Final

from hype.study.texts import CONSENT, DECLINED, PAUSED, PAY, PROGRESS, REST, RESUMED, TROUBLE, Words

KEYS: Final = frozenset(
    ("left_key", "right_key", "tie_key", "continue_key", "pause_key", "question")
)
PLACEHOLDERS: Final[Mapping[str, Set[str]]] = {
    "welcome": {"minutes"},
    "instructions": {"minutes"},
    "practice": {"trials"},
    "block": PROGRESS,
    "rest": PROGRESS,
    "debrief": PAY | {"answers"},
}
"""What may stand in braces in each text, beside the keys and the question, which may in all."""


class ComparisonTexts(Words):
    """The words on the screens; a paragraph ends at a blank line.

    ``{question}`` is the study's criterion as it is asked. `PLACEHOLDERS` lists the other names.
    """

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = PLACEHOLDERS

    yes: str = "I agree"
    no: str = "I do not agree"
    left: str = "left"
    right: str = "right"
    tie: str = "no difference"
    continue_hint: str = "Press {continue_key} to go on"
    welcome: str = (
        "Welcome\n\n"
        "You will see pairs of images, side by side. Each time you are asked one question about "
        "the two, and choose one.\n\n"
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
        "Press {left_key} for the image on the left and {right_key} for the one on the right. "
        "There is nothing else to go by: your own impression counts.\n\n"
        "Please look at both images before you answer. Press {pause_key} if you need to pause."
    )
    instructions_ties: str = "If you see no difference, press {tie_key}."
    instructions_mouse: str = "You can also click on an image with the mouse."
    practice: str = (
        "Practice\n\n"
        "First, {trials} pairs to get used to it, in which the answer is plain. They do not count."
    )
    block: str = "Part {block} of {blocks}\n\n{trials} pairs.\n\n{question}"
    rest: str = REST
    correct: str = "Yes"
    wrong: str = "Look again at the next one"
    hasty: str = "That was very fast. Please look at both images."
    missed: str = "Please look at both images before you answer."
    debrief: str = (
        "Thank you, that was all\n\n"
        "You compared {answers} pairs of images.\n\n"
        "You receive {currency}{pay}. Please tell the experimenter that you are done."
    )
    paused: str = PAUSED
    trouble: str = TROUBLE
    resume: str = "Go on"
    quit: str = "Stop here"
