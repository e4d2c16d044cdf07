"""What a study of HYPE's methods is to find out, and the study files to start from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import Final

from hype.errors import InputError
from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.hype.pools import conditions_of
from hype.protocols.hype.settings import ExclusionSettings, Study
from hype.protocols.hype.settling import Settling, reach, settling, shortcoming, workable
from hype.protocols.hype.staircase import PRESETS
from hype.protocols.hype.status import STATUS
from hype.study.studies import filled_in

TESTS: Final = (
    "scores: 95% intervals for other evaluators and other images",
    "pairs of conditions: t-test for other evaluators and other images, the studentised range of "
    "three conditions or more",
    "beside these, over evaluators alone: percentile bootstrap, one-way ANOVA, Tukey's HSD or "
    "Student's t-test",
)


def planned_analysis(study: Study) -> Json:
    settings = study.settings
    rule = settings.rule
    timed = "time" in settings.study.methods
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "staircase": asdict(rule) | {"settles_at": rule.settles_at} if timed else None,
        "not_scored": not_scored(study),
        "spoiled_trials": settings.timing.spoiled_trials,
        **({"conditions_each": settings.study.conditions_each} if settings.within else {}),
        **careless_plan(settings.exclusion),
        "alpha": ALPHA,
        "tests": list(TESTS),
    }


def careless_plan(exclusion: ExclusionSettings) -> Json:
    """Give who is called careless, and what becomes of them; nothing where there is no rule."""
    rules = list(exclusion.rules.said)
    return {"careless": rules, "careless_left_out": exclusion.leave_out} if rules else {}


def not_scored(study: Study) -> list[str]:
    """List who and what is not scored."""
    qualification = study.settings.qualification
    unqualified = f"evaluators below {qualification.pass_rate:.0%} in the qualification"
    return [
        "evaluators who declined or did not finish",
        *([unqualified] if qualification.enabled else []),
        *(["careless evaluators"] if study.settings.exclusion.leave_out else []),
        "practice, qualification and catch trials"
        if study.settings.catch.trials
        else "practice and qualification",
    ]


DESIGN: Final = StudyDesign(
    conditions=conditions_of,
    planned_analysis=planned_analysis,
    status=STATUS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialNumbers:
    """Numbers of trials that a study asks for."""

    time: int = 150
    infinity: int = 100
    qualification: int = 100
    practice: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What of the timed method is not the paper's, and why.

    ``steps_ms`` are those down and up.
    """

    blocks: int = 3
    steps_ms: tuple[float, float] | None = None
    why: str = ""


def pool_text(name: str, trials: TrialNumbers) -> str:
    """Write the commented file of a study of the qualification alone."""
    return filled_in(
        Path(__file__).with_name("pool.toml"),
        name,
        path=json.dumps(f"../{name}", ensure_ascii=False),
        trials=trials.qualification,
        practice=trials.practice,
    )


def study_text(
    name: str,
    methods: Sequence[str],
    trials: TrialNumbers,
    *,
    timed: Timed = Timed(),
    methods_why: str = "",
    alone: bool = False,
) -> str:
    """Write the commented study file; ``alone`` where it has one condition."""
    down_ms, up_ms = timed.steps_ms or (0.0, 0.0)
    return filled_in(
        Path(__file__).with_name("template.toml"),
        name,
        methods=", ".join(f'"{method}"' for method in methods),
        why=comment(methods_why),
        timed_why=comment(timed.why),
        time_blocks=timed.blocks,
        time_trials=trials.time,
        steps=f"down_ms = {down_ms:g}\nup_ms = {up_ms:g}\n" if timed.steps_ms else "",
        infinity_trials=trials.infinity,
        alone=alone,
        trials=trials.qualification,
        practice_trials=trials.practice,
    )


def comment(text: str) -> str:
    """Write lines of comment, with the end of the last; nothing of nothing."""
    return text and fill(text, 98, initial_indent="# ", subsequent_indent="# ") + "\n"


PAPER: Final = TrialNumbers()
STEPS: Final = 100
FEWEST: Final = 10
"""A block or a qualification of fewer trials would say nothing."""
BOTH: Final = ("time", "infinity")
TIME_BLOCKS: Final = 3


def fitting_trials(counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> TrialNumbers:
    """Give the paper's numbers of trials, or as large a share of them as the images allow.

    Parameters
    ----------
    counts
        Images by condition, the real ones under "".
    methods
        Those that evaluators are given, one each.

    Raises
    ------
    InputError
        There are too few for any study.
    """
    sizes = [scaled(step / STEPS) for step in range(STEPS, 0, -1)]
    sizes = [each for each in sizes if min(each.infinity, each.qualification) >= FEWEST]
    for trials in sizes:
        if fits(trials, counts, methods):
            return trials
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        f"a study needs at least {reals_of(sizes[-1], methods)} of each kind",
    )


def scaled(share: float) -> TrialNumbers:
    """Scale the paper's numbers and make them even; practice stays what it is."""
    return TrialNumbers(
        time=2 * int(share * PAPER.time / 2),
        infinity=2 * int(share * PAPER.infinity / 2),
        qualification=2 * int(share * PAPER.qualification / 2),
        practice=PAPER.practice,
    )


def fits(trials: TrialNumbers, counts: Mapping[str, int], methods: Sequence[str] = BOTH) -> bool:
    """Whether every evaluator finds enough images, whichever method they are given.

    Practice comes once untimed and once timed, with fakes of all conditions; the fakes of the
    qualification come from the other conditions than the evaluator's. A single condition has room
    for a test on its own, should the study ask for one.
    """
    main = scored_of(trials, methods)
    fakes = [number for name, number in counts.items() if name]
    practice, test = trials.practice // 2, trials.qualification // 2
    others = len(fakes) - 1
    theirs = max(main, ceil(test / others)) if others else main + test
    of_each = 2 * ceil(practice / len(fakes)) + theirs
    return counts[""] >= reals_of(trials, methods) and min(fakes) >= of_each


def reals_of(trials: TrialNumbers, methods: Sequence[str]) -> int:
    return scored_of(trials, methods) + 2 * (trials.practice // 2) + trials.qualification // 2


def scored_of(trials: TrialNumbers, methods: Sequence[str]) -> int:
    """Count the fakes, and as many reals, that are scored."""
    scored = {"time": TIME_BLOCKS * trials.time, "infinity": trials.infinity}
    return max(scored[method] for method in methods) // 2


def fitting_qualification(counts: Mapping[str, int]) -> TrialNumbers:
    """Give the paper's numbers for a study of the qualification alone, or as many as there are.

    Raises
    ------
    InputError
        There are too few images for any.
    """
    practice = PAPER.practice // 2
    sources = len(counts) - 1
    for trials in range(PAPER.qualification, FEWEST - 2, -2):
        of_each = ceil(practice / sources) + ceil(trials / 2 / sources)
        have = {name: number - (0 if name else practice) for name, number in counts.items()}
        if have[""] >= trials // 2 and min(n for name, n in have.items() if name) >= of_each:
            return TrialNumbers(qualification=trials)
    name, number = min(counts.items(), key=lambda item: item[1])
    raise InputError(
        f"--fake {name}" if name else "--real",
        f"{number} images",
        f"a qualification needs at least {FEWEST // 2 + practice} of each kind",
    )


RULE: Final = PRESETS["hype"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDesign:
    """What stands in the study file.

    Attributes
    ----------
    without_time
        Why the timed method is not there though nobody declined it; else empty.
    """

    methods: tuple[str, ...]
    trials: TrialNumbers = PAPER
    timed: Timed = Timed()
    without_time: str = ""


def fitted_design(counts: Mapping[str, int], methods: Sequence[str] | None) -> FittedDesign:
    """Give a design that the images suffice for, and that can measure something.

    Parameters
    ----------
    counts
        Images by condition, the real ones under "".
    methods
        As they were asked for; None where nobody did: then it is the timed one, if it can be.

    Raises
    ------
    InputError
        There are too few images for what was asked for, or for any study.
    """
    if methods and "time" not in methods:
        return untimed(counts, methods)
    wanted = tuple(methods or ("time",))
    number = timed_trials(counts, wanted)
    if number:
        trials, blocks, played = number
        return FittedDesign(
            methods=wanted,
            trials=replace(trials, time=played.trials),
            timed=timed_of(trials, blocks, played),
        )
    why = too_few(counts, wanted)
    if methods:
        raise InputError("--method time", why, "more images, or --method infinity alone")
    return untimed(counts, ("infinity",), f'"time" is left out: {why}.')


def untimed(
    counts: Mapping[str, int], methods: Sequence[str], without_time: str = ""
) -> FittedDesign:
    """Give a design without a staircase; what it would be stays the paper's."""
    trials = replace(fitting_trials(counts, methods), time=PAPER.time)
    return FittedDesign(methods=tuple(methods), trials=trials, without_time=without_time)


def timed_trials(
    counts: Mapping[str, int], methods: Sequence[str]
) -> tuple[TrialNumbers, int, Settling] | None:
    """Give the numbers of trials that images suffice for, and what is made of the timed ones."""
    try:
        trials = fitting_trials(counts, methods)
    except InputError:
        return None
    design = workable(RULE, TIME_BLOCKS, trials.time)
    return (trials, *design) if design else None


def timed_of(trials: TrialNumbers, blocks: int, played: Settling) -> Timed:
    """Say what of a design is not the paper's, and why."""
    rule, given = played.rule, settling(RULE, trials.time)
    if given is None or given.settles:
        return Timed()
    times = rule.up_ms / RULE.up_ms
    number = "1 block" if blocks == 1 else f"{blocks} blocks"
    steps = (
        f" and steps {times:g} times the paper's, which settle at the same {rule.settles_at:.0%}"
        if times > 1
        else ""
    )
    return Timed(
        blocks=blocks,
        steps_ms=(rule.down_ms, rule.up_ms) if times > 1 else None,
        why=(
            f"There are images for {TIME_BLOCKS * trials.time} trials. In {TIME_BLOCKS} blocks, "
            f"{shortcoming(given)}. So the study has {number} of {played.trials} trials{steps}; "
            f"{reach(played)}."
        ),
    )


def too_few(counts: Mapping[str, int], methods: Sequence[str]) -> str:
    """Say why images do not suffice for the timed method, and how many would."""
    fewest = min(counts.values())
    enough = next(
        n
        for n in count(fewest + 1)
        if timed_trials({name: max(n, have) for name, have in counts.items()}, methods)
    )
    return (
        f"with {fewest} images of a kind no staircase settles, whatever the blocks and steps; with "
        f"{enough} one would"
    )
