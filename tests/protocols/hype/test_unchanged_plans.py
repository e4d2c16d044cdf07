"""Studies that people take part in now, and their plans, are what they were: sessions go on."""

from pathlib import Path
from typing import Any

from hype.protocols.hype.conduct import HypeConduct
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.study.assignment import Assignment, Cell

FASHION = Path(__file__).parents[3] / "experiments" / "fashion"
CELL = Cell(condition="flow", methods=("time",))
WHO = Assignment(evaluator="p01", cell=CELL, left_means="real")


def with_tables(study: Study, **tables: dict[str, Any]) -> Study:
    """Change some settings of a study."""
    settings = study.settings
    changed = {name: getattr(settings, name).model_copy(update=t) for name, t in tables.items()}
    return Study(path=study.path, settings=settings.model_copy(update=changed))


def test_a_study_and_a_plan_of_hype_have_the_checksums_that_they_had() -> None:
    """Whoever adds a protocol, a key or a draw may not move these."""
    study = load_study(FASHION)
    plan = HypeConduct(study).plan(WHO)

    assert study.checksum() == "06c236587875479fc09618f1a0b81515365d44c15d1f9ce55b5fac92411ad323"
    assert plan.checksum() == "f64468add7d45cafd00dc818374173435d529d42be8176aa0919c52f7816ccf9"


def test_so_do_those_of_the_first_programs() -> None:
    """They knew no wait, enlarged images, and took the test's fakes from all conditions."""
    study = with_tables(
        load_study(FASHION),
        time={"min_ms": 0.0},
        infinity={"min_ms": 0.0},
        qualification={"on_own_condition": True},
        display={"enlarge": True},
    )
    plan = HypeConduct(study).plan(WHO)

    assert study.checksum() == "e718bf4b48f2c425e02832972844ccf62f729a3bf4f89618f52d72cb4568709f"
    assert plan.checksum() == "96fbfdf6ff5f95ed7c3d5aad22af9395b72cddcda18a8c98bb2e8f4cb5323213"
