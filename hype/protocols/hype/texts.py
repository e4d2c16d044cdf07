"""Every word that a participant reads. A study's ``[texts]`` overrides any of them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import ClassVar, Final

from hype.study.texts import PAY, SessionWords

KEYS: Final = frozenset(
    ("left_key", "right_key", "left_answer", "right_answer", "continue_key", "pause_key")
)


class Texts(SessionWords):
    """The words on the screens."""

    everywhere: ClassVar[Set[str]] = KEYS
    in_text: ClassVar[Mapping[str, Set[str]]] = {
        **SessionWords.in_text,
        "instructions_untimed": {"minutes", "trials"},
        "instructions_timed": {"minutes", "trials"},
        "qualification": {"trials", "percent"},
        "unqualified": PAY,
        "debrief": PAY | {"correct", "shown", "accuracy"},
    }
    groups: ClassVar[tuple[str, ...]] = (*SessionWords.groups, "hype")

    real: str
    fake: str
    question: str
    question_untimed: str
    instructions_untimed: str
    instructions_timed: str
    qualification: str
    qualified: str
    unqualified: str
    correct: str
    wrong: str
    again: str
    hasty: str
