"""`hype register`: register a study, its stimuli and its planned analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from hype.answers.choices import shell_option
from hype.cli.options import Json, StudyPath
from hype.console import err, out, print_json, warn
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.registry import collect_fixed_parts
from hype.registration import REGISTRATION_FILE, path_of, registration_of
from hype.registration import register as freeze


def register(
    study: StudyPath,
    check: Annotated[
        bool, shell_option("--check", "report differences from the registration")
    ] = False,
    as_json: Json = False,
) -> None:
    """Save a checksum of study, stimuli and planned analysis, before people come."""
    loaded = load_any(study)
    with err.status("Reading study, images and masks"):
        fixed = collect_fixed_parts(loaded)
        registration = registration_of(loaded) if check else freeze(loaded, fixed)
        if registration is None:
            allowed = "make it with: hype register STUDY"
            raise InputError(path_of(loaded), "there is no such file", allowed)
        differences = registration.differences(loaded, fixed) if check else ()
    if as_json:
        print_json(
            {
                "study": str(loaded.path),
                "file": str(path_of(loaded)),
                "sha256": registration.sha256,
                "registered": registration.registered,
                "sessions": registration.sessions,
                "analysis": registration.content["analysis"],
                "differences": list(differences),
            }
        )
    elif check:
        title = f"{REGISTRATION_FILE}: {registration.sha256}, registered {registration.registered}"
        out.print(title, markup=False)
        if registration.sessions:
            out.print(f"  sessions before registration: {registration.sessions:,}", markup=False)
        for difference in differences:
            out.print(f"  {difference}", markup=False)
        verdict = (
            "Different from the registration."
            if differences
            else "Study, stimuli and plan are unchanged."
        )
        out.print(verdict, style="bold red" if differences else "green")
    else:
        if registration.sessions:
            before = f"sessions of people before the registration: {registration.sessions:,}"
            warn(f"{before} (recorded in it)")
        out.print(f"Registered as {registration.sha256}", markup=False)
        for title, line in summary(registration.content).items():
            out.print(f"  {title:12}{line}", markup=False)
        out.print(f"Keep {path_of(loaded)} with the study, and quote the hash.", markup=False)
    raise typer.Exit(1 if differences else 0)


def summary(content: Mapping[str, Any]) -> dict[str, str]:
    plan = content["analysis"]
    each = f" ({plan['evaluators_per_place']:,} in each of {plan['places']:,} cells)"
    return {
        "evaluators": f"{plan['evaluators']:,}{each if plan['places'] > 1 else ''}",
        "not scored": "; ".join(plan["not_scored"]),
        "tests": f"α = {plan['alpha']:g}; {'; '.join(plan['tests'])}",
    }
