"""Studies: opened, and gone through by simulated evaluators."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

import numpy as np

from hype.library.result import Result, from_python, seed_of, whole
from hype.protocols.load import load_any
from hype.protocols.opening import opened
from hype.protocols.registry import course_of
from hype.report import tabular
from hype.session.simulate import simulated_study, summarise
from hype.study.studies import AnyStudy


@dataclass(frozen=True, repr=False)
class Study:
    """A study, as its file has it; `open_study` gives it. It stands for its path.

    Attributes
    ----------
    source : str
        Its file or its folder, as it was given.
    """

    source: str

    @cached_property
    def loaded(self) -> AnyStudy:
        """What was read; its names may move."""
        opened_study = opened(self.source)
        return (
            load_any(opened_study)
            if isinstance(opened_study, Path)
            else cast("AnyStudy", opened_study)
        )

    @property
    def name(self) -> str:
        return self.loaded.settings.study.name

    @property
    def methods(self) -> tuple[str, ...]:
        """What is asked: "time", "infinity", "comparison", "rating" or "ranking"."""
        return tuple(self.loaded.settings.study.methods)

    @property
    def folder(self) -> Path:
        return self.loaded.folder

    @property
    def checksum(self) -> str:
        """SHA-256 (hex) of all settings: who was given the same was asked the same."""
        return self.loaded.checksum()

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, defaults included, as the study file names them; a copy."""
        settings: dict[str, Any] = json.loads(self.loaded.settings.model_dump_json())
        return settings

    def __fspath__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {', '.join(self.methods)}; {self.source}>"

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(repr(self)[1:-1])}</strong></p>"


@from_python
def open_study(source: str | PathLike[str]) -> Study:
    """Open a study; wherever a study is asked for, its path does as well.

    Parameters
    ----------
    source
        A ``study.toml``, or the folder that holds it.

    Raises
    ------
    InputError
        There is no such study, or its file is wrong: the message names the key.

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
    """Read the file of a study that lies here."""
    return open_study(source).loaded


@from_python
def simulate(
    study: str | PathLike[str],
    evaluators: int | None = None,
    *,
    seed: int | np.random.Generator = 0,
    fresh: bool = False,
    new_version: bool = False,
) -> Result:
    """Let simulated evaluators go through a study; their answers go into its record.

    They are marked as simulated, and never scored together with people: ``hype.score(study,
    simulated=True)`` scores them.

    Parameters
    ----------
    study
        A ``study.toml``, its folder, or what `open_study` gave.
    evaluators
        How many come, 1 or more; by default as many as fill every place of the design.
    seed
        Of the simulated people and their answers, or a generator that gives one.
    fresh
        First discard all simulated sessions.
    new_version
        The study file was changed on purpose, and newcomers are given another version.

    Returns
    -------
    Result
        How many came and how their sessions ended, by place of the design; no figure.

    Raises
    ------
    InputError
        The study, its stimuli or its masks are wrong.
    HypeError
        Its record cannot be written, or does not go with the study.
    """
    loaded = study_in(study)
    start = time.perf_counter()
    came = simulated_study(
        course_of(loaded),
        None if evaluators is None else whole("evaluators", evaluators, 1),
        seed=seed_of(seed),
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
        value=tuple(came),
        heading=f"{len(came):,} evaluators of {loaded.settings.study.name}",
        simulated=True,
        make_object=lambda: made,
        make_tables=lambda: (table,),
    )
