"""What of a study's answers is doubtful: what a central store did not take, or cannot be true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from hype.protocols.studies import AnyStudy
from hype.store.contradictions import Contradicted, list_contradicted


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """Rows of a central store that cannot be true, and are not read.

    Attributes
    ----------
    station
        From where they are; None where that is not known.
    kind
        The table that they stand in.
    rows
        How many.
    """

    station: str | None
    kind: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """All of it, of people or of simulated evaluators; rows passed over are of anybody."""

    contradicted: tuple[Contradicted, ...]
    passed_over: tuple[PassedOver, ...]

    def said(self) -> Iterator[str]:
        """Say each in a sentence."""
        for one in self.contradicted:
            yield (
                f"{one.evaluator}: {one.answers:,} answers in the record of {one.station} were not "
                "taken by the central store, which has others to the same trials; to let those "
                f"stand, there: hype sync STUDY --settle {one.evaluator.partition('#')[0]}"
            )
        for other in self.passed_over:
            yield (
                f"{other.rows:,} rows of {other.kind} from {other.station or 'some station'} "
                "cannot be true, and were passed over"
            )

    def named(self) -> dict[str, str]:
        """Name them in a few words, for a report; nothing where there are none."""
        return {
            **{
                f"contradicted, {one.evaluator}": f"{one.answers:,} answers of {one.station}"
                for one in self.contradicted
            },
            **{
                f"passed over, {one.kind}": f"{one.rows:,} rows of {one.station or 'some station'}"
                for one in self.passed_over
            },
        }


def doubts_of(connection: Connection, study: AnyStudy, *, simulated: bool) -> Doubts:
    """Find what is doubtful where a study's answers are read."""
    contradicted = list_contradicted(connection)
    return Doubts(
        contradicted=tuple(one for one in contradicted if one.simulated == simulated),
        passed_over=tuple(passed_over(connection)) if study.read_from else (),
    )


def passed_over(connection: Connection) -> Iterator[PassedOver]:
    """Ask a central store which rows it passes over."""
    from hype.store.central.tables import impossible

    found = select(impossible).order_by(impossible.c.kind, impossible.c.station)
    for row in connection.execute(found):
        yield PassedOver(station=row.station, kind=row.kind, rows=row.number)
