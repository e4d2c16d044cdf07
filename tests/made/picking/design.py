"""What a study of picking is to find out."""

from __future__ import annotations

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from picking.rows import MEANINGS
from picking.settings import PickingStudy
from picking.status import look_at_picks


def planned_analysis(study: PickingStudy) -> Json:
    return {
        "methods": list(study.settings.study.methods),
        "not_scored": list(MEANINGS),
        "alpha": ALPHA,
        "tests": ["shares: Wilson's interval, 95%"],
    }


DESIGN = StudyDesign(conditions=taking_part, planned_analysis=planned_analysis, look=look_at_picks)
