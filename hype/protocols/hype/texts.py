"""Every word that a participant reads. A study's ``[texts]`` overrides any of them."""

from __future__ import annotations

import string
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import ClassVar, Final

from pydantic import ConfigDict, ValidationInfo, field_validator

from hype.study.table import KeepsChecksums

KEYS: Final = frozenset(
    ("left_key", "right_key", "left_answer", "right_answer", "continue_key", "pause_key")
)
PROGRESS: Final = frozenset(("block", "blocks", "done", "trials"))
PAY: Final = frozenset(("pay", "currency"))

PLACEHOLDERS: Final[Mapping[str, Set[str]]] = {
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


RESUMED: Final = "Welcome back\n\nNothing was lost. You go on where you stopped."
CONSENT: Final = (
    "Before we begin\n\n"
    "Taking part is voluntary. You may stop at any time, without giving a reason. Your "
    "answers are kept under a code and not under your name.\n\n"
    "Do you agree to take part?"
)
DECLINED: Final = "Thank you\n\nYou chose not to take part, and no images were shown."
REST: Final = (
    "Time for a break\n\n"
    "You have done {done} of {blocks} parts. Look away from the screen, stretch, and go on "
    "when you are ready."
)
PAUSED: Final = (
    "Paused\n\n"
    "Everything up to here is saved. Go on when you are ready, or stop here and continue "
    "another time."
)
TROUBLE: Final = (
    "The station has to stop\n\n"
    "It is nothing you did. Your answers are saved, all but perhaps the last one.\n\n"
    "Please tell the experimenter."
)
"""Texts that studies of every protocol begin with."""


class Words(KeepsChecksums):
    """The words of a protocol. A name in braces is filled in, where it is known.

    ``everywhere`` are the names that may stand in every text, ``in_text`` those of single ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    everywhere: ClassVar[Set[str]] = frozenset()
    in_text: ClassVar[Mapping[str, Set[str]]] = MappingProxyType({})

    @field_validator("*")
    @classmethod
    def placeholders_are_known(cls, text: str, info: ValidationInfo) -> str:
        """Refuse a brace that nothing would fill: it would stop a session half way."""
        known = cls.everywhere | cls.in_text.get(info.field_name or "", set())
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError as error:
            raise ValueError(f"braces do not match ({error})") from None
        if any(spec or conversion for _, _, spec, conversion in parts):
            raise ValueError("only a name may stand in braces, without ':' or '!'")
        fields = {field for _, field, _, _ in parts if field is not None}
        if unknown := sorted(fields - known):
            names = ", ".join(f"{{{field}}}" for field in sorted(known))
            raise ValueError(f"{{{unknown[0]}}} is not known here; known are {names}")
        return text


class Texts(Words):
    """The words on the screens, in English unless the study says otherwise.

    A name in braces is filled in: the keys everywhere (``{left_key}``, ``{left_answer}``,
    ``{right_key}``, ``{right_answer}``, ``{continue_key}``, ``{pause_key}``), the others where
    `PLACEHOLDERS` lists them. A paragraph ends at a blank line.
    """

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = PLACEHOLDERS
    later: ClassVar[Set[str]] = frozenset(("hasty",))

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
    declined: str = DECLINED
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
