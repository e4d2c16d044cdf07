"""What a protocol is: all that the program asks of one, in one interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from hype.errors import InputError
from hype.protocols.about_you import ABOUT, further_groups

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import Opened
    from hype.asking.questions import ImageQuestion
    from hype.check.findings import Preflight
    from hype.export.kind import ExportKind
    from hype.leaderboard.boards import Measured
    from hype.planning.planned import PlannedScore
    from hype.report.figures.drawing import Drawing
    from hype.report.methods import Paragraph, Work
    from hype.report.tabular import Table
    from hype.session.course import Course
    from hype.session.timing import Rounding
    from hype.statistics.agreement import Alpha
    from hype.status.progress import Telling
    from hype.stimuli.manifest import StimulusSet
    from hype.store.columns import RecordedAnswers
    from hype.study.studies import AnyStudy
    from hype.study.table import Settings
    from hype.study.texts import Pack
    from hype.verify.case import AnswerChecks

Json = dict[str, Any]
ALPHA: Final = 0.05
"""Of all tests, as `hype score` has it."""
MAY_DIFFER: Final = (
    *(
        "study.",
        "stimuli.",
        "masks.folder",
        "texts.",
        "demographics.",
        "practice.",
        "keys.",
        "pay.",
    ),
    *("display.fullscreen", "display.font", "display.text_rgb", "display.progress"),
)
"""How settings begin that say who is asked, with which words and of which images."""
TEXTS_ASKED: Final = ("texts.question", "texts.question_untimed")
TextsIf = tuple[bool, tuple[str, ...]]
"""Names of texts that are shown only if something is so, and whether it is."""


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


class StudyProtocol(ABC):
    """One way of asking people about images.

    Knowing which protocols there are loads nothing: each method imports what it needs. ``study``
    is a study of this protocol wherever one is asked for.

    Attributes
    ----------
    name
        Of its folder, and of the method in a study file that stands alone.
    answers
        What its answers are called, many of them.
    drawn
        What simulated answers were drawn from, as a report says it.
    asks
        What it asks, with the templates of its studies in brackets, as `hype new --help` says it.
    own_choices
        The names of those `hype.answers.choices.Choices` that bear on its scores and not on all
        others.
    """

    name: ClassVar[str]
    answers: ClassVar[str]
    drawn: ClassVar[str]
    asks: ClassVar[str]
    own_choices: ClassVar[frozenset[str]]

    # --- the study file

    @property
    @abstractmethod
    def settings(self) -> type[Settings]:
        """The model of its study file."""

    @abstractmethod
    def study(self, file: Path, settings: Any) -> AnyStudy:
        """Put settings where their file lies."""

    def named_folders(self, _settings: Any, /) -> Iterator[tuple[str, str]]:
        """Yield each folder that a file names beside its stimuli, after its key."""
        yield from ()

    @abstractmethod
    def texts_if(self, settings: Any) -> Iterator[TextsIf]:
        """Yield the texts that not every study of it shows."""

    def text_groups(self, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        """Name the groups of a language's texts that a study file has, by what it asks."""
        asked = (ABOUT,) if tables.get("demographics") else ()
        return ("all", *asked, *further_groups(tables), self.name)

    def worded(self, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        """Lay a language's words beneath what a study file says, before anything was checked."""
        usual = pack.texts_of(self.text_groups(tables))
        own = tables.get("texts", {})  # what is no table is refused elsewhere
        return {**tables, "texts": {**usual, **own} if isinstance(own, Mapping) else own}

    def words_asked(self, study: Any, /) -> Iterator[tuple[str, str]]:
        """Yield what is shown in letters beside the texts, after where it comes from."""
        for name, asked in study.demographics.items():
            yield f"demographics.{name}", " ".join((asked.question, *asked.options))

    def items(self, study: Any, /) -> frozenset[str]:
        """List by name what automated judges are asked about, where that has names.

        Raises
        ------
        InputError
            What the study draws from is wrong.
        """
        return frozenset(question.item for question in self.questions(study))

    def questions(self, _study: Any, /) -> Iterator[ImageQuestion]:
        """Yield what a judge that is no person is asked, in every order of the images.

        Those about one item follow each other, and any number of first ones is spread evenly over
        conditions.

        Raises
        ------
        InputError
            What the study draws from is wrong.
        """
        yield from ()

    def joining(self, study: Any, votes: int | None, /) -> Mapping[str, object]:
        """Give what the study file notes of a model that joins, beside the day.

        ``votes``: how many more there are to be, where the study goes by votes.

        Raises
        ------
        InputError
            Nothing could be told of another model any more.
        """
        if votes is not None:
            raise InputError("--votes", f"is for arenas, and {study.path} is none")
        return {}

    # --- a session

    @abstractmethod
    def course(self, study: Any) -> Course[Any]:
        """Read what a study draws from, and give how its sessions go.

        Raises
        ------
        InputError
            A manifest is wrong, or does not have what the study names.
        """

    @property
    @abstractmethod
    def recorded(self) -> RecordedAnswers:
        """How its answers are kept in the record, come back from it, and go out."""

    @property
    def held(self) -> Mapping[str, str]:
        """What a backup counts of its answers, each with a condition in SQL or none.

        The first is what they are called; any others follow it in brackets.
        """
        return {self.answers: ""}

    # --- before and beside sessions

    @abstractmethod
    def conditions(self, study: Any, stimuli: StimulusSet) -> tuple[str, ...]:
        """Give the conditions that a study evaluates or compares.

        Raises
        ------
        InputError
            It names one that its stimuli do not have.
        """

    @abstractmethod
    def check(self, study: Any) -> Preflight:
        """Check what a study shows, and whether its plan can be kept."""

    def check_triggers(self, _flight: Preflight, _study: Any, /) -> None:  # noqa: B027
        """Check whom a study tells of images coming and going."""

    def check_exposures(  # noqa: B027
        self, _flight: Preflight, _study: Any, _refresh_hz: float | None, /
    ) -> None:
        """Check what a screen makes of a study's exposures; ``None`` where none was looked at."""

    def roundings(self, _study: Any, _refresh_hz: float, /) -> Iterator[tuple[str, Rounding]]:
        """Yield what a screen's rate makes of each kind of duration: exposure, mask."""
        yield from ()

    def flashes(self, _settings: Any, /) -> bool:
        """Whether images are shown for a time of their own, which phones cannot keep."""
        return False

    def check_web(self, _flight: Preflight, _study: Any, /) -> None:  # noqa: B027
        """Check what no browser can do of what a study asks for."""

    @abstractmethod
    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what checking found out of a study, line by line, each with a title or none."""

    @abstractmethod
    def planned_analysis(self, study: Any) -> Json:
        """Give what a registration fixes of the analysis beside the number of evaluators.

        Its ``methods``, ``alpha``, ``tests`` and what is ``not_scored`` are always among it.
        """

    def fixed_files(self, _study: Any, /) -> Mapping[str, Path]:
        """Give the files that a registration fixes beside stimuli and masks, by name."""
        return {}

    @abstractmethod
    def look(self, connection: Connection, study: Any, *, simulated: bool) -> Telling:
        """Look at how far a study is."""

    @property
    @abstractmethod
    def verified(self) -> AnswerChecks:
        """What verifying a record has to know of its answers."""

    @abstractmethod
    def exported(self, study: Any) -> ExportKind:
        """What exporting has to know of its answers."""

    # --- scores

    def alike(self, study: Any, /) -> dict[str, object]:
        """Give what studies must have alike to be scored together, by name.

        Settings that bear on answers, but for those that begin like one of `may_differ`; what is
        asked is held only against the same language.

        Raises
        ------
        InputError
            It is scored with no others.
        """
        from hype.study.versions import leaves

        settings: Any = study.settings
        measured = dict(leaves(settings, "", simulated=False))
        asked = {
            f"{key} in {settings.study.language}": measured[key]
            for key in TEXTS_ASKED
            if key in measured
        }
        kept = {key: measured[key] for key in measured if not key.startswith(self.may_differ)}
        analysis = dict(leaves(settings.analysis, "analysis.", simulated=False))
        analysis.pop("analysis.strengths", None)  # only shown so
        return asked | kept | analysis

    @property
    def may_differ(self) -> tuple[str, ...]:
        """How settings begin that may differ between studies that are scored together."""
        return MAY_DIFFER

    @abstractmethod
    def is_table_of(self, names: Collection[str]) -> bool:
        """Tell by the names of its columns, in small letters, whether a table holds its answers."""

    @abstractmethod
    def read(self, source: Opened, choices: Choices) -> Any:
        """Read the answers of a study or of a table."""

    @abstractmethod
    def score(self, answers: Any, choices: Choices) -> Any:
        """Score what was read."""

    def agreement(self, _answers: Any, _choices: Choices, /) -> Alpha | None:
        """Compute how far evaluators agree in all that is scored; None where nothing says so.

        Raises
        ------
        InputError
            Nothing is left to score.
        """
        return None

    def group_measures(self, _answers: Any, _choices: Choices, /) -> Iterator[GroupMeasure]:
        """Yield what is scored by group."""
        yield from ()

    def as_object(self, scored: Any) -> object:
        """Make of scores what ``--json`` prints."""
        return scored.to_json()

    @abstractmethod
    def laid_out(self, answers: Any, scored: Any) -> RenderableType:
        """Make of scores what a terminal shows."""

    @abstractmethod
    def report(
        self, answers: Any, scored: Any, choices: Choices, stimuli: Path | None = None
    ) -> Report:
        """Report what `read` and `score` gave; images lie in ``stimuli``, or as a study says."""

    def measured(self, _answers: Any, _scored: Any, _choices: Choices, /) -> Iterator[Measured]:
        """Yield what a leaderboard shows of what `read` and `score` gave."""
        yield from ()

    def planned(self, study: Any, _of: str | None, /) -> PlannedScore:
        """Give what `hype power` asks of one of its scores; ``of``: which, where it has several.

        Raises
        ------
        InputError
            There is none, or what the study draws from is wrong.
        """
        raise InputError(study.path, f"is a study of {self.answers}, whose power nobody computes")

    def design_in_words(self, _study: Any, _conditions: Sequence[str], /) -> Sequence[Paragraph]:
        """Describe a study, for a paper; ``conditions`` are empty where they are not known."""
        return ()

    def statistics_in_words(self, _scored: Any, /) -> Sequence[Paragraph]:
        """Write what was computed, for a paper."""
        return ()

    @property
    def works(self) -> Mapping[str, Work]:
        """The works that its reports cite beside those of every report."""
        from hype.report.methods import works_in

        return works_in(Path(getfile(type(self))).parent)
