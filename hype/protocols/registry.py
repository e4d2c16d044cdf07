"""The registry: which protocols there are. The one place that knows all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.protocols.comparison.protocol import ComparisonProtocol
from hype.protocols.hype.protocol import HypeProtocol
from hype.protocols.ranking.protocol import RankingProtocol
from hype.protocols.rating.protocol import RatingProtocol

if TYPE_CHECKING:
    from hype.protocols.protocol import StudyProtocol
    from hype.session.course import Course
    from hype.study.studies import AnyStudy

HYPE: Final = HypeProtocol()
PROTOCOLS: Final[tuple[StudyProtocol, ...]] = (
    HYPE,
    ComparisonProtocol(),
    RatingProtocol(),
    RankingProtocol(),
)
"""HYPE's own is what a study or a table is of that says nothing of another."""


def protocol_of(study: AnyStudy) -> StudyProtocol:
    return of_methods(study.settings.study.methods)


def of_methods(methods: Iterable[object]) -> StudyProtocol:
    """Tell by its methods what a study asks: each protocol but HYPE's is a method of its own."""
    named = set(methods)
    return next((protocol for protocol in PROTOCOLS if protocol.name in named), HYPE)


def of_file(tables: object) -> StudyProtocol:
    """Tell of which protocol a study file is, before anything in it was looked at."""
    match tables:
        case {"study": {"methods": list(methods)}}:
            return of_methods(name for name in methods if isinstance(name, str))
    return HYPE


def of_table(names: Collection[str]) -> StudyProtocol:
    """Tell by the names of its columns, misspelt or missing ones too, what a table holds."""
    folded = {name.casefold() for name in names}
    return next(
        (
            protocol
            for protocol in PROTOCOLS
            if protocol is not HYPE and protocol.is_table_of(folded)
        ),
        HYPE,
    )


def study_of(file: Path, settings: Any) -> AnyStudy:
    """Put settings where their file lies."""
    return of_methods(settings.study.methods).study(file, settings)


def course_of(study: AnyStudy) -> Course[Any]:
    """Read what a study draws from, and give how its sessions go.

    Raises
    ------
    InputError
        A manifest is wrong, or does not have what the study names.
    """
    return protocol_of(study).course(study)
