"""How far a study of picking is."""

from __future__ import annotations

from sqlalchemy import true

from hype.status.design import StatusDesign
from picking.course import COURSE
from picking.rows import picks

STATUS = StatusDesign(
    course=COURSE,
    table=picks,
    heading="Picks",
    scored=true(),
    paid=true(),
    counted={},
)
