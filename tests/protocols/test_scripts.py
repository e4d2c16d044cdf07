"""Sessions of comparisons, ratings and rankings: their steps, order and pay."""

from dataclasses import replace
from typing import Any

import pytest
from builders import candidate
from paper_comparer import PaperComparer
from paper_ranker import PaperRanker, in_order, wavering
from paper_rater import PaperRater
from paper_station import as_answered

from hype.errors import SessionProblem
from hype.protocols.comparison.trial import (
    FEEDBACK_MS,
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTask,
    ComparisonTrial,
    Planned,
)
from hype.protocols.prompted.trial import Choice, PlannedBlock, course
from hype.protocols.ranking.trial import (
    Group,
    PartialRanking,
    RankingPlan,
    RankingTask,
    RankingTrial,
)
from hype.protocols.rating.trial import (
    NOT_RELEVANT,
    YES_NO,
    Axis,
    PlannedItem,
    RatedItem,
    RatingPlan,
    RatingTask,
    RatingTrial,
)
from hype.session.loop import replay, run_session
from hype.session.steps import Ending, Page, Pay, Question, Response, TrialName

AGE = Question(page=Page.ABOUT_YOU, name="age", text="How old?", options=("young", "old", "none"))


def compared(number: int, task: ComparisonTask = ComparisonTask.COMPARISON) -> Planned:
    obvious = None if task is ComparisonTask.COMPARISON else Choice.LEFT
    return Planned(
        task=task,
        prompt="a red bag",
        left=candidate(number, "a"),
        right=candidate(number, "b"),
        obvious=obvious,
    )


def block(number: int, first: int, practice: bool = False) -> ComparisonBlock:
    task = ComparisonTask.PRACTICE if practice else ComparisonTask.COMPARISON
    some = [compared(n, task) for n in range(first, first + 2)]
    if not practice:
        some.insert(1, compared(first + 50, ComparisonTask.VALIDATION))
    criteria = {"preference": "Which?"}
    return ComparisonBlock(number=number, items=tuple(some), task=task, criteria=criteria)


COMPARING = ComparisonPlan(
    evaluator="p01",
    blocks=(block(1, 0, practice=True), block(1, 10), block(2, 20)),
    questions=(AGE,),
    neither=(Choice.TIE,),
    word_ms=200.0,
    hasty_ms=500.0,
    wait_ms=5000.0,
    limit_ms=8000.0,
    checked="preference",
    pay=Pay(base=1.0, per_correct=0.03, currency="$"),
    minutes=3,
    consent=True,
    breaks=True,
)
LEFT = Response("left", "f", 900.0)


def answering(**by_number: Response):
    """Answer trials by number (``n3``: the fourth trial of a session), all others with "left"."""
    return lambda trial, n: by_number.get(f"n{n}", LEFT)


def compare(plan: ComparisonPlan = COMPARING, **station: object) -> tuple[Ending, PaperComparer]:
    paper = PaperComparer(**{"chooses": answering()} | station)
    return run_session(course(plan), paper, paper, paper), paper


def test_without_consent_questions_breaks_or_practice():
    plain = replace(
        COMPARING, consent=False, questions=(), breaks=False, blocks=COMPARING.blocks[1:]
    )
    _, station = compare(plain)

    assert " ".join(station.pages) == (
        "welcome instructions block <comparison> <validation> <comparison> "
        "block <comparison> <validation> <comparison> debrief"
    )


def test_a_hasty_answer_costs_a_wait():
    _, station = compare(chooses=answering(n2=Response("right", "j", 499.0)))
    after = station.steps[station.steps.index(station.rows[2][0]) + 1]

    assert (after.page, after.duration_ms) == (Page.HASTY, 5000.0)
    assert station.pages.count("hasty") == 1
    assert station.rows[2][0].hasty("right", 499.0)
    assert not station.rows[2][0].hasty("right", 500.0)


def test_a_miss_of_what_is_obvious_costs_a_wait_and_is_not_told_as_one_if_hasty():
    _, station = compare(
        chooses=answering(n3=Response("right", "j", 900.0), n6=Response("tie", " ", 100.0))
    )

    assert [page for page in station.pages if page in ("missed", "hasty")] == ["missed", "hasty"]


@pytest.mark.parametrize(("answer", "page"), [("left", Page.CORRECT), ("right", Page.WRONG)])
def test_practice_is_told_right_and_wrong_and_costs_no_wait(answer, page):
    _, station = compare(chooses=answering(n0=Response(answer, "f", 10.0)))
    after = station.steps[station.steps.index(station.rows[0][0]) + 1]

    assert (after.page, after.duration_ms) == (page, FEEDBACK_MS)
    assert "hasty" not in station.pages


def test_no_answer_in_time_is_not_hasty_and_not_paid():
    none = Response("none", "", 8000.0)
    _, station = compare(chooses=answering(n2=none, n3=none))
    values = station.page(Page.DEBRIEF).values

    assert not {"hasty", "missed"} & set(station.pages)
    assert station.pages.count("late") == 2
    assert values == {"answers": 4, "pay": "1.12", "currency": "$"}


def test_a_trial_knows_what_its_answer_says():
    _, station = compare()
    trials = [trial for trial, _ in station.rows]

    assert [trial.correct("left") for trial in trials[:4]] == [True, True, None, True]
    assert trials[3].correct("tie") is False
    assert trials[3].correct("none") is False
    assert {trial.words_ms for trial in trials} == {600.0}
    assert {trial.shown_ms for trial in trials} == {600.0}


def test_the_sides_are_a_part_of_what_a_trial_is():
    """A trial with the same images on swapped sides is a different trial."""
    _, station = compare()
    trial: ComparisonTrial = station.rows[2][0]
    turned = replace(trial, left=trial.right, right=trial.left)

    assert turned.name == trial.name
    assert turned.fingerprint != trial.fingerprint


def test_a_wait_is_not_served_again_by_who_comes_back():
    hasty = answering(n2=Response("right", "j", 10.0))
    whole = compare(chooses=hasty)[1].rows
    for repeated in ([], [(Page.INSTRUCTIONS, "")]):
        ahead, _ = replay(course(COMPARING), as_answered(whole[:3]), repeated)
        assert ahead == whole[3][0]


LEVELS = ("1", "2", "3", "4", "5")
STYLE = Axis(name="style", question="Whose style?", levels=LEVELS, optional=True)
OVERALL = Axis(name="overall", question="Which?", levels=LEVELS, optional=False)


def planned(number: int, *, swapped: bool = False) -> PlannedItem:
    images = (candidate(number, "a"), candidate(number, "b"))
    return PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped)


RATING = RatingPlan(
    evaluator="p01",
    blocks=(
        PlannedBlock(number=1, items=(planned(0),), task=RatingTask.PRACTICE),
        PlannedBlock(
            number=1, items=(planned(1), planned(2, swapped=True)), task=RatingTask.RATING
        ),
        PlannedBlock(number=2, items=(planned(3),), task=RatingTask.RATING),
    ),
    axes=(STYLE, OVERALL),
    questions=(AGE,),
    pay=Pay(base=1.0, per_correct=0.01, currency="$"),
    minutes=3,
    consent=True,
    breaks=True,
)


def rate(plan: RatingPlan = RATING, **station: Any) -> tuple[Ending, PaperRater]:
    paper = PaperRater(**station)
    return run_session(course(plan), paper, paper, paper), paper


def test_every_answer_is_paid_that_it_is_not_relevant_too_and_practice_is_not():
    _, station = rate(chooses=lambda trial, n: Response(trial.axis.answers[-1]))

    assert {outcome.answer for _, outcome in station.rows} == {NOT_RELEVANT, "5"}
    assert station.page(Page.DEBRIEF).values == {"answers": 6, "pay": "1.06", "currency": "$"}


def trial(**cells: Any) -> RatingTrial:
    return replace(rate()[1].rows[4][0], **cells)


def test_a_swapped_pair_has_its_levels_swapped_and_its_answers_not():
    """The leftmost level answers "5", since answers are about the first image, now on the right."""
    swapped, plain = trial(), trial(planned=planned(2))

    assert [image.condition for image in plain.shown] == ["a", "b"]
    assert [image.condition for image in swapped.shown] == ["b", "a"]
    assert (plain.levels, swapped.levels) == (LEVELS, LEVELS[::-1])
    assert swapped.axis.answers == (*LEVELS, NOT_RELEVANT)
    assert OVERALL.answers == LEVELS


def test_axis_sides_and_images_are_a_part_of_what_a_trial_is():
    ways = [trial(), trial(axis=OVERALL), trial(planned=planned(2)), trial(planned=planned(9))]

    assert len({one.fingerprint for one in ways}) == 4
    assert {one.name for one in ways} == {TrialName("rating", 1, 3)}


def test_an_item_is_called_the_same_wherever_it_stands():
    """With the images in another order, the trial has another name: answers are about the first."""
    images = planned(2).item.images
    one, same, turned, other = (
        RatedItem(prompt=prompt, images=some)
        for prompt, some in (
            *(("a bag", images), ("a bag", images)),
            *(("a bag", images[::-1]), ("a coat", images)),
        )
    )

    assert one.name == same.name == trial().item.name
    assert len({one.name, turned.name, other.name}) == 3
    assert len(one.name) == 12


def test_a_single_image_knows_what_is_right_on_some_axes():
    sound = Axis(name="anatomy", question="Right?", levels=YES_NO, optional=False)
    item = RatedItem(prompt="a bag", images=(candidate(0, "a"),), truths=(("anatomy", "no"),))
    alone = trial(planned=PlannedItem(item=item), axis=sound)

    assert (alone.shown, alone.levels) == (item.images, YES_NO)
    assert (item.truth("anatomy"), item.truth("style")) == ("no", None)


def test_where_images_stand_and_the_order_of_axes_is_in_the_checksum():
    turned = PlannedBlock(number=2, items=(planned(3, swapped=True),), task=RatingTask.RATING)
    changed = [
        replace(RATING, blocks=(*RATING.blocks[:2], turned)),
        replace(RATING, axes=RATING.axes[::-1]),
    ]

    assert RATING.checksum() not in {plan.checksum() for plan in changed}
    assert replace(RATING, minutes=9, breaks=False).checksum() == RATING.checksum()


NAMES = "abcd"


def group(number: int, conditions: str = NAMES) -> Group:
    return Group(prompt="a bag", images=tuple(candidate(number, name) for name in conditions))


RANKING = RankingPlan(
    evaluator="p01",
    blocks=(
        PlannedBlock(number=1, items=(group(0),), task=RankingTask.PRACTICE),
        PlannedBlock(number=1, items=(group(1),), task=RankingTask.TEST),
        PlannedBlock(number=1, items=(group(2), group(3, "ab")), task=RankingTask.RANKING),
        PlannedBlock(number=2, items=(group(4),), task=RankingTask.RANKING),
    ),
    questions=(),
    ties=True,
    pay=Pay(base=1.0, per_correct=0.10, currency="$"),
    minutes=3,
    consent=False,
    breaks=True,
)


def rank(plan: RankingPlan = RANKING, **station: Any) -> tuple[Ending, PaperRanker]:
    paper = PaperRanker(**station)
    return run_session(course(plan), paper, paper, paper), paper


def acting(*acts: str):
    """Make these acts on the first group, and then place the images in order."""
    return lambda trial, n: Response(acts[n], "", 1.0) if n < len(acts) else in_order(trial, n)


def acted(*acts: str, ties: bool = True, images: int = 4) -> list[RankingTrial]:
    """Return the trials that follow from acts on one group."""
    block = PlannedBlock(number=1, items=(group(0, NAMES[:images]),), task=RankingTask.RANKING)
    plan = replace(RANKING, blocks=(block,), ties=ties)
    return [trial for trial, _ in rank(plan, chooses=acting(*acts))[1].rows]


def test_rankings_are_paid_and_not_acts_the_test_too_and_practice_is_not():
    for chooses in (in_order, wavering):
        values = rank(chooses=chooses)[1].page(Page.DEBRIEF).values
        assert values == {"answers": 4, "pay": "1.40", "currency": "$"}


def test_what_can_be_done_follows_from_what_stands():
    first, second, third, fourth, last, again = acted("B", "tie", "A", "C", "D", "undo")[:6]

    def acts(trial):
        return [act for act in trial.acts if act not in trial.standing.moves()]

    assert acts(first) == ["A", "B", "C", "D"]
    assert acts(second) == ["A", "C", "D", "tie", "undo"]
    assert acts(third) == ["A", "C", "D", "undo"]
    assert (str(third.standing), str(fourth.standing)) == ("B=", "BA")
    assert (str(last.standing), acts(last)) == ("BA>C", ["D", "tie", "undo"])
    assert (str(again.standing), acts(again)) == ("BA>C>D", ["undo", "accept"])


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
    """Undoing an image that shares a place also undoes the act "tie" before it."""
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
    """An edited record disagrees with its plan; without the edited act the session continues."""
    past = as_answered(rank()[1].rows[:8])
    past[5] = replace(past[5], response=Response(answer))  # the first act of the test
    with pytest.raises(SessionProblem, match="the record and the plan disagree"):
        replay(course(RANKING), past)
    ahead, _ = replay(course(RANKING), past[:6])

    assert (ahead.number, ahead.standing) == (2, PartialRanking())


def test_what_a_block_is_for_and_where_images_lie_is_in_the_checksum():
    *before, last = RANKING.blocks
    changed = [
        replace(RANKING, blocks=(*before, replace(last, task=RankingTask.CHECK))),
        replace(RANKING, blocks=(*before, replace(last, items=(group(4, "abdc"),)))),
    ]

    assert RANKING.checksum() not in {plan.checksum() for plan in changed}
    assert replace(RANKING, minutes=9, breaks=False).checksum() == RANKING.checksum()


def test_a_block_is_done_ranking_by_ranking_and_not_act_by_act():
    done = [t.done_after(outcome.answer) for t, outcome in rank()[1].rows if t.name.block == 1]
    assert [share for share in done if share] == [1.0, 1.0, 0.5, 1.0]


HELD = {"comparison": compare, "rating": rate, "ranking": rank}
PAGES = {
    "comparison": "welcome consent about_you instructions practice <practice> correct <practice> "
    "correct block <comparison> <validation> <comparison> rest block <comparison> <validation> "
    "<comparison> debrief",
    "rating": "welcome consent about_you instructions practice <practice> block <rating> rest "
    "block <rating> debrief",
    "ranking": "welcome instructions practice <practice> test <test> block <ranking> rest block "
    "<ranking> debrief",
}
TRIALS = {
    "comparison": "practice 1-2, comparison 1-1, validation 2-2, comparison 3-3, "
    "comparison 1-1, validation 2-2, comparison 3-3",
    "rating": "practice 1-2, rating 1-4, rating 1-2",
    "ranking": "practice 1-5, test 1-5, ranking 1-8, ranking 1-5",
}
"""Tasks and numbers of the trials in each block."""
PARTS = {
    "comparison": [(1, 2, 3), (2, 2, 3)],
    "rating": [(1, 2, 2), (2, 2, 1)],
    "ranking": [(1, 2, 2), (2, 2, 1)],
}
"""For each scored block its number, the number of blocks, and its number of items."""


@pytest.mark.parametrize("protocol", HELD)
def test_the_whole_of_it(protocol):
    ended, station = HELD[protocol]()
    runs: list[list[TrialName]] = []
    for trial, _ in station.rows:
        if runs and trial.name[:2] == runs[-1][-1][:2] and trial.name[2] == runs[-1][-1][2] + 1:
            runs[-1].append(trial.name)
        else:
            runs.append([trial.name])
    told = [f"{run[0].task} {run[0].number}-{run[-1].number}" for run in runs]
    blocks = [s.values for s in station.steps if getattr(s, "page", None) is Page.BLOCK]

    assert ended is Ending.COMPLETE
    assert " ".join(station.pages) == PAGES[protocol]
    assert ", ".join(told) == TRIALS[protocol]
    assert [(v["block"], v["blocks"], v["trials"]) for v in blocks] == PARTS[protocol]
    assert station.page(Page.REST).values["done"] == 1
    assert station.page(Page.PRACTICE).values == {"trials": 1 + (protocol == "comparison")}
    if protocol == "rating":
        assert [trial.axis.name for trial, _ in station.rows] == ["style", "overall"] * 4
        assert [trial.item for trial, _ in station.rows[2::2]] == [
            one.item for block in RATING.blocks[1:] for one in block.items
        ]
    if protocol == "ranking":
        assert station.page(Page.TEST).values == {"trials": 1}
        assert {trial.group for trial, _ in station.rows[15:18]} == {group(3, "ab")}
