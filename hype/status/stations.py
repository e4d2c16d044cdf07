"""What `hype status` says of the stations of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

from rich.table import Table
from rich.text import Text

from hype.session.stations import SeveralTimes, StationProgress
from hype.status.kit import counts, new_table

MOST_NAMED: Final = 5
"""Codes that are named in one line."""


def stations_object(
    stations: Sequence[StationProgress], several: Sequence[SeveralTimes]
) -> dict[str, object]:
    """Give everything for programs."""
    return {
        "stations": [asdict(one) for one in stations],
        "codes_at_several_stations": [asdict(one) for one in several],
    }


def table_of_stations(stations: Sequence[StationProgress]) -> Table:
    """Make the table of stations."""
    table = new_table()
    table.add_column("Station", overflow="fold", min_width=9)
    for name in ("Came", "Done", "Begun", "Answers"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Last answer", no_wrap=True)
    for one in stations:
        numbers = (one.evaluators, one.complete, one.active, one.trials)
        last = one.last_answered_unix_s
        when = "–" if last is None else f"{datetime.fromtimestamp(last):%Y-%m-%d %H:%M}"
        table.add_row(Text(one.station or "unknown"), *counts(numbers), when)
    return table


def said_of_codes(several: Sequence[SeveralTimes]) -> Iterator[str]:
    """Say which codes several records have, if any."""
    if not several:
        return
    some = ", ".join(one.code for one in several[:MOST_NAMED])
    more = f" and {len(several) - MOST_NAMED:,} more" if len(several) > MOST_NAMED else ""
    first = several[0]
    named = " and ".join(first.evaluators[:2]) + (", …" if len(first.evaluators) > 2 else "")
    yield (
        f"{some}{more} came at more than one station, as different evaluators; here {first.code} "
        f"is {named}"
    )
