"""The parts of a protocol, each in a module of its folder.

``study`` is always a study of this protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from rich.console import RenderableType

from hype.answers.choices import Choices, ReadingChoices
from hype.check.findings import Preflight
from hype.errors import InputError
from hype.report.figures.drawing import Drawing
from hype.report.parts import Paragraph
from hype.report.tabular import Table
from hype.session.timing import Rounding
from hype.stimuli.manifest import StimulusSet

if TYPE_CHECKING:  # an analyst's programs load no sessions, and a station no scores
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import Opened
    from hype.leaderboard import Board
    from hype.status.design import StatusDesign

Json = dict[str, Any]
ALPHA: Final = 0.05
"""The level of all tests in `hype score`."""


def join_without_votes(study: Any, votes: int | None) -> Mapping[str, object]:
    """Return no note for a model that joins.

    Raises InputError: the study does not count votes, but some were given.
    """
    if votes is not None:
        raise InputError("--votes", f"is for arenas, and {study.path} is none")
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """What a study is to find out, for its status and its registration."""

    # Gives those that a study evaluates or compares, of its stimuli. Raises InputError: it names
    # one that they do not have
    conditions: Callable[[Any, StimulusSet], tuple[str, ...]]
    # Gives what a registration fixes of the analysis besides the number of evaluators, with
    # ``methods``, ``alpha``, ``tests`` and what is ``not_scored``
    planned_analysis: Callable[[Any], Json]
    status: StatusDesign  # what is counted for the progress of a study
    # Gives the files that a registration fixes besides stimuli and masks, by name
    fixed_files: Callable[[Any], Mapping[str, Path]] = lambda _study: {}
    # Gives what the study file notes of a model that joins, besides the day; called with the study
    # and the number of further votes. Raises InputError: the study cannot take one more
    joining: Callable[[Any, int | None], Mapping[str, object]] = join_without_votes


def check_nothing(_flight: Preflight, _study: Any, *_more: object) -> None:
    """Find nothing wrong."""


def round_nothing(_study: Any, _refresh_hz: float) -> Iterator[tuple[str, Rounding]]:
    """Yield nothing: no image has a time of its own."""
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What of a study could spoil its sessions."""

    # Checks the images of a study, and whether its plan is possible
    study: Callable[[Any], Preflight]
    # Yields the lines of the findings; a line may have a title
    lines: Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]]
    # Checks the receivers of triggers
    triggers: Callable[[Preflight, Any], None] = check_nothing
    # Checks the exposures at a screen's refresh rate; None if no screen was examined
    exposures: Callable[[Preflight, Any, float | None], None] = check_nothing
    # Yields the rounding of exposures and masks at a screen's refresh rate
    roundings: Callable[[Any, float], Iterator[tuple[str, Rounding]]] = round_nothing
    # Checks which settings no browser supports
    web: Callable[[Preflight, Any], None] = check_nothing


class Report(Protocol):
    """A report on scored answers."""

    @property
    def simulated(self) -> bool:
        """Whether any evaluator is a simulated one."""

    def write_page(self, path: Path) -> Path:
        """Write the report page."""

    def drawings(self) -> Sequence[Drawing]:
        """Prepare every figure."""

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How answers are scored and shown in a terminal."""

    read: Callable[[Opened, ReadingChoices], Any]  # reads the answers of a study or of a table
    score: Callable[[Any, Choices], Any]  # scores them
    # Returns what a terminal shows; ``whole``: with every table and note
    laid_out: Callable[..., RenderableType]
    # Returns what studies must have in common to be scored together, by name. Raises InputError:
    # the study cannot be scored with others
    alike: Callable[[Any], dict[str, object]]
    # Yields what is scored by group
    group_measures: Callable[[Any, Choices], Iterator[GroupMeasure]] = lambda *_: iter(())
    # Yields what a leaderboard shows of answers and scores
    measured: Callable[[Any, Any, Choices], Iterator[Board]] = lambda *_: iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """The report page, and a study in words."""

    # Reports answers and scores; images are in a given folder, or in that of the study
    report: Callable[[Any, Any, Choices, Path | None], Report]
    # Describes a study, for a paper; the conditions are empty if they are not known
    design_in_words: Callable[[Any, Sequence[str]], Sequence[Paragraph]]
    # Describes the statistics, for a paper
    statistics_in_words: Callable[[Any], Sequence[Paragraph]]
