"""A study of rankings in words, as the methods section of a paper has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hype.protocols.prompted.description import (
    demographic_sentences,
    drawn_sentences,
    pay_sentences,
    real_sentence,
    rest_sentence,
    scaled_sentence,
)
from hype.protocols.ranking.settings import RankingFile
from hype.study.phrases import (
    WU,
    ComparisonTopic,
    Paragraph,
    RankingTopic,
    Topic,
    counted,
    evaluated,
    paragraph,
    percent,
)

TOGETHER = "so that all of a group fitted on the screen"
"""How large images were, where the study does not say."""


def described_ranking(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study of rankings; what it has switched off is not mentioned.

    Parameters
    ----------
    conditions
        What it ranks; empty where that is not known.
    """
    found = (
        paragraph(Topic.DESIGN, design_sentences(settings, conditions), WU),
        paragraph(ComparisonTopic.TRIAL, trial_sentences(settings)),
        paragraph(RankingTopic.SCREENING, screening_sentences(settings)),
        paragraph(RankingTopic.HELD_OUT, held_out_sentences(settings)),
        paragraph(Topic.PRACTICE, practice_sentences(settings)),
        paragraph(ComparisonTopic.DEMOGRAPHICS, demographic_sentences(settings.demographics)),
        paragraph(Topic.PAY, pay_sentences(settings.pay, "group that they put in order")),
        paragraph(Topic.DISPLAY, [scaled_sentence(settings, TOGETHER)]),
    )
    return tuple(one for one in found if one)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{counted(asked.group, 'image')}, each of another condition"
    checked = f"{percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{counted(asked.rankings, 'ranking')} of each group"),
        ("Test", counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


def design_sentences(settings: RankingFile, conditions: Sequence[str]) -> Iterator[str]:
    """Say what was to be ranked, how often and by whom."""
    asked = settings.ranking
    yield (
        f"Images of {evaluated(conditions)} were put in order in groups of one prompt each, after "
        "Wu et al. (2023)."
    )
    yield real_sentence(asked)
    yield from group_sentences(settings)
    yield f"Each group was to be ranked by {counted(asked.rankings, 'evaluator')}."
    yield "In which order the images of a group were shown was drawn for each evaluator."
    yield from drawn_sentences(settings.study)


def group_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what a group was, and how many a prompt had."""
    asked = settings.ranking
    number = counted(asked.images, "group")
    if asked.group is None:
        yield f"A group had one image of each condition; each prompt had {number}."
        return
    yield (
        f"A group had {counted(asked.group, 'image')}, each of another condition, which took turns "
        f"where there were more; each prompt had {number}."
    )


def trial_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what was asked, and how one could answer."""
    asked = settings.ranking
    yield (
        f"An evaluator was to put {counted(asked.blocks, 'block')} of up to "
        f"{counted(asked.groups, 'group')} in order, and was told: “{asked.question}”"
    )
    if asked.prompt == "shown":
        yield "The prompt stood above the images."
    else:
        yield "The prompt was not shown."
    by = "by keys or clicks" if asked.mouse else "by keys"
    yield (
        f"They placed the best image first, then the best of the others, and so on, {by}, could "
        "take each step back, and accepted the order when all images had a place."
    )
    yield "Images could share a place." if asked.ties else "No two images could share a place."
    yield rest_sentence(asked.blocks, breaks=settings.study.breaks)


def screening_sentences(settings: RankingFile) -> Iterator[str]:
    """Say how it was found out who ranked as checkers do, and what followed."""
    rule = settings.screening
    if rule.test:
        too = ", checkers too," if rule.checkers else ""
        groups = counted(rule.test, "group")
        yield f"First everybody{too} ranked {groups} as a test, which was not scored."
    if rule.checkers and rule.check_share:
        yield (
            f"Of each evaluator's groups {percent(rule.check_share)} were to be ranked again by a "
            "checker, who was not scored."
        )
    if rule.min_recall is not None:
        yield (
            f"Evaluators with a recall@2 below {percent(rule.min_recall)} in the test (how often "
            "their first choice was among the checker's first two) were not scored."
        )


def held_out_sentences(settings: RankingFile) -> Iterator[str]:
    """Say what was kept for testing preference models."""
    if share := settings.ranking.held_out:
        yield (
            f"Of the prompts {percent(share)}, drawn at random, were held out for testing "
            "preference models."
        )


def practice_sentences(settings: RankingFile) -> Iterator[str]:
    if number := settings.ranking.practice:
        was = "was" if number == 1 else "were"
        yield f"They began with {counted(number, 'group')} of practice, which {was} not scored."
