"""`hype power`: what a study needs; of evaluators for scores, of comparisons for win rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hype.answers.choices import chosen
from hype.cli.options import Json, check_seed
from hype.console import err, out, print_json, progress
from hype.errors import InputError
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.hype.planning.evaluators_needed import (
    check_difference,
    check_studies,
    estimated_within,
    examine,
    numbers_in,
    plan_object,
    plan_sentences,
    plan_table,
    scorer,
    without_difference,
)
from hype.protocols.hype.planning.plan import SimulatedPlan, plan_study
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.protocols.studies import AnyStudy

if TYPE_CHECKING:
    from rich.console import Group

OptionalStudy = Annotated[
    Path | None,
    typer.Argument(
        metavar="STUDY",
        help="a study.toml, or the folder that holds it; a win rate can be planned without one",
    ),
]
EVALUATORS: Final = "10,20,30,60"
STUDIES: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRequest:
    """The options that were given; None, or False, where one was not."""

    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            metavar="D",
            help="between the true scores: percentage points for HYPE_∞, ms for HYPE_time; needed "
            "for these",
        ),
    ] = None
    evaluators: Annotated[
        str | None,
        typer.Option(
            "--evaluators",
            metavar="N,N,…",
            help=f"numbers per condition to compare ({EVALUATORS})",
        ),
    ] = None
    method: Annotated[
        str | None,
        typer.Option(
            "--method", metavar="time|infinity", help="which, where the study has both (infinity)"
        ),
    ] = None
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition",
            metavar="NAME",
            help="the one to tell from a rival; without it, the middle one by predicted score",
        ),
    ] = None
    studies: Annotated[
        int | None,
        typer.Option("--studies", metavar="R", help=f"studies drawn of each size ({STUDIES:,})"),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="of the simulated people and the draws (0)"),
    ] = None
    win_rate: Annotated[
        float | None,
        typer.Option(
            "--win-rate",
            metavar="P",
            help="of comparisons: the true one that is to be told from one half, such as 0.55",
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha", metavar="A", help="of comparisons: of the two-sided test (0.05, or planned)"
        ),
    ] = None
    power: Annotated[
        float | None,
        typer.Option(
            "--power",
            metavar="W",
            help="of comparisons: the wanted chance to find it (0.8, or planned)",
        ),
    ] = None
    correlation: Annotated[
        float | None,
        typer.Option(
            "--icc",
            metavar="R",
            help="of comparisons: how alike those of one evaluator are, 0 to 1 (0, or as the "
            "study's simulated people)",
        ),
    ] = None
    each: Annotated[
        int | None,
        typer.Option(
            "--each",
            metavar="M",
            help="of comparisons: how many of two conditions each evaluator makes (1, or as the "
            "study has it)",
        ),
    ] = None
    as_json: Json = False

    def refuse(self, names: dict[str, str], why: str) -> None:
        for name, option in names.items():
            if getattr(self, name) is not None:
                raise InputError(option, why)


OF_SCORES: Final = {
    "difference": "--difference",
    "evaluators": "--evaluators",
    "method": "--method",
    "condition": "--condition",
    "studies": "--studies",
    "seed": "--seed",
}
OF_WIN_RATES: Final = {
    "win_rate": "--win-rate",
    "alpha": "--alpha",
    "power": "--power",
    "correlation": "--icc",
    "each": "--each",
}


@chosen
def power(study: OptionalStudy = None, *, asked: PowerRequest) -> None:
    """Say how many evaluators, or comparisons, it takes to tell two conditions apart."""
    loaded = load_any(study) if study else None
    planned = protocol_of(loaded).power_of if loaded else "win rates"
    if loaded and not planned:
        raise not_planned(loaded)
    PLANS[planned](loaded, asked)


def not_planned(study: AnyStudy) -> InputError:
    """Say of a study whose power nobody computes what can be done instead."""
    return InputError(
        study.path,
        f"is a study of {study.answers}, whose power is not computed",
        "hype simulate and hype score --simulated show the intervals that its design gives; hype "
        "power --win-rate P says how many comparisons tell two conditions apart",
    )


def of_scores(study: Study, asked: PowerRequest) -> None:
    asked.refuse(OF_WIN_RATES, f"is for comparisons, and {study.path} has none")
    if asked.difference is None:
        raise without_difference(study, "--difference")
    numbers = numbers_in(EVALUATORS if asked.evaluators is None else asked.evaluators)
    studies = STUDIES if asked.studies is None else asked.studies
    check_difference(asked.difference)
    check_studies(studies)
    check_seed(asked.seed or 0)
    planned = planned_scores(study, asked.difference, asked)
    plan = examine(study, planned, asked.difference, numbers, studies=studies, seed=asked.seed or 0)
    if asked.as_json:
        print_json(plan_object(plan))
        return
    err.print("[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]")
    print_plan(plan_table(plan), plan_sentences(plan))


def planned_scores(study: Study, difference: float, asked: PowerRequest) -> SimulatedPlan:
    with progress() as bar:
        task = bar.add_task("Planning", total=None)

        def show(stage: str, done: int, of: int) -> None:
            bar.update(task, description=stage, completed=done, total=of)

        return plan_study(
            study,
            difference,
            score=scorer(estimated_within(study.settings)),
            method=asked.method,
            condition=asked.condition,
            seed=asked.seed or 0,
            progress=show,
        )


def print_plan(table: Group, sentences: Iterable[str]) -> None:
    out.print(table)
    for sentence in sentences:
        out.print(sentence, markup=False)


def of_win_rates(study: ComparisonStudy | None, asked: PowerRequest) -> None:
    """Plan comparisons, of a study or of none."""
    from hype.protocols.comparison.planning import (
        comparisons_object,
        comparisons_sentences,
        comparisons_table,
        power_of_comparisons,
    )

    if study is None and asked.win_rate is None:
        raise InputError(
            "STUDY", "is missing", "a study; or of comparisons in general --win-rate P"
        )
    where = study.path if study else "comparisons without a study"
    asked.refuse(OF_SCORES, f"is for studies of HYPE's methods, not for {where}")
    plan = power_of_comparisons(
        study,
        win_rate=asked.win_rate,
        alpha=asked.alpha,
        power=asked.power,
        correlation=asked.correlation,
        each=asked.each,
    )
    if asked.as_json:
        print_json(comparisons_object(plan, study))
        return
    print_plan(comparisons_table(plan), comparisons_sentences(plan))


PLANS: Final[Mapping[str, Callable[[Any, PowerRequest], None]]] = {
    "scores": of_scores,
    "win rates": of_win_rates,
}
"""What can be planned."""
