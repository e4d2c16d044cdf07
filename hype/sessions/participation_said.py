"""Who took part in a study, in sentences that can stand in a paper."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from hype.sessions.participation import Participation, Screen
from hype.study.phrases import counted, listed, worded

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
TIMES: Final = {1: "once", 2: "twice"}
JUDGED: Final = "answers were drawn from psychometric functions"
DRAWN: Final = {
    "comparison": "choices were drawn from strengths of the conditions that the study sets",
    "rating": "answers were drawn from strengths of the conditions on each axis, as the study sets",
    "ranking": "orders were drawn from strengths of the conditions that the study sets",
}
"""What simulated answers follow from, by methods that stand alone."""
PROGRAMS: Final = {"hype": "hype", "psychopy": "PsychoPy", "python": "Python"}
"""Programs that are named with their versions, and how; those of the rest are in the record."""


def period(first: date, last: date) -> str:
    """Write from when to when, without saying anything twice: "3–7 May 2026"."""
    end = f"{last.day} {MONTHS[last.month - 1]} {last.year}"
    if first == last:
        return end
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{end}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"{first.day} {MONTHS[first.month - 1]}{year} – {end}"


def people_sentences(found: Participation, *, simulated: bool) -> tuple[str, ...]:
    """Say who took part, what became of them, and what their sessions were like."""
    if simulated:
        return tuple(simulated_sentences(found))
    return (
        *came_sentences(found),
        *removed_sentences(found),
        *session_sentences(found),
        *version_sentences(found),
    )


def simulated_sentences(found: Participation) -> Iterator[str]:
    """Say that nobody took part."""
    who = counted(found.whole.came, "simulated evaluator")
    windowless = found.modes.get("simulated", 0)
    drawn = next((said for method, said in DRAWN.items() if method in found.methods), JUDGED)
    yield f"Nobody real was asked: the study was run with {who}, whose {drawn}."
    yield from outcome_sentences(found)
    if windowless and windowless == found.sessions:
        yield "No images were shown on any display."
    yield from screen_sentences(found)
    yield from version_sentences(found)


def came_sentences(found: Participation) -> Iterator[str]:
    """Say how many people came, when and where, and what became of them."""
    if not found.whole.came:
        yield "Nobody came to the study."
        return
    who = counted(found.whole.came, "person", "people")
    held = f"{counted(found.sessions, 'session')} at {counted(found.stations, 'station')}"
    when = f" ({period(found.first, found.last)})" if found.first and found.last else ""
    yield f"The study was attended by {who}, in {held}{when}."
    yield from outcome_sentences(found)


def outcome_sentences(found: Participation) -> Iterator[str]:
    """Say how many did not take part to the end, and how many did."""
    whole = found.whole
    if not whole.came:
        return
    if whole.complete == whole.came:
        yield f"{'All of them' if whole.came > 1 else 'They'} completed it."
        return
    parts = {
        "did not consent": whole.declined,
        "did not pass the qualification": whole.unqualified,
        "has not finished" if whole.active == 1 else "have not finished": whole.active,
        "completed it": whole.complete,
    }
    said = [f"{worded(number)} {what}" for what, number in parts.items() if number]
    yield f"Of these, {listed(said)}."


def removed_sentences(found: Participation) -> Iterator[str]:
    """Say whose data are not there any more, by number."""
    if found.removed:
        data = counted(found.removed, "person", "people")
        yield f"The data of {data} were removed on request and are in none of these numbers."


def session_sentences(found: Participation) -> Iterator[str]:
    """Say what befell the sessions, and at which displays they were held."""
    if found.broke_off:
        ended = counted(found.broke_off, "session")
        yield f"Without anybody ending them, {ended} broke off."
    if found.interrupted:
        times = TIMES.get(found.interrupted) or counted(found.interrupted, "time")
        yield f"Trials were cut off {times}, to be shown again when the evaluator came back."
    yield from screen_sentences(found)


def screen_sentences(found: Participation) -> Iterator[str]:
    """Say at which displays sessions were held."""
    if len(found.screens) == 1:
        ((screen, _),) = found.screens
        yield f"The display had {described(screen)}."
    elif found.screens:
        each = [
            f"{described(screen)} ({counted(number, 'session')})"
            for screen, number in found.screens
        ]
        yield f"The displays had {listed(each)}."


def described(screen: Screen) -> str:
    """Say what a display was like."""
    virtual = ", drawn in memory without a screen" if screen.virtual else ""
    timed = "" if screen.waits else ", frames being timed by the program"
    return f"{screen.width_px} × {screen.height_px} px at {screen.refresh_hz} Hz{timed}{virtual}"


def version_sentences(found: Participation) -> Iterator[str]:
    """Say which programs sessions ran under."""
    known = {name: found.versions[name] for name in PROGRAMS if name in found.versions}
    if known:
        said = [f"{PROGRAMS[name]} {listed(versions)}" for name, versions in known.items()]
        yield f"Sessions ran under {listed(said)}."
