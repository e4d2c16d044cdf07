"""What a study of comparisons is to find out, and the study files to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hype.errors import NothingRecorded
from hype.files import inside
from hype.protocols.comparison.arena import joining
from hype.protocols.comparison.sampling import read_comparison_pools
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.status import STATUS
from hype.protocols.facets import Json, StudyDesign, join_without_votes
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, prompted_text
from hype.store.record import record_of

TESTS: Final = (
    "pairs: differences of strengths, max-|t| over all pairs stepping down, or Holm's rule where "
    "people or prompts are few",
    "win rates: Wilson's interval for as many comparisons as these are worth, 95%",
    "strengths: Bradley and Terry's model, sandwich of evaluators and prompts or images, 95%",
)


def planned_analysis(study: ComparisonStudy) -> Json:
    settings = study.settings
    asked, rule, arena = settings.comparison, settings.validation, settings.comparison.arena
    bound = f"evaluators with fewer than {rule.min_correct:.0%} of validation comparisons right"
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "criterion": asked.criterion,
        "question": asked.asked,
        "votes": None if asked.arena else asked.votes,
        "arena": arena and arena.model_dump(exclude=None if arena.reserve else {"reserve"}),
        **settings.analysis.model_dump(mode="json"),
        "not_scored": [
            "evaluators who declined or did not finish",
            *([bound] if rule.kind != "off" else []),
            "practice and validation",
            "comparisons that were not answered in time",
        ],
        "hasty": f"answers before {asked.min_ms:g} ms are counted, marked and scored",
        "tests": list(TESTS),
    }


def fixed_files(study: ComparisonStudy) -> Mapping[str, Path]:
    rule = study.settings.validation
    return {"validation": inside(study.folder, rule.file)} if rule.kind == "listed" else {}


def join_with_votes(study: ComparisonStudy, votes: int | None) -> Mapping[str, object]:
    if study.settings.comparison.arena is None:
        return join_without_votes(study, votes)
    names = read_comparison_pools(study).conditions
    try:
        with record_of(study).reading() as engine, engine.connect() as record:
            return joining(record, study, names, votes)
    except NothingRecorded:
        return joining(None, study, names, votes)


DESIGN: Final = StudyDesign(
    conditions=taking_part,
    planned_analysis=planned_analysis,
    status=STATUS,
    fixed_files=fixed_files,
    joining=join_with_votes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonShape(PromptedShape):
    """What a study of comparisons is made of.

    ``arena``: pairs are chosen as evaluators come. With one prompt there is no other to mismatch
    it.
    """

    arena: bool = False


def comparison_text(name: str, shape: ComparisonShape) -> str:
    """Write the commented study file."""
    return prompted_text(
        *(Path(__file__).parent, name, shape),
        method="comparison",
        done="compared",
        arena=shape.arena,
        mismatched=not shape.arena and shape.prompts > 1,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """Say why nothing says who looked."""
    if shape.prompts == 1:
        yield (
            "With one prompt there is no other to mismatch it: comparisons with an obvious answer "
            "are off (see study.toml)."
        )


TEMPLATES: Final = {
    "comparison": PromptedTemplate(
        words="say which of two images is better: every pair",
        wanted="votes",
        of_each=" for each pair of images",
        usual=ComparisonShape(),
        shape=ComparisonShape,
        text=comparison_text,
        remarks=remarks_on,
        trial="power",
    ),
    "arena": PromptedTemplate(
        words="say which of two images is better: pairs chosen on the way, an arena",
        usual=ComparisonShape(arena=True),
        shape=partial(ComparisonShape, arena=True),
        text=comparison_text,
        trial="power",
        complete=True,
    ),
}
