"""What is owed, for people and for bookkeepers, whatever evaluators answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import write_table
from hype.protocols.studies import AnyStudy
from hype.session.standings import Owed, total_due
from hype.status.progress import Places, Remaining

PAY_COLUMNS: Final = ("evaluator", "status", "base", "bonus", "pay", "currency")


def check_pay_file(path: Path, *, simulated: bool, watch: bool) -> None:
    """Refuse to pay those who are not people, again and again, or over anything but a table.

    Raises InputError: the table is asked for together with what it cannot be of, or is no CSV file.
    """
    if watch:
        raise InputError("--pay --watch", "both given", "a table to pay from is written once")
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if path.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(path)!r} is not allowed", "a file that ends in .csv")


def owed(found: Sequence[Owed]) -> list[Owed]:
    return [standing for standing in found if standing.pay]


def write_pay(path: Path, study: AnyStudy, found: Sequence[Owed]) -> None:
    from hype.tables.spreadsheet_text import guarded

    rows = (
        {
            "evaluator": guarded(standing.evaluator),
            "status": guarded(standing.status),
            "base": f"{standing.base:.2f}",
            "bonus": f"{standing.bonus:.2f}",
            "pay": f"{standing.pay:.2f}",
            "currency": guarded(study.settings.pay.currency),
        }
        for standing in owed(found)
    )
    write_table(path, PAY_COLUMNS, rows)


def said_of_pay(path: Path, study: AnyStudy, found: Sequence[Owed]) -> str:
    number, due = len(owed(found)), total_due(found)
    if not number:
        return f"{path}: nobody is owed anything"
    people = "1 evaluator is" if number == 1 else f"{number} evaluators are"
    return f"{path}: {people} owed {study.settings.pay.currency}{due.pay:.2f} in all"


def due_object(study: AnyStudy, found: Sequence[Owed]) -> dict[str, object]:
    due = total_due(found)
    return {
        "base_due": due.base,
        "bonus_due": due.bonus,
        "pay_due": due.pay,
        "currency": study.settings.pay.currency,
    }


def lines_of_money(
    study: AnyStudy, found: Sequence[Owed], left: Remaining, whole: Places, *, simulated: bool
) -> Iterator[str]:
    """Say what is still needed, what that will cost, and what is owed."""
    currency, due = study.settings.pay.currency, total_due(found)
    if left.evaluators:
        yield f"Still needed: {said_of_need(left, whole)}"
    if left.evaluators and left.cost and not simulated:
        yield f"Still to pay: about {currency}{left.cost:,.0f}, at what is earned on average"
    words = "Nobody is paid; people would be owed" if simulated else "Pay due:"
    yield (
        f"{words} {currency}{due.pay:.2f} "
        f"(base {currency}{due.base:.2f}, bonus {currency}{due.bonus:.2f})"
    )


def said_of_need(left: Remaining, whole: Places) -> str:
    """Say how many must still finish, how many of them have begun, and how many must come."""
    said = f"{left.evaluators} to finish"
    if left.begun:
        said += f", {left.begun} begun"
    if left.newcomers and left.newcomers != left.evaluators - left.begun:
        away = whole.unqualified + whole.declined
        said += f"; about {left.newcomers} must come ({away} of {whole.came} turned away)"
    return said
