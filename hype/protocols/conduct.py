"""From a study to its protocol: the one place that knows all of them."""

from __future__ import annotations

from typing import Any

from hype.errors import InputError
from hype.protocols.base import StudyProtocol
from hype.protocols.comparison.conduct import ComparisonProtocol
from hype.protocols.hype.conduct import HypeProtocol
from hype.protocols.ranking.conduct import RankingProtocol
from hype.protocols.rating.conduct import RatingProtocol
from hype.protocols.studies import AnyStudy, ComparisonStudy, RankingStudy, RatingStudy, Study


def protocol_of(study: AnyStudy) -> StudyProtocol[Any]:
    """Read what a study draws from, and give how it is conducted.

    Raises
    ------
    InputError
        A manifest is wrong, or does not have what the study names.
    """
    match study:
        case Study():
            return HypeProtocol(study)
        case ComparisonStudy():
            return ComparisonProtocol(study)
        case RatingStudy():
            return RatingProtocol(study)
        case RankingStudy():
            return RankingProtocol(study)
    raise InputError(study.path, "is a study of an unknown kind")
