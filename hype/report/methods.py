"""The methods in words that can go into a paper, with the works that they cite."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from hype.report.bibliography import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hype.report.bibliography import Said
    from hype.report.parts import Background
    from hype.report.work import Work


@dataclass(frozen=True, kw_only=True)
class Methods:
    """What was done.

    Parameters
    ----------
    paragraphs
        In the order of a paper: the design, then the statistics.
    works
        Those that the paragraphs cite, in the order of a list of references.
    """

    paragraphs: tuple[str, ...]
    works: tuple[Work, ...]


def methods_of(
    statistics: Sequence[Sequence[Said]],
    *,
    background: Background | None = None,
    programs: Mapping[str, str] | None = None,
) -> Methods:
    """Put the methods together: the design, then the statistics, in paragraphs, then programs."""
    design, works = (background.design, background.works) if background else ((), ())
    cited = chain(works, *(sentence.works for par in statistics for sentence in par))
    return Methods(
        paragraphs=(
            *design,
            *(" ".join(sentence.text for sentence in par) for par in statistics),
            *_software(programs or {}),
        ),
        works=listed(cited),
    )


def _software(programs: Mapping[str, str]) -> tuple[str, ...]:
    if "hype" not in programs:
        return ()
    under = f" under Python {programs['python']}" if "python" in programs else ""
    return (f"Analysed with hype {programs['hype']}{under}.",)
