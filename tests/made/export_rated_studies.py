"""Studies of ratings and rankings whose records contain every case that an export must handle."""

from pathlib import Path
from random import Random
from typing import Any, Final

from builders import rewrite_rows
from export_comparing_studies import COMPARING
from paper_ranker import PaperRanker, wavering
from paper_rater import PaperRater, in_the_middle
from paper_station import record_of
from rated_studies import RANKED_PROMPTS, RATED_PROMPTS, ranked_study, rated_study, simulate
from verified_records import attend

from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import RatingTrial
from hype.session.steps import Response

STRANGE: Final = {
    "crude": "=cmd()",
    "fine": "NA",
    "good": 'a "b", c',
    **dict(zip(RANKED_PROMPTS, ("=1+1", "N/A", '<b>"two"</b>, three'), strict=True)),
}
"""Names of conditions and prompts that a spreadsheet, a page or a table could misread."""
CHANGED: Final[dict[str, Any]] = {
    "study": {"name": 'Über; "x", =1+1'},
    "observers": None,
    "demographics": COMPARING["demographics"],
    "exclusion": COMPARING["exclusion"],
    "follow_up": {"why": 0.3},
}


def with_strange_names(_number: int, row: dict[str, str]) -> dict[str, str]:
    """Return a manifest's row with strange names for its condition and prompt."""
    return row | {key: STRANGE.get(row[key], row[key]) for key in ("condition", "prompt")}


def anything(trial: RatingTrial, n: int) -> Response:
    """Return any answer."""
    return Response(Random(n).choice(trial.axis.answers), "1", 900.0 + n)


def strange_ratings(folder: Path, **changes: Any) -> RatingStudy:
    """Make a study of ratings with strange names; its people finish, return, decline or leave.

    Two simulated evaluators have also rated.
    """
    study = rated_study(folder, files=True, **CHANGED | changes)
    rewrite_rows(study.stimuli_folder / "manifest.csv", with_strange_names)
    with record_of(study) as engine:
        attend(engine, study, "p-1", PaperRater(stops_at=4), PaperRater(chooses=anything))
        attend(engine, study, "p1", PaperRater(chooses=in_the_middle, withholds=True))
        attend(engine, study, "unwilling", PaperRater(consents=False))
        attend(engine, study, "unfinished", PaperRater(stops_at=5))
    simulate(study, 2)
    return study


def strange_rankings(folder: Path, **changes: Any) -> RankingStudy:
    """Make a study of rankings with strange names, and with every kind of participant.

    ``p-1`` and ``p2`` leave and return; ``p-1`` and ``p1`` fail the screening if there is one;
    ``check1`` is a checker. Two simulated evaluators and their checker have also ranked.
    """
    changes["ranking"] = {"ties": True} | changes.get("ranking", {})
    study = ranked_study(folder, files=True, **CHANGED | changes)
    rewrite_rows(study.stimuli_folder / "manifest.csv", with_strange_names)
    with record_of(study) as engine:
        attend(engine, study, "p-1", PaperRanker(stops_at=8), PaperRanker())
        attend(engine, study, "p1", PaperRanker(withholds=True))
        visits = [PaperRanker(chooses=wavering, stops_at=stop) for stop in (14, None)]
        attend(engine, study, "p2", *visits)
        attend(engine, study, "unwilling", PaperRanker(consents=False))
        attend(engine, study, "unfinished", PaperRanker(chooses=wavering, stops_at=12))
        attend(engine, study, "check1", PaperRanker(chooses=wavering))
    simulate(study, 2)
    return study


SINGLE: Final[dict[str, Any]] = {"rating": {"of": "images"}}
HELD_OUT: Final[dict[str, Any]] = {"ranking": {"held_out": 0.34}, "screening": {"min_recall": 0.6}}
"""A third of the prompts is held out, and evaluators who fail the screening are not scored."""
PROMPTS: Final = tuple(STRANGE[prompt] for prompt in RATED_PROMPTS)
