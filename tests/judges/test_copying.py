"""Copies are found where they are partial, and honest judges are not called copies."""

import re

import numpy as np
import pytest
from made_judged import Design, RankedDesign, RankedStudy, Study

from hype.judges.copying import LevelsOnAxis, taken

ALL = Design(people=12, items=120, each=12)
SOME = Design(people=20, items=300, each=2, axes=3)


@pytest.fixture(scope="module", params=[ALL, SOME], ids=["all", "some"])
def judged(request):
    study = Study(request.param, np.random.default_rng(5))
    own = study.person()
    found = {"honest": own, "good": study.judge(0.5), "sloppy": study.judge(3.0)}
    found["but one"] = study.copied(study.of_person(), 1, own)
    found["half of somebody"] = study.copied(study.of_somebody(), 0.5, own)
    for share in (0.5, 1):
        found[f"mean {share}"] = study.copied(study.of_mean(), share, own)
    return study.judged(found)


@pytest.mark.parametrize("judge", ["honest", "good", "sloppy"])
def test_honest_judges_are_not_called_copies(judged, judge):
    assert judged[judge].copying is None


@pytest.mark.parametrize("judge", ["but one", "half of somebody", "mean 0.5", "mean 1"])
def test_a_part_that_was_copied_is_found(judged, judge):
    found = judged[judge]
    assert found.verdict.value == "copies", found.said
    assert "?" in found.said[0]
    assert not any("as well as a second person" in one for one in found.said)


def test_all_items_but_one(judged):
    found = judged["but one"].copying
    assert (found.p, found.source[:1]) == (None, "p")
    assert found.equal >= 1 - 1 / found.items


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_the_share_that_was_taken_over(share):
    rng = np.random.default_rng(2)
    truth = rng.normal(size=4000)
    a, b = (np.clip(np.rint(2 + truth + rng.normal(size=4000)), 0, 4).astype(int) for _ in "ab")
    a = np.where(rng.random(4000) < share, b, a)
    found = taken(
        [
            LevelsOnAxis(
                judge=a, nearest=b, others=1.0 * b, item=np.arange(4000), levels=5, most=0.97
            )
        ]
    )
    assert found.share == pytest.approx(share, abs=0.06)
    assert found.error < 0.05
    assert found.equal == (a == b).mean()


def test_models_that_copy_orders():
    study = RankedStudy(RankedDesign(groups=60, each=5, size=9), np.random.default_rng(7))
    own = study.person()
    copies = {
        f"{share} of {name}": study.copied(source, share, own)
        for name, source in {"p00": study.of_person(), "the mean": study.of_mean()}.items()
        for share in (0.8, 1)
    }
    found = study.judged({"honest": own, "good": study.judge(0.3), **copies})
    for name in copies:
        assert found[name].verdict.value == "copies", name
        assert re.search(
            r"the same order as .*were some copied\?|made from them", found[name].said[0]
        )
        assert len(found[name].said) == 1  # and no praise
    for name in ("honest", "good"):
        assert found[name].copying is None
        assert found[name].verdict.value == "agrees"
