"""The words of HYPE: what was run and computed, for a paper, and what the scores say.

All of them are templates: design.txt, statistics.txt and notes.txt. What the scores say is the same
in the terminal and on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.staircase import PRESETS, Staircase
from hype.report.methods import paragraphs_of, said
from hype.report.parts import Paragraph
from hype.statistics.estimate import FEWEST_SHOWN
from hype.study.phrases import listed
from hype.study.texts import pack_of

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.statistics.anova import Anova


FOLDER: Final = Path(__file__).parent


def statistics_in_words(scores: Sequence[Score], *, curves: bool) -> tuple[Paragraph, ...]:
    """Write what was computed for all protocols of a report."""
    rows = [row for score in scores for row in score.conditions]
    tested = [score for score in scores if score.anova and score.anova.f is not None]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        scores=scores,
        judges=next((score.judges for score in scores if score.judges), None),
        curves=curves,
        protocols={score.protocol for score in scores},
        signal_detection=any(score.answers for score in scores),
        agreement=any(score.agreement for score in scores),
        bootstrap=any(row["bootstrap"] for row in rows),
        precision=any(score.precision for score in scores),
        two_way={score.protocol for score in scores if score.two_way},
        tested=tested,
        papers_methods={score.tests.method for score in tested},
        repeated=any(score.anova.epsilon is not None for score in tested if score.anova),
        compared=[score for score in scores if score.letters],
        images={score.images for score in scores},
        margins=[score for score in scores if score.margin],
        within=any(
            len({row["evaluator"] for row in score.evaluators}) < len(score.evaluators)
            for score in scores
        ),
        hyper_realistic=any(row["hyper_realistic"] for row in rows),
        unequal_numbers=any(
            len({row["evaluators"] for row in score.conditions}) > 1 for score in tested
        ),
        trend=any(score.trend for score in scores),
        posteriors=[row for score in scores for row in score.quest_plus],
        settle_points=[row for score in scores for row in score.staircases if row["at"]],
        thresholds=[row for score in scores for row in score.thresholds],
        convincing=any(row["end"] == "most" for score in scores for row in score.fakes),
        fewest_shown=FEWEST_SHOWN,
        metrics=[metric for score in scores for metric in score.metrics if metric["method"]],
    )


def design_in_words(
    settings: StudyFile, conditions: Sequence[str], *, masks_made: Sequence[str] = ()
) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known.

    ``masks_made`` are the methods by which its masks were made, as their manifest names them.
    """
    methods, test = settings.study.methods, settings.qualification
    others = (
        not conditions
        or len(conditions) > settings.study.conditions_each
        or settings.only_qualifies
    )
    # No qualification is held on what all judge, unless that is asked for.
    tested = test.enabled and bool(others or test.stimuli or test.on_own_condition)
    untimed = tested or "infinity" in methods
    several = {  # of what there were several that evaluators were assigned to
        "condition": settings.within or len(settings.evaluated(conditions)) != 1,
        "method": len(settings.methods_of_one_evaluator()) > 1,
    }
    usual = pack_of(settings.study.language).texts["hype"]
    rule, printed = settings.rule, PRESETS["hype"]
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        careless=settings.exclusion.in_words,
        conditions=conditions,
        alone=len(conditions) == 1,
        methods=[METHOD_NAMES.get(method, method) for method in methods],
        places=" and ".join(name for name, are in several.items() if are),
        tested=tested,
        earlier=[PurePosixPath(name).name for name in test.valid_from],
        practised=[*(["untimed"] if untimed else []), *(["timed"] if "time" in methods else [])],
        # The usual words on the screen state the ratio.
        told_timed=settings.texts.instructions_timed == usual["instructions_timed"],
        told_untimed=settings.texts.instructions_untimed == usual["instructions_untimed"],
        mask_method=masks_made[0] if len(masks_made) == 1 else "",
        rule=rule,
        quest_plus=settings.time.staircase.is_quest_plus,
        printed_steps=isinstance(rule, Staircase)
        and (rule.down_ms, rule.up_ms, rule.correct_to_descend)
        == (printed.down_ms, printed.up_ms, printed.correct_to_descend),
    )


def methods_in_words(methods: Sequence[str]) -> str:
    return listed([METHOD_NAMES.get(method, method) for method in methods])


METHOD_NAMES: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}
_MEANINGS: Final = {
    "time": "modal exposure, ms (the score of Zhou et al.); higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}
_OTHERS: Final = {
    "sample": "other evaluators and other images",
    "fixed": "other evaluators, and these images",
    None: "other evaluators",
}
"""Of what a score is said to hold, by whether images are a sample, fixed, or not named."""
VERDICTS: Final[dict[str | None, str]] = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "not known to differ",
}


def protocol_name(score: Score) -> str:
    return METHOD_NAMES[score.protocol]


def protocol_meaning(score: Score) -> str:
    return _MEANINGS[score.protocol]


def anova_name(anova: Anova) -> str:
    return "One-way ANOVA" if anova.epsilon is None else "Repeated-measures ANOVA"


def anova_sentence(score: Score) -> str:
    return said(
        FOLDER,
        "anova",
        score=score,
        anova=score.anova,
        name=anova_name(score.anova) if score.anova else "",
        alone=[row["condition"] for row in score.conditions if row["evaluators"] < 2],
    )


def pairs_sentence(score: Score) -> str:
    unit = _unit_of_differences(score)
    within = f" within {score.margin:g} {unit}" if score.margin else ""
    verdicts = VERDICTS | {"equivalent": f"equivalent{within}"}
    tested = [pair for pair in score.pairwise if pair.p is not None]
    numbers = {each: sum(pair.verdict == each for pair in tested) for each in verdicts}
    return said(
        FOLDER,
        "pairs",
        score=score,
        tested=tested,
        verdicts=verdicts,
        counts=[
            f"{n} {'is' if n == 1 else 'are'} {verdicts[each]}" for each, n in numbers.items() if n
        ],
        unknown=[f"{pair.a} and {pair.b}" for pair in tested if pair.verdict == "not known"],
        difference_unit=unit,
        others=_OTHERS[score.images],
    )


def _unit_of_differences(score: Score) -> str:
    return "percentage points" if score.unit == "%" else score.unit


def papers_sentence(score: Score) -> str:
    """Explain how and why the paper's test of pairs and our verdicts differ."""
    ours = {(pair.a, pair.b): pair.separable for pair in score.pairwise}
    theirs = [pair for pair in score.tests.pairwise if pair.separable is not None]
    unlike = [pair for pair in theirs if pair.separable != ours[pair.a, pair.b]]
    named = [f"{pair.a} and {pair.b}" for pair in unlike]
    return said(FOLDER, "papers", score=score, theirs=len(theirs), unlike=named)


def further_sentences(score: Score) -> tuple[str, ...]:
    above_chance = [row["condition"] for row in score.conditions if row["hyper_realistic"]]
    sentences = (
        said(FOLDER, "threshold", at=score.settles_at),
        said(FOLDER, "hyper_realism", names=above_chance),
        said(
            FOLDER,
            "trend",
            trend=score.trend,
            difference_unit=_unit_of_differences(score),
            others=_OTHERS[score.images],
        ),
    )
    return tuple(filter(None, sentences))


def interval_sentence(score: Score) -> str:
    return said(FOLDER, "intervals", score=score, others=_OTHERS[score.images])
