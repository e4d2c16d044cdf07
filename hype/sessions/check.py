"""The pre-flight: everything that could spoil a session, found before anyone sits down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from hype.errors import HypeError, InputError
from hype.masks.maskset import MaskSet, read_masks
from hype.protocol.frames import duration_of, frames_of
from hype.sessions.integrity import check_mask_size, image_errors, mask_errors
from hype.sessions.pools import pools_of
from hype.stimuli.images import SUFFIXES
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.study.assignment import Cell, design
from hype.study.load import Study
from hype.study.sampling import Pools, expected_minutes, require_enough, require_images, shapes

Level = Literal["error", "problem", "warning"]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    An error is wrong input, a problem an unfit station; either spoils a session. A warning is
    something to know.
    """

    level: Level
    message: str


class Preflight:
    """Collects findings and facts, in the order in which they are met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.facts: dict[str, Any] = {}

    def warn(self, message: str) -> None:
        """Add a warning."""
        self.findings.append(Finding("warning", message))

    def add(self, error: HypeError) -> None:
        """Add what an error says."""
        level: Level = "error" if isinstance(error, InputError) else "problem"
        finding = Finding(level, str(error))
        if finding not in self.findings:  # what lacks for one cell often lacks for all
            self.findings.append(finding)

    def attempt(self, action: Callable[[], Result]) -> Result | None:
        """Do something; what it refuses becomes a finding."""
        try:
            return action()
        except HypeError as error:
            self.add(error)
            return None

    @property
    def exit_code(self) -> int:
        """2 for wrong input, 1 for an unfit station, 0 when a session can begin."""
        levels = {finding.level for finding in self.findings}
        return 2 if "error" in levels else 1 if "problem" in levels else 0


def check_study(study: Study) -> Preflight:
    """Check a study's stimuli, masks and plan. The display is checked elsewhere."""
    flight = Preflight()
    folder = study.masks_folder
    stimuli = flight.attempt(lambda: read_manifest(study.stimuli_folder))
    masks = flight.attempt(lambda: read_masks(folder)) if folder else None
    if masks:
        check_masks(flight, masks)
    if stimuli:
        check_stimuli(flight, study, stimuli)
        pools = flight.attempt(lambda: pools_of(study, stimuli, masks))
        if pools:
            check_design(flight, study, pools)
    if stimuli and masks:
        flight.attempt(lambda: check_mask_size(masks, stimuli))
    check_exposures(flight, study)
    return flight


def check_stimuli(flight: Preflight, study: Study, stimuli: StimulusSet) -> None:
    """Decode every image; look for what tells real and fake apart beside the picture."""
    for error in image_errors(study, stimuli):
        flight.add(error)
    counts = Counter(s.condition or "real" for s in stimuli.stimuli)
    flight.facts["images"] = dict(counts)
    listed = {s.path for s in stimuli.stimuli}
    unlisted = [path for path in found_images(stimuli) if path not in listed]
    if unlisted:
        flight.warn(
            f"{stimuli.folder}: {len(unlisted)} images are not in the manifest and will not be "
            f"shown, {unlisted[0]} among them; hype stimuli scan takes them up"
        )
    for giveaway in giveaways(stimuli):
        flight.warn(giveaway)


def found_images(stimuli: StimulusSet) -> Iterator[str]:
    """Yield the paths of images that lie in a set's folders."""
    for kind in ("real", "fake"):
        for path in sorted((stimuli.folder / kind).rglob("*")):
            if path.suffix.lower() in SUFFIXES:
                yield path.relative_to(stimuli.folder).as_posix()


def giveaways(stimuli: StimulusSet) -> Iterator[str]:
    """Yield what could tell a real image from a fake without looking at the picture."""
    real = {stimuli.sizes_px[s.path] for s in stimuli.real}
    for condition in stimuli.conditions:
        fake = {stimuli.sizes_px[s.path] for s in stimuli.fake(condition)}
        if real != fake:
            some_real, some_fake = min(real), min(fake)
            yield (
                f"{stimuli.folder}: real images and those of {condition!r} differ in size "
                f"({some_real[0]} x {some_real[1]} and {some_fake[0]} x {some_fake[1]} px), "
                "which may give them away; hype new brings all to one size"
            )


def check_masks(flight: Preflight, masks: MaskSet) -> None:
    """Decode every mask."""
    for error in mask_errors(masks):
        flight.add(error)
    flight.facts["masks"] = len(masks.paths)


def check_design(flight: Preflight, study: Study, pools: Pools) -> None:
    """See that every cell of the design can be served, and say what a session takes."""
    settings = study.settings
    cells = design(tuple(pools.fake), settings.methods_of_one_evaluator())
    # A mask set that cannot be read has been named already.
    require = require_enough if pools.masks or not study.masks_folder else require_images
    for cell in cells:
        flight.attempt(partial(require, settings, pools, cell))
    flight.facts["cells"] = len(cells)
    flight.facts["evaluators"] = len(cells) * settings.study.evaluators
    flight.facts["minutes"] = {
        " + ".join(methods): expected_minutes(
            settings.time,
            shapes(settings, Cell(condition="", methods=methods), qualified=False),
        )
        for methods in settings.methods_of_one_evaluator()
    }


def check_exposures(flight: Preflight, study: Study) -> None:
    """Say what the staircase settles at and what the screen makes of its levels."""
    if "time" not in study.settings.study.methods:
        return
    timing, hz = study.settings.time, study.settings.display.refresh_hz
    rule = timing.staircase.rule
    flight.facts["staircase_settles_at"] = round(rule.settles_at, 4)
    mask_ms = duration_of(frames_of(timing.mask_ms, hz), hz)
    if timing.masks and abs(mask_ms - timing.mask_ms) > 0.05:
        flight.warn(
            f"time.mask_ms = {timing.mask_ms:g}: at {hz:g} Hz a mask lasts {mask_ms:.1f} ms"
        )
    step_ms = min(rule.up_ms, rule.down_ms)
    if abs(duration_of(frames_of(step_ms, hz), hz) - step_ms) > 0.05:
        flight.warn(
            f"the staircase steps by {step_ms:g} ms and a frame at {hz:g} Hz lasts "
            f"{1000 / hz:.2f} ms: exposures are shown to the nearest frame; 100 Hz is exact"
        )
    if not rule.settles_above_chance:
        flight.warn(
            f"the staircase settles at {rule.settles_at:.1%} correct, which is no threshold"
        )
