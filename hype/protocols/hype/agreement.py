"""How far evaluators agree on images, as Krippendorff's α.

Units are the images of a condition, real and fake ones alike; observers are its evaluators; values
are the answers, real or fake. Evaluators who all see through the images agree too: α tells
consensus, not deception.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from sqlalchemy import select

from hype.protocols.hype.record import careless_evaluators, judgements
from hype.protocols.hype.trial import SCORED_TASKS
from hype.session.steps import Ending
from hype.statistics.agreement import Alpha, unit_alpha
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate
from hype.statistics.resampling import FEWEST_PEOPLE
from hype.status.design import OpenStudy
from hype.store.schema import evaluators


def image_alpha(
    image: IntArray,
    evaluator: IntArray,
    fake: FloatArray,
    *,
    images: Images = "sample",
    confidence: float = 0.95,
) -> Alpha | None:
    """Compute α of the images of one condition; all of shape (answers,), one for each cell.

    None if it is undefined: no image was judged by two evaluators, or all answers to such images
    are the same. It has no interval where only one such image was judged, by fewer than
    `FEWEST_PEOPLE`, or where all gave one answer to each image.
    """
    unit = np.unique(image, return_inverse=True)[1]
    alpha = unit_alpha(
        *(unit, fake, evaluator, unit if images == "sample" else None),
        what="items",
        level="nominal",
        confidence=confidence,
    )
    if alpha is None:
        return None
    number = np.bincount(unit)
    paired = (number >= 2)[unit]
    units, people = int((number >= 2).sum()), len(np.unique(evaluator[paired]))
    known = units > 1 and people >= FEWEST_PEOPLE and alpha.alpha.value != 1
    return Alpha(
        unit="images",
        alpha=alpha.alpha if known else Estimate(value=alpha.alpha.value),
        units=units,
        n=int(paired.sum()),
        evaluators=people,
    )


def recorded_agreement(here: OpenStudy) -> Alpha | None:
    """Compute α over the images of all conditions: of untimed judgements, else of flashed ones.

    As `hype score` does, from the rows and columns alone that this needs.
    """
    answers, who, settings = judgements.c, evaluators.c, here.study.settings
    query = (
        select(answers.truth, answers.image, who.evaluator, answers.answer)
        .join(evaluators, answers.evaluator_id == who.id)
        .where(answers.simulated == here.simulated, who.status == Ending.COMPLETE.value)
        .where(who.evaluator.not_in(settings.study.left_out))
        .order_by(answers.id)
    )
    careless: Container[str] = ()
    if settings.exclusion.leave_out:
        careless = careless_evaluators(here.connection, here.study, simulated=here.simulated)
    for task in SCORED_TASKS[::-1]:
        rows = here.connection.execute(query.where(answers.task == task))
        last = {
            (truth, image, code): answer
            for truth, image, code, answer in rows
            if code not in careless
        }
        if last:
            cells = sorted(last)
            images = {image: n for n, image in enumerate(dict.fromkeys(c[:-1] for c in cells))}
            people = {code: n for n, code in enumerate(sorted({c[-1] for c in cells}))}
            return image_alpha(
                np.array([images[cell[:-1]] for cell in cells]),
                np.array([people[cell[-1]] for cell in cells]),
                np.array([float(last[cell] == "fake") for cell in cells]),
            )
    return None
