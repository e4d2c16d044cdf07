"""A study of comparisons in words, as the methods section of a paper has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hype.protocols.comparison.settings import ArenaSettings, ComparisonFile
from hype.protocols.prompted.description import (
    SIDE_BY_SIDE,
    demographic_sentences,
    drawn_sentences,
    pay_sentences,
    real_sentence,
    rest_sentence,
    scaled_sentence,
)
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
