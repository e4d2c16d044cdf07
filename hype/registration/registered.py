"""What a registration fixes of a study: its settings, its files, and the planned analysis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from hype.confine import inside
from hype.errors import InputError
from hype.masks.maskset import MANIFEST as MASK_MANIFEST
from hype.masks.maskset import read_masks
from hype.protocols.conduct import protocol_of
from hype.protocols.hype.pools import read_others
from hype.protocols.hype.settings import ExclusionSettings
from hype.protocols.rating.sampling import axes_of
from hype.protocols.studies import AnyStudy, ComparisonStudy, RankingStudy, RatingStudy, Study
from hype.session.materials import check_sum
from hype.stimuli.manifest import MANIFEST, read_manifest, sha256_of

ALPHA: Final = 0.05
"""Of HYPE's tests, as `hype score` has it."""
HYPE_TESTS: Final = (
    "one-way ANOVA over the evaluators' scores",
    "pairs of conditions: Tukey's HSD; of two conditions Student's t-test",
    "intervals: percentile bootstrap over evaluators, 95%",
)
RATING_TESTS: Final = (
    "strengths on each axis: Bradley and Terry's model of who was better, the middle a tie, "
    "bootstrap over evaluators, 95%",
    "pairs of axes: Pearson's r, jackknife over evaluators, 95%",
    "agreement on each axis: Krippendorff's α, ordinal",
)
IMAGE_TESTS: Final = (
    "means of the conditions on each axis: 95%, evaluators as units",
    *RATING_TESTS[1:],
    "answers against what is right: accuracy, or Pearson's r of a scale",
)
RANKING_TESTS: Final = (
    "strengths: Plackett and Luce's model, and Bradley and Terry's of the pairs that a ranking "
    "comes to, bootstrap over evaluators, 95%",
    "agreement: of two people, and of one with the others' mean",
    "annotators against checkers: recall@2, Wilson's interval, 95%",
)
COMPARISON_TESTS: Final = (
    "pairs of conditions: sign-flip test with evaluators as units, Holm's rule over all pairs",
    "win rates: Wilson's interval, 95%",
    "strengths: Bradley and Terry's model, bootstrap over evaluators, 95%",
)

Json = dict[str, Any]


def frozen(study: AnyStudy, *, images: bool = True) -> Json:
    """Give all that is fixed; without ``images`` what can be read in no time.

    Raises
    ------
    InputError
        A manifest, an image or a mask is missing or wrong.
    """
    folder = study.stimuli_folder
    fixed: Json = {
        "study": {"checksum": study.checksum(), "settings": json.loads(study.resolved())},
        "stimuli": {"manifest_sha256": file_sum(folder / MANIFEST)},
        "analysis": planned_analysis(study),
    }
    if study.masks_folder:
        fixed["masks"] = {"manifest_sha256": file_sum(study.masks_folder / MASK_MANIFEST)}
    for name, other in study.other_sets.items():
        fixed[name] = {"manifest_sha256": file_sum(other / MANIFEST)}
    if isinstance(study, ComparisonStudy) and study.settings.validation.kind == "listed":
        file = inside(study.folder, study.settings.validation.file)
        fixed["validation"] = {"sha256": file_sum(file)}
    return fixed | (files_of(study) if images else {})


def files_of(study: AnyStudy) -> Json:
    """Give the checksums of all images and masks, as their files are now; None for lost ones."""
    stimuli = read_manifest(study.stimuli_folder)
    images = sums(stimuli.folder, (one.path for one in stimuli.stimuli))
    for name, folder in study.other_sets.items():
        others = sums(folder, (one.path for one in read_manifest(folder).stimuli))
        images |= {f"{name}/{path}": found for path, found in others.items()}
    found: Json = {"images": images}
    if study.masks_folder:
        masks = read_masks(study.masks_folder)
        found["mask_files"] = sums(masks.folder, masks.paths)
    return found


def sums(folder: Path, names: Iterable[str]) -> dict[str, str | None]:
    """Give the checksum of each file of a folder; None for one that is lost."""
    paths = {name: inside(folder, name) for name in names}
    return {name: file_sum(path) if path.exists() else None for name, path in paths.items()}


def require_whole(study: AnyStudy, content: Mapping[str, Any]) -> None:
    """Refuse to fix images that are not what their manifest says, and masks that are lost.

    Raises
    ------
    InputError
        Names the first such file.
    """
    for stimulus in (*read_manifest(study.stimuli_folder).stimuli, *read_others(study)):
        if content["images"][stimulus.path] != stimulus.sha256:
            check_sum(study, stimulus)
    lost = [name for name, found in content.get("mask_files", {}).items() if found is None]
    if lost and study.masks_folder:
        raise InputError(study.masks_folder / lost[0], "is missing, and the manifest lists it")


def file_sum(path: Path) -> str:
    """SHA-256 (hex) of a file that must be there."""
    try:
        return sha256_of(path)
    except FileNotFoundError:
        raise InputError(path, "is missing") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None


def planned_analysis(study: AnyStudy) -> Json:
    """Give what is planned: of how many, by which rules, put to which tests."""
    protocol = protocol_of(study)
    places, each = len(protocol.cells), protocol.evaluators_per_cell
    numbers = {"places": places, "evaluators_per_place": each, "evaluators": places * each}
    match study:
        case Study():
            return numbers | hype_plan(study)
        case ComparisonStudy():
            return numbers | comparison_plan(study)
        case RatingStudy():
            return numbers | rating_plan(study)
        case RankingStudy():
            return numbers | ranking_plan(study)
    raise InputError(study.path, "is a study of an unknown kind")


def hype_plan(study: Study) -> Json:
    """Give what a study of HYPE's methods plans."""
    settings = study.settings
    rule = settings.time.staircase.rule
    timed = "time" in settings.study.methods
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "staircase": asdict(rule) | {"settles_at": rule.settles_at} if timed else None,
        "not_scored": unscored_by_hype(study),
        "spoiled_trials": settings.timing.spoiled_trials,
        **careless_plan(settings.exclusion),
        "alpha": ALPHA,
        "tests": list(HYPE_TESTS),
    }


def careless_plan(exclusion: ExclusionSettings) -> Json:
    """Give who is called careless, and what becomes of them; nothing where there is no rule."""
    rules = list(exclusion.rules.said)
    return {"careless": rules, "careless_left_out": exclusion.leave_out} if rules else {}


def unscored_by_hype(study: Study) -> list[str]:
    """List who and what is not scored."""
    qualification = study.settings.qualification
    unqualified = f"evaluators below {qualification.pass_rate:.0%} in the qualification"
    return [
        "evaluators who declined or did not finish",
        *([unqualified] if qualification.enabled else []),
        *(["careless evaluators"] if study.settings.exclusion.leave_out else []),
        "practice, qualification and catch trials"
        if study.settings.catch.trials
        else "practice and qualification",
    ]


def comparison_plan(study: ComparisonStudy) -> Json:
    """Give what a study of comparisons plans."""
    settings = study.settings
    asked, rule = settings.comparison, settings.validation
    bound = f"evaluators with fewer than {rule.min_correct:.0%} of validation comparisons right"
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "criterion": asked.criterion,
        "question": asked.asked,
        "votes": None if asked.arena else asked.votes,
        "arena": asked.arena.model_dump() if asked.arena else None,
        **settings.analysis.model_dump(),
        "not_scored": [
            "evaluators who declined or did not finish",
            *([bound] if rule.kind != "off" else []),
            "practice and validation",
            "comparisons that were not answered in time",
        ],
        "hasty": f"answers before {asked.min_ms:g} ms are counted, marked and scored",
        "tests": list(COMPARISON_TESTS),
    }


def rating_plan(study: RatingStudy) -> Json:
    """Give what a study of ratings plans."""
    settings = study.settings
    asked = settings.rating
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "of": asked.of,
        "axes": [
            {"axis": axis.name, "question": axis.question, "answers": list(axis.answers)}
            for axis in axes_of(settings)
        ],
        "ratings": asked.ratings,
        "alpha": ALPHA,
        "not_scored": [
            "evaluators who declined or did not finish",
            "practice",
            *(["axes said not to be relevant (missing)"] if has_optional(study) else []),
        ],
        "tests": list(RATING_TESTS if asked.of == "pairs" else IMAGE_TESTS),
    }


def has_optional(study: RatingStudy) -> bool:
    """Tell whether any axis may be said not to be relevant."""
    return any(map(study.settings.optional, study.settings.axis_names))


def ranking_plan(study: RankingStudy) -> Json:
    """Give what a study of rankings plans."""
    settings = study.settings
    asked, rule = settings.ranking, settings.screening
    bound = rule.min_recall
    below = f"evaluators below {bound or 0:.0%} of recall@2 in the test"
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "question": asked.question,
        "rankings": asked.rankings,
        "ties": asked.ties,
        "held_out": asked.held_out,
        "screening": rule.model_dump(mode="json"),
        "alpha": ALPHA,
        "not_scored": [
            "evaluators who declined or did not finish",
            *([below] if bound is not None else []),
            "practice, the test, and what checkers rank",
            "rankings that were not accepted",
        ],
        "tests": list(RANKING_TESTS),
    }


def summary(content: Mapping[str, Any]) -> dict[str, str]:
    """Say in short what a registration fixes, line by line."""
    images, masks = content.get("images", {}), content.get("mask_files", {})
    plan = content["analysis"]
    lines = {
        "study": f"settings {content['study']['checksum'][:12]}…",
        "stimuli": f"{len(images):,} images, manifest "
        f"{content['stimuli']['manifest_sha256'][:12]}…",
    }
    if masks:
        lines["masks"] = f"{len(masks):,} files"
    if "validation" in content:
        lines["validation"] = f"the listed comparisons {content['validation']['sha256'][:12]}…"
    return (
        lines
        | asked_lines(plan)
        | careless_lines(plan)
        | {
            "evaluators": f"{plan['evaluators']:,} ({plan['evaluators_per_place']:,} in each of "
            f"{plan['places']:,} {'place' if plan['places'] == 1 else 'places'})",
            "not scored": "; ".join(plan["not_scored"]),
            "tests": f"α = {plan['alpha']:g}; {'; '.join(plan['tests'])}",
        }
    )


def careless_lines(plan: Json) -> dict[str, str]:
    """Say in short who is called careless; nothing where there is no such rule."""
    if "careless" not in plan:
        return {}
    fate = "left out" if plan["careless_left_out"] else "named and scored"
    return {"careless": f"{'; '.join(plan['careless'])} ({fate})"}


def asked_lines(plan: Json) -> dict[str, str]:
    """Say in short what ratings and rankings are about; nothing of other studies."""
    if "axes" in plan:
        names = ", ".join(one["axis"] for one in plan["axes"])
        number = f"{len(plan['axes'])} ({names})" if len(plan["axes"]) > 1 else names
        return {"axes": number}
    rule = plan.get("screening")
    if not rule:
        return {}
    checkers = f", checkers {', '.join(rule['checkers'])}" if rule["checkers"] else ""
    groups = "1 group" if rule["test"] == 1 else f"{rule['test']:,} groups"
    test = f"a test of {groups}" if rule["test"] else "no test"
    return {"screening": f"{test}; {rule['check_share']:.0%} ranked again{checkers}"}
