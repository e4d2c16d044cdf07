"""`hype check`: check a study before people come."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from statistics import fmean
from typing import Annotated, Any, Final

import typer

from hype.addition import clean_up
from hype.check.findings import Preflight
from hype.check.record import check_quotas, check_record
from hype.check.station import check_sizes, check_station, check_texts
from hype.check.texts import check_language
from hype.check.web import check_web, describe_web
from hype.cli.options import Json, StudyPath
from hype.console import err, out, print_json
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.registry import StudyProtocol, protocol_of
from hype.study.phrases import money
from hype.study.studies import AnyStudy

STYLES: Final = {"error": "bold red", "problem": "bold red", "warning": "yellow"}


def check(
    study: StudyPath,
    as_json: Json = False,
    display: Annotated[
        bool, typer.Option(metavar="", help="open a window to check display and keyboard")
    ] = True,
) -> None:
    """Find everything that could spoil a session, before people come."""
    loaded = load_any(study)
    clean_up(loaded)
    protocol = protocol_of(loaded)
    with err.status("Checking images and masks"):
        flight = protocol.checks.study(loaded)
        try:
            course = protocol.course(loaded)
        except InputError:
            course = None  # the checks of the study report the reason
    check_pay(flight, loaded)
    check_language(flight, loaded)
    check_texts(flight, loaded)
    check_record(flight, loaded, course)
    check_quotas(flight, loaded, course)
    check_web(flight, loaded)
    if loaded.settings.web.is_given:
        protocol.checks.web(flight, loaded)
    protocol.checks.triggers(flight, loaded)
    display_facts = check_station(flight, loaded, course) if display else None
    check_sizes(flight, loaded, course, display_facts)
    protocol.checks.exposures(flight, loaded, display_facts.refresh_hz if display_facts else None)
    if as_json:
        print_json(
            {
                "study": str(loaded.path),
                "ok": flight.exit_code == 0,
                "lines": [*fact_lines(protocol, flight.facts)],
                "findings": [asdict(finding) for finding in flight.findings],
                "facts": flight.facts,
            }
        )
    else:
        print_flight(loaded, flight)
    raise typer.Exit(flight.exit_code)


def check_pay(flight: Preflight, study: AnyStudy) -> None:
    """Report the expected pay of sessions and the total cost, and warn of low pay.

    The total assumes that everybody finishes; it excludes the pay of people who fail a test.
    """
    settings = study.settings.pay
    pay, least = settings.pay(), settings.least_an_hour
    sessions = {}
    for kind, answers in flight.facts.get("paid_answers", {}).items():
        minutes = flight.facts["minutes"][kind]
        hourly = pay.an_hour(answers, minutes)
        sessions[kind] = {"pay": pay.due(answers), "hourly": hourly}
        if hourly < least:
            lacking = math.ceil(100 * (least * minutes / 60 - pay.due(answers))) / 100
            flight.warn(
                "low-pay",
                f"{study.path}: sessions ({kind}) pay about {money(hourly, pay.currency)} an hour, "
                f"less than pay.least_an_hour = {least:g}",
                f"set pay.base to {pay.base + lacking:.2f} or more",
            )
    if sessions:
        mean = fmean(each["pay"] for each in sessions.values())
        cost = round(flight.facts["evaluators"] * mean, 2)
        flight.facts["pay"] = {"currency": pay.currency, "sessions": sessions, "cost": cost}


def print_flight(study: AnyStudy, flight: Preflight) -> None:
    out.print(f"[bold]{study.path}[/bold]")
    for title, line in fact_lines(protocol_of(study), flight.facts):
        out.print(f"  {title:12}{line}", markup=False)
    # A remedy that several findings share is printed once, after them.
    for _, some in groupby(flight.findings, key=lambda f: (f.severity, f.remedy)):
        findings = list(some)
        for finding in findings:
            out.print(f"[{STYLES[finding.severity]}]{finding.severity:8}[/] ", end="")
            out.print(finding.message, markup=False)
        out.print(f"         {findings[0].remedy}", style="dim", markup=False)
    ready = "[green]Ready.[/]" if flight.exit_code == 0 else "[bold red]Not ready.[/]"
    out.print(ready)


def fact_lines(protocol: StudyProtocol, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a title and a line for each fact; a line without a title continues the one above."""
    if images := facts.get("images"):
        yield "images", ", ".join(f"{n} {name}" for name, n in images.items())
    if sampled := facts.get("sampled"):
        number = sampled["images_per_condition"]
        yield "", f"{number} of each kind are drawn; checksum of all: {sampled['sha256'][:9]}…"
    if images := facts.get("test_images"):
        yield "", f"and for the test {', '.join(f'{n} {name}' for name, n in images.items())}"
    if size := facts.get("image_size"):
        yield "", line_of_size(size)
    if "masks" in facts:
        yield "masks", str(facts["masks"])
    yield from protocol.checks.lines(facts)
    if pay := facts.get("pay"):
        currency, title = pay["currency"], "pay"
        for kind, each in pay["sessions"].items():
            a_session, an_hour = (money(each[key], currency) for key in ("pay", "hourly"))
            paid = f"about {a_session} a session, {an_hour} an hour"
            yield title, f"{paid} ({kind})" if len(pay["sessions"]) > 1 else paid
            title = ""
        yield title, f"about {money(pay['cost'], currency)} for all evaluators, if they finish"
    if web := facts.get("web"):
        yield "web", describe_web(web)
    if display := facts.get("display"):
        yield "display", line_of_display(display)
    if len(fonts := facts.get("fonts", {})) > 1:
        yield "fonts", ", ".join(f"{name} for {n} characters" for name, n in fonts.items())


def line_of_size(facts: Mapping[str, Any]) -> str:
    smallest, largest = facts["own_px"]
    own = f"{largest} px" if smallest == largest else f"{smallest} to {largest} px"
    if facts["enlarged"] > 1:
        return f"{own}, shown at {facts['shown_px']} px: enlarged {facts['enlarged']:.1f} times"
    if facts["wanted_px"] is None:
        return f"{own}, shown at their own size or smaller"
    if facts["shown_px"] < facts["wanted_px"]:
        return f"{own}, shown at their own size; there is room for {facts['wanted_px']} px"
    return f"{own}, shown at {facts['shown_px']} px at most"


def line_of_display(facts: Mapping[str, Any]) -> str:
    width_px, height_px = facts["screen_px"]
    name = f" ({facts['output']})" if facts["output"] else ""
    waits = facts["sync"] == "vsync"
    rate_hz = facts["refresh_hz"] if waits else facts["mode_hz"]
    rate = f"{rate_hz:.2f} Hz" if rate_hz else "refresh rate unknown"
    flips = "flips wait for the screen" if waits else "flips do not wait for the screen"
    number = facts["screen"] if facts["on_screen"] is None else facts["on_screen"]
    return f"screen {number}{name}, {width_px} x {height_px} px, {rate}; {flips}"
