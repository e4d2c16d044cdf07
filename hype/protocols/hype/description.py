"""A study of HYPE's methods in words, as the methods section of a paper has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.settings import (
    InfinitySettings,
    QualificationSettings,
    StudyFile,
    TimeSettings,
)
from hype.protocols.hype.staircase import PRESETS, Staircase
from hype.protocols.hype.texts import Texts
from hype.report.parts import SIMULATED, Background
from hype.session.materials import conditions_known, mask_methods
from hype.session.participation import (
    Arrivals,
    Participation,
    participation,
    people_sentences,
    period,
)
from hype.session.records import reading
from hype.study.assignment import design
from hype.study.phrases import (
    GARCIA_PEREZ,
    KAERNBACH,
    LEVITT,
    PORTILLA,
    ZHOU,
    Paragraph,
    Topic,
    at_most,
    background,
    counted,
    evaluated,
    listed,
    money,
    paragraph,
    percent,
    square,
    worded,
    works_of,
)
from hype.study.shared import SharedSettings
from hype.study.texts import pack_of

if TYPE_CHECKING:
    from hype.protocols.hype.study import Study

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
        hasty(settings.time),
        *rule_sentences(settings),
        rests(settings, settings.time.blocks),
        spoiled(settings),
    )
    return paragraph(Topic.TIME, sentences, *works)


def infinity_paragraph(settings: StudyFile) -> Paragraph | None:
    if "infinity" not in settings.study.methods:
        return None
    table = settings.infinity
    sentences = (
        judged("HYPE_∞", table.blocks, table.trials),
        told_of_halves(settings, "instructions_untimed"),
        "Each image stayed on the screen until it was judged real or fake.",
        feedback(settings, given=table.feedback),
        hasty(table),
        rests(settings, table.blocks),
    )
    return paragraph(Topic.INFINITY, sentences)


def judged(method: str, blocks: int, trials: int) -> str:
    images = f"{trials} images" if blocks == 1 else f"{counted(blocks, 'block')} of {trials} images"
    half = trials // 2
    return (
        f"In {method}, each evaluator judged {images} ({half} real and {half} generated, in random "
        "order)."
    )


def told_of_halves(settings: StudyFile, page: str) -> str:
    """Say that the ratio was stated, if the words on the screen are those that state it."""
    own = Texts.model_fields[page].default
    usual = pack_of(settings.study.language).texts_of(("all", "hype")).get(page, own)
    return HALF_SAID if getattr(settings.texts, page) == usual else ""


def shown(settings: StudyFile) -> str:
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
    answered = (
        "The evaluator then answered, without a time limit, whether it had been real or fake."
    )
    return f"{answered} {feedback(settings, given=settings.time.feedback)}"


def feedback(settings: StudyFile, *, given: bool) -> str:
    if not given:
        return "No feedback was given."
    shown_ms = settings.display.feedback_ms
    return f"After each answer the screen said for {shown_ms:g} ms whether it was correct."


def hasty(table: TimeSettings | InfinitySettings) -> str:
    if not table.min_ms:
        return ""
    return (
        f"An answer faster than {table.min_ms:g} ms was followed by a wait of {table.wait_ms:g} ms."
    )


def rests(settings: StudyFile, blocks: int) -> str:
    if blocks == 1 or not settings.study.breaks:
        return ""
    return "Between blocks evaluators rested for as long as they wished."


def rule_sentences(settings: StudyFile) -> Iterator[str]:
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
    printed = PRESETS["hype"]
    steps = rule.down_ms, rule.up_ms, rule.correct_to_descend
    return steps == (printed.down_ms, printed.up_ms, printed.correct_to_descend)


def authority(rule: Staircase) -> str:
    if rule.correct_to_descend == 1:
        return KAERNBACH
    return LEVITT if rule.up_ms == rule.down_ms else GARCIA_PEREZ


def rule_works(rule: Staircase) -> tuple[str, ...]:
    if is_fixed(rule):
        return ()
    printed = is_printed(rule) and rule.settles_above_chance
    return (authority(rule), *([ZHOU] if printed else []))


def spoiled(settings: StudyFile) -> str:
    tolerance_ms = settings.timing.tolerance_ms
    beyond = "half a frame" if tolerance_ms is None else f"{tolerance_ms:g} ms"
    shown = "the image or a mask" if settings.time.masks else "the image"
    return (
        f"Trials in which {shown} may have stayed too long or too briefly, by more than {beyond}, "
        "and those that were shown a second time after they had been left unanswered, "
        f"{SPOILED[settings.timing.spoiled_trials]}"
    )


METHOD_NAMES: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}
BOTH: Final = 2


def described(
    settings: StudyFile, conditions: Sequence[str], *, masks_made: Sequence[str] = ()
) -> tuple[Paragraph, ...]:
    """Describe a study; what it has switched off is not mentioned.

    ``conditions`` are empty where it is not known what it evaluates; ``masks_made`` are the methods
    by which its masks were made, as their manifest names them.
    """
    paragraphs = (
        paragraph(Topic.DESIGN, design_sentences(settings, conditions), ZHOU),
        paragraph(Topic.QUALIFICATION, qualification_sentences(settings, conditions)),
        paragraph(Topic.PRACTICE, practice_sentences(settings, conditions)),
        time_paragraph(settings, masks_made),
        infinity_paragraph(settings),
        paragraph(Topic.CATCH, catch_sentences(settings)),
        paragraph(Topic.EXCLUSION, exclusion_sentences(settings)),
        paragraph(Topic.PAY, pay_sentences(settings)),
        paragraph(Topic.DISPLAY, display_sentences(settings)),
    )
    return tuple(one for one in paragraphs if one)


def methods_in_words(methods: Sequence[str]) -> str:
    return listed([METHOD_NAMES.get(method, method) for method in methods])


def design_sentences(settings: StudyFile, conditions: Sequence[str]) -> Iterator[str]:
    study = settings.study
    place = places(settings, conditions)
    if settings.only_qualifies:
        yield "The study was the qualification of the HYPE protocol (Zhou et al., 2019) alone."
    else:
        yield (
            f"The study followed the HYPE protocol (Zhou et al., 2019) and evaluated "
            f"{evaluated(conditions)} with {methods_in_words(study.methods)}."
        )
        yield served(settings, conditions)
    each = f" for each {place}" if place else ""
    yield f"The aim was {counted(study.evaluators, 'evaluator')}{each}."
    if place:
        yield f"Whoever came was assigned to the {place} that had the fewest evaluators."
    yield keys_meant(settings)
    yield (
        "For each evaluator, images were drawn at random and without replacement, so that none "
        "was drawn twice; half of them were real. All random draws followed from the seed "
        f"{study.seed} and the evaluator's code."
    )
    if settings.stimuli.images_per_condition:
        number = settings.stimuli.images_per_condition
        yield (
            f"Beforehand, {number:,} images of each condition and as many real ones were drawn "
            "from the stimulus set, the same for every evaluator."
        )
    if study.consent:
        yield "Evaluators were asked for their consent on the screen before the first image."


def served(settings: StudyFile, conditions: Sequence[str]) -> str:
    """Say what one evaluator was given; nothing where everyone was given the same."""
    methods = settings.study.methods
    alone = len(conditions) == 1
    if len(methods) == 1:
        between = "The design was between subjects: each evaluator judged images of one condition."
        return "" if alone else between
    what = "its images" if alone else "images of one condition"
    if settings.study.evaluator_does == "one-method":
        return f"The design was between subjects: each evaluator judged {what} with one method."
    both = "both" if len(methods) == BOTH else "all"
    rest = ", with a rest in between" if settings.study.breaks else ""
    between = "Each evaluator" if alone else "The design was between subjects: each evaluator"
    return f"{between} judged {what} with {both} methods, {METHOD_NAMES[methods[0]]} first{rest}."


def places(settings: StudyFile, conditions: Sequence[str]) -> str:
    """Say of what there were several that evaluators were assigned to; empty if of nothing."""
    conditions = settings.evaluated(conditions)
    several = {
        "condition": len(conditions) != 1,
        "method": len(settings.methods_of_one_evaluator()) > 1,
    }
    return " and ".join(name for name, are in several.items() if are)


def keys_meant(settings: StudyFile) -> str:
    keys = settings.keys
    if keys.left_means != "counterbalanced":
        return f"The left of the two answer keys meant {keys.left_means} for everyone."
    return "Which of the two answer keys meant real was counterbalanced across evaluators."


def qualification_sentences(settings: StudyFile, conditions: Sequence[str]) -> Iterator[str]:
    test = settings.qualification
    if not test.enabled:
        return
    if not is_tested(settings, conditions):
        if test.valid_from:
            yield f"Only evaluators who had passed the qualification of {earlier(test)} took part."
        return
    yield (
        f"Evaluators first took a qualification: {halves(test.trials)}"
        f"{tested_on(settings, conditions)}, shown without a time limit and "
        f"{'with' if test.feedback else 'without'} feedback."
    )
    if test.pass_rate:
        rate = percent(test.pass_rate)
        yield (
            f"Only evaluators who judged at least {rate} of the real images and at least {rate} "
            "of the generated images correctly went on."
        )
    else:
        yield "All of them went on, whatever they answered."
    if test.valid_from:
        since = f" in the last {test.valid_days} days" if test.valid_days else ""
        yield f"Whoever had passed it{since} in {earlier(test)} did not take it again."


def is_tested(settings: StudyFile, conditions: Sequence[str]) -> bool:
    """Whether a qualification is held: not on the only condition, unless that is asked for."""
    test = settings.qualification
    others = len(conditions) != 1 or settings.only_qualifies
    return test.enabled and bool(others or test.stimuli or test.on_own_condition)


def earlier(test: QualificationSettings) -> str:
    names = listed([PurePosixPath(name).name for name in test.valid_from])
    return f"an earlier study ({names})"


def tested_on(settings: StudyFile, conditions: Sequence[str]) -> str:
    test = settings.qualification
    if test.stimuli:
        return " (of a set of its own, the latter from all its models, as equally as possible)"
    if settings.only_qualifies or test.on_own_condition:
        return mixed_from(conditions)
    return " (the latter from the conditions that they did not evaluate, as equally as possible)"


def halves(trials: int) -> str:
    return f"{trials} images, {trials // 2} real and {trials // 2} generated"


def mixed_from(conditions: Sequence[str]) -> str:
    if len(conditions) == 1:
        return ""
    return " (the latter from all conditions, as equally as possible)"


def practice_sentences(settings: StudyFile, conditions: Sequence[str]) -> Iterator[str]:
    trials, methods = settings.practice.trials, settings.study.methods
    untimed = is_tested(settings, conditions) or "infinity" in methods
    kinds = [*(["untimed"] if untimed else []), *(["timed"] if "time" in methods else [])]
    if not trials:
        return
    came = listed([f"before the first {kind} block" for kind in kinds])
    mixed = "" if len(conditions) == 1 else " on images of all conditions,"
    each = " each" if len(kinds) > 1 else ""
    yield (
        f"Practice came {came}: {counted(trials, 'trial')}{each},{mixed} with feedback and not "
        "scored."
    )
    if "time" in methods:
        start_ms = settings.time.staircase.start_ms
        yield f"In timed practice each image was shown for {start_ms:g} ms."


def catch_sentences(settings: StudyFile) -> Iterator[str]:
    catch = settings.catch
    if not catch.trials:
        return
    timed = "time" in settings.study.methods
    shown = f", shown for {catch.exposure_ms:g} ms where images were flashed" if timed else ""
    yield (
        f"Among the trials of each block that was scored came catch trials at random places: "
        f"{halves(catch.trials)}, of a set of their own, that everybody was expected to "
        f"tell{shown}."
    )
    followed = ", and no exposure followed from them" if timed else ""
    yield f"They were paid like the others and not scored{followed}."


def exclusion_sentences(settings: StudyFile) -> Iterator[str]:
    rule = settings.exclusion
    if not rule.rules.asked:
        return
    fate = "left out of the scores" if rule.leave_out else "named, and scored like the others"
    yield (
        "By rules stated in the study, evaluators were called careless if "
        f"{' or '.join(rule.rules.said)}; they were {fate}."
    )


def pay_sentences(settings: StudyFile) -> Iterator[str]:
    pay = settings.pay
    base, each = money(pay.base, pay.currency), money(pay.per_correct, pay.currency)
    bonus = f"{each} for each correct answer in the blocks that were scored"
    if pay.base and pay.per_correct:
        yield f"Evaluators received {base}, and {bonus}."
    elif pay.base or pay.per_correct:
        yield f"Evaluators received {base if pay.base else bonus}."


def display_sentences(settings: StudyFile) -> Iterator[str]:
    display, timing = settings.display, settings.timing
    yield scaled(settings)
    if "time" not in settings.study.methods:
        return
    shown = "images and masks" if settings.time.masks else "images"
    yield (
        f"The study asked for a refresh rate of {display.refresh_hz:g} Hz; {shown} were "
        "shown for the whole number of frames nearest to the duration asked for."
    )
    if timing.rounding_ms is not None:
        yield (
            "Displays on which the two differed by more than "
            f"{timing.rounding_ms:g} ms were refused."
        )
    if timing.patch:
        yield (
            f"A square of {timing.patch.size_px} px in the {timing.patch.corner} corner of the "
            "window marked each image for a photodiode."
        )


def scaled(settings: SharedSettings) -> str:
    behind = background(settings.display.background_rgb)
    return f"Images were scaled to fit a square {square(settings)}{at_most(settings)}, on {behind}."


FLOW_COLUMNS: Final = (
    *("Condition", "Method", "Came", "Declined", "Not qualified", "Unfinished", "Complete"),
)


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    met = (came.cell.condition for came in found.flow)
    conditions = conditions_known(study, met).names
    paragraphs = paragraphs_of(study, conditions, found, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=flow_rows(study.settings, conditions, found.flow),
        flow_columns=FLOW_COLUMNS,
        works=works_of(paragraphs),
        facts=tuple(facts_of(study.settings, conditions, found, simulated=simulated)),
        settles_at=study.settings.time.staircase.rule.settles_at,
    )


def paragraphs_of(
    study: Study, conditions: Sequence[str], found: Participation, *, simulated: bool
) -> tuple[Paragraph, ...]:
    """Describe the study, without what cannot be so of simulated evaluators."""
    paragraphs = described(study.settings, conditions, masks_made=mask_methods(study))
    untrue = {Topic.PAY} if simulated else set()
    if simulated and set(found.modes) <= {"simulated"}:
        untrue.add(Topic.DISPLAY)
    return tuple(one for one in paragraphs if one.topic not in untrue)


def flow_rows(
    settings: StudyFile, conditions: Sequence[str], flow: Sequence[Arrivals]
) -> tuple[tuple[str | int, ...], ...]:
    """Give the rows of the design in its order, then those of places that it has no more."""
    planned = design(settings.evaluated(conditions), settings.methods_of_one_evaluator())
    by_cell = {came.cell: came for came in flow}
    cells = dict.fromkeys((*planned, *by_cell))
    return tuple(row_of(by_cell.get(cell, Arrivals(cell=cell))) for cell in cells)


def row_of(came: Arrivals) -> tuple[str | int, ...]:
    numbers = (came.came, came.declined, came.unqualified, came.active, came.complete)
    names = came.cell.condition, methods_in_words(came.cell.methods)
    return (*names, *numbers)


def facts_of(
    settings: StudyFile, conditions: Sequence[str], found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    yield "Protocols", methods_in_words(settings.study.methods)
    yield "Conditions", f"{len(conditions):,}"
    yield "Simulated evaluators" if simulated else "Evaluators", f"{found.whole.complete:,}"
    yield "Judgements", f"{found.judgements:,}"
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
