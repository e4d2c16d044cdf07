"""Checks of a study with HYPE's methods, for everything that could spoil a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from hype.check.findings import Preflight
from hype.check.images import (
    ALIKE,
    ImageFeatures,
    check_files,
    check_images,
    check_page_pictures,
    manifest_of,
    stimuli_of,
    traits_of,
    warn_of_traces,
)
from hype.check.record import lines_of_gate
from hype.errors import InputError, few
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.masks.maskset import MaskSet, read_mask_sets
from hype.protocols.facets import Checks
from hype.protocols.hype.counterbalancing import (
    conditions_of_cell,
    different_places,
    places_of_design,
    require_served,
)
from hype.protocols.hype.observer import Population
from hype.protocols.hype.pools import images_of_task, pools_of, population
from hype.protocols.hype.sampling import (
    Pools,
    estimate_minutes,
    plan_session,
    require_images,
    shapes,
    sources_of_test,
)
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.settling import check_settling
from hype.protocols.hype.staircase import QUEST_PLUS, QuestPlus
from hype.protocols.hype.trial import Task
from hype.protocols.hype.wording import as_settings, numbers_of_paper
from hype.session.materials import check_mask_size, combine_sums, mask_errors, read_others
from hype.session.timing import EXACT_MS, Rounding, rates_exact_for, rounding_of
from hype.station.triggers import open_triggers
from hype.stimuli.manifest import Stimulus, StimulusSet
from hype.study.assignment import Assignment, design
from hype.study.phrases import percent, write_count


def check_study(study: Study) -> Preflight:
    flight = Preflight()
    flight.facts |= {"unused": unused} if (unused := list_unused(study.settings)) else {}
    stimuli = stimuli_of(flight, study)
    check_page_pictures(flight, study, stimuli)
    masks = None
    if folder := study.masks_folder:
        code = "masks-wrong" if (folder / MASK_MANIFEST).exists() else "masks-missing"
        masks = flight.attempt(code, lambda: read_mask_sets(folder, study.added_sets))
    if masks:
        for error in mask_errors(masks, study.stimuli_folder):
            flight.add("mask-unfit", error)
        flight.facts["masks"] = len(masks.paths)
    if stimuli:
        warn_of_giveaways(flight, stimuli, check_images(flight, stimuli))
        check_pools(flight, study, stimuli, masks)
    if stimuli and masks:
        flight.attempt("masks-of-other-size", lambda: check_mask_size(masks, stimuli))
    return flight


def list_unused(settings: StudyFile) -> list[str]:
    """Name settings that differ from their defaults but belong to a method that the study lacks."""
    tasks = {task for task in Task if task.value not in settings.study.methods}
    return [
        f"{name}.{key}"
        for name, field in StudyFile.model_fields.items()
        if tasks.intersection(field.metadata)
        for key, value in getattr(settings, name)
        if value != getattr(field.default, key)
    ]


def check_pools(
    flight: Preflight, study: Study, stimuli: StimulusSet, masks: MaskSet | None
) -> None:
    others = read_other_sets(flight, study)
    if others is None:
        return
    named = study.settings.stimuli.conditions or stimuli.conditions
    served = partial(require_served, study.path, study.settings, named)
    if not flight.allows("too-few-conditions", served):
        return
    pools = flight.attempt("condition-unknown", lambda: pools_of(study, stimuli, masks, others))
    if pools:
        check_design(flight, study, pools)
        check_selection(flight, study, pools)


def read_other_sets(flight: Preflight, study: Study) -> tuple[Stimulus, ...] | None:
    folder = study.other_sets.get(Task.QUALIFICATION.value)
    if folder:
        test = manifest_of(flight, folder)
        if test is None:
            return None
        warn_of_giveaways(flight, test, check_images(flight, test, fact="test_images"))
    others = flight.attempt("manifest-wrong", lambda: tuple(read_others(study)))
    check_files(flight, study, images_of_task(others or (), Task.CATCH))
    return others


def warn_of_giveaways(flight: Preflight, stimuli: StimulusSet, seen: ImageFeatures) -> None:
    """Warn if real and fake files differ in a property, such as size or format."""
    warn_of_traces(flight, stimuli, seen)
    for name, trait in seen.traits.items():
        real = traits_of(stimuli.real, trait)
        for condition in stimuli.conditions:
            fake = traits_of(stimuli.fake(condition), trait)
            if real and fake and real != fake:
                flight.warn(
                    f"giveaway-{name}",
                    f"{stimuli.folder}: real images and those of {condition!r} differ in {name} "
                    f"({few(real, 3)}; {few(fake, 3)}), which may reveal the fakes",
                    ALIKE,
                )


def check_design(flight: Preflight, study: Study, pools: Pools) -> None:
    """Check that every cell of the design can be filled, and report how long a session takes."""
    settings = study.settings
    names = tuple(pools.fake)
    cells = places_of_design(settings, names)
    flight.facts["paid_answers"] = {}
    for cell in different_places(settings, names):
        anybody = Assignment(evaluator="anybody", cell=cell)
        images = flight.allows("too-few-images", partial(require_images, settings, pools, cell))
        # A mask set that cannot be read was reported already.
        if images and (pools.masks or not study.masks_folder):
            draw = partial(plan_session, settings, pools, anybody)
            if plan := flight.attempt("too-few-masks", draw):
                flight.facts["paid_answers"][" + ".join(cell.methods)] = round(plan.paid, 1)
    if settings.stimuli.images_per_condition:
        flight.facts["sampled"] = {
            "images_per_condition": settings.stimuli.images_per_condition,
            "sha256": combine_sums(s.sha256 for some in pools.sources().values() for s in some),
        }
    flight.facts["cells"] = len(design(names, settings.methods_of_one_evaluator()))
    flight.facts["evaluators"] = len(cells) * (1 if settings.within else settings.study.evaluators)
    if settings.within:
        wanted, each = settings.study.evaluators, settings.study.conditions_each
        flight.facts["conditions_each"] = each
        if wanted % each:
            flight.warn(
                "unevenly-served",
                f"{study.path}: study.evaluators = {wanted} is not a multiple of conditions_each = "
                f"{each}: conditions cannot occur equally often at each position",
                f"evaluators = {-(-wanted // each) * each}",
            )
    flight.facts["minutes"] = {
        " + ".join(cell.methods): estimate_minutes(
            settings, shapes(settings, pools, cell, qualified=False)
        )
        for cell in different_places(settings, names)
    }


PEOPLE: Final = 1000
"""The number of simulated evaluators; the standard error of a share is at most 1.6%."""
HALF: Final = 0.5
POOL: Final = (
    "test people on images of other models: [qualification] stimuli = FOLDER, or valid_from with a "
    "study made by: hype new DIR --template qualification"
)


def simulate_tests(
    people: Population,
    tests: Iterable[tuple[Sequence[str], Sequence[str]]],
    *,
    trials: int,
    pass_rate: float,
    seed: int,
) -> Iterator[dict[str, float | None]]:
    """Let the same simulated evaluators take all tests.

    For each of ``tests``, give the conditions that people judge after it (may be empty), and those
    whose fakes it shows in equal numbers (if empty, there is no test). Images of
    one kind are assumed to be equally hard. Yields the share of people who pass (``passing``), and
    the error rates of all people (``error``) and of those who pass (``error_passing``) on real
    images and as many fakes of the judged conditions, without a time limit. None if
    nothing is judged or no one passes.
    """
    rng = np.random.default_rng(seed)
    drawn = [people.draw(rng) for _ in range(PEOPLE)]
    hits, false_alarms = (
        {
            name: np.array([person[name].says_fake(None, fake=fake) for person in drawn])
            for name in people.typical
        }
        for fake in (True, False)
    )
    half = trials // 2
    for served, sources in tests:
        if not sources:
            yield {}
            continue
        alarms = np.mean([false_alarms[name] for name in sources], axis=0)
        reals = rng.binomial(half, 1 - alarms)
        fakes = sum(
            rng.binomial(len(range(place, half, len(sources))), hits[name])
            for place, name in enumerate(sources)
        )
        passes = np.minimum(reals, fakes) >= pass_rate * half - 1e-9
        found: dict[str, float | None] = dict.fromkeys(("passing", "error", "error_passing"))
        found["passing"] = float(passes.mean())
        if served:
            each = [(1 - hits[name] + false_alarms[name]) / 2 for name in served]
            wrong = np.mean(each, axis=0)
            found["error"] = float(wrong.mean())
            found["error_passing"] = float(wrong[passes].mean()) if passes.any() else None
        yield found


def check_selection(flight: Preflight, study: Study, pools: Pools) -> None:
    """Simulate which people the qualification selects."""
    test = study.settings.qualification
    if not test.enabled:
        return
    if test.decide == "ask":
        flight.facts["gate"] = test.model_dump(include={"decide", "pass_rate"})
    flight.facts["selection"] = list(selections(study, pools))
    for selection in flight.facts["selection"]:
        warn_of_selection(flight, study, selection)


def selections(study: Study, pools: Pools) -> Iterator[dict[str, Any]]:
    """For each condition, yield the fakes of the test before it and the share of people who pass.

    ``own_images``: how many fakes of the test's own set are also images of the condition.
    """
    settings, test = study.settings, study.settings.qualification
    names = tuple(pools.fake)
    tested = [
        image for fakes in (pools.test.fake if pools.test else {}).values() for image in fakes
    ]
    different = {
        conditions_of_cell(settings, names, cell) for cell in different_places(settings, names)
    }
    tests = [
        (served, sources_of_test(settings, pools, served))
        for served in sorted(different, key=lambda some: [*map(names.index, some)])
    ]
    selected = simulate_tests(
        population(study, pools),
        tests,
        trials=test.trials,
        pass_rate=test.pass_rate,
        seed=settings.study.seed,
    )
    for (served, sources), found in zip(tests, selected, strict=True):
        evaluated = {image.sha256 for name in served for image in pools.fake[name]}
        own = sum(image.sha256 in evaluated for image in tested)
        yield {
            "tested_on": list(sources),
            "on_own": bool(own or not {*served}.isdisjoint(sources)),
            "own_images": own,
            "condition": " + ".join(served),
            **found,
        }


def warn_of_selection(flight: Preflight, study: Study, facts: Mapping[str, Any]) -> None:
    """Warn if there is no test, if it selects people by the evaluated fakes, or if few pass."""
    condition = facts["condition"]
    if not facts["tested_on"]:
        whole = "is judged by everyone" if study.settings.within else "is the only condition"
        if not study.settings.qualification.valid_from:
            flight.warn(
                "qualification-not-held",
                f"{study.path}: there is no qualification: {condition!r} {whole}, and a test on "
                "its fakes would select people who can detect them",
                f"{POOL}; or set [qualification] enabled = false",
            )
        return
    if facts["on_own"]:
        number = f"{facts['own_images']} " if facts["own_images"] else ""
        shift = (
            f": in simulations {percent(facts['passing'])} pass; untimed, they are wrong in "
            f"{percent(facts['error_passing'])} of trials (everyone: {percent(facts['error'])})"
            if facts["error_passing"] is not None
            else ""
        )
        flight.warn(
            "qualification-on-own-condition",
            f"{study.path}: the qualification before {condition!r} has {number}fakes of "
            f"{condition!r}, so it selects people who can detect them{shift}",
            POOL,
        )
    if facts["passing"] < HALF and study.settings.qualification.decide != "ask":
        before = f" before {condition!r}" if condition else ""
        flight.warn(
            "few-qualify",
            f"{study.path}: {percent(facts['passing'])} of simulated evaluators pass the "
            f"qualification{before}, and the others are turned away: scores will be from a few "
            "people only",
            "plan more evaluators, use a test with easier images, or lower qualification.pass_rate",
        )


Kind = Literal["exposure", "mask"]


def refuse_rounding(study: Study, refresh_hz: float) -> None:
    """Refuse a refresh rate at which exposures or masks deviate more than the study accepts.

    The InputError names the worst duration, how long it would last, and the rates that are exact.
    """
    for kind, rounding in roundings(study, refresh_hz):
        if not is_accepted(study, rounding):
            raise rounding_problem(study, kind, rounding)


def check_exposures(flight: Preflight, study: Study, looked_hz: float | None) -> None:
    """Report where the staircase settles, what it can measure, and how exact exposures are."""
    if "time" not in study.settings.study.methods:
        return
    rule = study.settings.rule
    refresh_hz = looked_hz or study.settings.display.refresh_hz
    flight.facts["staircase_settles_at"] = round(rule.settles_at, 4)
    if isinstance(rule, QuestPlus):
        flight.facts["exposure_rule"] = QUEST_PLUS
        flight.facts["starts_at_ms"] = rule.start().exposure_ms
    else:
        flight.facts["staircase"] = asdict(rule)
    flight.facts["paper_staircase"] = numbers_of_paper(study.settings)
    if not rule.settles_above_chance:
        flight.warn(
            "staircase-below-chance",
            f"the staircase settles at {rule.settles_at:.1%} correct, which guessing also reaches",
            "use a larger up_ms, a smaller down_ms or a larger correct_to_descend",
        )
    check_settling(flight, study)
    for kind, rounding in roundings(study, refresh_hz):
        flight.facts["exposures" if kind == "exposure" else "masks_shown"] = {
            "refresh_hz": refresh_hz,
            "exact_at_hz": rounding.exact_at_hz,
            "levels": len(rounding.durations_ms),
            "shortest_ms": rounding.durations_ms[0],
            "longest_ms": rounding.durations_ms[-1],
            "distinct": rounding.distinct,
            "inexact_ms": rounding.inexact_ms,
            "largest_deviation_ms": round(rounding.deviation_ms, 3),
            "worst_ms": rounding.worst_ms,
            "worst_shown_ms": round(rounding.worst_shown_ms, 3),
        }
        code = f"{kind}-rounded"
        if not is_accepted(study, rounding):
            flight.add(code, rounding_problem(study, kind, rounding))
        elif rounding.inexact_ms and study.settings.timing.rounding_ms is None:
            flight.warn(
                code,
                f"at {refresh_hz:g} Hz {worst_of(kind, rounding)}",
                f"{exact_rates(study)}; or accept this: hype run refuses only "
                "deviations above timing.rounding_ms",
            )


def roundings(study: Study, refresh_hz: float) -> Iterator[tuple[Kind, Rounding]]:
    settings = study.settings
    if "time" not in settings.study.methods:
        return
    # Timed practice uses the staircase's first level, so it adds no exposure.
    yield "exposure", rounding_of(settings.rule.levels(), refresh_hz)
    if settings.time.masks:
        yield "mask", rounding_of((settings.time.mask_ms,), refresh_hz)


def is_accepted(study: Study, rounding: Rounding) -> bool:
    """Return whether a study accepts the largest deviation of rounded durations.

    An exact duration is always accepted.
    """
    accepted_ms = study.settings.timing.rounding_ms
    return accepted_ms is None or rounding.deviation_ms <= max(accepted_ms, EXACT_MS)


def rounding_problem(study: Study, kind: Kind, rounding: Rounding) -> InputError:
    return InputError(
        study.path,
        f"timing.rounding_ms = {study.settings.timing.rounding_ms:g}: "
        f"at {rounding.refresh_hz:g} Hz {worst_of(kind, rounding)}",
        exact_rates(study),
    )


def worst_of(kind: Kind, rounding: Rounding) -> str:
    what = "the exposure" if kind == "exposure" else "a mask"
    return (
        f"{what} of {rounding.worst_ms:g} ms lasts {rounding.worst_shown_ms:.1f} ms, "
        f"off by {rounding.deviation_ms:.1f} ms"
    )


def exact_rates(study: Study) -> str:
    time = study.settings.time
    masks_ms = (time.mask_ms,) if time.masks else ()
    rates = rates_exact_for((*study.settings.rule.levels(), *masks_ms))
    if not rates:
        return "no common refresh rate shows all durations exactly; choose whole numbers of frames"
    return f"for exact durations, set display and display.refresh_hz to {alternatives(rates)} Hz"


def alternatives(rates_hz: tuple[float, ...]) -> str:
    *most, last = (f"{hz:g}" for hz in rates_hz)
    return f"{', '.join(most)} or {last}" if most else last


MOST_TESTS: Final = 12
"""Tests are described for at most this many conditions."""


def lines_of_study(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the findings, a title and a text for each line; most titles are empty."""
    if unused := facts.get("unused"):
        yield "no effect", f"{few(unused)}: settings of methods that are not in study.methods"
    if "evaluators" in facts:
        cells = "1 cell" if facts["cells"] == 1 else f"{facts['cells']} cells"
        each = facts.get("conditions_each", 1)
        served = f"; each judges {each} conditions" if each > 1 else ""
        yield "evaluators", f"{facts['evaluators']} in {cells} (condition and method){served}"
        for methods, minutes in facts["minutes"].items():
            yield "session", f"about {write_count(minutes, 'minute')} ({methods})"
    yield from lines_of_selection(facts)
    if settles := facts.get("staircase_settles_at"):
        if rule := facts.get("staircase"):
            streak = rule["correct_to_descend"]
            right = f"{streak} correct answers in a row" if streak > 1 else "a correct answer"
            steps = (
                f"-{rule['down_ms']:g} ms after {right}, +{rule['up_ms']:g} ms after a wrong one"
            )
            yield "staircase", f"starts at {rule['start_ms']:g} ms; {steps}"
            yield "", f"settles at {settles:.1%} correct"
        else:
            sought = f"searches for the threshold, the exposure with {settles:.1%} correct"
            yield facts["exposure_rule"], f"starts at {facts['starts_at_ms']:.0f} ms; {sought}"
        if papers := facts["paper_staircase"]:
            yield "", f"differs from the paper, which has {', '.join(as_settings(papers))}"
    if measures := facts.get("staircase_measures"):
        reach = "nothing"
        if measures["from_ms"] is not None:
            reach = (
                f"thresholds of {measures['from_ms']:.0f} to {measures['to_ms']:.0f} ms; if the "
                f"threshold doubles, the score is multiplied by {measures['doubling']:.2f}"
            )
        yield "", f"blocks of {measures['trials']:,} trials measure {reach}"
    if exposures := facts.get("exposures"):
        yield from lines_of_exposures(exposures)
    if mask := facts.get("masks_shown"):
        asked = f"{mask['worst_ms']:g} ms, at {mask['refresh_hz']:g} Hz"
        lasts = f"it lasts {mask['worst_shown_ms']:.1f} ms; {exact_at(mask)}"
        yield "mask", f"{asked} {lasts if mask['inexact_ms'] else 'exact'}"


def lines_of_selection(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fakes on which people are tested, and the expected share of people who pass."""
    tested = [each for each in facts.get("selection", ()) if each["tested_on"]]
    title = "test"
    for selection in tested[:MOST_TESTS]:
        before = f"before {selection['condition']}: " if selection["condition"] else ""
        fakes = f"{before}fakes of {', '.join(selection['tested_on'])}"
        passing = f"{selection['passing']:.0%} of simulated evaluators pass"
        if selection["error_passing"] is not None:
            passing += f"; untimed, they are wrong in {selection['error_passing']:.1%} of trials"
            passing += f" (everyone tested: {selection['error']:.1%})"
        yield title, f"{fakes}; {passing}"
        title = ""
    if len(tested) > MOST_TESTS:
        yield "", f"and so on, before {len(tested) - MOST_TESTS} more conditions"
    if tested:
        yield "", "the test selects people who can detect fakes of these kinds"
    yield from lines_of_gate(facts)


def lines_of_exposures(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    span = f"{facts['levels']:,} levels, {facts['shortest_ms']:g} to {facts['longest_ms']:g} ms"
    at = f"at {facts['refresh_hz']:g} Hz"
    if not facts["inexact_ms"]:
        yield "exposures", f"{span}; {at} all are exact"
        return
    yield "exposures", f"{span}; {at} {facts['distinct']} different levels can be shown"
    yield (
        "",
        f"{len(facts['inexact_ms']):,} are not exact, the worst by "
        f"{facts['largest_deviation_ms']:.1f} ms: {facts['worst_ms']:g} ms lasts "
        f"{facts['worst_shown_ms']:.1f} ms",
    )
    yield "", exact_at(facts)


def exact_at(facts: Mapping[str, Any]) -> str:
    rates = facts["exact_at_hz"]
    return f"exact at {alternatives(rates)} Hz" if rates else "not exact at any usual refresh rate"


def check_web(flight: Preflight, study: Study) -> None:
    """Warn about what browsers cannot do, about their timing, and about a missing screen_out."""
    settings, web = study.settings, study.settings.web
    timing = settings.timing
    lines = {
        "timing.patch": timing.patch is not None,
        "timing.triggers": bool(timing.triggers.lsl or timing.triggers.serial),
    }
    if names := [name for name, is_asked in lines.items() if is_asked]:
        flight.warn(
            "web-timing",
            f"{study.path}: {' and '.join(names)}: browsers cannot show or send these",
            "they only work at stations; leave them out, or accept this",
        )
    if "time" in settings.study.methods:
        limited = timing.rounding_ms is not None
        refused = "; displays beyond timing.rounding_ms are refused" if limited else ""
        flight.warn(
            "web-exposures",
            f"{study.path}: exposures are whole frames of each participant's display, usually at "
            f"60 Hz{refused}",
            "you need not do anything: the record has the measured durations",
        )
        flight.warn(
            "web-callbacks",
            f"{study.path}: Firefox and Safari do not report when images were on the screen: "
            "verdicts there come from callbacks, and an exposure with the verdict 'ok' may be "
            "wrong by a few frames",
            "ask participants to use Chrome, Edge or another Chromium; the column 'sync' shows "
            "how each session was timed (hype export, and the experimenter's page)",
        )
    tested = settings.qualification.enabled
    if web.platform in ("prolific", "sona") and tested and not web.screen_out:
        flight.warn(
            "web-no-screen-out",
            f"{study.path}: web.screen_out is missing: people who fail are not sent back",
            "give the platform's code or URL for screened-out people, or accept this",
        )


def check_triggers(flight: Preflight, study: Study) -> None:
    """Open the trigger ports of the study, and close them again."""

    def open_and_close() -> None:
        with open_triggers(study.settings.timing.triggers):
            pass

    flight.attempt("trigger-missing", open_and_close)


CHECKS: Final = Checks(
    study=check_study,
    lines=lines_of_study,
    triggers=check_triggers,
    exposures=check_exposures,
    roundings=roundings,
    web=check_web,
)
