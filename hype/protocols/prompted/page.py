"""What reports on comparisons, ratings and rankings say alike of a study beside its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hype.cli.background import SIMULATED
from hype.errors import InputError
from hype.protocols.prompted.pools import taking_part
from hype.protocols.studies import PromptedStudy
from hype.registration.registration import registration_of
from hype.report.parts import Background
from hype.session.participation import Participation, participation, people_sentences, period
from hype.session.records import has_folder, reading, require_folder
from hype.stimuli.manifest import read_manifest
from hype.study.phrases import AnyTopic, Paragraph, Topic, works_of

FLOW_COLUMNS: Final = ("Evaluators", "Came", "Declined", "Unfinished", "Complete")
HASH_SHOWN: Final = 8
"""Letters of a hash at the head of the page, which has all of them further down."""


def background_of_prompted(
    study: PromptedStudy,
    describe: Callable[[Sequence[str]], Sequence[Paragraph]],
    *,
    seen: Sequence[str],
    simulated: bool,
    more: Sequence[tuple[str, int]] = (),
) -> Background:
    """Say what was run and on whom, from a study and its record.

    Parameters
    ----------
    study
        Which.
    describe
        Gives paragraphs on the study, from the names of its conditions.
    seen
        The conditions of the answers, for a study whose stimuli cannot be read.
    simulated
        Whether the answers are simulated evaluators'.
    more
        Further columns of the table on what became of those who came, each with its number.
    """
    with reading(study) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    described = describe(conditions_of(study, seen))
    paragraphs = true_paragraphs(described, found, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=((*flow_row(found, simulated=simulated), *(number for _, number in more)),),
        flow_columns=(*FLOW_COLUMNS, *(name for name, _ in more)),
        works=works_of(paragraphs),
        facts=tuple(facts(study, found, simulated=simulated)),
    )


def flow_row(found: Participation, *, simulated: bool) -> tuple[str | int, ...]:
    whole = found.whole
    who = "simulated" if simulated else "people"
    return (who, whole.came, whole.declined, whole.active, whole.complete)


def true_paragraphs(
    paragraphs: Sequence[Paragraph], found: Participation, *, simulated: bool
) -> tuple[Paragraph, ...]:
    """Leave out what cannot be so of simulated evaluators."""
    untrue: set[AnyTopic] = {Topic.PAY} if simulated else set()
    if simulated and set(found.modes) <= {"simulated"}:
        untrue.add(Topic.DISPLAY)
    return tuple(one for one in paragraphs if one.topic not in untrue)


def conditions_of(study: PromptedStudy, answered: Sequence[str]) -> Sequence[str]:
    """Give what a study asks about; where its stimuli cannot be read, what was answered."""
    try:
        require_folder(study, "the list of conditions")
        return taking_part(study, read_manifest(study.stimuli_folder))
    except InputError:
        return sorted(answered)


def facts(
    study: PromptedStudy, found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    """Yield when it was, and what was fixed before."""
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
    yield "Registered", registered_in_short(study)


def registered_in_short(study: PromptedStudy) -> str:
    """Say under which hash a study was registered, and whether it is still the same."""
    if not has_folder(study):
        return "not known here"
    registration = registration_of(study)
    if registration is None:
        return "no"
    name = f"{registration.sha256[:HASH_SHOWN]}"
    try:
        changed = registration.differences(study, images=False)
    except InputError:  # the stimuli are not at hand
        return name
    return f"{name}, changed since" if changed else f"{name}, unchanged"
