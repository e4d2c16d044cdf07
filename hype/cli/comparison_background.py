"""A study of comparisons in words for its report: what was asked, what was run, and on whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hype.cli.background import SIMULATED
from hype.errors import InputError
from hype.report.page.asked import Asked
from hype.report.page.background import Background
from hype.sessions.participation import Participation, participation
from hype.sessions.participation_said import people_sentences, period
from hype.sessions.prompted import taking_part
from hype.sessions.registration import registration_of
from hype.stimuli.manifest import read_manifest
from hype.store.record import RECORD_FILE, reading_record
from hype.study.described_comparison import asked_details, described_comparison
from hype.study.paragraphs import AnyTopic, Paragraph, Topic, works_of

if TYPE_CHECKING:
    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.study.studies import ComparisonStudy

FLOW_COLUMNS: Final = (
    *("Evaluators", "Came", "Declined", "Unfinished", "Complete", "Failed validation"),
)
HASH_SHOWN: Final = 8
"""Letters of a hash at the head of the page, which has all of them further down."""


def asked_of(study: ComparisonStudy) -> Asked:
    """Say what evaluators were asked."""
    settings = study.settings
    return Asked(question=settings.comparison.asked, details=asked_details(settings))


def background_of_comparisons(study: ComparisonStudy, score: PairwiseScore) -> Background:
    """Say what was run and on whom, from a study, its record and its score."""
    simulated = score.simulated
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    paragraphs = paragraphs_of(study, found, score)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=(flow_row(found, score),),
        flow_columns=FLOW_COLUMNS,
        works=works_of(paragraphs),
        facts=tuple(facts(study, found, simulated=simulated)),
    )


def paragraphs_of(
    study: ComparisonStudy, found: Participation, score: PairwiseScore
) -> tuple[Paragraph, ...]:
    """Describe the study, without what cannot be so of simulated evaluators."""
    paragraphs = described_comparison(study.settings, conditions_of(study, score))
    untrue: set[AnyTopic] = {Topic.PAY} if score.simulated else set()
    if score.simulated and set(found.modes) <= {"simulated"}:
        untrue.add(Topic.DISPLAY)
    return tuple(one for one in paragraphs if one.topic not in untrue)


def conditions_of(study: ComparisonStudy, score: PairwiseScore) -> Sequence[str]:
    """Give what a study compares; where its stimuli cannot be read, what was compared."""
    try:
        return taking_part(study, read_manifest(study.stimuli_folder))
    except InputError:
        return sorted(row.condition for row in score.conditions)


def flow_row(found: Participation, score: PairwiseScore) -> tuple[str | int, ...]:
    """Say what became of those who came."""
    whole = found.whole
    failed = len(score.validation.failed) if score.validation else 0
    who = "simulated" if score.simulated else "people"
    return (who, whole.came, whole.declined, whole.active, whole.complete, failed)


def facts(
    study: ComparisonStudy, found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    """Yield when it was, and what was fixed before."""
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
    yield "Registered", registered_in_short(study)


def registered_in_short(study: ComparisonStudy) -> str:
    """Say under which hash a study was registered, and whether it is still the same."""
    registration = registration_of(study)
    if registration is None:
        return "no"
    name = f"{registration.sha256[:HASH_SHOWN]}"
    try:
        changed = registration.differences(study, images=False)
    except InputError:  # the stimuli are not at hand
        return name
    return f"{name}, changed since" if changed else f"{name}, unchanged"
