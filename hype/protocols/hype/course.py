"""HYPE's own protocol: images are judged one by one, flashed or without a time limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from hype.errors import InputError
from hype.masks.maskset import MaskSet, read_mask_sets
from hype.protocols.hype.checks import refuse_rounding
from hype.protocols.hype.counterbalancing import (
    different_places,
    next_place,
    places_of_design,
)
from hype.protocols.hype.observer import Observer, Population
from hype.protocols.hype.pools import population, read_pools
from hype.protocols.hype.sampling import Pools, plan_session, require_enough
from hype.protocols.hype.screen import Judging
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial, SessionPlan, Task, hype_session
from hype.session.course import Course, EarlierEvaluators
from hype.session.loop import Script
from hype.session.materials import check_image, check_mask_size, masks_sum, read_stimuli
from hype.session.plans import name_steps
from hype.session.stage import Seating, appearance_of, speech_of, tell_pay
from hype.session.steps import NO_ANSWER, Button, Cue, Flash, Scene, Step, TimeLimit
from hype.station.config import Keys, Stage, StationConfig, TrialPresenter, cap_label
from hype.study.assignment import Assignment, Cell, assign
from hype.study.draws import Purpose, seed_sequence
from hype.study.table import TriggerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementLook:
    """How a station shows judgements."""

    cues: tuple[Cue, ...]  # shown before a flashed image
    # The largest accepted deviation from a picture's nominal duration; None: half a frame
    tolerance_ms: float | None = None
    steps: tuple[str, ...] = ()  # names of the steps of confidence, the lowest first

    @property
    def question(self) -> str:
        """Empty: the question is one of the study's texts, asked after the image."""
        return ""

    @property
    def mouse(self) -> bool:
        return False

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], TrialPresenter]:
        return {JudgementTrial: Judging(stage, self)}

    def buttons(self, config: StationConfig) -> tuple[Button, ...]:
        """Return the answers from left to right, with the most confident ones at the two ends."""
        keys, texts, steps = config.keys, config.texts, range(1, len(self.steps) + 1)
        sides = (keys.left_means, keys.left), (keys.right_means, keys.right)
        places: list[tuple[str, str, tuple[str, ...]]]
        places = [(answer, texts[answer], (key,)) for answer, key in sides]
        if steps:
            surest_first = [(keys.left_means, step) for step in reversed(steps)]
            surest_last = [(keys.right_means, step) for step in steps]
            places = [
                (f"{answer} {step}", f"{texts[answer]}: {self.steps[step - 1]}", (n, f"num_{n}"))
                for n, (answer, step) in zip("123456", surest_first + surest_last, strict=False)
            ]
        return tuple(
            Button(answer=answer, label=label, keys=own, cap=cap_label(own[0], config.speech))
            for answer, label, own in places
        )

    def scene(self, trial: JudgementTrial, config: StationConfig, /) -> Scene:
        texts, flash = config.texts, None
        if trial.exposure_ms is not None:
            flash = Flash(
                exposures_ms=(trial.exposure_ms, *(trial.mask_ms for _ in trial.masks)),
                cues=self.cues,
                tolerance_ms=self.tolerance_ms,
            )
        return Scene(
            question=texts["question" if flash else "question_untimed"],
            buttons=self.buttons(config),
            pictures=trial.pictures,
            flash=flash,
            limit=TimeLimit(limit_ms=trial.limit_ms, otherwise=NO_ANSWER)
            if trial.limit_ms is not None
            else None,
            layout="scale" if self.steps else "row",
        )


def station_config(study: Study, seating: Seating, *, left_means: str) -> StationConfig:
    settings = study.settings
    keys, patch = settings.keys, settings.timing.patch
    words = study.words_in_browser if seating.in_browser else settings.texts
    texts, steps = words.model_dump(), settings.follow_up.steps_with
    if steps:
        for name in ("instructions_timed", "instructions_untimed"):
            texts[name] += f"\n\n{texts['instructions_confidence']}"
        sides = {"{left_key}": f"1–{steps}", "{right_key}": f"{steps + 1}–{2 * steps}"}
        for key, side in sides.items():
            texts = {name: text.replace(key, side) for name, text in texts.items()}
    return StationConfig(
        keys=Keys(
            left="1" if steps else keys.left,
            right=str(2 * steps) if steps else keys.right,
            go_on=keys.go_on,
            pause=keys.pause,
            left_means=left_means,
        ),
        appearance=appearance_of(study, seating, captioned=steps > 0),
        texts=tell_pay(texts, settings),
        speech=speech_of(settings),
        patch=patch,
        trials=JudgementLook(
            cues=settings.time.cues,
            tolerance_ms=settings.timing.tolerance_ms,
            steps=name_steps(settings.texts, steps) if steps else (),
        ),
    )


class HypeCourse(Course[SessionPlan]):
    """A study of HYPE's methods, with its images and masks."""

    study: Study

    def __init__(self, study: Study, pools: Pools | None = None) -> None:
        settings = study.settings
        self.study = study
        self.pools = pools or read_pools(study)
        self.cells = places_of_design(settings, tuple(self.pools.fake))
        means = settings.keys.left_means
        self.left_means = ("real", "fake") if means == "counterbalanced" else (means,)
        self.countdown_ms = sum(cue.ms for cue in settings.time.cues)

    def require_enough(self) -> None:
        for cell in different_places(self.study.settings, tuple(self.pools.fake)):
            require_enough(self.study.settings, self.pools, cell)

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        """Assign a new evaluator one or more conditions, methods, and a meaning of the keys."""
        settings = self.study.settings
        if settings.within:
            assigned = next_place(
                evaluator,
                cells=self.cells,
                filled=earlier.filled,
                taken=earlier.taken,
                settings=settings,
                conditions=len(self.pools.fake),
            )
        else:
            assigned = assign(
                evaluator,
                cells=self.cells,
                filled=earlier.filled,
                arrived=earlier.arrived,
                keys=settings.keys,
                seed=settings.study.seed,
            )
        return self.qualify(assigned, earlier)

    def require_place(self, cell: Cell) -> None:
        settings = self.study.settings
        if cell.condition not in settings.conditions_evaluated(tuple(self.pools.fake)):
            raise InputError(self.study.path, f"the condition {cell.condition!r} was removed")
        if bool(cell.share) != settings.within:
            raise InputError(
                self.study.path, "conditions_each changed from 1 to more, or from more to 1"
            )

    def plan(self, assignment: Assignment) -> SessionPlan:
        return plan_session(self.study.settings, self.pools, assignment)

    def script(self, plan: SessionPlan) -> Script:
        return hype_session(plan)

    def check_files(self, plan: SessionPlan, *, simulated: bool = False) -> str | None:
        """Refuse to start if an image or mask of the plan is missing or has changed.

        Returns the SHA-256 over the plan's mask files, since the manifest of masks has no
        checksums. Returns None without masks, or if a mask file is missing for a simulated
        evaluator. The InputError names the first wrong file.
        """
        for block in plan.blocks:
            for planned in block.planned():
                check_image(self.study, planned.stimulus.path, planned.stimulus.sha256)
        if not self.masks:
            return None
        names = sorted(plan.masks())
        if simulated and not all(Path(*self.masks.place(name)).exists() for name in names):
            return None  # a simulated evaluator needs no masks, so they may still be unfinished
        return masks_sum(self.masks, names)

    @cached_property
    def masks(self) -> MaskSet | None:
        """The study's masks, which have the size of its images."""
        folder = self.study.masks_folder
        if folder is None:
            return None
        masks = read_mask_sets(folder, self.study.added_sets)
        check_mask_size(masks, read_stimuli(self.study))
        return masks

    @cached_property
    def people(self) -> Population:
        return population(self.study, self.pools)

    def observer(self, plan: SessionPlan, *, seed: int) -> Observer:
        """Draw the simulated person for a plan, from the seed and the evaluator's code."""
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        tested = (b.stimuli for b in plan.blocks if b.task is Task.QUALIFICATION)
        tested_on = {s.condition for stimuli in tested for s in stimuli if s.condition}
        return Observer(self.people, plan.condition, rng, tested_on=sorted(tested_on))

    def station_config(self, seating: Seating, assignment: Assignment, /) -> StationConfig:
        return station_config(self.study, seating, left_means=assignment.left_means)

    def trigger_ports(self) -> TriggerSettings:
        return self.study.settings.timing.triggers

    def refuse_display(self, refresh_hz: float) -> None:
        refuse_rounding(self.study, refresh_hz)

    def enough(self, _earlier: EarlierEvaluators, /) -> str:
        """Return no text: this protocol has no rule that ends a study early."""
        return ""


COURSE: Final = HypeCourse
