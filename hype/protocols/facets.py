"""The parts of a protocol. Each part is a module in the protocol's folder.

The functions of a protocol receive only studies of this protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

if TYPE_CHECKING:  # scoring must not load sessions, and a station must not load scoring
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import Opened
    from hype.leaderboard import Board
    from hype.statistics.alpha import Alpha
    from hype.status.design import StatusDesign

Json = dict[str, Any]
ALPHA: Final = 0.05
"""The significance level of all tests in `hype score`."""


def join_without_votes(study: Any, votes: int | None) -> Mapping[str, object]:
    """Return an empty mapping: a model that joins adds no keys to the study file.

    Raises InputError: a number of votes was given, but the study does not count votes.
    """
    if votes is not None:
        raise InputError("--votes", f"is only for arenas, and {study.path} is not an arena")
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """What the status and the registration of a study need to know about its design."""

    # Returns the conditions that a study evaluates or compares. Raises InputError: the study names
    # a condition that the stimuli do not have
    conditions: Callable[[Any, StimulusSet], tuple[str, ...]]
    # Returns the parts of the analysis that a registration fixes, except the number of evaluators:
    # ``methods``, ``alpha``, ``tests`` and ``not_scored``
    planned_analysis: Callable[[Any], Json]
    status: StatusDesign  # the counts that show the progress of a study
    # Returns, by name, the files that a registration fixes in addition to stimuli and masks
    fixed_files: Callable[[Any], Mapping[str, Path]] = lambda _study: {}
    # Returns the keys that the study file gets for a model that joins, except the date. Arguments:
    # the study, the number of further votes. Raises InputError: the study accepts no further model
    joining: Callable[[Any, int | None], Mapping[str, object]] = join_without_votes


def check_nothing(_flight: Preflight, _study: Any, *_more: object) -> None:
    """Check nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The checks that find problems of a study before it starts."""

    # Checks the images of a study, and whether the plan is possible
    study: Callable[[Any], Preflight]
    # Yields the findings as lines, each with a title (which may be empty) and a text
    lines: Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]]
    triggers: Callable[[Preflight, Any], None] = check_nothing  # checks the receivers of triggers
    # Checks the exposures at a screen's refresh rate, which is None if no screen was examined
    exposures: Callable[[Preflight, Any, float | None], None] = check_nothing
    # Yields the rounding of exposures and masks at a screen's refresh rate
    roundings: Callable[[Any, float], Iterable[tuple[str, Rounding]]] = lambda _study, _hz: ()
    # Finds settings that browsers do not support
    web: Callable[[Preflight, Any], None] = check_nothing


class Report(Protocol):
    """A report on scored answers."""

    @property
    def simulated(self) -> bool:
        """Whether any evaluator is simulated."""

    def write_page(self, path: Path) -> Path:
        """Write the report page."""

    def drawings(self) -> Sequence[Drawing]:
        """Prepare every figure."""

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """The functions that score answers and show scores in a terminal."""

    read: Callable[[Opened, ReadingChoices], Any]  # reads the answers of a study or of a table
    score: Callable[[Any, Choices], Any]  # scores the answers
    # Arranges scores for a terminal; ``whole``: whether to show every table and note
    laid_out: Callable[..., RenderableType]
    # Returns, by name, the settings that studies must share to be scored together. Raises
    # InputError: the study cannot be scored with others
    common_settings: Callable[[Any], dict[str, object]]
    # Yields the measures that are scored by group
    group_measures: Callable[[Any, Choices], Iterator[GroupMeasure]] = lambda *_: iter(())
    # Returns α of the main answers, for `hype status`. Raises InputError: nobody has finished
    compute_agreement: Callable[[Any, Choices], Alpha | None] = lambda *_: None
    # Yields leaderboards made from answers and scores
    measured: Callable[[Any, Any, Choices], Iterator[Board]] = lambda *_: iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """The report page, and the description of a study for a paper."""

    # Makes a report on answers and scores; the path is the folder of images, if not the study's
    report: Callable[[Any, Any, Choices, Path | None], Report]
    # Describes a study for a paper; the list of conditions is empty if they are unknown
    design_in_words: Callable[[Any, Sequence[str]], Sequence[Paragraph]]
    # Describes the statistics for a paper
    statistics_in_words: Callable[[Any], Sequence[Paragraph]]
