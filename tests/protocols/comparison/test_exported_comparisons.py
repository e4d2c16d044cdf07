"""Every exported comparison has the reason why it is not scored, if any."""

import pytest
from export_comparing_studies import OBVIOUS, answering, comparing_study, with_comparing_people
from paper_comparer import PaperComparer
from paper_station import record_of
from verified_records import attend

from hype.protocols.comparison.export import COMPARED, adding_reasons
from hype.protocols.comparison.record import is_enough
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "study"
    return with_comparing_people(comparing_study(folder), simulated=1)


def rows_of(study: ComparisonStudy, *columns: str) -> list[tuple[object, ...]]:
    """Return some columns of all comparisons by people."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        exported = COMPARED.read(engine, study, simulated=False)
        places = [exported.columns.index(name) for name in columns]
        return [tuple(row[place] for place in places) for row in exported.rows]


def of_somebody(study: ComparisonStudy, evaluator: str) -> dict[tuple[object, object], object]:
    """Return an evaluator's reasons not to score, by task and by whether there was an answer."""
    rows = rows_of(study, "evaluator", "task", "answer", "excluded")
    return {(task, said != "none"): why for who, task, said, why in rows if who == evaluator}


def test_each_comparison_says_why_it_is_not_scored(study):
    enough = {
        ("practice", True): "practice",
        ("validation", True): "validation",
        ("comparison", True): "",
        ("comparison", False): "no-answer",
    }

    assert of_somebody(study, "p1") == enough, "three of four right is enough for 0.75"
    assert of_somebody(study, "P1") == enough
    assert of_somebody(study, "failing") == dict.fromkeys(enough, "failed-validation")
    assert set(of_somebody(study, "unfinished").values()) == {"unfinished"}
    assert of_somebody(study, "unwilling") == {}


def test_validation_counts_over_all_sessions_of_an_evaluator(tmp_path):
    study = comparing_study(tmp_path / "study")
    with record_of(study) as engine:
        leaving = PaperComparer(chooses=answering(1, misses=2), stops_at=12)
        attend(engine, study, "back", leaving, PaperComparer(chooses=answering(1)))

    rows = rows_of(study, "session", "task", "correct", "excluded")
    missed = [row for row in rows if row[1] == "validation" and not row[2]]
    assert {session for session, *_ in rows} == {1, 2}
    assert len(missed) == OBVIOUS / 2
    assert {why for *_, why in rows} == {"failed-validation"}


@pytest.mark.parametrize(
    ("old", "new"),
    [("min_correct = 0.75", "min_correct = 0.5"), ('"mismatch"', '"off"')],
    ids=["another bound", "no rule"],
)
def test_the_rule_is_the_study_s(study, old, new, tmp_path):
    text = study.path.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "study.toml").write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / RECORD_FILE).write_bytes((study.folder / RECORD_FILE).read_bytes())
    other = load_any(tmp_path)

    with reading_record(tmp_path / RECORD_FILE) as engine:
        reason = adding_reasons(engine, other, False)
    assert reason("failing", "complete", "validation", "left") == ("validation",)
    of_whom = of_somebody(other, "failing")["validation", True]
    assert of_whom == "failed-validation", "by the rule that they were given"


def test_a_share_is_met_by_the_whole_number_that_it_stands_for():
    assert is_enough(3, 30, 0.1)
    assert not is_enough(2, 30, 0.1)
    assert is_enough(0, 0, 0.1)
