"""Simulated evaluators: whole sessions, repeatable by seed, and separate from people."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from builders import named_study
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit
from sqlalchemy import Engine

from hype.errors import SessionProblem
from hype.protocols.hype.record import KEPT, judgements
from hype.protocols.hype.scoring import score
from hype.protocols.hype.settings import Study
from hype.protocols.registry import course_of
from hype.session.outgoing import declare_exports, read_answers
from hype.session.simulate import BATCH, Simulated, Simulation
from hype.session.steps import Ending
from hype.store.people import delete_evaluators
from hype.store.schema import evaluators, sessions

EASY: dict[str, Any] = {"qualification": {"enabled": False}}
"""Nobody is dismissed as unqualified, so the number of sessions is known."""


def simulation(engine: Engine, study: Study, seed: int = 0) -> Simulation:
    return Simulation(engine, course_of(study), seed=seed)


def come(engine: Engine, study: Study, number: int, seed: int = 0) -> list[Simulated]:
    return list(simulation(engine, study, seed).simulate_some(number))


def test_whole_sessions_are_written_as_the_loop_gave_them(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        results = come(engine, study, 5)
        who, rows, held = (rows_of(engine, t) for t in (evaluators, judgements, sessions))

    assert [w.evaluator for w in who] == [f"sim-000{n}" for n in range(1, 6)]
    assert [w.status for w in who] == [r.ending.value for r in results]
    assert Counter(r.evaluator_id for r in rows) == {
        w.id: r.trials for w, r in zip(who, results, strict=True)
    }
    assert all(row.simulated for row in rows)
    assert {(s.mode, s.observer_seed) for s in held} == {("simulated", "0")}
    assert all(s.ended_unix_s > s.started_unix_s for s in held)


def test_a_simulated_record_keeps_time_like_a_real_one(tmp_path):
    """Between two onsets there is at least the time that a trial takes."""
    study = named_study(tmp_path, **EASY)
    with record_of(study) as engine:
        come(engine, study, 1)
        timed = [r for r in rows_of(engine, judgements) if r.task == "time"]

    for one, following in pairwise(timed):
        lasts_s = (1500 + one.exposure_ms + 4 * 30 + one.rt_ms) / 1000
        assert following.onset_monotonic_s - one.onset_monotonic_s >= lasts_s - 1e-6
        assert following.onset_unix_s - one.onset_unix_s == pytest.approx(
            following.onset_monotonic_s - one.onset_monotonic_s, abs=1e-3
        )


def answers(engine: Engine) -> list[tuple[object, ...]]:
    return [(r.image, r.exposure_ms, r.answer, r.rt_ms) for r in rows_of(engine, judgements)]


def test_evaluators_who_come_later_are_the_ones_who_would_have_come(tmp_path):
    """Two simulations of 2 and 3 evaluators give the same people and answers as one of 5."""
    together, apart = named_study(tmp_path / "a"), named_study(tmp_path / "b")
    with record_of(together) as engine:
        come(engine, together, 5)
        expected = answers(engine)
    with record_of(apart) as engine:
        come(engine, apart, 2)
        come(engine, apart, 3)
        assert answers(engine) == expected


def test_batches_are_committed_whole_and_none_is_lost(tmp_path):
    study = named_study(tmp_path, **EASY)
    with record_of(study) as engine:
        coming = simulation(engine, study).simulate_some(BATCH + 3)
        for _ in range(BATCH):
            next(coming)
        assert len(evaluators_of(engine, simulated=True)) == BATCH
        assert len(list(coming)) == 3
        assert len(evaluators_of(engine, simulated=True)) == BATCH + 3


def test_filling_gives_every_cell_its_evaluators_in_spite_of_who_fails(tmp_path):
    study = named_study(
        tmp_path,
        study={"methods": ["time", "infinity"]},
        qualification={"trials": 8, "pass_rate": 0.75},
    )
    with record_of(study) as engine:
        filling = simulation(engine, study)
        results = list(filling.fill(3))

    complete = Counter(r.cell for r in results if r.ending is Ending.COMPLETE)
    assert complete == dict.fromkeys(filling.cells, 3)
    assert len(filling.cells) == 4
    assert any(r.ending is Ending.UNQUALIFIED for r in results)


def test_cells_that_would_never_fill_are_given_up(tmp_path):
    hopeless = {"ceiling": 0.5, "lapse": 1.0}
    study = named_study(
        tmp_path, qualification={"pass_rate": 1.0}, observers={"crude": hopeless, "good": hopeless}
    )
    with (
        record_of(study) as engine,
        pytest.raises(SessionProblem, match="hardly ever pass the qualification"),
    ):
        list(simulation(engine, study).fill(2))


def test_discarding_takes_the_simulated_and_leaves_the_people(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
        people_before = rows_of(engine, judgements)
        come(engine, study, 3)
        with engine.begin() as connection:
            delete_evaluators(connection, evaluators.c.simulated)

        assert rows_of(engine, judgements) == people_before
        assert len(rows_of(engine, sessions)) == 1
        assert evaluators_of(engine, simulated=True) == []


def test_people_do_not_fill_the_cells_of_simulated_evaluators(tmp_path):
    study = named_study(tmp_path, **EASY)
    with record_of(study) as engine:
        for n in range(3):
            sit(engine, study, f"p{n}")
        results = come(engine, study, 4)

    assert Counter(r.cell.condition for r in results) == {"crude": 2, "good": 2}


def scores(study: Study, per_cell: int) -> dict[str, dict[str, float]]:
    """Simulate and score; return the scores by method and condition."""
    with record_of(study) as engine:
        list(simulation(engine, study).fill(per_cell))
        rows = list(read_answers(KEPT, engine, simulated=True))
    frame = pd.DataFrame(rows, columns=list(declare_exports(KEPT)))
    return {
        s.protocol: {c["condition"]: c["score"] for c in s.rows("conditions")}
        for s in score(frame, draws=100)
    }


def test_known_thresholds_come_out_as_the_ranking_of_hype_time(tmp_path):
    study = named_study(
        tmp_path,
        {"": 90, "poor": 90, "fair": 90, "fine": 90},
        **EASY,
        practice={"trials": 0},
        time={"blocks": 1, "trials": 150},
        observers={
            "poor": {"threshold_ms": 80.0},
            "fair": {"threshold_ms": 250.0},
            "fine": {"threshold_ms": 700.0},
        },
    )
    found = scores(study, 8)["time"]

    assert sorted(found, key=found.__getitem__) == ["poor", "fair", "fine"]
    assert found["fair"] - found["poor"] > 50
    assert found["fine"] - found["fair"] > 50
