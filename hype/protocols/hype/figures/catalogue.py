"""All figures of a report, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.hype.figures.errors import error_drawing
from hype.protocols.hype.figures.exposures import exposure_drawing
from hype.protocols.hype.figures.intervals import interval_drawing
from hype.protocols.hype.figures.precision import precision_drawing
from hype.protocols.hype.figures.psychometric import psychometric_drawing
from hype.protocols.hype.figures.response_times import response_time_drawing
from hype.protocols.hype.figures.staircases import known_bounds_ms, staircase_drawing

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.hype.results import Score
    from hype.report.figures.drawing import Drawing


def drawings(
    score: Score, judgements: pd.DataFrame, *, settles_at: float | None = None
) -> tuple[Drawing, ...]:
    """Prepare the figures of one protocol; those that lack their data are left out.

    Parameters
    ----------
    score
        Of that protocol.
    judgements
        As `hype.analysis.check_judgements` returns them, of those who have finished; of all
        protocols.
    settles_at
        The accuracy at which the study's staircase settles, 0 to 1, if known.
    """
    own = judgements[judgements["task"].eq(score.protocol)]
    timed = score.protocol == "time"
    bounds_ms = known_bounds_ms(score, own)
    found = (
        interval_drawing(score, bounds_ms),
        error_drawing(score),
        staircase_drawing(score, own, bounds_ms) if timed else None,
        psychometric_drawing(score, own, settles_at=settles_at) if timed else None,
        precision_drawing(score),
        response_time_drawing(score, own),
    )
    return tuple(drawing for drawing in found if drawing is not None)


def timing_drawings(judgements: pd.DataFrame) -> tuple[Drawing, ...]:
    """Prepare the figures on how long things were on the screen; none if that was not measured.

    Parameters
    ----------
    judgements
        As for `drawings`.
    """
    drawing = exposure_drawing(judgements)
    return (drawing,) if drawing else ()
