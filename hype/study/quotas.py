"""Quotas: how many people of each group a study takes, by what they answer to a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Final

from pydantic import Field

from hype.study.demographics import DemographicSettings
from hype.study.table import Bearing

Quota = dict[str, Annotated[int, Field(ge=0)]]
Quotas = Annotated[dict[str, Quota], Bearing.NOBODY]
"""By question and group. A group is an option, a band of numbers with its ends ("18-29"), or "", of
those who withhold the answer. Nobody is taken who is in none of the groups."""
BAND: Final = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)")


def band_of(group: str) -> tuple[float, float] | None:
    """Give the ends of a band of numbers; None where a group is none."""
    match = BAND.fullmatch(group)
    return (float(match[1]), float(match[2])) if match else None


def group_of(answer: str, groups: Iterable[str], asked: DemographicSettings) -> str | None:
    """Give the group that an answer, as it is kept, is in; None where it is in none."""
    if asked.kind != "number" or not answer:
        return answer if answer in groups else None
    number = float(answer)
    bands = ((group, band_of(group)) for group in groups)
    return next((group for group, ends in bands if ends and ends[0] <= number <= ends[1]), None)


def count_groups(
    answers: Mapping[str, int], quota: Quota, asked: DemographicSettings
) -> Counter[str]:
    """Count the people of each group, from how many gave each answer."""
    numbers: Counter[str] = Counter()
    for answer, number in answers.items():
        group = group_of(answer, quota, asked)
        if group is not None:
            numbers[group] += number
    return numbers


def takes_one_more(
    answer: str, answers: Mapping[str, int], quota: Quota, asked: DemographicSettings
) -> bool:
    """Tell whether somebody is taken who answers so, after those whose ``answers`` are counted."""
    group = group_of(answer, quota, asked)
    return group is not None and count_groups(answers, quota, asked)[group] < quota[group]


def check_quotas(
    quotas: Mapping[str, Quota], demographics: Mapping[str, DemographicSettings]
) -> None:
    """Refuse quotas of what is not asked, or of groups that nobody could be in.

    Raises ValueError: it names the question and the group, and says what is allowed.
    """
    for question, quota in quotas.items():
        where = f"study.quotas.{question}"
        if question not in demographics:
            asked = ", ".join(demographics) or "there is none"
            raise ValueError(f"{where}: there is no such question in [demographics]: {asked}")
        if not quota:
            raise ValueError(f"{where}: names no group")
        check_groups(where, quota, demographics[question])


def check_groups(where: str, quota: Quota, asked: DemographicSettings) -> None:
    if asked.kind == "text":
        raise ValueError(f'{where}: answers in words of their own (kind = "text") make no groups')
    if asked.kind == "choice":
        unknown = [group for group in quota if group and group not in asked.options]
        if unknown:
            allowed = ", ".join(map(repr, asked.options))
            raise ValueError(
                f"{where}: {unknown[0]!r} is no option of the question; they are {allowed}, and "
                "'' of those who withhold the answer"
            )
        return
    lowest, highest = asked.lowest or 0.0, asked.highest or 0.0
    bands: list[tuple[float, float, str]] = []
    for group in filter(None, quota):
        ends = band_of(group)
        if ends is None or not lowest <= ends[0] <= ends[1] <= highest:
            raise ValueError(
                f"{where}: {group!r} is no band of numbers from {lowest:g} to {highest:g}, such as "
                f"'{lowest:g}-{highest:g}', whose ends are part of it"
            )
        bands.append((*ends, group))
    bands.sort()
    for (_, end, group), (start, _, following) in pairwise(bands):
        if start <= end:
            raise ValueError(f"{where}: {group!r} and {following!r} have numbers in common")
