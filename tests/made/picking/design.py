"""What a study of picking is to find out, and a study file to start from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, prompted_text
from picking.rows import REASONS
from picking.settings import PickingStudy
from picking.status import STATUS


def planned_analysis(study: PickingStudy) -> Json:
    return {
        "methods": list(study.settings.study.methods),
        "not_scored": [reason.name for reason in REASONS],
        "alpha": ALPHA,
        "tests": ["shares: Wilson's interval, 95%"],
    }


DESIGN = StudyDesign(conditions=taking_part, planned_analysis=planned_analysis, status=STATUS)
TEMPLATES = {
    "picking": PromptedTemplate(
        usual=PromptedShape(images=2),
        shape=PromptedShape,
        text=partial(prompted_text, Path(__file__).parent, method="picking", done="shown"),
        complete=True,
    )
}
