"""A plan's checksum and its pay."""

from dataclasses import replace

import pytest
from builders import stimulus
from paper_station import block, session

from hype.protocols.hype.staircase import Staircase
from hype.protocols.hype.trial import SessionPlan, Task

PLAN = session(
    block(Task.PRACTICE, 2, timed=True), block(Task.TIME, 4), block(Task.TIME, 4, number=2)
)


def changed(position: int, **fields: object) -> SessionPlan:
    blocks = list(PLAN.blocks)
    blocks[position] = replace(blocks[position], **fields)
    return replace(PLAN, blocks=tuple(blocks))


first_block = PLAN.blocks[1]
OTHER_PLANS = {
    "order of images": changed(1, stimuli=first_block.stimuli[::-1]),
    "another image": changed(1, stimuli=(stimulus(999), *first_block.stimuli[1:])),
    "order of masks": changed(1, masks=first_block.masks[::-1]),
    "masks within a trial": changed(1, masks=tuple(row[::-1] for row in first_block.masks)),
    "duration of masks": changed(1, mask_ms=40.0),
    "staircase": changed(1, staircase=Staircase(up_ms=20)),
    "exposure of practice": changed(0, exposure_ms=400.0),
    "task": changed(1, task=Task.INFINITY),
    "order of blocks": replace(PLAN, blocks=PLAN.blocks[::-1]),
    "one block fewer": replace(PLAN, blocks=PLAN.blocks[:-1]),
    "image moved over a block's edge": replace(
        PLAN,
        blocks=(
            PLAN.blocks[0],
            replace(first_block, stimuli=first_block.stimuli[:-1]),
            replace(PLAN.blocks[2], stimuli=(first_block.stimuli[-1], *PLAN.blocks[2].stimuli)),
        ),
    ),
    "rate that passes the qualification": replace(PLAN, pass_rate=0.9),
    "spoiled trials come again": changed(1, repeat_spoiled=True),
    "spoiled trials come again in another block": changed(2, repeat_spoiled=True),
}


@pytest.mark.parametrize("what", OTHER_PLANS)
def test_whatever_decides_the_trials_is_in_the_checksum(what):
    others = {name: plan.checksum() for name, plan in OTHER_PLANS.items() if name != what}

    assert OTHER_PLANS[what].checksum() not in {PLAN.checksum(), *others.values()}
