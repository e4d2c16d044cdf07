"""Every kind of answers that can be verified, and which of them a study asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from hype.protocols.comparison.verify import Comparisons
from hype.protocols.hype.verify import Judgements
from hype.protocols.ranking.verify import Rankings
from hype.protocols.rating.verify import Ratings
from hype.protocols.studies import AnyStudy
from hype.verify.answers import AnswerChecks

JUDGEMENTS: Final = Judgements()
ALONE: Final[Mapping[str, AnswerChecks]] = MappingProxyType(
    {"comparison": Comparisons(), "rating": Ratings(), "ranking": Rankings()}
)
"""What is answered by a method that stands alone; any other method asks for judgements."""
KINDS: Final[tuple[AnswerChecks, ...]] = (JUDGEMENTS, *ALONE.values())


def kind_of(study: AnyStudy | None, methods: Iterable[str]) -> AnswerChecks:
    """Tell by their study, or else by their methods, what an evaluator answers."""
    asked = study.settings.study.methods if study else methods
    return next((ALONE[name] for name in asked if name in ALONE), JUDGEMENTS)
