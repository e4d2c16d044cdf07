"""`hype power`: the power of a study, and how many people it needs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from hype.answers.choices import shell_option
from hype.cli.options import Json, check_seed
from hype.console import err, out, print_json, progress
from hype.errors import InputError
from hype.planning.planned import STUDIES, Asked
from hype.planning.power import heading, plan_object, plan_power, plan_sentences, power_table
from hype.protocols.comparison.power import HEADING, plan_win_rates
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.report.tabular import Table
from hype.report.terminal import grid


def power(
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="STUDY",
            help="a study.toml, or its folder; win rates need no study",
        ),
    ] = None,
    difference: Annotated[
        float | None,
        shell_option(
            "--difference D",
            "difference of two scores, in percentage points (HYPE_∞), ms (HYPE_time), Elo points "
            "(comparisons, rankings, ratings of pairs) or points of the scale; 0 gives the rate of "
            "false alarms (default: the planned difference, or the observers' difference)",
        ),
    ] = None,
    win_rate: Annotated[
        float | None,
        shell_option(
            "--win-rate P",
            "the difference as a win rate, such as 0.55; without a study, this shows how many "
            "independent comparisons detect it",
        ),
    ] = None,
    evaluators: Annotated[
        str | None,
        shell_option(
            "--evaluators N,N,…",
            "evaluators of each condition, or in all if everybody judges all conditions (default: "
            "find the number with 80 % power)",
        ),
    ] = None,
    comparisons: Annotated[
        int | None,
        shell_option(
            "--comparisons N",
            "without a study: show what this many independent comparisons can detect",
        ),
    ] = None,
    method: Annotated[
        str | None,
        shell_option(
            "--method time|infinity|AXIS|CRITERION",
            'which of several scores (default: infinity, axis "overall", first criterion)',
        ),
    ] = None,
    condition: Annotated[
        str | None,
        shell_option(
            "--condition NAME",
            "the condition to compare with a rival (default: the middle one of the observers)",
        ),
    ] = None,
    studies: Annotated[
        int, shell_option("--studies R", "number of simulated studies of each size")
    ] = STUDIES,
    seed: Annotated[int, shell_option("--seed S", "seed of all random numbers")] = 0,
    scheduler: Annotated[
        str | None, shell_option("--scheduler ADDRESS", "use the workers of this Dask scheduler")
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate the power to detect a difference, and how many people are needed."""
    if study is None:
        win_rates = plan_win_rates(win_rate, comparisons)
        show(win_rates.to_json(), HEADING, win_rates.table(), win_rates.sentences(), as_json)
        return
    if comparisons is not None:
        raise InputError("--comparisons", "is only for win rates without a study", "--evaluators")
    check_seed(seed)
    loaded = load_any(study)
    planned = protocol_of(loaded).planned(loaded, method)
    asked = Asked(
        difference=planned.choose_difference(difference, win_rate),
        numbers=parse_numbers(evaluators) if evaluators else (),
        condition=condition,
        studies=studies,
        seed=seed,
        scheduler=scheduler,
    )
    with progress() as bar:
        task = bar.add_task("Planning", total=None)

        def tell(stage: str, done: int, of: int) -> None:
            bar.update(task, description=stage, completed=done, total=of)

        plan = plan_power(planned, asked, tell)
    if not as_json:
        err.print("[bold yellow]SIMULATED EVALUATORS: no people were asked[/]")
    show(plan_object(plan), heading(plan), power_table(plan), plan_sentences(plan), as_json)


def show(
    plan: dict[str, Any], title: str, table: Table, sentences: Iterable[str], as_json: bool
) -> None:
    if as_json:
        print_json(plan)
        return
    out.print(title, markup=False, style="bold")
    out.print(grid(table))
    for sentence in sentences:
        out.print(sentence, markup=False)


def parse_numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not (part.isascii() and part.isdigit() and len(part) < 10):
            raise InputError("--evaluators", f"{part!r} is not a number", "such as 10,20,30,60")
    return tuple(map(int, parts))
