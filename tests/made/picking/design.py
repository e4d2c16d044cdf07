"""The design of a study of picking, its status, and a study file to start from."""

from functools import partial
from pathlib import Path

from sqlalchemy import true

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, write_study
from hype.status.design import StatusDesign
from picking.course import COURSE
from picking.record import REASONS, picks
from picking.settings import NAME, PickingStudy


def planned_analysis(_study: PickingStudy) -> Json:
    not_scored = [reason.name for reason in REASONS]
    tests = ["shares: Wilson's interval, 95%"]
    return {"methods": [NAME], "not_scored": not_scored, "alpha": ALPHA, "tests": tests}


STATUS = StatusDesign(
    course=COURSE, table=picks, heading="Picks", scored=true(), paid=true(), counted={}
)
DESIGN = StudyDesign(conditions=taking_part, planned_analysis=planned_analysis, status=STATUS)
TEMPLATE = partial(write_study, Path(__file__).parent, method=NAME, done="shown")
TEMPLATES = {
    NAME: PromptedTemplate(
        usual=PromptedShape(images=2), shape=PromptedShape, text=TEMPLATE, complete=True
    )
}
