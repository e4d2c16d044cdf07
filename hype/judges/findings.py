"""What is found of automated judges of either kind, in a word and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.judges.results import JudgeVerdict
from hype.report import wording
from hype.report.wording import probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import (
        AxisAgreement,
        Copying,
        CountedEstimate,
        PersonComparison,
        PreferenceAgreement,
    )

Finding = tuple[JudgeVerdict, str]
FEWEST: Final = 10
"""Answers below which nothing is said."""
NEARLY_ALL: Final = 0.9
"""Of decided answers for one side, and of items answered."""
_MOST_LISTED: Final = 4


def number(value: float) -> str:
    return wording.number(value, 2)


def percent(share: float) -> str:
    """Write a share; all and nothing only where they are meant."""
    text = f"{share:.0%}"
    if (text == "100%" and share < 1) or (text == "0%" and share > 0):
        text = f"{share:.1%}"
    return text


def and_listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], f"{len(names) - _MOST_LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def r_and_interval(figure: CountedEstimate | None) -> str:
    if figure is None or figure.value is None:
        return "no r"
    if figure.low is None or figure.high is None:
        return f"r = {number(figure.value)}"
    return f"r = {number(figure.value)} ({number(figure.low)} to {number(figure.high)})"


def copied_in_part(copying: Copying, what: str, units: str) -> Finding:
    return JudgeVerdict.COPIES, (
        f"It gives the same {what} as {copying.source or 'people'} in {percent(copying.equal)} "
        f"of cases ({copying.items:,} {units}), {percent(copying.share)} more than {what}s given "
        f"apart would be ({probability(copying.p or 0.0)}): were some copied?"
    )


def hardly_looks(
    of: AxisAgreement | PreferenceAgreement, side: PersonComparison | PreferenceAgreement
) -> bool:
    """Tell whether r about models is above 0, and within pairs less than half of a person's."""
    if side.within_difference is None:
        return False
    person = side.within_person.value if side.within_person else None
    high = of.within.high if of.within else None
    return (
        (side.within_difference.high or 0.0) < 0
        and (of.about is not None and (of.about.low or 0.0) > 0)
        and (person is not None and person > 0)
        and (high is None or high < person / 2)
    )


def models_alone_in_words(
    of: AxisAgreement | PreferenceAgreement, person: CountedEstimate | None
) -> str:
    return (
        f"It agrees with people about models, and nothing shows that it looks at the images: "
        f"{r_and_interval(of.about)} about models, {r_and_interval(of.within)} within pairs of "
        f"them, where a second person has {r_and_interval(person)}"
    )
