"""What platforms pay on top of their rewards: the files that they take, made with the key file.

The base of the pay is the reward that a platform pays for a submission; a bonus is the rest.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import write_bytes
from hype.keyfile import check_place, people_in
from hype.protocols.studies import AnyStudy
from hype.session.standings import Owed
from hype.session.steps import Ending
from hype.study.web_settings import PLATFORMS, Platform
from hype.web.arrivals import ASSIGNMENT, id_of, platform_of

SUBMITTED: Final = (Ending.COMPLETE.value, Ending.UNQUALIFIED.value)
"""Whose submissions a platform has, so that it can pay them something more."""
DOLLARS: Final = ("$", "US$", "USD")
"""How a study may write the money in which Mechanical Turk pays."""
TURK_COLUMNS: Final = (
    *("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"),
)
"""What Mechanical Turk's SendBonus asks for; one token is never paid twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bonus:
    """What one submission gets on top of its reward."""

    person: Mapping[str, str]  # their row of the key file
    amount: float

    @property
    def name(self) -> str:
        return id_of(self.person["person"])


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusFile:
    """A file that was written for a platform."""

    path: Path
    platform: str
    bonuses: int
    total: float


def check_bonus_key(key: Path | None, pay: Path | None) -> None:
    """Refuse a key file without a table to write beside, or beside which no names may lie."""
    if key is None:
        return
    if pay is None:
        raise InputError("--key", "is given without --pay")
    check_place(key)
    check_place(pay)


def write_bonuses(
    pay: Path, study: AnyStudy, evaluators_owed: Sequence[Owed], key: Path
) -> tuple[BonusFile, ...]:
    """Write beside a table of pay the bonuses of each platform, as it takes them.

    Raises InputError: the key file is none, or a platform pays in another currency.
    """
    by_platform: dict[Platform, list[Bonus]] = {}
    people = people_in(key)
    for evaluator in evaluators_owed:
        row = people.get(evaluator.evaluator)
        platform = platform_of(row["person"]) if row else None
        if not row or platform is None or platform not in FORMATS:
            continue
        if evaluator.bonus > 0 and evaluator.status in SUBMITTED:
            by_platform.setdefault(platform, []).append(Bonus(person=row, amount=evaluator.bonus))
    return tuple(written(pay, study, *group) for group in sorted(by_platform.items()))


def written(pay: Path, study: AnyStudy, platform: Platform, bonuses: list[Bonus]) -> BonusFile:
    path = pay.with_name(f"{pay.stem}-{platform}.csv")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(FORMATS[platform](study, bonuses))
    write_bytes(path, text.getvalue().encode())
    total = round(sum(bonuse.amount for bonuse in bonuses), 2)
    return BonusFile(path=path, platform=PLATFORMS[platform], bonuses=len(bonuses), total=total)


def prolific_rows(_study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what is pasted into "Bulk bonus payment": a name and an amount, without a header."""
    return ((bonuse.name, f"{bonuse.amount:.2f}") for bonuse in bonuses)


def turk_rows(study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what SendBonus asks for, assignment by assignment.

    Raises InputError: the study pays in another currency than dollars.
    """
    currency = study.settings.pay.currency
    if currency not in DOLLARS:
        problem = f"pay.currency = {currency!r}, and Mechanical Turk pays in dollars"
        raise InputError(study.path, problem, ", ".join(DOLLARS))
    yield TURK_COLUMNS
    for bonuse in bonuses:
        assignment = bonuse.person.get(ASSIGNMENT, "")
        token = hashlib.sha256(f"{assignment} {bonuse.person['pseudonym']}".encode()).hexdigest()[
            :32
        ]
        reason = "Thank you for your answers."
        yield bonuse.name, assignment, f"{bonuse.amount:.2f}", reason, token


FORMATS: Final[Mapping[Platform, Callable[[AnyStudy, list[Bonus]], Iterable[Sequence[str]]]]] = {
    "prolific": prolific_rows,
    "mturk": turk_rows,
}
"""Of platforms that pay in money."""


def bonuses_in_words(study: AnyStudy, files: Sequence[BonusFile]) -> str:
    """Say what was written, file by file."""
    currency = study.settings.pay.currency
    if not files:
        return "nobody from a platform is owed a bonus"
    return "\n".join(
        f"{file.path}: {file.bonuses} {'bonus' if file.bonuses == 1 else 'bonuses'} of "
        f"{currency}{file.total:.2f} in all, for {file.platform}"
        for file in files
    )
