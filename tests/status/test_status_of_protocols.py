"""The status of a study: common parts of all protocols."""

import shutil
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from known import STATUS_KEYS, look
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from paper_station import record_of
from rich.console import Console
from small_studies import STATIONS, STUDIES
from sqlalchemy import func, select
from verified_records import attend, sound_study

from hype.protocols.load import load_any
from hype.protocols.registry import PROTOCOLS, course_of, protocol_of
from hype.session.simulate import Simulation
from hype.status.looking import Status
from hype.status.showing import parts_of
from hype.study.studies import AnyStudy

SOUND: dict[str, Callable[[Path], AnyStudy]] = {
    "hype": sound_study,
    "comparison": compared_soundly,
    "arena": lambda folder: compared_soundly(folder, arena=True),
    "rating": rated_soundly,
    "ranking": ranked_soundly,
}
"""Records with every kind of evaluator: p03 declined, p05 has started, some are simulated."""


@pytest.fixture(scope="module", params=SOUND)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AnyStudy:
    return SOUND[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def found(study: AnyStudy) -> Status:
    return look(study, simulated=False)


@pytest.fixture(params=[protocol.name for protocol in PROTOCOLS])
def one_came(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[AnyStudy, Any]:
    """A study with one session, and the station of this session."""
    study, station = STUDIES[request.param](tmp_path), STATIONS[request.param]()
    with record_of(study) as engine:
        attend(engine, study, "p01", station)
    return study, station


def shown(status: Status, width: int = 80) -> str:
    console = Console(width=width, file=StringIO(), record=True)
    for part in parts_of(status):
        console.print(part)
    return console.export_text()


def placed(status: Status) -> list[Any]:
    """Return the evaluators who take a place of the design: checkers do not."""
    return [one for one in status.facts["evaluators"] if not one.get("checker")]


def test_all_have_the_same_facts(found):
    assert set(found.facts) >= STATUS_KEYS["study"]
    for cell in found.facts["cells"]:
        assert set(cell) == STATUS_KEYS["cell"] | STATUS_KEYS["places"]
    assert set(found.facts["whole"]) == STATUS_KEYS["places"]
    for evaluator in found.facts["evaluators"]:
        assert set(evaluator) >= STATUS_KEYS["evaluator"]
    assert len({frozenset(evaluator) for evaluator in found.facts["evaluators"]}) == 1


def test_everybody_is_in_one_place_and_counted_by_what_became_of_them(found):
    whole, statuses = found.facts["whole"], Counter(one["status"] for one in placed(found))

    assert (statuses["declined"], statuses["active"]) == (1, 1)
    assert whole["came"] == statuses.total()
    for status in ("complete", "active", "declined", "unqualified"):
        assert whole[status] == statuses[status]
    for name in STATUS_KEYS["places"]:
        assert whole[name] == sum(cell[name] for cell in found.facts["cells"])
    assert found.facts["remaining"]["evaluators"] == whole["needed"]
    course = course_of(found.study)
    assert whole["wanted"] == len(course.cells) * course.evaluators_per_cell


def test_answers_are_those_that_count(found):
    design, table = found.design, found.design.table
    count = select(func.count()).where(design.scored, ~table.c.simulated)
    with record_of(found.study) as engine, engine.connect() as connection:
        expected = connection.execute(count).scalar_one()
        last_unix_s = connection.execute(
            select(func.max(table.c.onset_unix_s)).where(~table.c.simulated)
        ).scalar_one()

    assert found.facts["whole"]["answers"] == expected > 0
    assert sum(one["answers"] for one in placed(found)) == expected
    moments = [one["last_answered_unix_s"] for one in found.facts["evaluators"]]
    assert max(filter(None, moments)) == last_unix_s


def test_the_base_is_due_for_any_answer_and_sums_add_up(found):
    pay, people = found.study.settings.pay, found.facts["evaluators"]

    for one in people:
        has_answered = one["last_answered_unix_s"] is not None
        assert one["base"] == (pay.base if has_answered else 0.0)
        assert one["pay"] == pytest.approx(one["base"] + one["bonus"])
        assert has_answered or one["status"] == "declined"
    for part in ("base", "bonus", "pay"):
        assert found.facts[f"{part}_due"] == pytest.approx(sum(one[part] for one in people))


def test_pay_is_what_the_debrief_said(one_came):
    study, station = one_came
    (evaluator,) = look(study, simulated=False).facts["evaluators"]
    debrief = next(s for _, s in reversed(station.log) if getattr(s, "page", None) == "debrief")

    assert evaluator["bonus"] > 0
    assert f"{evaluator['pay']:.2f}" == debrief.values["pay"]


def test_people_and_simulated_evaluators_are_apart_in_order_of_arrival(one_came):
    study, _ = one_came
    with record_of(study) as engine:
        attend(engine, study, "a02", STATIONS[protocol_of(study).name](consents=False))
        list(Simulation(engine, course_of(study), seed=3).simulate_some(1))
    people, simulated = (look(study, simulated=which).facts for which in (False, True))

    assert [one["evaluator"] for one in people["evaluators"]] == ["p01", "a02"]
    assert all("sim-" in one["evaluator"] for one in simulated["evaluators"])
    assert simulated["evaluators"]
    came = [one["came_unix_s"] for one in people["evaluators"]]
    assert came == sorted(came)


def test_a_terminal_of_80_columns_shows_all(found):
    text = shown(found)

    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    for one in found.facts["evaluators"]:
        (line,) = (line for line in text.splitlines() if line.startswith(f"{one['evaluator']} "))
        assert line.rstrip().endswith(f"{one['pay']:.2f}")
    due = f"{found.facts['currency']}{found.facts['pay_due']:.2f}"
    assert f"Pay due: {due} " in text
    assert "Still needed: " in text
    assert "SIMULATED" not in text


def test_without_stimuli_everybody_is_still_known(study, tmp_path):
    shutil.copytree(study.folder, tmp_path / "study")
    shutil.rmtree(tmp_path / "study" / "stimuli")
    lost = look(load_any(tmp_path / "study"), simulated=False)
    before = look(study, simulated=False)

    assert "there is no such file" in lost.facts["stimuli_problem"]
    assert "there is no such file" in lost.warnings[0]
    for name in ("wanted", "came", "complete", "declined", "answers"):
        assert lost.facts["whole"][name] == before.facts["whole"][name]
    assert lost.facts["pay_due"] == before.facts["pay_due"]
    assert shown(lost)


@pytest.mark.parametrize("protocol", [protocol.name for protocol in PROTOCOLS])
def test_before_anybody_came_the_plan_is_known(protocol, tmp_path):
    study = STUDIES[protocol](tmp_path)
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).simulate_some(1))
    status = look(study, simulated=False)

    assert status.facts["evaluators"] == []
    assert status.facts["whole"]["came"] == status.facts["pay_due"] == 0
    assert status.facts["whole"]["needed"] == status.facts["whole"]["wanted"] > 0
    assert "Nobody has come yet.\n1 simulated evaluator took part: hype status " in shown(status)
    assert f"{study.path} --simulated shows them." in shown(status).replace("\n", "")
