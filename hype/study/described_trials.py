"""The trials of the two methods in words: what was shown, asked, and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hype.protocol.staircase import PRESETS, Staircase
from hype.study.languages import HYPE, pack_of
from hype.study.paragraphs import (
    GARCIA_PEREZ,
    KAERNBACH,
    LEVITT,
    PORTILLA,
    ZHOU,
    Paragraph,
    Topic,
    paragraph,
)
from hype.study.phrases import counted, percent, worded
from hype.study.settings import StudyFile
from hype.study.texts import Texts

MASKS_MADE: Final = {
    "portilla-simoncelli": "textures synthesised with the model of Portilla and Simoncelli (2000)",
    "phase-scramble": "images with scrambled phases",
}
SPOILED: Final = {
    "keep": "were scored like the others.",
    "leave-out": "were not scored.",
    "repeat": "were not scored; their images were shown once more at the end of the block, and the "
    "staircase followed the answers to these repetitions instead.",
}
AUTHORS: Final = {
    KAERNBACH: "Kaernbach, 1991",
    LEVITT: "Levitt, 1971",
    GARCIA_PEREZ: "García-Pérez, 1998",
}
HALF_SAID: Final = "Evaluators were told that exactly half of the images were real."


def time_paragraph(settings: StudyFile, masks_made: Sequence[str]) -> Paragraph | None:
    """Describe HYPE_time, where the study has it."""
    if "time" not in settings.study.methods:
        return None
    masks = masks_sentence(settings, masks_made)
    works = (
        *rule_works(settings.time.staircase.rule),
        *([PORTILLA] if "Portilla" in masks else []),
    )
    sentences = (
        judged("HYPE_time", settings.time.blocks, settings.time.trials),
        told_of_halves(settings, "instructions_timed"),
        shown(settings),
        masks,
        asked(settings),
        *rule_sentences(settings),
        rests(settings, settings.time.blocks),
        spoiled(settings),
    )
    return paragraph(Topic.TIME, sentences, *works)


def infinity_paragraph(settings: StudyFile) -> Paragraph | None:
    """Describe HYPE_∞, where the study has it."""
    if "infinity" not in settings.study.methods:
        return None
    table = settings.infinity
    sentences = (
        judged("HYPE_∞", table.blocks, table.trials),
        told_of_halves(settings, "instructions_untimed"),
        "Each image stayed on the screen until it was judged real or fake.",
        feedback(settings, given=table.feedback),
        rests(settings, table.blocks),
    )
    return paragraph(Topic.INFINITY, sentences)


def judged(method: str, blocks: int, trials: int) -> str:
    """Say how many images one evaluator judged."""
    images = f"{trials} images" if blocks == 1 else f"{counted(blocks, 'block')} of {trials} images"
    half = trials // 2
    return (
        f"In {method}, each evaluator judged {images} ({half} real and {half} generated, in random "
        "order)."
    )


def told_of_halves(settings: StudyFile, page: str) -> str:
    """Say that the ratio was stated, if the words on the screen are those that state it."""
    own = Texts.model_fields[page].default
    usual = pack_of(settings.study.language).texts_of(HYPE).get(page, own)
    return HALF_SAID if getattr(settings.texts, page) == usual else ""


def shown(settings: StudyFile) -> str:
    """Say how a flashed image came."""
    time = settings.time
    rule = time.staircase.rule
    exposure = f"{rule.start_ms:g} ms" if is_fixed(rule) else "the current exposure"
    image = f"the image was shown for {exposure}"
    if not time.countdown_from:
        return f"In each trial {image}."
    many = time.countdown_from > 1
    numerals = f"from {time.countdown_from} to 1, each numeral" if many else "of one numeral,"
    countdown = f"a countdown {numerals} lasting {time.countdown_ms:g} ms"
    return f"Each trial began with {countdown}; then {image}."


def masks_sentence(settings: StudyFile, masks_made: Sequence[str]) -> str:
    """Say what covered the image."""
    time = settings.time
    if not time.masks:
        return "It was not masked."
    each = "" if time.masks == 1 else " each"
    said = f"It was followed by {counted(time.masks, 'mask')} of {time.mask_ms:g} ms{each}"
    known = [MASKS_MADE[name] for name in masks_made if name in MASKS_MADE]
    if len(masks_made) != 1 or not known:
        return f"{said}, drawn at random."
    return f"{said}, drawn at random from {known[0]}."


def asked(settings: StudyFile) -> str:
    """Say what was asked after a flashed image."""
    answered = (
        "The evaluator then answered, without a time limit, whether it had been real or fake."
    )
    return f"{answered} {feedback(settings, given=settings.time.feedback)}"


def feedback(settings: StudyFile, *, given: bool) -> str:
    """Say what was told after an answer."""
    if not given:
        return "No feedback was given."
    shown_ms = settings.display.feedback_ms
    return f"After each answer the screen said for {shown_ms:g} ms whether it was correct."


def rests(settings: StudyFile, blocks: int) -> str:
    """Say that there were breaks, where there were."""
    if blocks == 1 or not settings.study.breaks:
        return ""
    return "Between blocks evaluators rested for as long as they wished."


def rule_sentences(settings: StudyFile) -> Iterator[str]:
    """Say which rule set the exposures, and where it settles; nothing where they never changed."""
    rule = settings.time.staircase.rule
    if is_fixed(rule):
        return
    block = "In each block the exposure" if settings.time.blocks > 1 else "The exposure"
    k = rule.correct_to_descend
    streak = "each correct answer" if k == 1 else f"every {worded(k)} correct answers in a row"
    yield (
        f"{block} began at {rule.start_ms:g} ms and stayed between {rule.min_ms:g} and "
        f"{rule.max_ms:g} ms: it was shortened by {rule.down_ms:g} ms after {streak} and "
        f"lengthened by {rule.up_ms:g} ms after each error."
    )
    yield settles(rule)


def is_fixed(rule: Staircase) -> bool:
    """Whether the exposure never changes."""
    return rule.min_ms == rule.max_ms


def settles(rule: Staircase) -> str:
    """Say at which accuracy a rule settles, and where this is not what the paper names."""
    at = f"{percent(rule.settles_at)} of the answers are correct ({AUTHORS[authority(rule)]})"
    if not rule.settles_above_chance:
        return (
            f"Such a rule would settle where {at}, no more than guessing gives, so that the "
            "exposure tended to its lower bound."
        )
    misnamed = ", and not at the 75% that Zhou et al. (2019) name for these steps"
    return f"Such a rule settles where {at}{misnamed if is_printed(rule) else ''}."


def is_printed(rule: Staircase) -> bool:
    """Whether the steps are those that Zhou et al. print, whose accuracy they misname."""
    printed = PRESETS["hype"]
    steps = rule.down_ms, rule.up_ms, rule.correct_to_descend
    return steps == (printed.down_ms, printed.up_ms, printed.correct_to_descend)


def authority(rule: Staircase) -> str:
    """Give the key of the work that says where such a rule settles."""
    if rule.correct_to_descend == 1:
        return KAERNBACH
    return LEVITT if rule.up_ms == rule.down_ms else GARCIA_PEREZ


def rule_works(rule: Staircase) -> tuple[str, ...]:
    """Give the keys of the works that are cited for a rule."""
    if is_fixed(rule):
        return ()
    printed = is_printed(rule) and rule.settles_above_chance
    return (authority(rule), *([ZHOU] if printed else []))


def spoiled(settings: StudyFile) -> str:
    """Say what became of trials that were not shown as they should have been."""
    tolerance_ms = settings.timing.tolerance_ms
    beyond = "half a frame" if tolerance_ms is None else f"{tolerance_ms:g} ms"
    shown = "the image or a mask" if settings.time.masks else "the image"
    return (
        f"Trials in which {shown} may have stayed too long or too briefly, by more than {beyond}, "
        f"{SPOILED[settings.timing.spoiled_trials]}"
    )
