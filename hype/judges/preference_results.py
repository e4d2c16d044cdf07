"""What is known of preference models: frozen, and plain in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hype.judges.results import JudgesScore
from hype.statistics.json import JsonValue, plain

if TYPE_CHECKING:
    from hype.judges.benchmark import Benchmark
    from hype.judges.verdicts import Figure, Verdict


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """A preference model between two conditions.

    Parameters
    ----------
    a, b
        The conditions, sorted.
    accuracy, comparisons
        Share of people's choices between their images that it gets right, and how many.
    groups_right, groups_wrong
        Groups of images in which it agrees with most people, and does not; halves of people and
        equal scores do not count.
    p, p_holm
        Exact, two-sided, of both being equally likely; corrected for the number of pairs.
    """

    a: str
    b: str
    accuracy: float | None
    comparisons: int
    groups_right: int
    groups_wrong: int
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, kw_only=True)
class PreferenceAgreement:
    """One preference model against people's rankings.

    Parameters
    ----------
    judge
        Which.
    images, of_images
        Images that it scored, of those that people ranked (in the held-out part, where there is
        one).
    comparisons, of_comparisons
        People's choices between two images that it scored, of all.
    accuracy
        Share that it gets right; equal scores count as half. The interval knows evaluators and
        groups.
    p
        Of an accuracy of one half, two-sided.
    single
        Expected share that another person would get right of the same choices; its `n` counts
        those of pairs that two or more people decided. None where nobody did.
    average
        Share of the pairs of images in which it agrees with the mean rank over people, in groups
        that two or more ranked.
    first_choice
        Share of rankings whose best image is its best; rankings of which it scored every image.
    log_loss
        Mean of −ln softmax of the scores at people's choice; ln 2 is a coin's.
    pairs
        By conditions.
    verdict, said
        In a word and in sentences.
    """

    judge: str
    images: int
    of_images: int
    comparisons: int
    of_comparisons: int
    accuracy: Figure
    p: float | None
    single: Figure | None
    average: Figure | None
    first_choice: Figure | None
    log_loss: float | None
    pairs: tuple[PairAccuracy, ...]
    verdict: Verdict
    said: tuple[str, ...]

    @property
    def coverage(self) -> float:
        return self.images / self.of_images if self.of_images else 0.0

    def to_json(self) -> dict[str, JsonValue]:
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**members, "coverage": self.coverage}


@dataclass(frozen=True, kw_only=True)
class RankingJudgesScore(JudgesScore):
    """Preference models against people's rankings.

    Parameters
    ----------
    held_out
        True: only what the column split calls test was used. None: there is no such column, so
        nobody knows here whether a model was trained on these images.
    judges
        The highest accuracy first.
    benchmarks
        By judge: its scores over prompts, where its file has conditions and prompts.
    """

    against: ClassVar[str] = "rankings"

    held_out: bool | None
    judges: tuple[PreferenceAgreement, ...]
    benchmarks: tuple[Benchmark, ...] = ()

    def judge(self, name: str) -> PreferenceAgreement:
        """Give a model.

        Raises
        ------
        KeyError
            There is no such model.
        """
        return {one.judge: one for one in self.judges}[name]
