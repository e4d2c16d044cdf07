"""The pay that people are owed: the sum, a table, and the bonus files of platforms."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import guard, write_bytes, write_table
from hype.session.outgoing import reading_all
from hype.session.versions import versions_of
from hype.status.design import Facts, StatusDesign
from hype.status.looking import PAY, look
from hype.study.phrases import money, write_count
from hype.study.studies import AnyStudy
from hype.study.web_settings import PLATFORMS, Platform
from hype.web.arrivals import ASSIGNMENT, SUBMITTED, id_of, platform_of
from hype.web.desk import Rows, refuse_in_study


def people_of_all_versions(study: AnyStudy, design: StatusDesign) -> list[Facts]:
    """Return the status of each person, in all versions of a study.

    Raises InputError: people are owed pay in different currencies.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=False)
    numbers: Sequence[int | None] = [version.number for version in versions] or [None]
    looks = [look(study, design, simulated=False, version=number).facts for number in numbers]
    if len({facts["currency"] for facts in looks}) > 1:
        raise InputError("--pay", "pay is owed in different currencies", "choose a --version")
    return [who for facts in looks for who in facts["evaluators"]]


def check_pay_files(pay: Path | None, key: Path | None, *, simulated: bool) -> None:
    """Refuse to pay simulated evaluators, and files that cannot be used.

    ``pay``: the table to write. ``key``: the file of people, needed for a platform's bonuses.

    Raises InputError: ``pay`` and ``simulated`` are both given, or ``pay`` is not a CSV file;
    ``key`` is given without ``pay``, or is in a study's folder.
    """
    if pay is None:
        if key:
            raise InputError("--key", "is given without --pay")
        return
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if pay.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(pay)!r} is not allowed", "a file that ends in .csv")
    if key:
        refuse_in_study(key)


def write_pay(path: Path, study: AnyStudy, people: Sequence[Facts]) -> str:
    """Write the table of pay; return a sentence about it."""
    currency, owed = study.settings.pay.currency, [who for who in people if who["pay"]]
    rows = (
        {
            **{name: guard(who[name]) for name in ("evaluator", "status")},
            **{part: f"{who[part]:.2f}" for part in PAY},
            "currency": guard(currency),
        }
        for who in owed
    )
    write_table(path, ("evaluator", "status", *PAY, "currency"), rows)
    if not owed:
        return f"{path}: nobody is owed anything"
    total = round(sum(who["pay"] for who in owed), 2)
    are = "is" if len(owed) == 1 else "are"
    number = f"{write_count(len(owed), 'evaluator')} {are}"
    return f"{path}: {number} owed {money(total, currency)} in all"


Bonus = tuple[Mapping[str, str], float]
"""A person (their row in the file of people), and their bonus in addition to the reward."""


def write_bonuses(pay: Path, study: AnyStudy, people: Sequence[Facts], known: Rows) -> list[str]:
    """Write the bonuses of each platform next to a table of pay; return a sentence about each file.

    Only people who submitted their work get a bonus. ``known``: the file of people, by code.

    Raises InputError: a platform pays in another currency.
    """
    by_platform: dict[Platform, list[Bonus]] = {}
    for who in people:
        row = known.get(who["evaluator"])
        platform = platform_of(row["person"]) if row else None
        is_submitted = who["status"] in SUBMITTED
        if row and platform and platform in FORMATS and who["bonus"] > 0 and is_submitted:
            by_platform.setdefault(platform, []).append((row, who["bonus"]))
    lines = []
    for platform, bonuses in sorted(by_platform.items()):
        path = pay.with_name(f"{pay.stem}-{platform}.csv")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(FORMATS[platform](study, bonuses))
        write_bytes(path, text.getvalue().encode())
        total = money(round(sum(b for _, b in bonuses), 2), study.settings.pay.currency)
        number = write_count(len(bonuses), "bonus", "bonuses")
        lines.append(f"{path}: {number} of {total} in all, for {PLATFORMS[platform]}")
    return lines or ["nobody from a platform is owed a bonus"]


def turk_rows(study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield a row for SendBonus for each bonus, with a token so that it cannot be paid twice.

    Raises InputError: the study does not pay in dollars.
    """
    currency, dollars = study.settings.pay.currency, ("$", "US$", "USD")
    if currency not in dollars:
        problem = f"pay.currency = {currency!r}, but Mechanical Turk pays in dollars"
        raise InputError(study.path, problem, ", ".join(dollars))
    yield "WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"
    for person, amount in bonuses:
        assignment = person.get(ASSIGNMENT, "")
        token = hashlib.sha256(f"{assignment} {person['code']}".encode()).hexdigest()[:32]
        reason = "Thank you for your answers."
        yield id_of(person["person"]), assignment, f"{amount:.2f}", reason, token


FORMATS: Final[Mapping[Platform, Callable[[AnyStudy, list[Bonus]], Iterable[Sequence[str]]]]] = {
    # The text for Prolific's "Bulk bonus payment": names and amounts, without a header
    "prolific": lambda _study, bonuses: (
        (id_of(person["person"]), f"{amount:.2f}") for person, amount in bonuses
    ),
    "mturk": turk_rows,
}
"""For each platform that pays in money, the function that makes the rows of its bonus file."""
