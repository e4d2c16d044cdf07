"""A pool of simulated people, and the studies that are drawn from it.

Sessions run as in `hype simulate`, but their records are kept in memory. Answers are read and
checked as in any study. To draw a study, a given number of people are drawn from each group, with
replacement and with all their answers. Each drawn person gets a new code. A person gets the same
random numbers in every condition (common random numbers), so rival and baseline differ only in the
parameter, not in the people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import SessionProblem
from hype.planning.planned import Asked, PlannedScore
from hype.session.simulate import Simulation
from hype.session.steps import Ending
from hype.statistics.arrays import IntArray
from hype.store.columns import metadata
from hype.store.kept import keep_these
from hype.store.schema import tables
from hype.store.sqlite_files import connect, engine_over
from hype.study.assignment import Cell
from hype.workers import WorkerPool

CHUNK: Final = 25
"""A process simulates this many people at a time."""
RAREST: Final = 20
"""A simulation stops if fewer than one in `RAREST` people passes the qualification."""
ANSWERS: Final = 170_000
"""About this many answers are simulated for each condition."""
FEWEST: Final = 200
MOST: Final = 1_000
"""The minimum and maximum number of people that are simulated for a condition."""
FIRST_FEW: Final = 4
FEW_ANSWERS: Final = 50_000
"""With fewer answers, one process simulates all, since starting more takes longer."""
OTHERS: Final = 10
"""A group that judges neither baseline nor rival has this many people, enough for the scores."""
IN_STUDY: Final = 2
"""A drawn study has at most this many people from a group that judges neither condition."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class SimulatedPeople:
    """The answers of simulated people who finished."""

    rows: pd.DataFrame
    first: int  # the number of the first person
    came: int
    minutes: float  # the expected time of a session

    @property
    def complete(self) -> int:
        return int(self.rows["evaluator"].nunique())


def simulate_some(
    planned: PlannedScore, settings: Any, cells: tuple[Cell, ...], numbers: range, seed: int
) -> SimulatedPeople:
    """Simulate people of one group; the same numbers and seed give the same people."""
    keep_these(planned.outgoing.answers)
    own: Any = planned.course
    course = type(own)(replace(own.study, settings=settings), own.pools)
    course.cells = cells
    with closing(connect(":memory:")) as memory:
        engine = engine_over(memory)
        with engine.begin() as connection:
            metadata.create_all(connection, tables=tables())
        simulation = Simulation(engine, course, seed=seed)
        with engine.begin() as connection:
            came = [simulation.simulate_alone(connection, f"planned-{n:05d}") for n in numbers]
        answers = planned.outgoing.read(
            engine, course.study, simulated=True, columns=planned.columns
        )
        rows = pd.DataFrame(list(answers.rows), columns=list(answers.columns))
    complete = [one.evaluator for one in came if one.ending is Ending.COMPLETE]
    kept = [name for name in rows if name in planned.columns or name == "excluded"]
    return SimulatedPeople(
        rows=rows.loc[rows["evaluator"].isin(complete), kept],
        first=numbers.start,
        came=len(came),
        minutes=max(one.minutes for one in came),
    )


def people_wanted(planned: PlannedScore, baseline: str, seed: int) -> tuple[int, int]:
    """Choose how many people to simulate per group; also return the number of their answers.

    To limit the time, fewer people are simulated if the first few give many answers.
    """
    groups = [cells for serves, cells in planned.groups.items() if baseline in serves]
    first = simulate_some(planned, planned.settings, groups[0], range(FIRST_FEW), seed)
    each = max(1, len(first.rows) // max(1, first.complete))
    number = math.ceil(min(MOST, max(FEWEST, ANSWERS // each)) / len(groups))
    return number, number * each * len(groups)


@dataclass(kw_only=True, eq=False)
class PeopleSimulator:
    """Simulates people; if the rival changes, only groups that judge it are simulated again."""

    workers: WorkerPool
    planned: PlannedScore
    asked: Asked
    pair: tuple[str, str]  # the baseline and its rival
    progress: Progress
    known: dict[tuple[int, int], SimulatedPeople] = field(default_factory=dict)

    def pool(self, settings: Any, wanted: int, stage: str) -> Pool:
        """Simulate a pool, with ``wanted`` people in each group that judges baseline or rival."""
        groups, (_, rival) = self.planned.groups, self.pair
        parts = []
        for place, (serves, cells) in enumerate(groups.items()):
            number = OTHERS if set(self.pair).isdisjoint(serves) else wanted
            part = self.known.get((place, number))
            if part is None:
                told = f"{stage} ({place + 1} of {len(groups)})" if len(groups) > 1 else stage
                part = self.gather(settings, cells, number, told)
            if rival not in serves:
                self.known[place, number] = part
            parts.append(part)
        own = [
            part.rows.assign(evaluator=f"{place}-" + part.rows["evaluator"].astype(str))
            for place, part in enumerate(parts)
        ]
        frame = self.planned.check(pd.concat(own, ignore_index=True), simulated=True)
        codes = frame["evaluator"].cat.codes.to_numpy()
        starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
        names = frame["evaluator"].cat.categories[codes[starts]]
        group = np.array([int(str(name).partition("-")[0]) for name in names])
        return Pool(
            frame=frame,
            starts=starts,
            sizes=np.diff(np.r_[starts, len(frame)]),
            groups=tuple(np.flatnonzero(group == place) for place in range(len(parts))),
            came=sum(part.came for part in parts) / sum(part.complete for part in parts),
            minutes=parts[0].minutes,
            paid=self.planned.paid(frame) / len(starts),
            numbered=self.planned.numbered,
        )

    def gather(
        self, settings: Any, cells: tuple[Cell, ...], wanted: int, stage: str
    ) -> SimulatedPeople:
        """Simulate people until ``wanted`` of them have finished."""
        parts: list[SimulatedPeople] = []
        came = passed = 0
        while passed < wanted:
            if came and passed * RAREST < came:
                raise SessionProblem(
                    "simulated evaluators hardly ever pass the qualification; the study's "
                    "[observers] are too weak for the pass_rate"
                )
            more = math.ceil((wanted - passed) * (came / passed if passed else 1))
            numbers = range(came, came + more)
            calls = (
                (simulate_some, (self.planned, settings, cells, some, self.asked.seed))
                for at in range(0, more, CHUNK)
                for some in [numbers[at : at + CHUNK]]
            )
            for part in self.workers.run(calls):
                parts.append(part)
                passed += part.complete
                self.progress(stage, min(passed, wanted), wanted)
            came += more
        parts.sort(key=lambda part: part.first)
        rows = pd.concat([part.rows for part in parts], ignore_index=True)
        names = rows["evaluator"].unique()[:wanted]
        return SimulatedPeople(
            rows=rows[rows["evaluator"].isin(names)],
            first=0,
            came=round(came * wanted / passed),
            minutes=parts[0].minutes,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """The answers of all simulated people, as a checked frame that is sorted by person."""

    frame: pd.DataFrame
    # The first row and the number of rows of each person, shape (people,)
    starts: IntArray
    sizes: IntArray
    groups: tuple[IntArray, ...]  # The indices of the people in each of `PlannedScore.groups`.
    came: float  # People who started, divided by people who finished.
    minutes: float
    paid: float  # The mean number of paid answers per person.
    numbered: str = ""  # As in `PlannedScore`.

    def draw(self, numbers: Sequence[int], rng: np.random.Generator) -> pd.DataFrame:
        """Draw a study with these numbers of people from the groups, in random order."""
        who = np.concatenate(
            [rng.choice(own, number) for own, number in zip(self.groups, numbers, strict=True)]
        )
        rng.shuffle(who)
        sizes = self.sizes[who]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        frame = self.frame.take(np.repeat(self.starts[who], sizes) + within)
        codes = np.repeat(np.arange(len(who)), sizes)
        names = [f"{number:06d}" for number in range(len(who))]
        frame["evaluator"] = pd.Categorical.from_codes(codes, categories=pd.Index(names))
        if self.numbered:
            each = [codes, frame[self.numbered].to_numpy()]
            frame[self.numbered] = np.unique(each, axis=1, return_inverse=True)[1].ravel()
        return frame.reset_index(drop=True)


def people_in(planned: PlannedScore, evaluators: int) -> int:
    """Return how many people a study needs to have this many evaluators for each condition."""
    return math.ceil(evaluators * len(planned.conditions) / planned.each)


def numbers_of_groups(
    planned: PlannedScore, pair: tuple[str, str], evaluators: int, rng: np.random.Generator
) -> list[int]:
    """Divide the people of a study among its groups as evenly as possible."""
    least, more = divmod(people_in(planned, evaluators), len(planned.groups))
    numbers = np.full(len(planned.groups), least)
    numbers[rng.permutation(len(numbers))[:more]] += 1
    for place, serves in enumerate(planned.groups):
        if set(pair).isdisjoint(serves):
            numbers[place] = min(numbers[place], IN_STUDY)
    return [int(number) for number in numbers]
