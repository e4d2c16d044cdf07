"""Studies that people take part in now, and their plans, are what they were: sessions go on."""

from pathlib import Path

from hype.sessions.pools import read_pools
from hype.study.assignment import Assignment, Cell
from hype.study.load import load_study
from hype.study.sampling import plan_session

FASHION = Path(__file__).parents[2] / "experiments" / "fashion"


def test_a_study_and_a_plan_of_hype_have_the_checksums_that_they_had() -> None:
    """Whoever adds a protocol, a key or a draw may not move these."""
    study = load_study(FASHION)
    cell = Cell(condition="flow", methods=("time",))
    who = Assignment(evaluator="p01", cell=cell, left_means="real")
    plan = plan_session(study.settings, read_pools(study), who)

    assert study.checksum() == "e718bf4b48f2c425e02832972844ccf62f729a3bf4f89618f52d72cb4568709f"
    assert plan.checksum() == "96fbfdf6ff5f95ed7c3d5aad22af9395b72cddcda18a8c98bb2e8f4cb5323213"
