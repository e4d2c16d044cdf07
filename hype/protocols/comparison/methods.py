"""The statistics of comparisons in words for a paper: what was computed, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hype.protocols.comparison.settings import ArenaSettings, ComparisonFile
from hype.protocols.prompted.wording import (
    SIDE_BY_SIDE,
    demographic_sentences,
    drawn_sentences,
    pay_sentences,
    real_sentence,
    rest_sentence,
    scaled_sentence,
)
from hype.report.bibliography import Said, said
from hype.study.phrases import (
    CHRISTODOULOU,
    HOULSBY,
    ComparisonTopic,
    Paragraph,
    Topic,
    counted,
    evaluated,
    paragraph,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from hype.protocols.comparison.results import PairwiseScore

Sentences = tuple[Said, ...]

_TIES: Final = {
    "davidson": "Ties are a part of the model ({Davidson1970}), and half a win to either in win "
    "rates.",
    "half": "A tie is half a win to either.",
    "none": "Ties are not counted.",
}


def comparisons_said(score: PairwiseScore, *, drawn: Collection[str]) -> tuple[Sentences, ...]:
    """Write the paragraphs on win rates, strengths, agreement, and on what else was computed.

    Parameters
    ----------
    score
        What was scored.
    drawn
        Keys of the parts that the report has.
    """
    paragraphs = (
        tuple(_rates(score)),
        tuple(_strengths(score)),
        tuple(_rule(score)),
        tuple(_people(score)),
        tuple(_quality(score, drawn)),
    )
    return tuple(paragraph for paragraph in paragraphs if paragraph)


def _rates(score: PairwiseScore) -> Iterator[Said]:
    yield said(
        "A win rate is the share of comparisons in which a condition was chosen, with Wilson's "
        "{confidence:.0%} interval ({Wilson1927}).",
        confidence=score.confidence,
    )
    if any(row.ties for row in score.conditions) or score.ties == "none":
        yield said(_TIES[score.ties])
    if not score.pairs:
        return
    clustered = any(pair.p_clustered is not None for pair in score.pairs)
    test = (
        "sign-flip test with evaluators as the independent units ({Fisher1935})"
        if clustered
        else "exact binomial test, as if every comparison were independent of all others"
    )
    more = ", with Holm's rule over all pairs ({Holm1979})" if len(score.pairs) > 1 else ""
    yield said(
        f"Whether one of two conditions was chosen more often was tested by the two-sided {test}"
        f"{more}, at α = {{alpha:g}}.",
        alpha=score.alpha,
    )
    yield from _power(score)


def _power(score: PairwiseScore) -> Iterator[Said]:
    plan = score.plan
    if plan is None or plan.needed is None:
        yield said(
            "No number of comparisons is known to have been fixed beforehand, so that it is not "
            "known what the study was powered for."
        )
    elif plan.win_rate is not None:
        yield said(
            "The study was planned to tell a win rate of {rate:.1%} from one half with a power of "
            "{power:.0%} at α = {alpha:g}, which takes {needed:,} comparisons of a pair without "
            "ties.",
            rate=plan.win_rate,
            power=plan.power,
            alpha=plan.alpha,
            needed=plan.needed,
        )
    if plan is not None and plan.registration:
        yield said("It was registered under the hash {sha256}.", sha256=plan.registration)


def _strengths(score: PairwiseScore) -> Iterator[Said]:
    strong = [row for row in score.conditions if row.strength is not None]
    if strong:
        yield said(
            "Strengths are maximum-likelihood estimates of Bradley and Terry's model "
            "({BradleyTerry1952}); log-strengths have mean 0. On Elo's scale ({Elo1978}) 400 "
            "points are odds of 10 to 1, and the mean is 1000; as numbers p that sum to 100, which "
            "are those that Newman's iteration converges to ({Newman2023}), a is chosen over b "
            "with probability p(a) / (p(a) + p(b))."
        )
    if len(strong) < len(score.conditions):
        yield said(
            "Strengths are finite only where a path of choices leads from each condition to each "
            "other one and back ({Ford1957}); other conditions have none, and no number was made "
            "up for them."
        )
    bootstrap = score.bootstrap
    if bootstrap is None or not strong:
        return
    yield said(
        "Their {confidence:.0%} intervals are percentiles of {draws:,} bootstrap draws of "
        "{unit} ({Efron1979}), seed {seed}.",
        confidence=score.confidence,
        draws=bootstrap.draws,
        unit=bootstrap.unit,
        seed=bootstrap.seed,
    )
    yield from _sandwich(score)


def _sandwich(score: PairwiseScore) -> Iterator[Said]:
    if all(row.strength_sandwich is None for row in score.conditions):
        return
    if score.bootstrap and score.bootstrap.unit == "evaluators":
        yield said(
            "Beside them stand intervals by the sandwich's standard errors ({White1982}), with "
            "evaluators as clusters ({LiangZeger1986})."
        )
    else:
        yield said("Beside them stand intervals by the sandwich's standard errors ({White1982}).")


def _rule(score: PairwiseScore) -> Iterator[Said]:
    rule = score.sequential
    if rule is None:
        return
    what = "the whole ranking" if rule.goal == "ranking" else "the top"
    how = (
        "by bets on the evaluators' shares ({WaudbySmith2024})"
        if rule.unit == "evaluator"
        else "by a beta-binomial mixture over votes"
    )
    yield said(
        f"Whether {what} is known was decided by confidence sequences ({{Howard2021}}), {how}, "
        "with an error rate of {alpha:.0%} at most, however often one looks.",
        alpha=rule.alpha,
    )


def _people(score: PairwiseScore) -> Iterator[Said]:
    agreement = score.agreement
    if agreement is not None and agreement.alpha is not None:
        yield said(
            "Agreement among evaluators is Krippendorff's α ({Krippendorff2004}), chance being "
            "what is usual for the two conditions, as in a stratified κ ({Barlow1991}), so that "
            "everybody's choosing by the same coin is no agreement."
        )
        if agreement.alpha.low is not None:
            yield said(
                "Its interval is from {draws:,} draws of comparisons.", draws=agreement.draws
            )
    if agreement is not None and agreement.mean_kappa is not None:
        yield said(
            "Cohen's κ ({Cohen1960}) is the mean over pairs of evaluators who share "
            "{shared} comparisons or more.",
            shared=agreement.kappa_shared,
        )
    if score.camps is not None and score.camps.p is not None:
        yield said(
            "Whether evaluators differ more than chance makes them was tested by Tarone's test "
            "({Tarone1979}), by dealing the choices out anew where that is feasible, and for each "
            "pair with Holm's rule ({Holm1979}); camps are named where at least half of those "
            "with five choices or more nearly always chose the same of two conditions, some the "
            "one and some the other."
        )


def _quality(score: PairwiseScore, drawn: Collection[str]) -> Iterator[Said]:
    if score.sides.p is not None:
        yield said(
            "Whether the side mattered was tested likewise: left against right, overall and for "
            "each evaluator, and by the longest run of one side, with Holm's rule ({Holm1979})."
        )
    validation = score.validation
    if validation is not None and validation.shown and validation.min_correct is not None:
        yield said(
            "Evaluators with fewer than {bound:.0%} of the comparisons with an obvious answer "
            "right were not scored, a bound that the study had fixed.",
            bound=validation.min_correct,
        )
    tested = [one for one in score.demographics if one.p is not None]
    if tested:
        yield said(
            "Evaluators were compared with the reference by Pearson's chi-squared test "
            "({Pearson1900}), or by draws from the reference where expected counts are below 5; w "
            "is Cohen's effect size ({Cohen1988})."
        )
    if "comparison-images" in drawn:
        yield said(
            "The images of a prompt that were chosen most are those with the highest lower bound "
            "of Wilson's interval ({Wilson1927}), those chosen least have the lowest upper bound."
        )


SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown, in a few words."""


def described_comparison(
    settings: ComparisonFile, conditions: Sequence[str]
) -> tuple[Paragraph, ...]:
    """Describe a study of comparisons; what it has switched off is not mentioned.

    Parameters
    ----------
    conditions
        What it compares; empty where that is not known.
    """
    arena = settings.comparison.arena
    adaptive = arena is not None and arena.pairs == "adaptive"
    works = (CHRISTODOULOU, *([HOULSBY] if adaptive else []))
    found = (
        paragraph(Topic.DESIGN, design_sentences(settings, conditions), *works),
        paragraph(ComparisonTopic.TRIAL, trial_sentences(settings)),
        paragraph(ComparisonTopic.VALIDATION, validation_sentences(settings)),
        paragraph(Topic.PRACTICE, practice_sentences(settings)),
        paragraph(ComparisonTopic.DEMOGRAPHICS, demographic_sentences(settings.demographics)),
        paragraph(Topic.PAY, pay_sentences(settings.pay, "answer")),
        paragraph(Topic.DISPLAY, [scaled_sentence(settings, SIDE_BY_SIDE)]),
    )
    return tuple(one for one in found if one)


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
        images = counted(asked.images, "image")
        return f"all pairs, {images} of each condition and prompt, {counted(asked.votes, 'vote')}"
    rule = "chosen adaptively" if asked.arena.pairs == "adaptive" else "drawn at random"
    return f"arena, pairs {rule}, until the {asked.arena.goal} is known"


def design_sentences(settings: ComparisonFile, conditions: Sequence[str]) -> Iterator[str]:
    """Say what was to be compared, how often and by whom."""
    asked, study = settings.comparison, settings.study
    yield (
        f"The study compared images of {evaluated(conditions)} in pairs, after Christodoulou & "
        "Kuhlmann-Jørgensen (2024)."
    )
    yield real_sentence(asked)
    images = f"{counted(asked.images, 'image')} of each condition"
    if asked.arena is None:
        yield (
            f"Of each prompt {images} took part, each of which was to meet every image of the "
            "other conditions; each of these comparisons was to be made by "
            f"{counted(asked.votes, 'evaluator')}."
        )
    else:
        yield f"Of each prompt {images} took part."
        yield from arena_sentences(asked.arena)
    yield sides_sentence(asked.arena)
    yield from drawn_sentences(study)


def sides_sentence(arena: ArenaSettings | None) -> str:
    """Say how images came to their sides."""
    if arena is not None:
        return "Which image was on which side was drawn at random."
    return (
        "Which image was on which side was drawn at random, so that of each evaluator's "
        "comparisons of two conditions each was on the left in half, to within one."
    )


def arena_sentences(arena: ArenaSettings) -> Iterator[str]:
    """Say how pairs were chosen, and when that ended."""
    if arena.pairs == "adaptive":
        yield (
            "Which conditions met was chosen as evaluators came, by how much a vote was expected "
            "to tell of the order of the two (Houlsby et al., 2011); one in ten was drawn at "
            "random."
        )
    else:
        yield "Which conditions met was drawn at random."
    unit = "evaluators" if arena.unit == "evaluator" else "votes"
    yield (
        f"This was to end when the {arena.goal} was known by a sequential rule over {unit} with an "
        f"error rate of {percent(arena.alpha)}, and at {arena.most_votes:,} votes in any case."
    )


def trial_sentences(settings: ComparisonFile) -> Iterator[str]:
    """Say what was asked, and what was seen meanwhile."""
    asked = settings.comparison
    each = f"{counted(asked.blocks, 'block')} of {counted(asked.trials, 'comparison')}"
    yield (
        f"An evaluator was to make {each} of two images side by side, and was asked each time: "
        f"“{asked.asked}”"
    )
    yield prompt_sentence(settings)
    yield answer_sentence(settings)
    if asked.min_ms:
        wait = f" and made the next pair wait for {asked.wait_ms:g} ms" if asked.wait_ms else ""
        yield (
            f"An answer that came faster than {asked.min_ms:g} ms after both images could be seen "
            f"counted as hasty{wait}."
        )
    if asked.limit_ms is not None:
        yield f"Whoever had not answered after {asked.limit_ms:g} ms went on without an answer."
    yield rest_sentence(asked.blocks, breaks=settings.study.breaks)


def prompt_sentence(settings: ComparisonFile) -> str:
    """Say how the prompt was shown."""
    asked = settings.comparison
    if asked.shown_prompt == "hidden":
        return "The prompt was not shown."
    if asked.shown_prompt == "shown":
        return "The prompt stood above both images."
    return f"The prompt appeared above both images word by word, one every {asked.word_ms:g} ms."


def answer_sentence(settings: ComparisonFile) -> str:
    """Say how one could answer."""
    asked = settings.comparison
    by = "by a key or a click" if asked.mouse else "by a key"
    if asked.ties:
        return f"They chose one of the two, or “{settings.texts.tie}”, {by}."
    return f"They had to choose one of the two, {by}."


def validation_sentences(settings: ComparisonFile) -> Iterator[str]:
    """Say which comparisons had an obvious answer, and what became of those who failed them."""
    rule = settings.validation
    if rule.kind == "off":
        return
    share = f"About {percent(rule.share)} of the comparisons had an obvious answer"
    if rule.kind == "mismatch":
        yield f"{share}: an image of the prompt stood beside one of another prompt."
    else:
        yield f"{share}, and were listed by the experimenter."
    yield (
        f"Evaluators who answered fewer than {percent(rule.min_correct)} of these correctly were "
        "not scored."
    )


def practice_sentences(settings: ComparisonFile) -> Iterator[str]:
    """Say what was practised."""
    number = settings.comparison.practice
    if number and settings.validation.kind != "off":
        yield (
            f"Before the first block they practised on {counted(number, 'comparison')} with an "
            "obvious answer, which were not scored."
        )
