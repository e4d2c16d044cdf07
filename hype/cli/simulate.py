"""`hype simulate`: sessions without a window."""

from __future__ import annotations

import time
from collections import Counter
from typing import Annotated

from hype.answers.choices import shell_option
from hype.cli.options import Json, NewVersion, StudyPath, check_seed
from hype.console import err, out, print_json, progress
from hype.errors import InputError, quote_path
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.simulate import Simulated, simulate_study, summarise
from hype.study.phrases import write_count
from hype.study.studies import AnyStudy


def simulate(
    study: StudyPath,
    evaluators: Annotated[
        int | None,
        shell_option(
            "--evaluators N",
            "add this many, over all conditions (default: enough to fill the design)",
        ),
    ] = None,
    seed: Annotated[int, shell_option("--seed S", "seed of all random numbers")] = 0,
    fresh: Annotated[bool, shell_option("--fresh", "first delete all simulated sessions")] = False,
    new_version: NewVersion = False,
    as_json: Json = False,
) -> None:
    """Let simulated evaluators go through a study, as fast as possible."""
    if evaluators is not None and evaluators < 1:
        raise InputError("--evaluators", f"{evaluators} is too few", "at least 1")
    check_seed(seed)
    loaded = load_any(study)
    start = time.perf_counter()
    results = run_simulation(loaded, evaluators, seed=seed, fresh=fresh, new_version=new_version)
    seconds = time.perf_counter() - start
    summary = summarise(loaded, results, seconds)
    if as_json:
        print_json(summary)
        return
    err.print("[bold yellow]SIMULATED EVALUATORS: no people were asked[/]")
    endings = Counter(result.ending.value for result in results)
    out.print(
        f"{write_count(len(results), 'simulated evaluator')} ("
        + ", ".join(f"{number} {ending}" for ending, number in endings.items())
        + f"), {summary['judgements']:,} {loaded.trials} (with practice and tests), {seconds:.1f} s"
    )
    if loaded.scores_nobody:
        out.print(f"See who passed: hype status {quote_path(study)} --simulated")
    else:
        again = " (with the same store)" if loaded.store else ""
        out.print(f"Score them with: hype score {quote_path(study)} --simulated{again}")


def run_simulation(
    study: AnyStudy,
    evaluators: int | None,
    *,
    seed: int,
    fresh: bool,
    new_version: bool = False,
    label: str = "Simulating",
) -> list[Simulated]:
    with progress() as bar:
        task = bar.add_task(label, total=None)
        return simulate_study(
            course_of(study),
            evaluators,
            seed=seed,
            fresh=fresh,
            new_version=new_version,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
