"""Where comparisons come from, a study's record or a table, and how they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.cli.judgements import is_table, one_kind_only, shared_text
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.analysis.pairwise.options import PairwiseOptions
    from hype.analysis.pairwise.scores import PairwiseScore, Ties
    from hype.cli.scoring import Choices
    from hype.study.studies import ComparisonStudy

Answers = Mapping[str, Mapping[str, str]]
"""What evaluators said of themselves: question to evaluator to answer, empty where withheld."""
TIES: Final[Mapping[str, Ties]] = {"davidson": "davidson", "half": "half", "drop": "none"}
"""What --ties takes, and what the analysis calls it."""
DRAWS: Final = 1_000
"""Of the bootstrap, unless it is said: intervals are read to two digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Comparisons to be scored, and what is known of them beyond their rows.

    Attributes
    ----------
    frame
        As `hype.analysis.pairwise.votes.check_comparisons` returns it.
    title
        What they are called.
    provenance
        Where they come from.
    options
        How their study has them scored; those of a table are scored as any.
    said
        Sentences on what was registered.
    stimuli
        The folder of the stimuli, where a study tells it.
    """

    frame: pd.DataFrame
    title: str
    provenance: Mapping[str, str]
    options: PairwiseOptions
    said: tuple[str, ...] = ()
    stimuli: Path | None = None


def comparisons_for(source: Path, choices: Choices) -> Comparisons:
    """Read the comparisons that were chosen."""
    return load_comparisons(source, simulated=choices.simulated, people=choices.people)


def load_comparisons(source: Path, *, simulated: bool, people: bool) -> Comparisons:
    """Read comparisons from a study's record or from a table."""
    wanted = one_kind_only(simulated=simulated, people=people)
    if is_table(source):
        return comparisons_of_table(source, wanted)
    return comparisons_of_study(source, simulated=simulated)


def comparisons_of_table(path: Path, simulated: bool | None) -> Comparisons:
    """Read a tidy table."""
    from hype.analysis.pairwise.options import PairwiseOptions
    from hype.analysis.pairwise.votes import read_comparisons

    return Comparisons(
        frame=read_comparisons(path, simulated=simulated),
        title=path.stem,
        provenance={"source": path.name},
        options=PairwiseOptions(),
    )


def comparisons_of_study(path: Path, *, simulated: bool) -> Comparisons:
    """Read a study's record."""
    import pandas as pd

    from hype.analysis.pairwise.vote_columns import VOTE_COLUMNS
    from hype.analysis.pairwise.votes import check_comparisons
    from hype.cli.registered import registered_sentences
    from hype.sessions.exported_comparisons import exported_comparisons, no_comparisons
    from hype.sessions.registration import registration_of
    from hype.store.record import RECORD_FILE, reading_record

    study = load_comparison_study(path)
    record = study.folder / RECORD_FILE
    with reading_record(record) as engine, engine.connect() as connection:
        names = {declared.name for declared in VOTE_COLUMNS}
        exported = exported_comparisons(engine, study, simulated=simulated, columns=names)
        frame = pd.DataFrame(list(shared_text(exported.rows)), columns=list(exported.columns))
        about = demographic_answers(connection, simulated=simulated)
    if frame.empty:
        raise no_comparisons(study, simulated=simulated)
    registration = registration_of(study)
    sha256 = registration.sha256 if registration else None
    settings = study.settings
    return Comparisons(
        frame=check_comparisons(frame, where=record, simulated=simulated),
        title=settings.study.name,
        provenance={
            "study": settings.study.name,
            "study checksum": study.checksum(),
            "study seed": str(settings.study.seed),
            **({"registration": sha256} if sha256 else {}),
        },
        options=options_of_study(study, about, sha256),
        said=tuple(registered_sentences(registration, study)),
        stimuli=study.stimuli_folder,
    )


def load_comparison_study(path: Path) -> ComparisonStudy:
    """Read the study file of a study of comparisons."""
    from hype.study.load import load_any
    from hype.study.studies import ComparisonStudy

    study = load_any(path)
    if not isinstance(study, ComparisonStudy):
        raise InputError(study.path, "is no study of comparisons")
    return study


def demographic_answers(connection: Connection, *, simulated: bool) -> Answers:
    """Read what evaluators said of themselves."""
    from sqlalchemy import select

    from hype.store.schema import demographics, evaluators

    found = demographics.c
    query = (
        select(found.question, evaluators.c.evaluator, found.answer)
        .join(evaluators, found.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(found.id)
    )
    answers: dict[str, dict[str, str]] = {}
    for question, evaluator, answer in connection.execute(query):
        answers.setdefault(question, {})[evaluator] = answer
    return answers


def options_of_study(
    study: ComparisonStudy, about: Answers, registered: str | None
) -> PairwiseOptions:
    """Translate the study for the analysis."""
    from hype.analysis.pairwise.options import PairwiseOptions
    from hype.analysis.pairwise.powered import Plan

    settings, planned = study.settings, study.settings.analysis
    arena, rule = settings.comparison.arena, settings.validation
    asked = {name: about.get(name, {}) for name in settings.demographics}
    return PairwiseOptions(
        ties=planned.ties,
        alpha=planned.alpha,
        criterion=settings.comparison.asked,
        plan=Plan(
            win_rate=planned.win_rate,
            alpha=planned.alpha,
            power=planned.power,
            registration=registered,
        ),
        min_correct=None if rule.kind == "off" else rule.min_correct,
        goal=arena.goal if arena else None,
        goal_unit=arena.unit if arena else "vote",
        goal_alpha=arena.alpha if arena else planned.alpha,
        demographics=asked,
        reference={n: one.reference for n, one in settings.demographics.items() if one.reference},
    )


def score_loaded(comparisons: Comparisons, choices: Choices) -> PairwiseScore:
    """Score comparisons as their study says, or as the command line overrules it."""
    from hype.analysis.pairwise.scoring import score_comparisons

    chosen = replace(
        comparisons.options,
        ties=comparisons.options.ties if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )
    return score_comparisons(comparisons.frame, chosen)


def treatment_of(ties: str) -> Ties:
    """Read what stands behind --ties."""
    if ties not in TIES:
        raise InputError("--ties", f"{ties!r} is not known", f"one of {', '.join(TIES)}")
    return TIES[ties]


def laid_out(comparisons: Comparisons, score: PairwiseScore) -> RenderableType:
    """Lay out a score for the terminal."""
    from hype.report.comparison_table import comparison_table

    return comparison_table(score, background=comparisons.said)
