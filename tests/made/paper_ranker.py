"""An evaluator of rankings without a window, and a sound record of such a study."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_once import made_once
from paper_comparer import DEMOGRAPHICS, PaperComparer
from paper_station import record_of
from rated_studies import ranked_study, simulate
from verified_records import attend

from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.trial import Act, RankingTrial
from hype.session.steps import Response


def in_order(trial: RankingTrial, n: int) -> Response:
    """Take the images in the order in which they are shown."""
    return Response(trial.acts[0] if trial.unplaced else Act.ACCEPT.value, "a", 1000.0 + n)


def wavering(trial: RankingTrial, n: int) -> Response:
    """Use all acts: undo acts, move images, and let images share a place."""
    if n % 11 == 10 and (moves := [*trial.standing.moves()]):
        return Response(moves[n % len(moves)], "mouse", 600.0)
    for act, every in ((Act.UNDO, 5), (Act.TIE, 3)):
        if n % every == every - 1 and act.value in trial.acts:
            return Response(act.value, "mouse", 700.0)
    if not trial.unplaced:
        return Response(Act.ACCEPT.value, "space", 900.0)
    return Response(trial.unplaced[n % len(trial.unplaced)], "mouse", 800.0 + n)


@dataclass
class PaperRanker(PaperComparer):
    """A paper station for rankings, whose clock advances; ``chooses`` returns the next act.

    ``consents``, ``withholds`` and ``stops_at`` (a number of acts) are as in `PaperComparer`.
    """

    chooses: Any = in_order


@made_once
def ranked_soundly(folder: Path, **changes: Any) -> RankingStudy:
    """Make a study whose record contains every kind of evaluator, and no fault.

    ``p01`` left in the middle of a ranking and returned; ``p02`` answered no question about
    themselves; ``p03`` declined; ``p04`` undoes acts, ties images and came three times; ``p05``
    left in the middle of a ranking and has not returned yet; ``check1`` is a checker who left and
    returned. Two simulated evaluators and their checker have also ranked.
    """
    changes["ranking"] = {"ties": True} | changes.get("ranking", {})
    study = ranked_study(folder, files=True, demographics=DEMOGRAPHICS, **changes)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker(stops_at=8), PaperRanker())
        attend(engine, study, "p02", PaperRanker(withholds=True))
        attend(engine, study, "p03", PaperRanker(consents=False))
        visits = [PaperRanker(chooses=wavering, stops_at=stop) for stop in (3, 14, None)]
        attend(engine, study, "p04", *visits)
        attend(engine, study, "p05", PaperRanker(chooses=wavering, stops_at=11))
        attend(engine, study, "check1", PaperRanker(stops_at=7), PaperRanker(chooses=wavering))
    simulate(study, 2)
    return study
