"""The pre-flight of a study for browsers: who can take part, and what browsers cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hype.check.findings import Preflight
from hype.study.studies import AnyStudy
from hype.study.web_settings import PLATFORMS, WebSettings
from hype.web.arrivals import codes_in


def check_web(flight: Preflight, study: AnyStudy) -> None:
    """Check the study file's settings for browsers, if it has any."""
    web, settings = study.settings.web, study.settings
    if not web.is_given:
        return
    flashes = study.flashes
    flight.facts["web"] = {
        "who": list(who_may_come(web)),
        "phones": web.phones and not flashes,
        "at_once": web.most_at_once,
        "address": web.address or None,
    }
    if web.address.startswith("http:"):
        flight.warn(
            "web-address",
            f"{study.path}: web.address = {web.address!r} does not use TLS: anybody on the same "
            "network can read answers and take over sessions",
            "serve the study behind nginx or Caddy, or accept this in a network that you trust",
        )
    file = web.codes
    if isinstance(file, str):
        flight.attempt("codes-unfit", lambda: codes_in(study, file))
    check_ends(flight, study)
    if flashes and web.phones and "phones" in web.model_fields_set:
        flight.warn(
            "web-phones",
            f"{study.path}: web.phones = true, but images are flashed, which phones cannot time",
            "leave it out; a study with flashed images always refuses phones",
        )
    if settings.display.size_deg is not None:
        flight.warn(
            "web-size",
            f"{study.path}: browsers ignore display.size_deg, since the distance to the screen is "
            "unknown; images are as large as the window allows",
            "give display.size_px, in CSS pixels, or accept it",
        )


def check_ends(flight: Preflight, study: AnyStudy) -> None:
    """Check that a platform learns how each participant's session ended."""
    web = study.settings.web
    if web.platform not in ("prolific", "sona"):
        return
    name = PLATFORMS[web.platform]
    if not web.completion:
        flight.refuse(
            "web-no-completion",
            f"{study.path}: web.completion is missing: {name} would not know who finished, and "
            "nobody would be paid",
            f"copy the completion code or URL from the study's page on {name}",
        )
    stays = f"is not sent back to {name} and keeps a place there until it expires"
    if study.settings.study.quotas and not (web.quota_full or web.screen_out):
        flight.warn(
            "web-no-quota-full",
            f"{study.path}: web.quota_full is missing: a person from a full group {stays}",
            "give the code or URL for people who are turned away, or accept it",
        )
    if study.settings.study.consent and not web.no_consent:
        flight.warn(
            "web-no-consent",
            f"{study.path}: web.no_consent is missing: a person who does not agree {stays}",
            "give the code or URL for people who did not take part, or accept it",
        )


def who_may_come(web: WebSettings) -> Iterator[str]:
    """Yield who can take part, in words."""
    if web.is_open:
        yield "everybody with the link"
    if isinstance(web.codes, int):
        yield f"{web.codes} by invitation"
    elif web.codes:
        yield f"people with a code from {web.codes}"
    if web.platform:
        yield f"people from {PLATFORMS[web.platform]}"


def describe_web(facts: dict[str, Any]) -> str:
    phones = "phones too" if facts["phones"] else "no phones"
    at = f"{facts['address']}: " if facts["address"] else ""
    return f"{at}{', '.join(facts['who'])}; {phones}; {facts['at_once']} people at once"
