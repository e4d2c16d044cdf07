"""Studies that people take part in now, and their plans, are what they were: sessions go on."""

from pathlib import Path

from hype.sessions.protocols.hype import HypeProtocol
from hype.study.assignment import Assignment, Cell
from hype.study.load import load_study

FASHION = Path(__file__).parents[2] / "experiments" / "fashion"


def test_a_study_and_a_plan_of_hype_have_the_checksums_that_they_had() -> None:
    """Whoever adds a protocol, a key or a draw may not move these."""
    study = load_study(FASHION)
    cell = Cell(condition="flow", methods=("time",))
    who = Assignment(evaluator="p01", cell=cell, left_means="real")
    now, before = HypeProtocol(study).plans(who)

    assert study.checksum() == "e718bf4b48f2c425e02832972844ccf62f729a3bf4f89618f52d72cb4568709f"
    assert now.checksum() == "f64468add7d45cafd00dc818374173435d529d42be8176aa0919c52f7816ccf9"
    # As it was before the test's fakes came from the other conditions alone: such sessions go on.
    assert before.checksum() == "96fbfdf6ff5f95ed7c3d5aad22af9395b72cddcda18a8c98bb2e8f4cb5323213"
