"""An evaluator of ratings without a window, and a sound record of such a study."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_once import made_once
from paper_comparer import DEMOGRAPHICS, PaperComparer
from paper_station import record_of
from rated_studies import rated_study, simulate
from verified_records import attend

from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import RatingTrial
from hype.session.steps import Response


def in_turn(trial: RatingTrial, n: int) -> Response:
    """Give all possible answers, one after the other."""
    answers = trial.axis.answers
    return Response(answers[n % len(answers)], str(n % 10), 1000.0 + n)


def in_the_middle(trial: RatingTrial, n: int) -> Response:
    """Choose the middle level with the mouse."""
    levels = trial.axis.levels
    return Response(levels[len(levels) // 2], "mouse", 900.0)


@dataclass
class PaperRater(PaperComparer):
    """A paper station for ratings, whose clock advances; ``chooses`` returns the next rating.

    ``consents``, ``withholds`` and ``stops_at`` (a number of trials) are as in `PaperComparer`.
    """

    chooses: Any = in_turn


@made_once
def rated_soundly(folder: Path, **changes: Any) -> RatingStudy:
    """Make a study whose record contains every kind of evaluator, and no fault.

    ``p01`` left in the middle of an item and returned; ``p02`` answered no question about
    themselves; ``p03`` declined; ``p04`` came three times; ``p05`` left in the middle of an item
    and has not returned yet. Two simulated evaluators have also rated.
    """
    study = rated_study(folder, files=True, demographics=DEMOGRAPHICS, **changes)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRater(stops_at=8), PaperRater())
        attend(engine, study, "p02", PaperRater(chooses=in_the_middle, withholds=True))
        attend(engine, study, "p03", PaperRater(consents=False))
        attend(engine, study, "p04", *[PaperRater(stops_at=stop) for stop in (2, 7, None)])
        attend(engine, study, "p05", PaperRater(stops_at=5))
    simulate(study, 2)
    return study
