"""How long people took to answer: quartiles, by condition, and how far evaluators differ.

Response times are skewed and have no natural upper end, so all figures are quantiles and counts;
there are no means. Quantiles interpolate linearly (Hyndman & Fan 1996, "Sample quantiles in
statistical packages", The American Statistician 50, 361-365, definition 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.statistics.proportions import median_interval

TOO_FAST_MS: Final = 200.0
"""A choice between two keys that begins with the picture takes people longer. In HYPE_time the
clock starts after the masks, and a decision may have been made before: there it proves nothing."""
TOO_SLOW_MS: Final = 60_000.0
"""Somebody did something else meanwhile."""


def response_times(
    judgements: pd.DataFrame, conditions: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Sum up the response times of one protocol.

    Parameters
    ----------
    judgements
        Those of the protocol, as `check_judgements` returns them.
    conditions
        In the order wanted; one without any response time is left out.

    Returns
    -------
    tuple of dict
        A row for each condition: ``median`` and ``quartiles`` of its times in ms;
        ``evaluators_median``, that of evaluators' medians, with its interval between two of theirs
        (`median_interval`; without ends of fewer than six); how many times are ``too_fast`` and
        ``too_slow``, which are among all the others here; and how many are ``missing``.
    """
    if "rt_ms" not in judgements:
        return ()
    times = judgements[["condition", "evaluator", "rt_ms"]]
    by_condition = dict(list(times.groupby(times["condition"].astype(str))))
    rows = []
    for condition in conditions:
        every = by_condition[condition]
        known = every.dropna(subset="rt_ms")
        if known.empty:
            continue
        rt_ms = known["rt_ms"].to_numpy(dtype=float)
        low_ms, median_ms, high_ms = np.quantile(rt_ms, (0.25, 0.5, 0.75)).tolist()
        medians_ms = np.sort(known.groupby("evaluator", observed=True)["rt_ms"].median())
        rows.append(
            {
                "condition": condition,
                "median": median_ms,
                "quartiles": (low_ms, high_ms),
                "evaluators_median": float(np.median(medians_ms)),
                "evaluators_interval": median_interval(medians_ms) or (None, None),
                "too_fast": int((rt_ms < TOO_FAST_MS).sum()),
                "too_slow": int((rt_ms > TOO_SLOW_MS).sum()),
                "missing": len(every) - len(known),
            }
        )
    return tuple(rows)
