"""Open studies, plan them, and run them with simulated evaluators."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hype.errors import InputError
from hype.library.result import Result, library_function, whole
from hype.planning.planned import Asked
from hype.planning.power import (
    heading,
    plan_object,
    plan_power,
    plan_sentences,
    power_drawing,
    power_table,
)
from hype.protocols.comparison.power import HEADING, plan_win_rates
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.report import tabular
from hype.session.simulate import simulate_study, summarise
from hype.study.studies import AnyStudy


@dataclass(frozen=True, repr=False)
class Study:
    """A study, opened by `open_study`. It can be used as a path.

    Attributes
    ----------
    source : str
        The study's file or folder, as given.
    """

    source: str

    @cached_property
    def loaded(self) -> AnyStudy:
        """The internal object of the study; the names of its attributes may change."""
        return load_any(Path(self.source))

    @property
    def name(self) -> str:
        return self.loaded.settings.study.name

    @property
    def methods(self) -> tuple[str, ...]:
        """The kinds of questions: "time", "infinity", "comparison", "rating" or "ranking"."""
        return tuple(self.loaded.settings.study.methods)

    @property
    def folder(self) -> Path:
        return self.loaded.folder

    @property
    def checksum(self) -> str:
        """SHA-256 (hex) of all settings; the same checksum means the same study."""
        return self.loaded.checksum()

    @property
    def settings(self) -> dict[str, Any]:
        """A copy of all settings, including defaults, under their names in the study file."""
        settings: dict[str, Any] = json.loads(self.loaded.settings.model_dump_json())
        return settings

    def __fspath__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {', '.join(self.methods)}; {self.source}>"

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(repr(self)[1:-1])}</strong></p>"


@library_function
def open_study(source: str | PathLike[str]) -> Study:
    """Open a study; all functions that take a study also take its path.

    Parameters
    ----------
    source
        A ``study.toml``, or its folder.

    Raises
    ------
    InputError
        There is no such study, or the file is wrong; the message names the key.

    Examples
    --------
    >>> import hype
    >>> hype.open_study("nowhere")
    Traceback (most recent call last):
        ...
    hype.errors.InputError: nowhere: there is no such study; make one with: hype new DIR
    """
    study = Study(fspath(source))
    _ = study.loaded
    return study


def study_in(source: str | PathLike[str]) -> AnyStudy:
    """Read the file of a study."""
    return open_study(source).loaded


@library_function
def simulate(
    study: str | PathLike[str],
    evaluators: int | None = None,
    *,
    seed: int = 0,
    fresh: bool = False,
    new_version: bool = False,
) -> Result:
    """Run a study with simulated evaluators; their answers go into the study's record.

    These answers are marked as simulated and are never scored together with people's answers.
    ``hype.score(study, simulated=True)`` scores them.

    Parameters
    ----------
    study
        A ``study.toml``, its folder, or the result of `open_study`.
    evaluators
        Number of evaluators, 1 or more; by default as many as the design has places.
    seed
        Seed of the simulated people and their answers.
    fresh
        Delete all simulated sessions first.
    new_version
        Accept that the study file has changed; new evaluators get the new version.

    Returns
    -------
    Result
        A table with the number of evaluators per condition, methods and ending of the session.
        It has no figures.

    Raises
    ------
    InputError
        The study, its stimuli or its masks are wrong.
    HypeError
        The record cannot be written, or does not fit the study.
    """
    loaded = study_in(study)
    start = time.perf_counter()
    came = simulate_study(
        course_of(loaded),
        None if evaluators is None else whole("evaluators", evaluators, 1),
        seed=whole("seed", seed, 0),
        fresh=fresh,
        new_version=new_version,
    )
    made = summarise(loaded, came, time.perf_counter() - start)
    columns = (
        tabular.name("Condition", "condition"),
        tabular.name("Method", "method"),
        tabular.name("Ending", "ending"),
        tabular.whole("Evaluators", "evaluators"),
    )
    cells: Any = made["cells"]
    rows = tuple(
        (cell["condition"], ", ".join(cell["methods"]), cell["ending"], cell["evaluators"])
        for cell in cells
    )
    table = tabular.Table(name="sessions", title="Sessions", columns=columns, rows=rows)
    return Result(
        heading=f"{len(came):,} evaluators of {loaded.settings.study.name}",
        simulated=True,
        make_object=lambda: made,
        make_tables=lambda: (table,),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Power(Result):
    """The power to detect a difference, computed by `power`.

    Attributes
    ----------
    needed : int or None
        For a study: the number of evaluators that gives 80 % power. If you gave numbers to try, it
        is the smallest that is enough, or None. Without a study: the number of comparisons needed.
    """

    needed: int | None


STUDIES = 200


@library_function
def power(
    study: str | PathLike[str] | None = None,
    *,
    difference: float | None = None,
    win_rate: float | None = None,
    evaluators: Sequence[int] = (),
    comparisons: int | None = None,
    method: str | None = None,
    condition: str | None = None,
    studies: int = STUDIES,
    seed: int = 0,
    workers: int = 1,  # noqa: ARG001 - `library_function` takes it
) -> Power:
    """Estimate the power to detect a difference, and how many people are needed.

    Parameters
    ----------
    study
        A study of any protocol: a path, or the result of `open_study`. Without a study, give
        ``win_rate`` or ``comparisons``.
    difference
        Difference between two scores, in their unit: percentage points (infinity), ms (time), Elo
        points (comparisons, rankings, ratings of pairs) or points of the scale. 0 gives the rate of
        false alarms. By default the study's planned difference, or that of its simulated observers.
    win_rate
        The difference as a win rate, above 0 and below 1. Without a study, the result is the
        number of independent comparisons that detect it.
    evaluators
        Numbers of evaluators per condition to try, 2 or more; by default, the number that gives
        80 % power is searched for.
    comparisons
        Without a study: number of independent comparisons; the result is the win rate they detect.
    method
        The score to use, if the study has several: "time" or "infinity", or an axis of ratings.
    condition
        The condition to compare with a rival; by default the one with the middle simulated score.
    studies
        Number of simulated studies for each number of evaluators.
    seed
        Seed of the simulated people and of other random numbers.
    workers
        Number of processes; more than 1 needs the guard ``if __name__ == "__main__":``.

    Returns
    -------
    Power
        A table with a row for each number of evaluators, or for each win rate; and ``needed``.

    Raises
    ------
    InputError
        The study is wrong, or an argument is missing or out of range.

    Examples
    --------
    >>> import hype
    >>> hype.power(win_rate=0.55).needed
    778
    """
    if study is None:
        win_rates = plan_win_rates(win_rate, comparisons)
        return Power(
            needed=win_rates.needed,
            heading=HEADING,
            notes=tuple(win_rates.sentences()),
            make_object=win_rates.to_json,
            make_tables=lambda: (win_rates.table(),),
        )
    if comparisons is not None:
        raise InputError("comparisons", "is only for win rates without a study", "evaluators")
    loaded: Any = study_in(study)
    planned = protocol_of(loaded).planned(loaded, method)
    asked = Asked(
        difference=planned.choose_difference(difference, win_rate),
        numbers=tuple(map(int, evaluators)),
        condition=condition,
        studies=studies,
        seed=whole("seed", seed, 0),
    )
    plan = plan_power(planned, asked, lambda _stage, _done, _of: None)
    return Power(
        needed=plan.needed,
        heading=heading(plan),
        notes=tuple(plan_sentences(plan)),
        simulated=True,
        make_object=lambda: plan_object(plan),
        make_tables=lambda: (power_table(plan),),
        make_drawings=lambda: (power_drawing(plan),),
    )
