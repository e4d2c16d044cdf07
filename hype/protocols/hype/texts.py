"""Every word that a participant reads. A study's ``[texts]`` overrides any of them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import ClassVar, Final

from hype.study.texts import (
    ABOUT_YOU,
    CONSENT,
    CONSENT_AGAIN,
    DECLINED,
    GROUP_FULL,
    NUMBER_HINT,
    PAUSED,
    PAY,
    PROGRESS,
    REST,
    RESUMED,
    TEXT_HINT,
    TROUBLE,
    Words,
)

KEYS: Final = frozenset(
    ("left_key", "right_key", "left_answer", "right_answer", "continue_key", "pause_key")
)

PLACEHOLDERS: Final[Mapping[str, Set[str]]] = {
    **ABOUT_YOU,
    "welcome": {"minutes"},
    "instructions_untimed": {"minutes", "trials"},
    "instructions_timed": {"minutes", "trials"},
    "practice": {"trials"},
    "qualification": {"trials", "percent"},
    "unqualified": PAY,
    "block": PROGRESS,
    "rest": PROGRESS,
    "debrief": PAY | {"correct", "shown", "accuracy"},
}
"""What may stand in braces in each text, beside the names of the keys that may stand in all."""


class Texts(Words):
    """The words on the screens, in English unless the study says otherwise.

    A name in braces is filled in: the keys everywhere (``{left_key}``, ``{left_answer}``,
    ``{right_key}``, ``{right_answer}``, ``{continue_key}``, ``{pause_key}``), the others where
    `PLACEHOLDERS` lists them. A paragraph ends at a blank line.
    """

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = PLACEHOLDERS

    real: str = "real"
    fake: str = "fake"
    yes: str = "I agree"
    no: str = "I do not agree"
    question: str = "Was that image real or fake?"
    question_untimed: str = "Is this image real or fake?"
    continue_hint: str = "Press {continue_key} to go on"
    welcome: str = (
        "Welcome\n\n"
        "You will see images, one at a time. Some are real. The others were made by a computer "
        "program. Your task is to tell which is which.\n\n"
        "It takes about {minutes} minutes."
    )
    resumed: str = RESUMED
    consent: str = CONSENT
    consent_again: str = CONSENT_AGAIN
    declined: str = DECLINED
    about_you: str = "A question about you"
    withhold: str = "I prefer not to say"
    about_you_hint: str = "Press the number of an answer, or click on it"
    number_hint: str = NUMBER_HINT
    text_hint: str = TEXT_HINT
    group_full: str = GROUP_FULL
    instructions_untimed: str = (
        "How it works\n\n"
        "Look at each image for as long as you like, then say whether it is real or fake. "
        "Exactly half of the images are real and half are fake.\n\n"
        "Press {left_key} for {left_answer} and {right_key} for {right_answer}. Keep a finger "
        "on each key. The keys are shown on every screen that wants an answer.\n\n"
        "The whole session takes about {minutes} minutes, with breaks whose length you decide. "
        "Press {pause_key} if you need to pause."
    )
    instructions_timed: str = (
        "Short glimpses\n\n"
        "A countdown, 3, 2, 1, and then an image flashes up. A pattern covers it. Then you say "
        "whether the image was real or fake, and you can take your time to answer. Exactly half "
        "of the images are real and half are fake.\n\n"
        "Press {left_key} for {left_answer} and {right_key} for {right_answer}. Some glimpses "
        "are very short: if you are not sure, make your best guess.\n\n"
        "There are breaks between the parts. Press {pause_key} if you need to pause."
    )
    practice: str = (
        "Practice\n\n"
        "First, {trials} images to get used to the keys. You will be told after each whether "
        "you were right. They do not count."
    )
    qualification: str = (
        "A short test\n\n"
        "{trials} images, half real and half fake. To go on to the main part, "
        "{percent}\N{NO-BREAK SPACE}% of the real ones and {percent}\N{NO-BREAK SPACE}% of the "
        "fake ones must be judged correctly."
    )
    qualified: str = "Well done\n\nYou passed the test. Now the main part begins."
    unqualified: str = (
        "Thank you\n\n"
        "The test was not passed this time, so the session ends here. It was hard, and "
        "your answers still help.\n\n"
        "You receive {currency}{pay}. Please tell the experimenter that you are done."
    )
    block: str = (
        "Part {block} of {blocks}\n\n"
        "{trials} images. Put a finger on {left_key} ({left_answer}) and on {right_key} "
        "({right_answer})."
    )
    rest: str = REST
    debrief: str = (
        "Thank you, that was all\n\n"
        "You judged {correct} of {shown} images correctly: {accuracy}\N{NO-BREAK SPACE}%.\n\n"
        "You receive {currency}{pay}. Please tell the experimenter that you are done."
    )
    correct: str = "Correct"
    wrong: str = "Not correct"
    again: str = "This image comes again later"
    hasty: str = "That was very fast. Please look at each image."
    paused: str = PAUSED
    trouble: str = TROUBLE
    resume: str = "Go on"
    quit: str = "Stop here"
