"""`hype check`: the pre-flight."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from hype.cli.options import Json, StudyPath, err, out, print_json
from hype.errors import HypeError
from hype.sessions.check import Preflight, check_study
from hype.sessions.live import probe_station, software_sync
from hype.study.load import Study, load_study


def check(
    study: StudyPath,
    as_json: Json = False,
    display: Annotated[
        bool,
        typer.Option(metavar="", help="open a window to check display and keyboard"),
    ] = True,
) -> None:
    """Find everything that could spoil a session, before anyone sits down."""
    loaded = load_study(study)
    with err.status("Checking images and masks"):
        flight = check_study(loaded)
    if display:
        check_display(flight, loaded)
    if as_json:
        print_json(as_object(loaded, flight))
    else:
        print_flight(loaded, flight)
    raise typer.Exit(flight.exit_code)


def check_display(flight: Preflight, study: Study) -> None:
    """Add what opening a window tells."""
    if not os.environ.get("DISPLAY"):
        flight.warn("there is no display here, so the station was not checked")
        return
    try:
        facts = probe_station(study)
    except HypeError as error:
        flight.add(error)
        return
    flight.facts["display"] = facts.as_dict()
    if facts.sync == "software":
        flight.warn(software_sync(facts))


def as_object(study: Study, flight: Preflight) -> dict[str, object]:
    """Give the result for programs."""
    return {
        "study": str(study.path),
        "ok": flight.exit_code == 0,
        "findings": [{"level": f.level, "message": f.message} for f in flight.findings],
        "facts": flight.facts,
    }


def print_flight(study: Study, flight: Preflight) -> None:
    """Print the result for people."""
    facts = flight.facts
    out.print(f"[bold]{study.path}[/bold]")
    if images := facts.get("images"):
        counts = ", ".join(f"{n} {name}" for name, n in images.items())
        out.print(f"  images      {counts}")
    if "masks" in facts:
        out.print(f"  masks       {facts['masks']}")
    if "evaluators" in facts:
        cells = "1 cell" if facts["cells"] == 1 else f"{facts['cells']} cells"
        out.print(f"  evaluators  {facts['evaluators']} in {cells} of condition and method")
        for methods, minutes in facts["minutes"].items():
            out.print(f"  session     about {minutes} minutes ({methods})")
    if settles := facts.get("staircase_settles_at"):
        out.print(f"  staircase   settles at {settles:.1%} correct")
    styles = {"error": "[bold red]error[/]", "problem": "[bold red]problem[/]"}
    for finding in flight.findings:
        label = styles.get(finding.level, "[yellow]warning[/]")
        out.print(f"{label} ", end="")
        out.print(finding.message, markup=False)
    ready = "[green]Ready.[/]" if flight.exit_code == 0 else "[bold red]Not ready.[/]"
    out.print(ready)
