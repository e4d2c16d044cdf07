"""Every kind of answers that can be verified, and which of them a study asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from hype.protocols.registry import PROTOCOLS, of_methods
from hype.protocols.studies import AnyStudy
from hype.verify.answers import AnswerChecks

BY_PROTOCOL: Final[Mapping[str, AnswerChecks]] = {one.name: one.verified for one in PROTOCOLS}
KINDS: Final[tuple[AnswerChecks, ...]] = tuple(BY_PROTOCOL.values())


def kind_of(study: AnyStudy | None, methods: Iterable[str]) -> AnswerChecks:
    """Tell by their study, or else by their methods, what an evaluator answers."""
    return BY_PROTOCOL[of_methods(study.settings.study.methods if study else methods).name]
