"""Export of judgements (real or fake), and the meaning of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row

from hype.asking.questions import ChoiceQuestion, ImageQuestion, Level
from hype.export.kind import ExportKind, Fact, Tally, TaskWords, describe_columns, only_image
from hype.export.people import (
    CAME,
    answers_fact,
    demographic_facts,
    evaluator_fact,
    flag,
    scoring_facts,
)
from hype.protocols.hype.counterbalancing import conditions_of_cell
from hype.protocols.hype.design import STATUS
from hype.protocols.hype.pools import conditions_known, read_pools
from hype.protocols.hype.record import KEPT
from hype.protocols.hype.rows import SPOILED_VERDICTS, why_excluded
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.staircase import QUEST_PLUS, STAIRCASE
from hype.protocols.hype.trial import Task
from hype.protocols.hype.wording import design_in_words
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.status.design import OpenStudy
from hype.status.looking import standings
from hype.stimuli.manifest import Truth
from hype.study.assignment import Cell
from hype.study.draws import Draws, Purpose, study_sequence
from hype.tables.columns import Column, Kind
from hype.tables.reasons import OF_PEOPLE


def bounds_and_reason(_engine: Engine, study: Study, _simulated: bool) -> Adding:
    """Make columns for how the exposure was chosen, and why a judgement is not scored."""
    staircase = study.settings.time.staircase
    chose = QUEST_PLUS if staircase.is_quest_plus else STAIRCASE
    of_exposure = (staircase.min_ms, staircase.max_ms, chose)
    are_spoiled_left_out = study.settings.timing.spoiled_trials != "keep"

    def added(
        status: object, task: object, exposure_ms: object, verdict: object, answer: object
    ) -> Cells:
        known = of_exposure if exposure_ms is not None else (None, None, None)
        reason = why_excluded(
            status=status,
            task=task,
            answer=answer,
            is_spoiled=are_spoiled_left_out
            and task == Task.TIME.value
            and verdict in SPOILED_VERDICTS,
        )
        return (*known, reason)

    return added


JUDGED: Final = Outgoing(
    answers=KEPT,
    needed=("status", "task", "exposure_ms", "verdict", "answer"),
    adding=bounds_and_reason,
)
"""How the judgements of a study of HYPE's methods are read from the record."""

LEFT: Final = {"real": "the left key answers real", "fake": "the left key answers fake"}


def facts_of_people(
    connection: Connection, study: Study, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    """Yield the facts that describe evaluators: who they are, what they judged, how attentively."""
    here = OpenStudy(connection, study, course=None, simulated=simulated)
    standing = {who["evaluator"]: who for who in standings(here, STATUS)}

    names, problem = conditions_known(study, ()) if study.settings.within else ((), "")
    is_known = bool(names) and (bool(study.settings.stimuli.conditions) or not problem)

    def serves(who: Row[Any]) -> str:
        cell = Cell(condition=who.condition, methods=who.methods.split(), share=who.share or 0)
        return " + ".join(conditions_of_cell(study.settings, names, cell)) if is_known else ""

    yield from map(evaluator_fact, ("evaluator", "simulated"))
    # In a study with judgements of images, condition and left_means are never empty.
    condition = replace(evaluator_fact("condition").column, null=False)
    yield Fact(condition, lambda who: who.condition or serves(who))
    yield evaluator_fact("methods")
    left = evaluator_fact("left_means")
    yield replace(left, column=replace(left.column, levels=LEFT, null=False))
    yield evaluator_fact("status")
    yield flag(
        "qualified",
        "whether the evaluator may continue to scored trials; empty until this is known",
        lambda who: standing[who.evaluator]["qualified"],
        null=True,
    )
    yield flag(
        "qualified_before",
        "whether the evaluator qualified in an earlier study, and did not take the test again",
        lambda who: bool(who.qualified_in),
    )
    yield from CAME
    yield answers_fact(
        tally,
        "judgements",
        "number of the evaluator's judgements, including practice and qualification",
    )
    yield from scoring_facts(
        *(connection, study, tally, KEPT, OF_PEOPLE),
        lambda who: why_excluded(status=who.status),
        simulated=simulated,
    )
    yield from demographic_facts(connection, study, simulated=simulated)


LABELS: Final = {
    Task.PRACTICE.value: "practice",
    Task.QUALIFICATION.value: "qualification",
    Task.TIME.value: "hypetime",
    Task.INFINITY.value: "hypeinfinity",
    Task.CATCH.value: "hypecatch",
}
"""Names of tasks in file names."""


def tasks_in_words(study: Study) -> dict[str, TaskWords]:
    """Describe tasks in the words and order of the methods section; others get no description."""
    settings = study.settings
    design = {each.topic: each.text for each in design_in_words(settings, ())}
    tasks = [task.value for task in Task]
    order = [*(topic for topic in design if topic in tasks), *(t for t in tasks if t not in design)]
    return {
        LABELS[task]: TaskWords(
            description=design.get(task, ""), instructions=instructions(settings, task)
        )
        for task in order
    }


def instructions(settings: StudyFile, task: str) -> str:
    texts = settings.texts
    untimed = (texts.instructions_untimed, texts.question_untimed)
    read = {
        Task.PRACTICE.value: (texts.practice,),
        Task.QUALIFICATION.value: (untimed[0], texts.qualification, untimed[1]),
        Task.TIME.value: (texts.instructions_timed, texts.block, texts.question),
        Task.INFINITY.value: (untimed[0], texts.block, untimed[1]),
        Task.CATCH.value: (texts.question, texts.question_untimed),
    }
    return "\n\n".join(read[task])


REAL_OR_FAKE: Final = tuple(
    Level(answer=truth.value, meaning="", cell=truth.value) for truth in Truth
)


def questions_of(study: Study) -> Iterator[ImageQuestion]:
    """Ask judges whether each image is real; sources take turns, and their images are shuffled."""
    sources = read_pools(study).sources()
    seed, texts = study.settings.study.seed, study.settings.texts
    orders = {
        name: Draws(study_sequence(seed, Purpose.IMAGES, f"judges {name}")).permutation(len(images))
        for name, images in sources.items()
    }
    turns = zip_longest(*([images[at] for at in orders[name]] for name, images in sources.items()))
    for image in (image for turn in turns for image in turn if image is not None):
        yield ChoiceQuestion(
            kind="judgement",
            item=image.path,
            images=(image,),
            prompt="",
            text=texts.question_untimed,
            levels=REAL_OR_FAKE,
            cells={"image": image.path},
        )


JUDGING: Final = ExportKind(
    outgoing=JUDGED,
    columns=tuple(
        replace(column, null=column.null and column.name != "condition")
        for column in describe_columns(JUDGED)
    ),
    answered=Column("judged", Kind.WHOLE, "number of judgements in the session"),
    images=(only_image(),),
    summary=(
        "Judgements of whether images are real or were made by a generative model. The method is "
        "HYPE (Zhou et al., NeurIPS 2019, arXiv:1904.01121), which measures how real generated "
        "images look to people."
    ),
    reference="Zhou et al. (2019), HYPE, NeurIPS 2019, https://arxiv.org/abs/1904.01121",
    tasks=tasks_in_words,
    labels=LABELS,
    people=facts_of_people,
    on_images="The column `masks` names the masks; they are not listed here",
    questions=questions_of,
)


def export_kind(_study: object) -> ExportKind:
    return JUDGING
