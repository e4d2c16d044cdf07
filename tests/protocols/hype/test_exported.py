"""Every exported judgement has the reason why it is not scored, if any."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from export_studies import strange_study, with_everybody

from hype.protocols.hype.export import JUDGED
from hype.protocols.load import load_study
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record

SPOILED = {"keep": "", "leave-out": "spoiled", "repeat": "spoiled"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "study"
    with_everybody(strange_study(folder, timing={"spoiled_trials": "leave-out"}), rounds=1)
    return folder


def reasons(folder: Path) -> Counter[tuple[object, ...]]:
    """Count people's judgements by status, task, verdict and reason for exclusion."""
    study = load_study(folder)
    columns = ("status", "task", "verdict", "excluded")
    with reading_record(folder / RECORD_FILE) as engine:
        exported = JUDGED.read(engine, study, simulated=False)
        places = [exported.columns.index(name) for name in columns]
        return Counter(tuple(row[place] for place in places) for row in exported.rows)


@pytest.mark.parametrize("treatment", SPOILED)
def test_each_judgement_says_why_it_is_not_scored_under_the_study_s_rules(folder, treatment):
    kept = load_study(folder)
    timing = kept.settings.timing.model_copy(update={"spoiled_trials": treatment})
    study = replace(kept, settings=kept.settings.model_copy(update={"timing": timing}))
    with reading_record(folder / RECORD_FILE) as engine:
        added = JUDGED.adding(engine, study, False)
    excluded = [column.name for column in JUDGED.added].index("excluded")

    assert {
        (status, task, verdict): added(status, task, None, verdict, "real")[excluded]
        for status, task, verdict, _ in reasons(folder)
    } == {
        ("complete", "practice", None): "practice",
        ("complete", "practice", "ok"): "practice",
        ("complete", "practice", "dropped"): "practice",
        ("complete", "qualification", None): "qualification",
        ("complete", "time", "ok"): "",
        ("complete", "time", "dropped"): SPOILED[treatment],
        ("complete", "infinity", None): "",
        ("unqualified", "practice", None): "unqualified",
        ("unqualified", "qualification", None): "unqualified",
        ("active", "practice", None): "unfinished",
        ("active", "practice", "ok"): "unfinished",
        ("active", "practice", "dropped"): "unfinished",
        ("active", "qualification", None): "unfinished",
        ("active", "time", "ok"): "unfinished",
        ("active", "time", "dropped"): "unfinished",
    }


def test_the_reason_is_by_the_rules_under_which_the_evaluator_came(folder):
    before = reasons(folder)
    file = folder / "study.toml"
    old = load_study(folder).settings.timing.spoiled_trials
    file.write_text(file.read_text().replace(f'"{old}"', '"keep"'))

    assert before["complete", "time", "dropped", "spoiled"]
    assert reasons(folder) == before


def test_the_reason_is_there_whatever_columns_are_wanted(folder):
    with reading_record(folder / RECORD_FILE) as engine:
        exported = JUDGED.read(engine, load_study(folder), simulated=True, columns={"evaluator"})
        (first, *_) = (dict(zip(exported.columns, row, strict=True)) for row in exported.rows)

    assert (first["evaluator"], first["excluded"]) == ("sim-0001", "unqualified")
