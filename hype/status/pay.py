"""What evaluators are owed: the sum, a table to pay from, and the bonus files of platforms."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import write_bytes, write_table
from hype.session.steps import Ending
from hype.status.design import Facts
from hype.study.studies import AnyStudy
from hype.study.web_settings import PLATFORMS, Platform
from hype.tables.spreadsheet_text import guarded
from hype.web.arrivals import ASSIGNMENT, id_of, platform_of
from hype.web.desk import Rows, refuse_in_study

PAY_COLUMNS: Final = ("evaluator", "status", "base", "bonus", "pay", "currency")


def total_due(people: Collection[Facts]) -> dict[str, float]:
    return {
        f"{name}_due": round(sum(who[name] for who in people), 2)
        for name in ("base", "bonus", "pay")
    }


def check_pay_files(pay: Path | None, key: Path | None, *, simulated: bool, watch: bool) -> None:
    """Refuse to pay those who are not people, again and again, or over anything but a table.

    ``key``: the file of people, without which no bonus file of a platform is written.

    Raises InputError: the table is asked for together with what it cannot be of, or is no CSV file;
    the file of people lies in a study.
    """
    if pay is None:
        if key:
            raise InputError("--key", "is given without --pay")
        return
    if watch:
        raise InputError("--pay --watch", "both given", "a table to pay from is written once")
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if pay.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(pay)!r} is not allowed", "a file that ends in .csv")
    if key:
        refuse_in_study(key)


def write_pay(path: Path, study: AnyStudy, people: Sequence[Facts]) -> str:
    """Write the table to pay from; give a sentence about it."""
    currency, owed = study.settings.pay.currency, [who for who in people if who["pay"]]
    rows = (
        {
            "evaluator": guarded(who["evaluator"]),
            "status": guarded(who["status"]),
            **{name: f"{who[name]:.2f}" for name in ("base", "bonus", "pay")},
            "currency": guarded(currency),
        }
        for who in owed
    )
    write_table(path, PAY_COLUMNS, rows)
    if not owed:
        return f"{path}: nobody is owed anything"
    number = "1 evaluator is" if len(owed) == 1 else f"{len(owed)} evaluators are"
    return f"{path}: {number} owed {currency}{total_due(owed)['pay_due']:.2f} in all"


SUBMITTED: Final = (Ending.COMPLETE.value, Ending.UNQUALIFIED.value)
"""Whose submissions a platform has, so that it can pay them something more."""
DOLLARS: Final = ("$", "US$", "USD")
"""How a study may write the money in which Mechanical Turk pays."""
TURK_COLUMNS: Final = (
    *("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"),
)
"""What Mechanical Turk's SendBonus asks for; one token is never paid twice."""
Bonus = tuple[Mapping[str, str], float]
"""Who somebody is, and what this person gets on top of their reward."""


def write_bonuses(pay: Path, study: AnyStudy, people: Sequence[Facts], known: Rows) -> list[str]:
    """Write the bonuses of each platform next to a table of pay; give a sentence about each file.

    ``known`` says who has which code.

    Raises InputError: a platform pays in another currency.
    """
    by_platform: dict[Platform, list[Bonus]] = {}
    for who in people:
        row = known.get(who["evaluator"])
        platform = platform_of(row["person"]) if row else None
        if not row or platform is None or platform not in FORMATS:
            continue
        if who["bonus"] > 0 and who["status"] in SUBMITTED:
            by_platform.setdefault(platform, []).append((row, who["bonus"]))
    if not by_platform:
        return ["nobody from a platform is owed a bonus"]
    lines = []
    for platform, bonuses in sorted(by_platform.items()):
        path = pay.with_name(f"{pay.stem}-{platform}.csv")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(FORMATS[platform](study, bonuses))
        write_bytes(path, text.getvalue().encode())
        number = "1 bonus" if len(bonuses) == 1 else f"{len(bonuses)} bonuses"
        total = f"{study.settings.pay.currency}{sum(amount for _, amount in bonuses):.2f}"
        lines.append(f"{path}: {number} of {total} in all, for {PLATFORMS[platform]}")
    return lines


def prolific_rows(_study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what is pasted into "Bulk bonus payment": a name and an amount, without a header."""
    return ((id_of(person["person"]), f"{amount:.2f}") for person, amount in bonuses)


def turk_rows(study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what SendBonus asks for, assignment by assignment.

    Raises InputError: the study pays in another currency than dollars.
    """
    currency = study.settings.pay.currency
    if currency not in DOLLARS:
        problem = f"pay.currency = {currency!r}, and Mechanical Turk pays in dollars"
        raise InputError(study.path, problem, ", ".join(DOLLARS))
    yield TURK_COLUMNS
    for person, amount in bonuses:
        assignment = person.get(ASSIGNMENT, "")
        token = hashlib.sha256(f"{assignment} {person['code']}".encode()).hexdigest()[:32]
        reason = "Thank you for your answers."
        yield id_of(person["person"]), assignment, f"{amount:.2f}", reason, token


FORMATS: Final[Mapping[Platform, Callable[[AnyStudy, list[Bonus]], Iterable[Sequence[str]]]]] = {
    "prolific": prolific_rows,
    "mturk": turk_rows,
}
"""Of platforms that pay in money."""
