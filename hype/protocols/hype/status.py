"""How far a study of HYPE's methods is: the qualification, the screen, and who is careless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hype.protocols.hype.counterbalancing import served_by
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.outgoing import PAID_TASKS, careless_evaluators
from hype.protocols.hype.pools import conditions_known
from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.session.timing import Verdict
from hype.status.design import (
    Column,
    Counted,
    Facts,
    OpenStudy,
    StatusDesign,
    as_percent,
    number_of,
)

IS_SCORED: Final = judgements.c.task.in_(SCORED_TASKS)
IS_FLASHED: Final = judgements.c.task == Task.TIME.value


def facts_of(here: OpenStudy, people: Sequence[Counted]) -> Iterator[Facts]:
    """Say whether each is qualified, how well they judged, and what their screen did.

    ``qualified``: None before the qualification is over. ``tested``: whether they answered any
    trial of the qualification here; ``qualified_in``: the folder of the study where they had
    qualified before, or nothing. ``verdicts``: trials of HYPE_time, and how many are ``spoiled``;
    None where none was measured. ``served``: where they serve several conditions, those that they
    serve or will, in order, each with its scored judgements. ``careless``: the rules they break.
    """
    broken = careless_evaluators(here.connection, here.study, simulated=here.simulated)
    settings = here.study.settings
    names = conditions_in(here) if settings.within else ()
    known = {"unqualified": False, "complete": True}
    for one in people:
        who, scored = one.who, one.counts["scored"]
        verdicts = {v.value: one.counts[v.value] for v in Verdict}
        measured = sum(verdicts.values())
        judged = {row.condition: row.scored for row in one.rows if row.condition is not None}
        planned = (served_by(settings, names, one.cell) if names else ()) or judged
        yield {
            "correct": one.counts["correct"] / scored if scored else None,
            "qualified": known.get(who.status, True if scored else None),
            "tested": one.counts["tested"] > 0,
            "qualified_in": who.qualified_in,
            "verdicts": verdicts if measured else None,
            "spoiled": measured - verdicts[Verdict.OK.value] if measured else None,
            "served": {n: judged.get(n, 0) for n in planned} if settings.within else {},
            "careless": tuple(broken.get(who.evaluator, {}).values()),
        }


def conditions_in(here: OpenStudy) -> tuple[str, ...]:
    """Give the conditions of a study, as far as they are known where its stimuli cannot be read."""
    if here.course:
        return tuple(here.course.pools.fake)
    known = conditions_known(here.study, ())
    return known.names if here.study.settings.stimuli.conditions or not known.problem else ()


def facts_of_study(here: OpenStudy, people: Sequence[Facts]) -> Facts:
    """Count evaluators by the qualification, flashed trials by verdict, and who serves what.

    Of those who took the qualification here some ``passed``, ``failed`` or are ``under_way``;
    others had passed it ``elsewhere``. ``timing``: None where no trial was measured.
    ``conditions``: each with its evaluators who are done, where they serve several.
    """
    settings = here.study.settings
    tested = Counter(who["qualified"] for who in people if who["tested"])
    taken = tested[True] + tested[False]
    measured = [who["verdicts"] for who in people if who["verdicts"]]
    timing = {v.value: sum(verdicts[v.value] for verdicts in measured) for v in Verdict}
    done = Counter(name for who in people if who["status"] == "complete" for name in who["served"])
    names = dict.fromkeys((*conditions_in(here), *done)) if settings.within else ()
    return {
        "qualification": {
            "enabled": settings.qualification.enabled,
            "passed": tested[True],
            "failed": tested[False],
            "under_way": tested[None],
            "elsewhere": sum(bool(who["qualified_in"]) for who in people),
            "taken": taken,
            "share": tested[True] / taken if taken else None,
        },
        "timing": timing if measured else None,
        "conditions": [
            {"condition": name, "wanted": settings.study.evaluators, "complete": done[name]}
            for name in names
        ],
    }


def lines_of(study: Study, facts: Facts) -> Iterator[str]:
    if conditions := facts["conditions"]:
        each = study.settings.study.conditions_each
        done = ", ".join(f"{one['condition']} {one['complete']}" for one in conditions)
        yield f"Each evaluator serves {each} conditions; done of {conditions[0]['wanted']}: {done}"
    tested = facts["qualification"]
    if tested["enabled"] or tested["taken"] or tested["under_way"]:
        parts = [f"{tested['taken']} taken"]
        if tested["share"] is not None:
            parts = [f"{tested['passed']} of {tested['taken']} passed ({tested['share']:.0%})"]
        if tested["under_way"]:
            parts.append(f"{tested['under_way']} under way")
        if tested["elsewhere"]:
            parts.append(f"{tested['elsewhere']} passed in another study")
        yield f"Qualification: {', '.join(parts)}"
    if timing := facts["timing"]:
        counts = ", ".join(f"{number:,} {verdict}" for verdict, number in timing.items())
        yield f"Timing of {sum(timing.values()):,} measured trials: {counts}"
    if careless := [who for who in facts["evaluators"] if who["careless"]]:
        left_out = study.settings.exclusion.leave_out
        fate = "left out of the scores" if left_out else "scored like everybody"
        yield f"Careless by the study's rules: {len(careless)}, {fate}"
    yield from (f"  {who['evaluator']}: {'; '.join(who['careless'])}" for who in careless)


STATUS: Final = StatusDesign(
    course=HypeCourse,
    table=judgements,
    heading="Judge-\nments",
    scored=IS_SCORED,
    paid=judgements.c.task.in_(PAID_TASKS) & judgements.c.correct,
    counted={
        "correct": number_of(IS_SCORED & judgements.c.correct),
        "tested": number_of(judgements.c.task == Task.QUALIFICATION.value),
        **{v.value: number_of(IS_FLASHED & (judgements.c.verdict == v.value)) for v in Verdict},
    },
    by=(judgements.c.condition,),
    facts=facts_of,
    facts_of_study=facts_of_study,
    lines=lines_of,
    columns=(
        Column("Cor-\nrect", "correct", as_percent),
        Column("Spoi-\nled", "spoiled"),
        Column("Serves", "served", ", ".join, is_number=False, least=9),
    ),
)
