"""The design of a study of HYPE's methods: registration, progress, and new study files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import Final

from hype.errors import InputError
from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import conditions_of
from hype.protocols.hype.record import PAID_TASKS, judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.settling import find_workable, reach, settling, shortcoming
from hype.protocols.hype.staircase import PRESETS
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.report import tabular
from hype.session.steps import NO_ANSWER
from hype.session.timing import Verdict
from hype.status.design import Facts, StatusDesign
from hype.study.studies import fill_template


def facts_of(_here: object, people: Sequence[Facts]) -> Iterator[Facts]:
    """Report who is qualified, how well people judged, and how many trials are spoiled.

    ``qualified``: whether the evaluator qualified, None until the qualification is over;
    ``passed``: the same, but None for people who took no test in this study. ``spoiled``: trials of
    HYPE_time whose verdict is not "ok"; None if no trial was measured.
    """
    known = {"unqualified": False, "complete": True}
    for who in people:
        scored = who["answers"]
        measured = sum(who[verdict.value] for verdict in Verdict)
        qualified = known.get(who["status"], True if scored else None)
        yield {
            "correct": who["judged_right"] / scored if scored else None,
            "qualified": qualified,
            "passed": qualified if who["tested"] else None,
            "spoiled": measured - who[Verdict.OK.value] if measured else None,
        }


def count_verdicts(_here: object, people: Sequence[Facts]) -> Facts:
    """Count flashed trials by verdict; None if none was measured."""
    timing = {v.value: sum(who[v.value] for who in people) for v in Verdict}
    return {"timing": timing if any(timing.values()) else None}


def timing_lines(facts: Facts) -> Iterator[str]:
    if timing := facts["timing"]:
        counts = ", ".join(f"{number:,} {verdict}" for verdict, number in timing.items())
        yield f"Timing of {sum(timing.values()):,} measured trials: {counts}"


IS_SCORED: Final = judgements.c.task.in_(SCORED_TASKS) & (judgements.c.answer != NO_ANSWER)
IS_FLASHED: Final = judgements.c.task == Task.TIME.value
STATUS: Final = StatusDesign(
    course=HypeCourse,
    table=judgements,
    heading="Judge-\nments",
    scored=IS_SCORED,
    paid=judgements.c.task.in_(PAID_TASKS) & judgements.c.correct,
    counted={
        "judged_right": IS_SCORED & judgements.c.correct,
        "tested": judgements.c.task == Task.QUALIFICATION.value,
        **{v.value: IS_FLASHED & (judgements.c.verdict == v.value) for v in Verdict},
    },
    test="Qualification",
    facts=facts_of,
    facts_of_study=count_verdicts,
    lines=timing_lines,
    columns=(tabular.share("Cor-\nrect", "correct"), tabular.whole("Spoi-\nled", "spoiled")),
)

TESTS: Final = (
    "scores: 95% intervals that generalise to other evaluators and other images",
    "pairs of conditions: t-test that generalises to other evaluators and other images; with three "
    "conditions or more, the studentised range",
    "also for these images only: percentile bootstrap over evaluators, one-way ANOVA, Tukey's HSD "
    "or Student's t-test",
)


def analysis_plan(study: Study) -> Json:
    settings = study.settings
    rule, timed = settings.rule, "time" in settings.study.methods
    return {
        "methods": list(settings.study.methods),
        "staircase": asdict(rule) | {"settles_at": rule.settles_at} if timed else None,
        "not_scored": [
            *settings.not_scored,
            "practice, qualification and catch trials"
            if settings.catch.trials
            else "practice and qualification",
        ],
        "alpha": ALPHA,
        "tests": list(TESTS),
    }


DESIGN: Final = StudyDesign(conditions=conditions_of, planned_analysis=analysis_plan, status=STATUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialNumbers:
    """The numbers of trials in a study."""

    time: int = 150
    infinity: int = 100
    qualification: int = 100
    practice: int = 6


PAPER: Final = TrialNumbers()
RULE: Final = PRESETS["hype"]
BLOCKS: Final = 3
"""The paper's number of blocks of HYPE_time."""
FEWEST: Final = 10
"""A block or a qualification with fewer trials measures too little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDesign:
    """The values of a new study file."""

    methods: tuple[str, ...]
    trials: TrialNumbers = PAPER
    blocks: int = BLOCKS
    # Steps of the staircase, down and up, if they differ from the paper's
    steps_ms: tuple[float, float] | None = None
    why: str = ""  # why HYPE_time was left out, or differs from the paper


def pool_text(name: str, trials: TrialNumbers) -> str:
    """Write the commented file of a study that has only the qualification."""
    return fill_template(
        Path(__file__).with_name("pool.toml"),
        name,
        path=json.dumps(f"../{name}", ensure_ascii=False),
        trials=trials.qualification,
        practice=trials.practice,
    )


def study_text(name: str, design: FittedDesign, *, alone: bool = False) -> str:
    """Write the commented study file; ``alone``: whether it has only one condition."""
    off = "" if design.steps_ms else "# "
    down_ms, up_ms = design.steps_ms or (RULE.down_ms, RULE.up_ms)
    why = design.why and fill(f"# As made: {design.why}", 98, subsequent_indent="# ") + "\n"
    timed = "time" in design.methods
    return fill_template(
        Path(__file__).with_name("template.toml"),
        name,
        methods=", ".join(f'"{method}"' for method in design.methods),
        why="" if timed else why,
        timed_why=why if timed else "",
        time_blocks=design.blocks,
        time_trials=design.trials.time,
        down_ms=f"{off}down_ms = {down_ms:g}".ljust(27),
        up_ms=f"{off}up_ms = {up_ms:g}".ljust(27),
        infinity_trials=design.trials.infinity,
        alone=alone,
        trials=design.trials.qualification,
        practice_trials=design.trials.practice,
    )


def fit_trials(
    counts: Mapping[str, int], methods: Sequence[str] = ("time", "infinity")
) -> TrialNumbers:
    """Return the paper's numbers of trials, or the largest share of them that the images allow.

    With these numbers, there are enough images for every evaluator and method. Practice has fakes
    of all conditions. The fakes of the qualification come from conditions that the evaluator does
    not judge; a study of one condition has no qualification. ``counts``: the number of images by
    condition ("" means real); ``methods``: each evaluator gets one of them.

    InputError: there are too few images for any study.
    """
    fakes = [number for name, number in counts.items() if name]
    others = len(fakes) - 1
    # The qualification is untimed, so timed trials after it have a practice of their own.
    practices = 2 if "time" in methods and others else 1
    practice = PAPER.practice // 2
    reals = 0
    for percent in range(100, 0, -1):
        time, infinity, qualification = (
            2 * int(percent / 100 * paper / 2)
            for paper in (PAPER.time, PAPER.infinity, PAPER.qualification)
        )
        if min(infinity, qualification) < FEWEST:
            break
        scored = {"time": BLOCKS * time, "infinity": infinity}
        main = max(scored[method] for method in methods) // 2
        test = qualification // 2 if others else 0
        reals = main + practices * practice + test
        own = max(main, ceil(test / others)) if others else main
        fewest = practices * ceil(practice / len(fakes)) + own
        if counts[""] >= reals and min(fakes) >= fewest:
            fitted = {"time": time, "infinity": infinity, "qualification": qualification}
            asked = (*methods, "qualification") if others else methods
            return replace(PAPER, **{name: fitted[name] for name in asked})
    raise too_few(counts, f"a study needs at least {reals} of each kind")


def fit_qualification(counts: Mapping[str, int]) -> TrialNumbers:
    """Return the paper's trial numbers for a qualification alone, or fewer if images are lacking.

    InputError: there are too few images for any qualification.
    """
    practice = PAPER.practice // 2
    sources = len(counts) - 1
    for trials in range(PAPER.qualification, FEWEST - 2, -2):
        of_each = ceil(practice / sources) + ceil(trials / 2 / sources)
        have = {name: number - (0 if name else practice) for name, number in counts.items()}
        if have[""] >= trials // 2 and min(n for name, n in have.items() if name) >= of_each:
            return replace(PAPER, qualification=trials)
    raise too_few(counts, f"a qualification needs at least {FEWEST // 2 + practice} of each kind")


def too_few(counts: Mapping[str, int], needed: str) -> InputError:
    name, number = min(counts.items(), key=lambda item: item[1])
    return InputError(f"--fake {name}" if name else "--real", f"{number} images", needed)


def fit_design(counts: Mapping[str, int], methods: Sequence[str] | None) -> FittedDesign:
    """Return a design for which there are enough images, and whose staircase (if any) settles.

    ``methods``: the requested methods; by default HYPE_time, if it is possible. InputError: there
    are too few images for the request, or for any study.
    """
    wanted, why = tuple(methods or ("time",)), ""
    if "time" in wanted:
        if design := fit_staircase(counts, wanted):
            return design
        fewest = min(counts.values())
        enough = next(
            n
            for n in count(fewest + 1)
            if fit_staircase({name: max(n, have) for name, have in counts.items()}, wanted)
        )
        why = (
            f"with {fewest} images of one kind no staircase settles, with any number of blocks and "
            f"any steps; {enough} images are needed"
        )
        if methods:
            raise InputError("--method time", why, "more images, or --method infinity alone")
        wanted, why = ("infinity",), f'"time" is left out: {why}.'
    trials = fit_trials(counts, wanted)
    return FittedDesign(methods=wanted, trials=trials, why=why)


def fit_staircase(counts: Mapping[str, int], methods: tuple[str, ...]) -> FittedDesign | None:
    """Return a design whose staircase settles; None if there are too few images for that."""
    try:
        trials = fit_trials(counts, methods)
    except InputError:
        return None
    given, found = settling(RULE, trials.time), find_workable(RULE, BLOCKS, trials.time)
    if not (given and found):
        return None
    if given.settles:
        return FittedDesign(methods=methods, trials=trials)
    blocks, played = found
    rule, times = played.rule, played.rule.up_ms / RULE.up_ms
    steps = (
        f" and steps {times:g} times the paper's, which settle at the same {rule.settles_at:.0%}"
        if times > 1
        else ""
    )
    return FittedDesign(
        methods=methods,
        trials=replace(trials, time=played.trials),
        blocks=blocks,
        steps_ms=(rule.down_ms, rule.up_ms) if times > 1 else None,
        why=(
            f"There are enough images for {BLOCKS * trials.time} trials. In {BLOCKS} blocks, "
            f"{shortcoming(given)}. So the study has {blocks} block{'s' if blocks > 1 else ''} of "
            f"{played.trials} trials{steps}; {reach(played)}."
        ),
    )
