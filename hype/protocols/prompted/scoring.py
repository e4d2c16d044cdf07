"""Where comparisons, ratings and rankings come from, a study's record or a table: read alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args

from hype.answers.sources import (
    doubted,
    one_kind_only,
    provenance_of,
    stimuli_of,
    store_of,
    study_or_table,
)
from hype.errors import InputError
from hype.protocols.prompted.results import FEW
from hype.session.outgoing import shared_text
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.strengths import Ties
from hype.tables.codebook import codebook_of

if TYPE_CHECKING:
    import pandas as pd

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.studies import AnyStudy
    from hype.session.outgoing import Outgoing
    from hype.tables.answers import CheckedTable

Scored = TypeVar("Scored", bound=Any)
StudyT = TypeVar("StudyT")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAnswers(Generic[StudyT]):
    """Answers to be scored, and what is known of them beyond their rows.

    ``frame``: as the check of their kind returns it. ``table``: as it was read, where they are of
    one. ``study``: the study, where they are not of a table. ``registration``, ``said``: the
    SHA-256 (hex) of what was registered, and sentences on it, if anything was.
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    table: CheckedTable | None = None
    study: StudyT | None = None
    registration: str | None = None
    said: tuple[str, ...] = ()

    @property
    def stimuli(self) -> Path | None:
        """The folder of the stimuli, where a study tells it and is here."""
        study: Any = self.study
        return stimuli_of(study) if study else None

    def beside(self, score: Scored) -> Scored:
        return self.table.beside(score) if self.table else score


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How answers of one kind are read.

    ``outgoing``: gives how they leave a study; tables need none of what that takes. ``columns``:
    names of those columns that are scored. ``check``: checks a frame: called with it, where it is
    from, and which evaluators are wanted. ``read``: reads a table: called with its path, which
    evaluators are wanted, and what it calls things.
    """

    outgoing: Callable[[], Outgoing[Any]]
    columns: Collection[str]
    check: Callable[..., pd.DataFrame]
    read: Callable[..., CheckedTable]

    def answers(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        """Read the answers that were chosen, of a study or of a table."""
        simulated = one_kind_only(simulated=choices.simulated, people=choices.people)
        opened = study_or_table(source)
        if not isinstance(opened, Path):
            return self._of_study(opened, simulated=choices.simulated)
        codebook = codebook_of(choices)
        table = self.read(opened, simulated=simulated, codebook=codebook)
        return LoadedAnswers(
            frame=table.frame,
            title=opened.stem,
            provenance={"source": opened.name, **codebook.said()},
            table=table,
        )

    def _of_study(self, study: AnyStudy, *, simulated: bool) -> LoadedAnswers[Any]:
        """Read a study's answers, where it keeps them."""
        import pandas as pd

        from hype.registration import registered_sentences, registration_of
        from hype.session.records import reading, where_of

        with reading(study) as engine:
            outgoing = self.outgoing()
            answers = outgoing.read(engine, study, simulated=simulated, columns=self.columns)
            frame = pd.DataFrame(list(shared_text(answers.rows)), columns=list(answers.columns))
            kept_in = store_of(study, engine, simulated=simulated)
            kept_in |= doubted(study, engine, simulated=simulated)
        if frame.empty:
            raise outgoing.none_of(study, simulated=simulated)
        registration = registration_of(study)
        sha256 = registration.sha256 if registration else None
        return LoadedAnswers(
            frame=self.check(frame, where=where_of(study), simulated=simulated),
            title=study.settings.study.name,
            provenance={**provenance_of(study, sha256), **kept_in},
            study=study,
            registration=sha256,
            said=tuple(registered_sentences(registration, study)),
        )


TIES: Final[Mapping[str, Ties]] = {"davidson": "davidson", "half": "half", "drop": "none"}
"""What --ties takes, and what the analysis calls it."""
DRAWS: Final = 1_000
"""Of the bootstrap, unless it is said: intervals are read to two digits."""


def treatment_of(ties: str) -> Ties:
    if ties not in TIES:
        raise InputError("--ties", f"{ties!r} is not known", f"one of {', '.join(TIES)}")
    return TIES[ties]


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """The choices that every analysis has.

    ``ties``: what becomes of them in win rates and in Bradley and Terry's strengths: "davidson",
    "half" or "none". ``draws``, ``seed``: of the bootstrap. ``alpha``, ``confidence``: the level of
    the tests, and the coverage of the intervals, as proportions.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    ties: Ties = "davidson"
    draws: int = 1_000
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_draws(self.draws)
        condition_rng(self.seed, "")
        self.require_one_of("ties", self.ties, Ties)
        self.require_between_0_and_1("alpha", "confidence")

    def require_one_of(self, name: str, value: str, allowed: Any) -> None:
        if value not in (words := get_args(allowed)):
            raise InputError(name, repr(value), f"allowed are {', '.join(words)}")

    def require_between_0_and_1(self, *names: str) -> None:
        for name in names:
            if not 0 < getattr(self, name) < 1:
                allowed = "allowed is a number above 0 and below 1"
                raise InputError(name, f"{getattr(self, name):g}", allowed)

    def require_from_0_to_1(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise InputError(name, f"{value:g}", "allowed is a number from 0 to 1")


def number_of(rows: pd.DataFrame, name: str) -> int | None:
    """Count the different cells of a column; None where there is none."""
    return int(rows[name].nunique()) if name in rows else None


def few_evaluators(people: int) -> Iterator[str]:
    if people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def lost_conditions(
    every: pd.DataFrame, scored_task: str, columns: Iterable[str], left: Iterable[str]
) -> Iterator[str]:
    """Name the conditions that were asked about and of which nothing is ``left`` to score."""
    asked = every[every["task"].eq(scored_task).to_numpy()]
    names = {str(name) for column in columns if column in asked for name in asked[column].unique()}
    if lost := sorted(names - set(left)):
        yield f"Nothing is left to score of {', '.join(lost)}."


def undefined_draws(undefined: int, draws: int, *, where: str = "In", never: str) -> Iterator[str]:
    """Say what draws without finite strengths do to intervals."""
    if undefined:
        yield (
            f"{where} {undefined:,} of {draws:,} draws of the bootstrap some condition "
            f"{never}: intervals are as wide as if these draws lay outside, and open where they "
            "are too many."
        )
