"""Compute Spearman's correlations of HYPE with automated metrics, the paper's and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from outcomes import Outcome
from published import Run
from scipy import stats

METRICS: Final = ("kid", "fid", "precision")
FACES: Final = ("celeba-64", "ffhq-1024")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Runs that the paper correlates, and the three coefficients that it prints."""

    name: str
    holds: Callable[[Run], bool]
    printed: tuple[str, str, str]


GROUPS: Final = (
    Group(
        name="faces, 6 models",
        holds=lambda run: run.study in FACES,
        printed=("-0.609", "-0.029", "0.657"),
    ),
    Group(
        name="ImageNet-5",
        holds=lambda run: run.study.startswith("imagenet-5"),
        printed=("-0.377", "-0.282", "-0.067"),
    ),
    Group(
        name="ImageNet-5, SN-GAN",
        holds=lambda run: run.study.startswith("imagenet-5") and run.condition == "sn-gan",
        printed=("-0.500", "-0.300", "-0.205"),
    ),
    Group(
        name="ImageNet-5, BigGAN",
        holds=lambda run: run.study.startswith("imagenet-5") and run.condition != "sn-gan",
        printed=("-0.151", "-0.067", "-0.164"),
    ),
    Group(
        name="CIFAR-10",
        holds=lambda run: run.study == "cifar-10",
        printed=("-0.600", "0.600", "-0.800"),
    ),
)
HEADER: Final = ("over", "with", "n", "ours", "from their table", "as they print it")


def rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each group and metric, and one for the two methods."""
    scores = {run: outcome.condition(run)["score"] for outcome in outcomes for run in outcome.runs}
    yield between_methods(scores)
    for group in GROUPS:
        for metric, printed in zip(METRICS, group.printed, strict=True):
            known = [
                run
                for run in scores
                if run.method == "infinity" and group.holds(run)
                if getattr(run, metric) is not None
            ]
            values = [getattr(run, metric) for run in known]
            ours = rho([scores[run] for run in known], values)
            theirs = rho([run.score for run in known], values)
            yield group.name, metric, str(len(known)), ours, theirs, printed


def between_methods(scores: dict[Run, float]) -> tuple[str, ...]:
    """Correlate HYPE_time with HYPE_infinity; models at the shortest exposure tie in HYPE_time."""
    timed = [run for run in scores if run.method == "time"]
    key = {(run.study, run.condition): run for run in scores if run.method == "infinity"}
    untimed = [key[run.study, run.condition] for run in timed]
    ours = rho(
        [100.0 if r.bottomed_out else scores[r] for r in timed], [scores[r] for r in untimed]
    )
    theirs = rho([run.score for run in timed], [run.score for run in untimed])
    return GROUPS[0].name, "HYPE_time", str(len(timed)), ours, theirs, "1.0"


def rho(one: Sequence[float], other: Sequence[float]) -> str:
    """Write Spearman's coefficient."""
    return f"{stats.spearmanr(one, other).statistic:.3f}"
