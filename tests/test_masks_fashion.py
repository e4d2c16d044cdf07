"""The demonstration's masks: they are similar to their sources but do not show them."""

from collections import Counter
from pathlib import Path

import pytest

from hype.masks.examine import examine
from hype.masks.maskset import read_masks
from hype.stimuli.manifest import read_manifest
from hype.workers import WorkerPool

ROOT = Path(__file__).parents[1]


@pytest.mark.long
def test_the_masks_are_fit_to_mask():
    masks, stimuli = read_masks(ROOT / "masks/fashion"), read_manifest(ROOT / "stimuli/fashion")
    found = list(examine(masks, stimuli, WorkerPool(None, 1)))

    assert [problem for one in found for problem in one.problems] == []
    kinds = Counter(one.source.rpartition("/")[0] for one in found)
    assert kinds["real"] == sum(kinds.values()) / 2
    assert len({number for kind, number in kinds.items() if kind != "real"}) == 1
