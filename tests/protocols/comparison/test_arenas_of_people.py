"""Assignments of comparisons, arenas that continue, and models that join an arena."""

from datetime import date

import pytest
from admitted import admit, enrol
from builders import comparison_settings, edit, merged
from compared_studies import compared_study, simulate
from paper_comparer import PaperComparer, compare, small_study
from paper_station import evaluators_of, record_of, sit
from sqlalchemy import update
from test_addition import add, grown, images_for

from hype.errors import InputError, SessionProblem
from hype.protocols.comparison.sampling import read_comparison_pools
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.enrol import pairs_of
from hype.store.schema import evaluators


def test_an_arena_chooses_by_the_votes_that_there_are_when_somebody_comes(tmp_path):
    adaptive = {"arena": {"pairs": "adaptive", "most_votes": 999}}
    study = small_study(tmp_path, arena=True, comparison=adaptive)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=0))
        compare(engine, study, "p02", PaperComparer())
        with engine.begin() as connection:
            before = enrol(connection, course_of(study), "p01", simulated=False).assignment
        first, second = evaluators_of(engine)

    assert before.pairs == pairs_of(first)
    assert len(before.pairs) == 12
    assert second.share == 0
    assert {name for pair in before.pairs for name in pair} <= {"crude", "fine", "good"}


def test_nobody_more_comes_to_an_arena_that_has_its_votes(tmp_path):
    study = small_study(tmp_path, arena=True, comparison={"arena": {"most_votes": 20}})
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer())
        compare(engine, study, "p02", PaperComparer(stops_at=14))
        compare(engine, study, "p03", PaperComparer())
        with pytest.raises(
            SessionProblem, match="no more evaluators are needed: all 2 planned evaluators"
        ):
            compare(engine, study, "p04", PaperComparer())
        assert [who.evaluator for who in evaluators_of(engine)] == ["p01", "p02", "p03"]
        assert sit(engine, study, "p02", PaperComparer()) == "complete", "p02 has started"


def test_simulated_votes_do_not_end_an_arena_of_people(tmp_path):
    study = small_study(tmp_path, arena=True, comparison={"arena": {"most_votes": 20}})
    simulate(study, 5)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer())

        assert len(evaluators_of(engine)) == 1
        assert len(evaluators_of(engine, simulated=True)) == 2


def test_an_arena_whose_condition_is_gone_says_so(tmp_path):
    study = small_study(tmp_path, arena=True, observers=None)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=5))
        own = 'folder = "stimuli"'
        edit(study.path, own, f'{own}\nconditions = ["crude", "fine"]')
        changed = load_any(tmp_path)
        with pytest.raises(InputError, match="the condition 'good' was removed"):
            compare(engine, changed, "p01", PaperComparer())


def test_pairs_that_are_none_are_named_with_their_evaluator(tmp_path):
    study = small_study(tmp_path, arena=True)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=5))
        with engine.begin() as connection:
            connection.execute(update(evaluators).values(pairs="[1]"))
        with pytest.raises(InputError, match="row of 'p01': has pairs that cannot be read"):
            compare(engine, study, "p01", PaperComparer())


def test_prompts_are_put_into_words_by_the_study(tmp_path):
    study = compared_study(tmp_path, comparison={"prompts": {"a bag": "a leather bag"}})

    assert {p.text for p in read_comparison_pools(study).prompts} == {"a leather bag", "a coat"}


def test_of_more_images_than_take_part_some_are_drawn_for_good(tmp_path):
    study = compared_study(tmp_path, comparison={"images": 1})
    other = compared_study(tmp_path / "other", study={"seed": 8}, comparison={"images": 1})
    pools, again = read_comparison_pools(study), read_comparison_pools(study)

    assert pools.prompts == again.prompts
    assert all(len(some) == 1 for prompt in pools.prompts for some in prompt.images.values())
    assert pools.prompts != read_comparison_pools(other).prompts


def test_a_mismatch_shows_an_image_of_the_prompt_beside_one_of_another_by_the_same(tmp_path):
    study = compared_study(tmp_path)
    pools = read_comparison_pools(study)
    prompt_of = {
        image.path: prompt.text
        for prompt in pools.prompts
        for some in prompt.images.values()
        for image in some
    }

    assert len(pools.obvious) == 6
    for one in pools.obvious:
        assert one.better.condition == one.worse.condition
        assert prompt_of[one.better.path] == one.prompt != prompt_of[one.worse.path]


def arena_of(folder, **arena):
    changes = {"trials": 6, "blocks": 2, "arena": {"most_votes": 240, "pairs": "random"} | arena}
    return small_study(folder, arena=True, comparison=changes)


def came(study, *codes):
    """Let people complete their sessions."""
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
    with pytest.raises(InputError, match=r"on the 2 evaluators .* its error rate of 5%"):
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
    with pytest.raises(InputError, match=r"--votes: is only for arenas, and .*study.toml is not"):
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
