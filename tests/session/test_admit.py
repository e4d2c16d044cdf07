"""Who may sit down: an evaluator with sound images, and otherwise nobody."""

import pytest
from admitted import admit, enrol
from builders import whole_study
from paper_station import evaluators_of, record_of

from hype.errors import InputError
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.trial import SessionPlan
from hype.protocols.registry import course_of
from hype.session.admitting import expect
from hype.session.enrol import begin_session


def test_with_a_broken_image_nobody_is_entered(tmp_path):
    study = whole_study(tmp_path)
    for image in (tmp_path / "stimuli").rglob("*.png"):
        image.write_bytes(b"")
    with record_of(study) as engine:
        with pytest.raises(InputError, match=r"\.png: is empty"):
            admit(engine, course_of(study), "p01", simulated=False)
        assert evaluators_of(engine) == []


def test_others_can_write_while_files_are_read(tmp_path):
    """Another evaluator is enrolled in the middle, and has the place that was expected."""
    study = whole_study(tmp_path)
    pools = read_pools(study)
    with record_of(study) as engine:

        class Interrupted(HypeCourse):
            def check_files(self, plan: SessionPlan, **who: bool) -> str | None:
                with engine.begin() as connection:
                    enrol(connection, HypeCourse(study, pools), "p02", simulated=False)
                return super().check_files(plan, **who)

        expected = expect(engine, Interrupted(study, pools), "p01", simulated=False)
        admitted = admit(engine, HypeCourse(study, pools), "p01", simulated=False)
        found = {who.evaluator: who for who in evaluators_of(engine)}

    assert set(found) == {"p01", "p02"}
    assert found["p02"].condition == expected.assignment.cell.condition
    assert found["p01"].condition == admitted.assignment.cell.condition != found["p02"].condition


@pytest.mark.parametrize("what", ["masks", "stimuli"])
def test_who_comes_back_goes_on_once_the_files_of_their_plan_are_as_they_were(what, tmp_path):
    study = whole_study(tmp_path)
    with record_of(study) as engine:
        enrolled = admit(engine, course_of(study), "p01", simulated=False)
        with engine.begin() as connection:
            begin_session(connection, enrolled, study, mode="person", display={})
        kept = {path: path.read_bytes() for path in (tmp_path / what).rglob("*.png")}
        for path, other in zip(kept, reversed(kept.values()), strict=True):
            path.write_bytes(other)
        with pytest.raises(InputError, match=r"the masks changed since 'p01'|changed since its"):
            admit(engine, course_of(study), "p01", simulated=False)
        for path, content in kept.items():
            path.write_bytes(content)

        assert admit(engine, course_of(study), "p01", simulated=False).plan == enrolled.plan
