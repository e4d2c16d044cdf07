"""The words of comparisons: what was run and computed, for a paper, and what came of it.

The former are templates, in design.txt and statistics.txt; the latter are the same in the terminal
and on the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.comparison.images import ComparisonAgreement
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.tables import beneath, conditions
from hype.protocols.prompted.wording import (
    TIES,
    allowed_for,
    counted,
    listed,
    open_ranks,
    verdict_sentence,
    within_margin,
)
from hype.report import wording
from hype.report.parts import Paragraph
from hype.report.terminal import beneath_scores, closing, grid, opening
from hype.study import phrases

FOLDER: Final = Path(__file__).parent
SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown, in a few words."""


def statistics_in_words(score: PairwiseScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    from hype.report.methods import paragraphs_of

    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=score.judges,
        both_orders=any(j.first_image for j in score.judges.judges) if score.judges else False,
        drawn=drawn,
        of_two=True,
        tied=any(row.ties for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
        strong=any(strengths),
        all_strong=all(strengths),
        demographics_tested=any(question.p is not None for question in score.demographics),
    )


def design_in_words(settings: ComparisonFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    from hype.report.methods import paragraphs_of

    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: ComparisonFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked = settings.comparison
    limit = "none" if asked.limit_ms is None else f"{asked.limit_ms:g} ms"
    return (
        ("Criterion", asked.criterion),
        ("Prompt", SHOWN[asked.shown_prompt]),
        ("Ties", f"an answer of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", design_in_short(settings)),
        ("Time limit", limit),
    )


def design_in_short(settings: ComparisonFile) -> str:
    """Name the design."""
    asked = settings.comparison
    if asked.arena is None:
        images = phrases.counted(asked.images, "image")
        votes = phrases.counted(asked.votes, "vote")
        return f"all pairs, {images} of each condition and prompt, {votes}"
    rule = "chosen adaptively" if asked.arena.pairs == "adaptive" else "drawn at random"
    return f"arena, pairs {rule}, until the {asked.arena.goal} is known"


TITLE: Final = "Comparisons: how often the images of a condition were chosen; equals have 50%"

_UNITS: Final = {
    "images": "of the same two images",
    "prompt and conditions": "of the same two conditions on the same prompt",
    "conditions": "of the same two conditions",
}


def asked_sentences(score: PairwiseScore) -> Iterator[str]:
    """Say what was asked, of how many, and what becomes of ties."""
    if score.criterion:
        yield f"Asked: {score.criterion}"
    who = "" if score.evaluators is None else f" by {counted(score.evaluators, 'evaluator')}"
    what = "" if score.prompts is None else f" on {counted(score.prompts, 'prompt')}"
    ties = sum(row.ties for row in score.conditions) // 2
    if score.ties == "none":
        on_ties = "Ties are not counted."
    elif ties:
        on_ties = f"{counted(ties, 'tie')} ({ties / score.comparisons:.1%}): {TIES[score.ties]}."
    else:
        on_ties = "There are no ties."
    yield f"{counted(score.comparisons, 'comparison')}{who}{what}. {on_ties}"


def rank_sentences(score: PairwiseScore) -> Iterator[str]:
    """Say which ranks are left open, and why a condition has none."""
    tested = any(pair.verdict for pair in score.pairs)
    yield from open_ranks(score.conditions, tested=tested)


def pair_sentences(score: PairwiseScore) -> Iterator[str]:
    """Say what is known of how many pairs, and what belongs beside such a verdict."""
    if score.sequential is not None:
        alpha = score.sequential.alpha
        yield verdict_sentence(score.pairs, alpha=alpha, by="by the arena's rule")
        yield (
            f"That is wrong about the {score.sequential.goal} in {alpha:.0%} of arenas at most, "
            "and about any other pair in as many, however often one looks. There is no p, since "
            "none would hold; intervals do where the number of comparisons was fixed beforehand."
        )
        return
    sentence = verdict_sentence(score.pairs, alpha=score.alpha, within=within_margin(score.margin))
    yield from filter(None, [sentence])
    yield from caution_sentences(score, "--json")


def caution_sentences(score: PairwiseScore, where: str) -> Iterator[str]:
    """Say what belongs beside one pair's verdict, and of how many others; ``where`` has these."""
    cautions = [f"{pair.a} over {pair.b}: {pair.said}" for pair in score.pairs if pair.said]
    yield from cautions[:1]
    if cautions[1:]:
        yield f"{len(cautions) - 1:,} more pairs need the same caution (see {where})."


def plan_sentence(score: PairwiseScore) -> str:
    """Say what was planned; empty where nothing is known of a plan, and of arenas, which stop."""
    plan = score.plan
    if plan is None or plan.win_rate is None or score.sequential is not None:
        return ""
    return (
        f"Planned: to tell a win rate of {plan.win_rate:.1%} from one half with a power of "
        f"{plan.power:.0%} at α = {plan.alpha:g}, which takes {plan.needed:,} comparisons of "
        "a pair if all are independent, and more where people or images differ."
    )


def agreement_sentence(agreement: ComparisonAgreement) -> str:
    """Say how far evaluators agree."""
    basis = agreement.basis
    if basis is None:
        return f"Agreement: not known, since {agreement.reason}."
    over = f"on average over {agreement.kappa_pairs:,} pairs of evaluators"
    over = "of two evaluators" if agreement.kappa_pairs == 1 else over
    kappa = (
        f" Cohen's κ: {wording.number(agreement.mean_kappa, 2)} {over}."
        if agreement.mean_kappa is not None
        else ""
    )
    same = _UNITS.get(agreement.unit, agreement.unit)
    return (
        f"Agreement beyond what win rates make: {wording.alpha_in_words(basis)} "
        f"({same}, by two evaluators or more).{kappa}"
    )


def quality_sentences(score: PairwiseScore) -> Iterator[str]:
    """Say whether the side mattered, who looked, and what was left out."""
    yield f"Sides: {_uncapitalised(score.sides.said)}"
    validation = score.validation
    if validation is not None and validation.shown:
        yield f"Validation: {validation.said}"
        if validation.failed:
            yield f"Not scored for failing it: {listed(validation.failed)}."
    if validation is not None and validation.hasty is not None:
        answers = sum(row.comparisons for row in validation.evaluators)
        share = f" ({validation.hasty / answers:.1%})" if answers else ""
        yield (
            f"Hasty: {validation.hasty:,} of {answers:,} answers{share} came before the minimum "
            "time."
        )
    if score.exclusions:
        reasons = "; ".join(
            f"{exclusion.answers:,} {exclusion.meaning}" for exclusion in score.exclusions
        )
        yield f"Not scored: {reasons}."


def interval_sentence(score: PairwiseScore) -> str:
    """Say what intervals and tests allow for."""
    tests = "" if score.sequential else " and p"
    return f"{score.confidence:.0%} CI{tests}: {allowed_for(score.random)}."


def _uncapitalised(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def comparison_table(
    score: PairwiseScore, *, background: Sequence[str] = (), whole: bool = True
) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.comparison.scoring.score_comparisons` returns it. ``background``:
    sentences on where it comes from, such as what was registered. ``whole``: with every table and
    note.
    """
    return Group(*_parts(score, background, whole))


def _parts(
    score: PairwiseScore, background: Sequence[str], whole: bool
) -> Iterator[RenderableType]:
    yield from opening(TITLE, asked_sentences(score), simulated=score.simulated)
    table = conditions(score)
    yield grid(table)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from map(Text, rank_sentences(score))
    if score.sequential is not None:
        yield Text(f"Arena: {score.sequential.said}")
    if whole:
        for table in beneath(score):
            yield from beneath_scores(table)
    if score.pairs:
        yield from map(Text, pair_sentences(score))
        yield from map(Text, filter(None, [plan_sentence(score)]))
    if score.judges is not None:
        yield from lay_out_in_terminal(score.judges)
    yield Text()
    if whole:
        yield Text("Answers and evaluators", style="bold")
        yield from map(Text, _evaluators(score))
    known = ((score.pairs, "all pairs of conditions"), (score.agreement, "agreement"))
    more = [*(words for what, words in known if what), "sides"]
    yield from closing(background, interval_sentence(score), score.notes, whole=whole, more=more)


def _evaluators(score: PairwiseScore) -> Iterator[str]:
    if score.agreement is not None:
        yield agreement_sentence(score.agreement)
    yield from quality_sentences(score)
    yield from (question.said for question in score.demographics)
