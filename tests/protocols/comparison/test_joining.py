"""Models that join an arena: their votes come first, and the error rate is kept."""

from datetime import date

import pytest
from admitted import admit
from builders import comparison_settings, merged
from paper_comparer import PaperComparer, small_study
from paper_station import record_of, sit
from test_addition import add, grown, images_for

from hype.errors import InputError
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.load import load_any
from hype.protocols.registry import course_of


def arena_of(folder, **arena):
    changes = {"trials": 6, "blocks": 2, "arena": {"most_votes": 240, "pairs": "random"} | arena}
    return small_study(folder, arena=True, comparison=changes)


def came(study, *codes):
    """Let people come for the whole of their sessions."""
    with record_of(study) as engine:
        course = course_of(study)
        for code in codes:
            admit(engine, course, code, simulated=False)
            sit(engine, study, code, PaperComparer())


def test_who_comes_next_compares_the_newcomer_alone_until_it_is_level(tmp_path):
    study = arena_of(tmp_path / "s")
    came(study, "p01", "p02")
    now = grown(study, tmp_path, "new", votes=90)
    joined = now.added["new"]
    assert (joined.finished, joined.votes) == (2, 240 + 90)
    with record_of(now) as engine:
        pairs = admit(engine, course_of(now), "p03", simulated=False).assignment.pairs
    assert all("new" in pair for pair in pairs[:6])


def test_an_arena_that_has_spent_its_error_rate_takes_nobody_more(tmp_path):
    study = arena_of(tmp_path / "s", most_votes=24)
    came(study, "p01", "p02")
    with pytest.raises(InputError, match=r"has spent its error rate of 5% on the 2 evaluators"):
        grown(study, tmp_path, "new")
    assert load_any(study.path).added == {}


def test_with_a_reserve_models_may_join_for_ever(tmp_path):
    study = arena_of(tmp_path / "s", most_votes=24, reserve=0.5)
    came(study, "p01", "p02")
    now = grown(study, tmp_path, "new", votes=24)
    came(now, "p03", "p04")
    add(now, {"newer": images_for(now, tmp_path / "newer", first=900_000)}, votes=24)
    again = load_any(study.path)
    assert [each.finished for each in again.added.values()] == [2, 4]
    spent = sum(look.level for look in again.settings.looks(course_of(again).pools.conditions))
    assert 0 < spent < 0.05


def test_votes_are_for_arenas(tmp_path):
    study = small_study(tmp_path / "s")
    with pytest.raises(InputError, match=r"--votes: is for arenas, and .*study.toml is none"):
        grown(study, tmp_path, "new", votes=3)


def test_looks_of_a_study_without_newcomers_are_those_of_before():
    settings = comparison_settings(comparison={"arena": {}})
    plain = [(look.people, look.level) for look in settings.looks(("a", "b"))]
    changes = {
        "added": {"c": {"day": date(2026, 11, 25).isoformat(), "finished": 24, "votes": 9000}}
    }
    grown_file = ComparisonFile.model_validate(
        merged(settings.model_dump(exclude={"texts", "web", "store", "keys"}), changes)
    )
    later = [(look.people, look.level) for look in grown_file.looks(("a", "b", "c"))]
    assert later[:2] == plain[:2]
    assert sum(level for _, level in later) == pytest.approx(0.05)
