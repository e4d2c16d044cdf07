"""From a study to the kind of its answers: the one place that knows all of them."""

from __future__ import annotations

from hype.errors import InputError
from hype.export.kind import ExportKind
from hype.protocols.comparison.export import COMPARING
from hype.protocols.hype.export import JUDGING
from hype.protocols.ranking.export import RANKING
from hype.protocols.rating.export import rating_kind
from hype.protocols.studies import AnyStudy, ComparisonStudy, RankingStudy, RatingStudy, Study


def kind_of(study: AnyStudy) -> ExportKind:
    """Give the kind of a study's answers."""
    match study:
        case Study():
            return JUDGING
        case ComparisonStudy():
            return COMPARING
        case RatingStudy():
            return rating_kind(study.settings)
        case RankingStudy():
            return RANKING
    raise InputError(study.path, "is a study of an unknown kind")
