"""What a protocol offers: a few values, each in its own module of the protocol's folder.

``study`` is a study of this protocol wherever one is asked for.
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
"""Of all tests, as `hype score` has it."""


def join_without_votes(study: Any, votes: int | None) -> Mapping[str, object]:
    """Note nothing of a model that joins.

    Raises InputError: the study does not go by votes, and some were asked for.
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
    status: StatusDesign  # what is counted to say how far a study is
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

    study: Callable[[Any], Preflight]  # checks what a study shows, and whether its plan can be kept
    # Yields what that found out, line by line, each with a title or none
    lines: Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]]
    # Checks whom it tells of images coming and going
    triggers: Callable[[Preflight, Any], None] = check_nothing
    # Checks what a screen of some rate makes of its exposures; None if none was looked at
    exposures: Callable[[Preflight, Any, float | None], None] = check_nothing
    # Yields what a screen's rate makes of each kind of duration: exposure, mask
    roundings: Callable[[Any, float], Iterator[tuple[str, Rounding]]] = round_nothing
    # Checks what no browser can do of what it asks for
    web: Callable[[Preflight, Any], None] = check_nothing


class Report(Protocol):
    """Answers that were scored, and what a report makes of them."""

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
    """From answers to scores, and to what a terminal shows of them."""

    read: Callable[[Opened, ReadingChoices], Any]  # reads the answers of a study or of a table
    score: Callable[[Any, Choices], Any]  # scores them
    # Makes of answers and scores what a terminal shows; ``whole``: with every table and note
    laid_out: Callable[..., RenderableType]
    # Gives what studies must have alike to be scored together, by name. Raises InputError: the
    # study is scored with no others
    alike: Callable[[Any], dict[str, object]]
    # Yields what is scored by group
    group_measures: Callable[[Any, Choices], Iterator[GroupMeasure]] = lambda *_: iter(())
    # Yields what a leaderboard shows of answers and scores
    measured: Callable[[Any, Any, Choices], Iterator[Board]] = lambda *_: iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """The report page, and a study in words."""

    # Reports answers and scores; images lie in a given folder, or as the study says
    report: Callable[[Any, Any, Choices, Path | None], Report]
    # Describes a study, for a paper; the conditions are empty if they are not known
    design_in_words: Callable[[Any, Sequence[str]], Sequence[Paragraph]]
    # Writes what was computed, for a paper
    statistics_in_words: Callable[[Any], Sequence[Paragraph]]
