"""What a study pays: an evaluator, an hour, and all that are wanted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from hype.check.findings import Preflight
from hype.study.studies import AnyStudy


def check_pay(flight: Preflight, study: AnyStudy) -> None:
    """Report what sessions are expected to pay, and the cost of all; warn of low pay.

    Everybody is taken to finish: who is turned away after a test costs less, and comes on top.
    """
    settings = study.settings.pay
    pay, least = settings.pay(), settings.least_an_hour
    sessions = {}
    for kind, answers in flight.facts.get("paid_answers", {}).items():
        minutes = flight.facts["minutes"][kind]
        hourly = pay.an_hour(answers, minutes)
        sessions[kind] = {"pay": pay.due(answers), "hourly": hourly}
        if hourly < least:
            lacking = math.ceil((least - hourly) * minutes / 60 * 100) / 100
            flight.warn(
                "low-pay",
                f"{study.path}: {kind} is expected to pay {pay.currency}{hourly:.2f} an hour, and "
                f"pay.least_an_hour = {least:g}",
                f"set pay.base to {pay.base + lacking:.2f} or more",
            )
    if sessions:
        mean = fmean(each["pay"] for each in sessions.values())
        cost = round(flight.facts["evaluators"] * mean, 2)
        flight.facts["pay"] = {"currency": pay.currency, "sessions": sessions, "cost": cost}


def lines_of_pay(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    currency, title = facts["currency"], "pay"
    for kind, each in facts["sessions"].items():
        paid = (
            f"about {currency}{each['pay']:.2f} a session, {currency}{each['hourly']:.2f} an hour"
        )
        yield title, f"{paid} ({kind})" if len(facts["sessions"]) > 1 else paid
        title = ""
    yield title, f"about {currency}{facts['cost']:,.2f} for all evaluators, if they finish"
