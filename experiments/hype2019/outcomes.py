"""Compare the results of one run of the paper's design with the published ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chance import Repeats, repeat, same_order
from implied import Tests, interval_of, tests_of
from published import EVALUATORS, HERE, Run, Verdict, read_runs, read_verdicts, study_names
from runs import average_observers, read_study, seed_of, simulate, with_observers

from hype.protocols.hype.scoring import score
from hype.report.scores import Scores
from hype.report.tabular import Row
from hype.statistics.pairs import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The published and simulated results of one study with one method."""

    runs: tuple[Run, ...]
    verdicts: tuple[Verdict, ...]
    ours: Scores
    seed: int

    @property
    def study(self) -> str:
        """The study's name."""
        return self.runs[0].study

    @property
    def method(self) -> str:
        """The method's name."""
        return self.runs[0].method

    def condition(self, run: Run) -> Row:
        """Return our figures of a run."""
        return next(c for c in self.ours.rows("conditions") if c["condition"] == run.condition)

    def pair(self, verdict: Verdict) -> Pair:
        """Return our test of two conditions."""
        wanted = {verdict.a, verdict.b}
        return next(pair for pair in self.ours.rows("tukey") if {pair.a, pair.b} == wanted)

    def separable(self, verdict: Verdict) -> bool:
        """Return our verdict."""
        if verdict.test == "pair":
            return bool(self.pair(verdict).separable)
        anova = next(iter(self.ours.rows("anova")), None)
        return anova is not None and anova.p is not None and anova.p < self.ours.facts["alpha"]

    def inside(self, run: Run) -> bool:
        """Return whether our score is within the published interval."""
        low, high = interval_of(run, self.runs)
        return low <= self.condition(run)["score"] <= high

    def same(self, verdict: Verdict) -> bool:
        """Return whether our verdict is the published one."""
        return self.separable(verdict) == verdict.separable

    def same_order(self) -> bool:
        """Return whether our scores have the published order."""
        return same_order(self.runs, [self.condition(run)["score"] for run in self.runs])

    def right_df(self) -> bool:
        """Return whether the degrees of freedom are those of 30 people for each condition."""
        anova, k = next(iter(self.ours.rows("anova")), None), len(self.runs)
        wanted = (k - 1, k * EVALUATORS - k)
        return anova is not None and (anova.df_between, anova.df_within) == wanted

    def implied(self) -> Tests:
        """Return the tests that the published means and Stds imply."""
        return tests_of(self.runs)

    def repeats(self) -> Repeats:
        """Repeat the study as if the published figures were true."""
        return repeat(self.runs)

    def counted(self) -> tuple[Verdict, ...]:
        """Return the verdicts that can follow from the published figures."""
        return tuple(verdict for verdict in self.verdicts if verdict.follows)

    def checks(self) -> Mapping[str, list[bool]]:
        """Return all checks, by kind."""
        return {
            "scores within the published intervals": [
                self.inside(run) for run in self.runs if run.ci_low is not None
            ],
            "scores within intervals that are implied": [
                self.inside(run) for run in self.runs if run.ci_low is None
            ],
            "verdicts the same": [self.same(verdict) for verdict in self.counted()],
            "rank orders the same": [self.same_order()],
            "degrees of freedom right": [self.right_df()],
        }


def outcomes_of(
    name: str, *, first_seed: int, average: bool = False, folder: Path = HERE
) -> list[Outcome]:
    """Simulate and score one study, with its own observers or those that are right on average."""
    study, pools = read_study(folder, name)
    if average:
        study = with_observers(study, average_observers()[name])
    seed = seed_of(name, first=first_seed)
    frame = simulate(study, pools, seed=seed)
    return [
        Outcome(
            runs=tuple(r for r in read_runs() if (r.study, r.method) == (name, ours.protocol)),
            verdicts=tuple(
                v for v in read_verdicts() if (v.study, v.method) == (name, ours.protocol)
            ),
            ours=ours,
            seed=seed,
        )
        for ours in score(frame, two_way=False)
    ]


def all_outcomes(first_seed: int, *, average: bool = False) -> Iterator[Outcome]:
    """Yield the outcomes of all studies, simulated on all cores; HYPE_time first."""
    with ProcessPoolExecutor() as crew:
        work = partial(outcomes_of, first_seed=first_seed, average=average)
        found = [outcome for part in crew.map(work, study_names()) for outcome in part]
    yield from sorted(found, key=lambda outcome: outcome.method, reverse=True)
