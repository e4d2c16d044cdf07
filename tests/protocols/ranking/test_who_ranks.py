"""Rankers and checkers, and the groups that they get."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from builders import rewrite_rows
from hypothesis import given
from hypothesis import strategies as st
from paper_ranker import PaperRanker
from paper_station import evaluators_of, record_of, rows_of
from prompted_builders import ranking_settings
from rated_studies import ranked_study, rated_study, simulate
from small_studies import make_tested
from verified_records import attend

from hype.errors import InputError, SessionProblem
from hype.protocols.load import load_any
from hype.protocols.ranking.checking import CheckedWork, groups_to_check, work_of
from hype.protocols.ranking.record import placements
from hype.protocols.registry import course_of
from hype.study.studies import AnyStudy


def asked(share: float = 0.1, at_most: int = 40) -> Any:
    return ranking_settings(
        ranking={"blocks": 1, "groups": at_most},
        screening={"checkers": ["check*"], "check_share": share},
    )


def names(number: int, person: str = "") -> tuple[str, ...]:
    return tuple(f"{person}{n:02d}" for n in range(number))


@pytest.mark.parametrize(
    ("share", "groups", "lacks"),
    [(0.1, 10, 1), (0.1, 11, 2), (0.1, 30, 3), (0.3, 10, 3), (0.0, 10, 0), (1.0, 3, 3)],
)
def test_of_everybodys_groups_so_many_are_checked_rounded_up(share, groups, lacks):
    """In binary, 0.1 times 30 and 0.3 times 10 are not whole numbers."""
    work = CheckedWork(ranked={"p01": names(groups)}, checked=frozenset())

    assert work.missing(share) == ({"p01": lacks} if lacks else {})


def test_what_was_checked_counts_for_everybody_who_ranked_it():
    ranked = {"p01": names(10), "p02": names(10), "p03": names(10, "x")}
    work = CheckedWork(ranked=ranked, checked=frozenset({"03"}))

    assert work.missing(0.1) == {"p03": 1}


@given(
    people=st.lists(st.integers(1, 25), min_size=1, max_size=6),
    share=st.sampled_from([0.1, 0.25, 0.5, 1.0]),
)
def test_one_checker_after_another_comes_to_the_share_and_not_beyond(people, share):
    ranked = {f"p{n}": names(size, f"{n}-") for n, size in enumerate(people)}
    known = {name for groups in ranked.values() for name in groups}
    checked: set[str] = set()
    for number in range(200):
        work = CheckedWork(ranked=ranked, checked=frozenset(checked))
        chosen = groups_to_check(work, f"check{number}", asked(share, 4), known=known)
        if not chosen:
            break
        assert len(set(chosen)) == len(chosen) <= 4
        assert checked.isdisjoint(chosen)
        checked |= set(chosen)

    for groups in ranked.values():
        assert sum(name in checked for name in groups) == math.ceil(share * len(groups) - 1e-9)


def test_who_needs_most_comes_first_and_which_group_is_drawn():
    ranked = {"p01": names(10, "a"), "p02": names(40, "b")}
    work = CheckedWork(ranked=ranked, checked=frozenset())
    known = {name for groups in ranked.values() for name in groups}
    chosen = groups_to_check(work, "check1", asked(0.1, 3), known=known)
    drawn = Counter(
        groups_to_check(work, f"check{n}", asked(0.1, 1), known=known)[0] for n in range(200)
    )

    assert [name[0] for name in chosen] == ["b", "b", "b"]
    assert chosen == groups_to_check(work, "check1", asked(0.1, 3), known=known)
    assert len(drawn) > 30


def test_a_group_that_is_gone_is_not_given():
    work = CheckedWork(ranked={"p01": names(10)}, checked=frozenset())

    assert groups_to_check(work, "check1", asked(), known={"07"}) == ("07",)
    assert groups_to_check(work, "check1", asked(), known=set()) == ()


SHARE = {"test": 0, "check_share": 0.34}
"""Two groups are checked in a share of three groups, and one in a smaller share."""


def groups_given(study: AnyStudy, code: str) -> tuple[str, ...]:
    with record_of(study) as engine:
        (found,) = (who for who in evaluators_of(engine) if who.evaluator == code)
    return found.groups


def test_nothing_to_check_is_said_until_somebody_has_ranked(tmp_path):
    study = ranked_study(tmp_path, files=True, screening=SHARE)
    with record_of(study) as engine:
        with pytest.raises(
            SessionProblem, match="checker 'check1' has nothing to do, since enough"
        ) as no:
            attend(engine, study, "check1", PaperRanker())
        assert no.value.exit_code == 1
        assert evaluators_of(engine) == []
        attend(engine, study, "p01", PaperRanker(stops_at=6))  # a practice ranking and one act
        with pytest.raises(SessionProblem, match="or there are no rankings yet"):
            attend(engine, study, "check1", PaperRanker())
        attend(engine, study, "p01", PaperRanker())
        assert attend(engine, study, "check1", PaperRanker()) == ["complete"]
        with pytest.raises(SessionProblem, match="enough rankings are checked"):
            attend(engine, study, "check2", PaperRanker())


def test_a_checker_keeps_their_groups_and_a_second_one_gets_others(tmp_path):
    """This is true even if more groups are ranked before the first checker returns."""
    study = ranked_study(tmp_path, files=True, screening=SHARE)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "check1", PaperRanker(stops_at=3))
        attend(engine, study, "p02", PaperRanker())
        attend(engine, study, "check2", PaperRanker())
        attend(engine, study, "check1", PaperRanker())
        rows = rows_of(engine, placements)
    first, second = (groups_given(study, code) for code in ("check1", "check2"))

    assert first
    assert second
    assert set(first).isdisjoint(second)
    checked = {row.group for row in rows if row.task == "check" and row.answer == "accept"}
    assert checked == {*first, *second}
    assert {row.task for row in rows} == {"practice", "ranking", "check"}


def test_what_a_checker_declined_is_open_again(tmp_path):
    study = ranked_study(tmp_path, files=True, screening=SHARE)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "check1", PaperRanker(consents=False))
        attend(engine, study, "check2", PaperRanker())

    assert len(groups_given(study, "check1")) == len(groups_given(study, "check2")) == 2


def test_with_a_test_a_checker_may_come_first(tmp_path):
    study = ranked_study(tmp_path, files=True)
    with record_of(study) as engine:
        attend(engine, study, "check1", PaperRanker())
        attend(engine, study, "p01", PaperRanker())
        rows = rows_of(engine, placements)
        with engine.connect() as connection:
            work = work_of(connection, study.settings, simulated=False)

    assert groups_given(study, "check1") == ()
    assert {row.task for row in rows if row.evaluator_id == 1} == {"test"}
    assert set(work.ranked) == {"p01"}
    assert work.checked == frozenset()


def test_people_and_simulated_evaluators_do_not_check_one_another(tmp_path):
    study = ranked_study(tmp_path, files=True, screening=SHARE)
    simulate(study, 2)
    with record_of(study) as engine:
        with pytest.raises(SessionProblem, match="has nothing to do"):
            attend(engine, study, "check1", PaperRanker())
        simulated = evaluators_of(engine, simulated=True)

    assert [who.evaluator for who in simulated if who.groups] == ["check-sim-0001"]


def test_simulated_checkers_come_until_a_part_of_everybodys_is_checked(tmp_path):
    study = ranked_study(tmp_path, screening={"test": 0, "check_share": 1.0})
    came = [one.evaluator for one in simulate(study, 4)]
    with record_of(study) as engine, engine.connect() as connection:
        work = work_of(connection, study.settings, simulated=True)

    assert came[4:] == ["check-sim-0001", "check-sim-0002"]
    assert len(work.checked) == 6
    assert work.missing(1.0) == {}


def test_a_checker_whose_group_is_gone_cannot_go_on(tmp_path):
    study = ranked_study(tmp_path, files=True, screening=SHARE)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker())
        attend(engine, study, "check1", PaperRanker(stops_at=3))
        manifest = study.stimuli_folder / "manifest.csv"
        lines = manifest.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "a shoe" not in line and "a coat" not in line]
        manifest.write_text("\n".join(kept) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"the group [0-9a-f]{12} no longer|changed since"):
            attend(engine, load_any(tmp_path), "check1", PaperRanker())


REFUSED: dict[str, tuple[Callable[..., AnyStudy], dict[str, Any], str]] = {
    "no column of what is right": (
        rated_study,
        {"rating": {"of": "images"}, "axes": {"anatomy": {"truth_column": "odd"}}},
        r"has no column 'odd', which axes\.anatomy\.truth_column names",
    ),
    "an unknown condition": (
        ranked_study,
        {"observers": {"odd": {"strength": 0.0}}},
        r"observers: 'odd' is not a condition of",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_study_that_does_not_fit_its_images_is_refused(what, tmp_path):
    make, changes, said = REFUSED[what]
    study = make(tmp_path, **changes)
    with record_of(study) as engine, pytest.raises(InputError, match=said):
        attend(engine, study, "p01", PaperRanker())


def test_one_picture_twice_in_a_group_is_refused(tmp_path):
    study = ranked_study(tmp_path)

    def alike(_number: int, row: dict[str, str]) -> dict[str, str]:
        is_one = row["path"].startswith(("fake/fine/000", "fake/good/00"))
        return row | {"sha256": "ab" * 32} if is_one else row

    rewrite_rows(study.stimuli_folder / "manifest.csv", alike)
    with (
        record_of(study) as engine,
        pytest.raises(InputError, match="would show one picture twice in a group of 'a "),
    ):
        attend(engine, study, "p01", PaperRanker())


def test_checkers_are_paid_apart(tmp_path, hype):
    rates = {"base": 0.0, "per_answer": 0.1, "per_check": 0.5}
    simulate(ranked_study(tmp_path, pay=rates), 4)
    people = hype("status", tmp_path, "--simulated", "--json").json["evaluators"]

    assert {who["checker"] for who in people} == {True, False}
    for who in people:
        rate, checked = (0.5, who["checked"]) if who["checker"] else (0.1, who["answers"])
        assert who["pay"] == pytest.approx(rate * (who["tested"] + checked))


def test_a_group_of_a_test_has_better_and_worse_images(tmp_path):
    """The manifest lists images by condition, so the first ones are equally good."""
    study = make_tested(tmp_path, "ranking", prompts=1, test=1)
    quality = [0] * 7 + [2, 1]
    rewrite_rows(
        tmp_path / "pool" / "manifest.csv", lambda number, row: row | {"quality": quality[number]}
    )
    pools = course_of(study).pools
    (group,) = pools.test
    assert len(group.images) == len(pools.conditions) < 7
    assert pools.best == {"test/real/001.png", "test/real/002.png"}


def test_groups_of_a_test_are_as_large_as_those_of_the_study(tmp_path):
    pools = course_of(make_tested(tmp_path, "ranking", prompts=1, test=1)).pools

    assert {len(group.images) for group in (*pools.test, *pools.groups.values())} == {
        len(pools.conditions)
    }
