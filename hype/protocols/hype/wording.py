"""Texts about HYPE's methods: the design, the statistics, and the results.

The texts are templates: design.txt, statistics.txt and notes.txt. The terminal and the page use the
same sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from hype.protocols.hype.settings import StudyFile, TimeSettings
from hype.protocols.hype.staircase import PRESETS, QUEST_PLUS, QuestPlus, Staircase
from hype.report.methods import paragraphs_of, render_block
from hype.report.parts import Paragraph
from hype.statistics.estimate import FEWEST_SHOWN
from hype.study.phrases import join_names
from hype.study.texts import pack_of

if TYPE_CHECKING:
    from hype.protocols.hype.separability import Separability
    from hype.report.scores import Scores
    from hype.report.tabular import Rows
    from hype.statistics.anova import Anova
    from hype.statistics.pairs import Pair


FOLDER: Final = Path(__file__).parent


def statistics_in_words(scores: Sequence[Scores], *, curves: bool) -> tuple[Paragraph, ...]:
    def rows(name: str) -> tuple[Any, ...]:
        return tuple(row for score in scores for row in score.rows(name))

    tested = [score for score in scores for anova in score.rows("anova") if anova.f is not None]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        scores=scores,
        facts=scores[0].facts,
        judges=next((score.judges for score in scores if score.judges), None),
        curves=curves,
        rows=rows,
        protocols={score.protocol for score in scores},
        bootstrap=any(row["bootstrap"] for row in rows("conditions")),
        two_way={score.protocol for score in scores if score.rows("two-way")},
        tested=tested,
        papers_methods={score.facts["tukey_by"] for score in tested},
        repeated=any(anova.epsilon is not None for anova in rows("anova") if anova.f is not None),
        compared=[s for s in scores if any(row["group"] for row in s.rows("conditions"))],
        images={score.facts["images"] for score in scores},
        margins=[score for score in scores if score.facts["margin"]],
        within=any(
            len({row["evaluator"] for row in own}) < len(own)
            for own in (score.rows("evaluators") for score in scores)
        ),
        hyper_realistic=any(row["hyper_realistic"] for row in rows("conditions")),
        unequal_numbers=any(
            len({row["evaluators"] for row in score.rows("conditions")}) > 1 for score in tested
        ),
        trend=any(score.facts["trend"] for score in scores),
        settle_points=[row for row in rows("staircases") if row["at"]],
        convincing=any(row["end"] == "most" for row in rows("fakes-at-either-end")),
        fewest_shown=FEWEST_SHOWN,
        metrics=[metric for metric in rows("metrics") if metric["method"]],
    )


def design_in_words(
    settings: StudyFile, conditions: Sequence[str], *, masks_made: Sequence[str] = ()
) -> tuple[Paragraph, ...]:
    """Describe the design of a study; ``conditions`` is empty if they are unknown.

    ``masks_made``: the methods that made the masks, from the masks' manifest.
    """
    methods, test = settings.study.methods, settings.qualification
    others = (
        not conditions
        or len(conditions) > settings.study.conditions_each
        or settings.only_qualifies
    )
    # If all judge the same conditions, there is no qualification unless the study asks for it.
    tested = test.enabled and bool(others or test.stimuli or test.on_own_condition)
    untimed = tested or "infinity" in methods
    several = {  # whether evaluators were divided by condition, and by method
        "condition": settings.within or len(settings.conditions_evaluated(conditions)) != 1,
        "method": len(settings.methods_of_one_evaluator()) > 1,
    }
    usual = pack_of(settings.study.language).texts["hype"]
    rule, printed = settings.rule, PRESETS["hype"]
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        alone=len(conditions) == 1,
        methods=[METHOD_NAMES.get(method, method) for method in methods],
        places=" and ".join(name for name, are in several.items() if are),
        tested=tested,
        earlier=[PurePosixPath(name).name for name in test.valid_from],
        practised=[*(["untimed"] if untimed else []), *(["timed"] if "time" in methods else [])],
        # The default texts on the screen tell people the ratio of real and fake images.
        told_timed=settings.texts.instructions_timed == usual["instructions_timed"],
        told_untimed=settings.texts.instructions_untimed == usual["instructions_untimed"],
        mask_method=masks_made[0] if len(masks_made) == 1 else "",
        rule=rule,
        unlike=as_settings(numbers_of_paper(settings)),
        quest_plus=settings.time.staircase.is_quest_plus,
        printed_steps=isinstance(rule, Staircase)
        and (rule.down_ms, rule.up_ms, rule.correct_to_descend)
        == (printed.down_ms, printed.up_ms, printed.correct_to_descend),
    )


def numbers_of_paper(settings: StudyFile) -> dict[str, Any]:
    """Return the paper's settings of HYPE_time that differ from the study's."""
    rule, usual = settings.rule, TimeSettings()
    own = {"blocks": settings.time.blocks, "trials": settings.time.trials} | asdict(rule)
    paper = {"blocks": usual.blocks, "trials": usual.trials} | asdict(PRESETS["hype"])
    if isinstance(rule, QuestPlus):
        own, paper = own | {"preset": QUEST_PLUS}, {"preset": "hype"} | paper
    return {name: of for name, of in paper.items() if of != own.get(name, of)}


def as_settings(values: Mapping[str, Any]) -> list[str]:
    """Write values as in a study file: name = value."""
    return [
        f'{name} = "{of}"' if isinstance(of, str) else f"{name} = {of:g}"
        for name, of in values.items()
    ]


def methods_in_words(methods: Sequence[str]) -> str:
    return join_names([METHOD_NAMES.get(method, method) for method in methods])


METHOD_NAMES: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}
MEANINGS: Final = {
    "time": "most common exposure, ms (the score of Zhou et al.); higher is more convincing",
    "quest-plus": "threshold estimated by QUEST+, ms; higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}
SCORE_UNITS: Final = {"time": "ms", "infinity": "%"}
DIFFERENCE_UNITS: Final = {"time": "ms", "infinity": "percentage points"}
_OTHERS: Final = {
    "sample": "other evaluators and other images",
    "fixed": "other evaluators, but only for these images",
    "unknown": "other evaluators",
}
"""What a score generalises to if the images are a sample, are fixed, or have no names."""
VERDICTS: Final[dict[str | None, str]] = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "not known to differ",
}


def settles_at(staircases: Rows) -> float | None:
    """Return the accuracy at which staircases settle; None if unknown."""
    return next((row["at"] for row in staircases if row["at"]), None)


def anova_name(anova: Anova) -> str:
    return "One-way ANOVA" if anova.epsilon is None else "Repeated-measures ANOVA"


def anova_sentence(conditions: Rows, tests: Separability) -> str:
    anova = tests.anova
    return render_block(
        FOLDER,
        "anova",
        conditions=conditions,
        anova=anova,
        welch=tests.welch,
        name=anova_name(anova) if anova else "",
        alone=[row["condition"] for row in conditions if row["evaluators"] < 2],
    )


def pairs_sentence(
    pairs: Sequence[Pair],
    *,
    protocol: str,
    images: str,
    alpha: float,
    margin: float | None,
    same_mix: bool,
) -> str:
    """Explain the verdicts; ``same_mix``: whether the tests compare the scores themselves."""
    unit = DIFFERENCE_UNITS[protocol]
    within = f"{margin:g} {unit}" if margin else ""
    verdicts = VERDICTS | {"equivalent": f"equivalent within {within}"}
    tested = [pair for pair in pairs if pair.p is not None]
    named = {f"{pair.a} and {pair.b}": pair for pair in tested}
    numbers = {each: sum(pair.verdict == each for pair in tested) for each in verdicts}
    return render_block(
        FOLDER,
        "pairs",
        alpha=alpha,
        margin=within,
        pairs=pairs,
        tested=tested,
        verdicts=verdicts,
        counts=[
            f"{n} {'is' if n == 1 else 'are'} {verdicts[each]}" for each, n in numbers.items() if n
        ],
        unknown=[name for name, pair in named.items() if pair.verdict == "not known"],
        at_bounds=[
            name
            for name, pair in named.items()
            if pair.verdict == "not known" and pair.p is not None and pair.p < alpha
        ],
        same_mix=same_mix,
        difference_unit=unit,
        others=_OTHERS[images],
    )


def papers_sentence(
    pairs: Sequence[Pair], papers: Sequence[Pair], *, protocol: str, images: str
) -> str:
    """Explain how and why the paper's test of pairs and our verdicts differ."""
    ours = {(pair.a, pair.b): pair.separable for pair in pairs if pair.p is not None}
    theirs = [p for p in papers if p.separable is not None and (p.a, p.b) in ours]
    unlike = [pair for pair in theirs if pair.separable != ours[pair.a, pair.b]]
    named = [f"{pair.a} and {pair.b}" for pair in unlike]
    return render_block(
        FOLDER, "papers", protocol=protocol, images=images, theirs=len(theirs), unlike=named
    )


def meaning_of(score: Scores) -> str:
    return MEANINGS["quest-plus" if score.rows("quest-plus") else score.protocol]


def score_sentences(score: Scores) -> tuple[str, ...]:
    """Describe which conditions differ, and what else the scores show."""
    pairs = score.table("pairs")
    above_chance = [r["condition"] for r in score.rows("conditions") if r["hyper_realistic"]]
    sentences = (
        pairs.note if pairs else "",
        render_block(
            FOLDER,
            "threshold",
            at=settles_at(score.rows("staircases")),
            is_known=any(row["threshold"] is not None for row in score.rows("conditions")),
        ),
        render_block(FOLDER, "hyper_realism", names=above_chance),
        render_block(
            FOLDER,
            "trend",
            trend=score.facts["trend"],
            difference_unit=DIFFERENCE_UNITS[score.protocol],
            others=_OTHERS[score.facts["images"]],
        ),
    )
    return tuple(filter(None, sentences))


def interval_sentence(score: Scores) -> str:
    return render_block(
        FOLDER,
        "intervals",
        facts=score.facts,
        others=_OTHERS[score.facts["images"]],
        several=len(score.names) > 1,
    )
