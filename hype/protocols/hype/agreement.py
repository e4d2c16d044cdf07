"""How far evaluators agree on images, as Krippendorff's α.

Units are the images of a condition, real and fake ones alike; observers are its evaluators; values
are the answers, real or fake. Evaluators who all see through the images agree too: α tells
consensus, not deception.
"""

from __future__ import annotations

import numpy as np

from hype.statistics.agreement import Alpha, unit_alpha
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate
from hype.statistics.resampling import FEWEST_PEOPLE


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
