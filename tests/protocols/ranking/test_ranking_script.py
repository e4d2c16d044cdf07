"""A session of rankings: which acts can be made, what they come to, and where it goes on."""

from dataclasses import replace
from typing import Any

import pytest
from builders import candidate
from paper_ranker import PaperRanker, in_order, wavering
from paper_station import as_answered

from hype.errors import SessionProblem
from hype.protocols.ranking.trial import (
    Group,
    PartialRanking,
    RankingBlock,
    RankingPlan,
    RankingTask,
    RankingTrial,
    ranking_session,
)
from hype.session.loop import replay, run_session
from hype.session.steps import Ending, Page, Pay, Response, TrialName

NAMES = "abcd"


def group(number: int, conditions: str = NAMES) -> Group:
    return Group(prompt="a bag", images=tuple(candidate(number, name) for name in conditions))


PLAN = RankingPlan(
    evaluator="p01",
    blocks=(
        RankingBlock(number=1, groups=(group(0),), task=RankingTask.PRACTICE),
        RankingBlock(number=1, groups=(group(1),), task=RankingTask.TEST),
        RankingBlock(number=1, groups=(group(2), group(3, "ab"))),
        RankingBlock(number=2, groups=(group(4),)),
    ),
    questions=(),
    ties=True,
    pay=Pay(base=1.0, per_correct=0.10, currency="$"),
    minutes=3,
    consent=False,
    breaks=True,
)


def run(plan: RankingPlan = PLAN, **station: Any) -> tuple[Ending, PaperRanker]:
    paper = PaperRanker(**station)
    return run_session(ranking_session(plan), paper, paper, paper), paper


def acting(*acts: str):
    """Make these acts on the first group, and then take the images in order."""
    return lambda trial, n: Response(acts[n], "", 1.0) if n < len(acts) else in_order(trial, n)


def acted(*acts: str, ties: bool = True, images: int = 4) -> list[RankingTrial]:
    """Give the trials that come of acts on one group."""
    block = RankingBlock(number=1, groups=(group(0, NAMES[:images]),))
    plan = replace(PLAN, blocks=(block,), ties=ties)
    return [trial for trial, _ in run(plan, chooses=acting(*acts))[1].rows]


def test_the_whole_of_it():
    ended, station = run()

    assert ended is Ending.COMPLETE
    assert " ".join(station.pages) == (
        "welcome instructions practice <practice> test <test> "
        "block <ranking> rest block <ranking> debrief"
    )
    names = [trial.name for trial, _ in station.rows]
    assert names[:6] == [*(TrialName("practice", 1, n) for n in range(1, 6)), ("test", 1, 1)]
    assert names[10:18] == [TrialName("ranking", 1, n) for n in range(1, 9)]
    assert {trial.group for trial, _ in station.rows[15:18]} == {group(3, "ab")}


def test_rankings_are_paid_and_not_acts_the_test_too_and_practice_is_not():
    for chooses in (in_order, wavering):
        values = run(chooses=chooses)[1].page(Page.DEBRIEF).values
        assert values == {"answers": 4, "pay": "1.40", "currency": "$"}


def test_the_test_is_introduced_as_such_and_not_counted_as_a_part():
    _, station = run()
    blocks = [s.values for s in station.steps if getattr(s, "page", None) is Page.BLOCK]

    assert station.page(Page.TEST).values == {"trials": 1}
    assert [(v["block"], v["blocks"], v["trials"]) for v in blocks] == [(1, 2, 2), (2, 2, 1)]


def test_what_can_be_done_follows_from_what_stands():
    first, second, third, fourth, last, again = acted("B", "tie", "A", "C", "D", "undo")[:6]

    assert first.acts == ("A", "B", "C", "D")
    assert second.acts == ("A", "C", "D", "tie", "undo")
    assert third.acts == ("A", "C", "D", "undo")
    assert (str(third.standing), str(fourth.standing)) == ("B=", "BA")
    assert (str(last.standing), last.acts) == ("BA>C", ("D", "tie", "undo"))
    assert (str(again.standing), again.acts) == ("BA>C>D", ("undo", "accept"))


def test_without_ties_there_is_none():
    assert all("tie" not in trial.acts for trial in acted(ties=False))
    assert len(acted(ties=False)) == 5


@pytest.mark.parametrize(
    ("acts", "stands"),
    [
        ("A", "A"),
        ("A undo", ""),
        ("A tie undo", "A"),
        ("A tie B undo", "A"),
        ("A tie B undo B", "A>B"),
        ("A B undo undo", ""),
        ("C tie A tie B", "CAB"),
        ("C A tie", "C>A="),
        ("C A tie B undo tie D", "C>AD"),
    ],
)
def test_undo_takes_the_last_act_back(acts, stands):
    """An image that shared a place is taken away with the wish to share it."""
    made = acts.split()

    assert str(acted(*made)[len(made)].standing) == stands


def test_equals_share_a_rank_and_the_next_one_waits():
    assert PartialRanking(("B", "AD", "C")).ranks() == {"B": 1, "A": 2, "D": 2, "C": 4}
    assert PartialRanking(("AB",), tying=True).ranks() == {"A": 1, "B": 1}
    assert PartialRanking().ranks() == {}


def test_a_group_is_called_the_same_in_whatever_order_it_is_shown():
    one, other = group(0), Group(prompt="a bag", images=group(0).images[::-1])

    assert one.name == other.name != group(1).name
    assert one.sha256 != other.sha256
    assert one.name != Group(prompt="a coat", images=one.images).name
    assert one.image("B").condition == "b"
    assert other.image("B").condition == "c"


def test_order_and_standing_are_a_part_of_what_a_trial_is():
    trial = acted("A")[1]
    shuffled = Group(prompt="a bag", images=trial.group.images[::-1])
    ways = [trial, replace(trial, group=shuffled), replace(trial, standing=PartialRanking(("B",)))]

    assert len({one.fingerprint for one in ways}) == 3


@pytest.mark.parametrize("answer", ["undo", "tie", "accept", "nothing"])
def test_an_act_that_could_not_be_made_is_refused_when_a_session_goes_on(answer):
    """A record that somebody edited is told from its plan; the last act of it is made anew."""
    past = as_answered(run()[1].rows[:8])
    past[5] = replace(past[5], response=Response(answer))  # the first of the test
    with pytest.raises(SessionProblem, match="the record and the plan disagree"):
        replay(ranking_session(PLAN), past)
    ahead = replay(ranking_session(PLAN), past[:6])

    assert isinstance(ahead, RankingTrial)
    assert (ahead.number, ahead.standing) == (2, PartialRanking())


def test_what_a_block_is_for_and_where_images_lie_is_in_the_checksum():
    """And how long it takes is not."""
    *before, last = PLAN.blocks
    changed = [
        replace(PLAN, blocks=(*before, replace(last, task=RankingTask.CHECK))),
        replace(PLAN, blocks=(*before, replace(last, groups=(group(4, "abdc"),)))),
    ]

    assert PLAN.checksum() not in {plan.checksum() for plan in changed}
    assert replace(PLAN, minutes=9, breaks=False).checksum() == PLAN.checksum()


def test_a_block_is_done_ranking_by_ranking_and_not_act_by_act():
    done = [t.done_after(outcome.answer) for t, outcome in run()[1].rows if t.name.block == 1]
    assert [share for share in done if share] == [1.0, 1.0, 0.5, 1.0]
