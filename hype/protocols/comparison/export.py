"""The export of comparisons: votes, files, descriptions, and questions for judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from operator import attrgetter, itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row

from hype.asking.questions import ChoiceQuestion, ImageQuestion, Level, name_of_pair
from hype.export.kind import (
    Ballot,
    ExportKind,
    Fact,
    PreferredPairs,
    Tally,
    TaskWords,
    Vote,
    describe_columns,
    image_of,
)
from hype.export.people import answers_fact, evaluator_facts, scoring_facts, whole
from hype.protocols.comparison.record import KEPT, count_validation, find_failed
from hype.protocols.comparison.rows import OF_EVALUATORS, why_excluded
from hype.protocols.comparison.sampling import read_comparison_pools, share_out
from hype.protocols.comparison.settings import ComparisonFile, ComparisonSettings, ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import Choice
from hype.protocols.prompted.wording import PROMPT, REFERENCE, TESTED, one_line, task_words
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.study.phrases import percent
from hype.tables.columns import Column, Kind


def adding_reasons(engine: Engine, study: ComparisonStudy, simulated: bool) -> Adding:
    """Make the function that returns why a comparison is not scored; "" if it is scored."""
    with engine.connect() as connection:
        failed = find_failed(connection, study, simulated=simulated)

    def added(evaluator: object, status: object, task: object, answer: object) -> Cells:
        return (why_excluded(status=status, task=task, answer=answer, failed=evaluator in failed),)

    return added


COMPARED: Final = Outgoing(
    answers=KEPT, needed=("evaluator", "status", "task", "answer"), adding=adding_reasons
)
"""How the comparisons of a study are read from the record."""


def facts_of_people(
    connection: Connection, study: ComparisonStudy, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    """Yield who the evaluators are, how many comparisons they made, and how attentive they were."""
    counted = count_validation(connection, simulated=simulated)
    failed = find_failed(connection, study, simulated=simulated)

    def looked(who: Row[Any]) -> tuple[int, int]:
        return counted.get(who.evaluator, (0, 0))

    def why_not(who: Row[Any]) -> str:
        return why_excluded(status=who.status, failed=who.evaluator in failed)

    did = (
        answers_fact(tally, "comparisons", "number of comparisons, with practice and validation"),
        whole(
            "validation",
            "number of comparisons with an obvious answer, to check attention",
            lambda who: looked(who)[0],
        ),
        whole(
            "validation_correct",
            "number of comparisons with an obvious answer that were answered correctly",
            lambda who: looked(who)[1],
        ),
        *scoring_facts(
            *(connection, study, tally, KEPT, OF_EVALUATORS, why_not), simulated=simulated
        ),
    )
    return evaluator_facts(connection, study, did, simulated=simulated)


OBVIOUS: Final = {
    "mismatch": "one of the two images belonged to another prompt",
    "listed": "one of the two images was clearly the right answer",
}

LABELS: Final = {
    ComparisonTask.PRACTICE.value: "practice",
    ComparisonTask.COMPARISON.value: "comparison",
    ComparisonTask.VALIDATION.value: "comparison",
    ComparisonTask.TEST.value: "comparisontest",
}
"""Names of tasks in file names; validation is in the file of the comparisons."""


def tasks_in_words(study: ComparisonStudy) -> dict[str, TaskWords]:
    settings = study.settings
    texts, question = settings.texts, settings.comparison.asked
    return {
        LABELS[ComparisonTask.PRACTICE.value]: task_words(
            "Comparisons with an obvious answer, followed by feedback. They are not scored.",
            *(texts.instructions, texts.practice, question),
            question=question,
        ),
        LABELS[ComparisonTask.TEST.value]: task_words(
            TESTED, texts.instructions, question, question=question
        ),
        LABELS[ComparisonTask.COMPARISON.value]: task_words(
            " ".join(sentences(settings)),
            *(texts.instructions, texts.block, question),
            question=question,
        ),
    }


def sentences(settings: ComparisonFile) -> Iterator[str]:
    asked, rule = settings.comparison, settings.validation
    yield (
        "Two images of one prompt, made in different ways, were shown side by side, in random "
        f"order. The question was: {one_line(asked.asked)}"
    )
    yield answers(asked)
    yield PROMPT.get(
        asked.shown_prompt,
        f"The prompt appeared above both images word by word, one word every {asked.word_ms:g} ms.",
    )
    if asked.show_reference:
        yield REFERENCE
    if asked.limit_ms is not None:
        yield f"The time limit for an answer was {asked.limit_ms / 1000:g} s."
    if asked.min_ms:
        yield (
            f"An answer within {asked.min_ms:g} ms was marked as hasty and led to a wait of "
            f"{asked.wait_ms / 1000:g} s."
        )
    if rule.kind != "off":
        yield (
            f"About {percent(rule.share)} of the comparisons had an obvious answer "
            f"({OBVIOUS[rule.kind]}; task “validation”). Evaluators who answered fewer than "
            f"{percent(rule.min_correct)} of these correctly are not scored."
        )


def answers(asked: ComparisonSettings) -> str:
    words = {Choice.TIE: "no difference (a tie)", Choice.BOTH_BAD: "both are bad"}
    *could, last = ("left", "right", *(words[choice] for choice in asked.neither))
    return f"Answers were {', '.join(could)} or {last}."


CELLS: Final = (
    *("excluded", "criterion", "evaluator", "prompt", "answer"),
    *("left_image", "left", "left_sha256", "right_image", "right", "right_sha256"),
)

VERDICTS: Final = {Choice.LEFT.value: 1, Choice.RIGHT.value: -1, Choice.TIE.value: 0}


def votes_of(engine: Engine, study: ComparisonStudy, simulated: bool) -> Ballot:
    """Collect the scored votes; with several criteria, only those on the first."""
    exported = COMPARED.read(engine, study, simulated=simulated)
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    first, question = next(iter(study.settings.comparison.questions.items()))
    ballot = Ballot(facts={"criterion": first, "question": question})
    for excluded, criterion, evaluator, prompt, answer, *sides in map(cells, exported.rows):
        if not excluded and criterion == first and answer in VERDICTS:
            left, right = tuple(sides[:3]), tuple(sides[3:])
            ballot.cast(evaluator, Vote(prompt, left, right, VERDICTS[answer]))
    return ballot


SIDES: Final = (Choice.LEFT.value, Choice.RIGHT.value)


def what_was_asked(settings: ComparisonFile) -> Mapping[str, str]:
    """Return the criterion, and the question on the screen."""
    asked = settings.comparison
    return {"criterion": ", ".join(asked.questions), "question": asked.asked}


ANSWERS_OF_JUDGES: Final = (
    Level(answer="1", meaning="Image 1", cell=Choice.LEFT.value),
    Level(answer="2", meaning="Image 2", cell=Choice.RIGHT.value),
    Level(answer="tie", meaning="there is no difference", cell=Choice.TIE.value),
)


def questions_of(study: ComparisonStudy) -> Iterator[ImageQuestion]:
    """Ask judges about every pair of images that the design compares, in both orders.

    In the first order, the image with the smaller checksum is on the left. In an arena, judges are
    asked about all possible pairs. With several criteria, they get the question of the first.
    """
    pools, asked = read_comparison_pools(study), study.settings.comparison
    shares = pools.shares or share_out(study.settings, pools.conditions, pools.prompts)
    ties = ANSWERS_OF_JUDGES if asked.ties else ANSWERS_OF_JUDGES[:2]
    for meeting, turned in product(chain.from_iterable(shares), (False, True)):
        left, right = sorted((meeting.one, meeting.other), key=attrgetter("sha256"), reverse=turned)
        yield ChoiceQuestion(
            kind="comparison",
            item=name_of_pair(left.path, right.path),
            images=(left, right),
            prompt=meeting.prompt if asked.shown_prompt != "hidden" else "",
            text=next(iter(asked.questions.values())),
            reference=pools.references.get(meeting.prompt),
            levels=ties,
            cells={"left_image": left.path, "right_image": right.path},
        )


COMPARING: Final = ExportKind(
    outgoing=COMPARED,
    columns=describe_columns(COMPARED),
    answered=Column("compared", Kind.WHOLE, "number of comparisons in the session"),
    images=tuple(image_of(side, f"the image on the {side}") for side in SIDES),
    summary=(
        "Comparisons of two images that were made from one prompt in different ways. The design is "
        "that of Christodoulou and Kuhlmann-Jørgensen (2024, arXiv:2409.11904)."
    ),
    reference="Christodoulou & Kuhlmann-Jørgensen (2024), Finding the Subjective Truth, "
    "https://arxiv.org/abs/2409.11904",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels=LABELS,
    people=facts_of_people,
    pairs=PreferredPairs(votes=votes_of),
    questions=questions_of,
)


def export_kind(_study: object) -> ExportKind:
    return COMPARING
