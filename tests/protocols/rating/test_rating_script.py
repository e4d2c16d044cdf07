"""A session of ratings: which screens and axes come, in which order, and what is where."""

from dataclasses import replace
from typing import Any

from builders import candidate
from paper_rater import PaperRater

from hype.protocols.rating.trial import (
    NOT_RELEVANT,
    YES_NO,
    Axis,
    PlannedItem,
    RatedItem,
    RatingBlock,
    RatingPlan,
    RatingTrial,
    rating_session,
)
from hype.session.loop import run_session
from hype.session.steps import Ending, Page, Pay, Question, Response, TrialName

AGE = Question(page=Page.ABOUT_YOU, name="age", text="How old?", options=("young", "old", "none"))
LEVELS = ("1", "2", "3", "4", "5")
STYLE = Axis(name="style", question="Whose style?", levels=LEVELS, optional=True)
OVERALL = Axis(name="overall", question="Which?", levels=LEVELS, optional=False)


def planned(number: int, *, swapped: bool = False) -> PlannedItem:
    images = (candidate(number, "a"), candidate(number, "b"))
    return PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped)


PLAN = RatingPlan(
    evaluator="p01",
    blocks=(
        RatingBlock(number=1, items=(planned(0),), practice=True),
        RatingBlock(number=1, items=(planned(1), planned(2, swapped=True))),
        RatingBlock(number=2, items=(planned(3),)),
    ),
    axes=(STYLE, OVERALL),
    questions=(AGE,),
    pay=Pay(base=1.0, per_correct=0.01, currency="$"),
    minutes=3,
    consent=True,
    breaks=True,
)


def run(plan: RatingPlan = PLAN, **station: Any) -> tuple[Ending, PaperRater]:
    paper = PaperRater(**station)
    return run_session(rating_session(plan), paper, paper, paper), paper


def test_the_whole_of_it():
    ended, station = run()

    assert ended is Ending.COMPLETE
    assert " ".join(station.pages) == (
        "welcome consent about_you instructions practice <practice> "
        "block <rating> rest block <rating> debrief"
    )
    assert [(trial.name, trial.axis.name) for trial, _ in station.rows] == [
        (TrialName("practice", 1, 1), "style"),
        (TrialName("practice", 1, 2), "overall"),
        (TrialName("rating", 1, 1), "style"),
        (TrialName("rating", 1, 2), "overall"),
        (TrialName("rating", 1, 3), "style"),
        (TrialName("rating", 1, 4), "overall"),
        (TrialName("rating", 2, 1), "style"),
        (TrialName("rating", 2, 2), "overall"),
    ]
    assert [trial.item for trial, _ in station.rows[2::2]] == [
        one.item for block in PLAN.blocks[1:] for one in block.items
    ]


def test_every_answer_is_paid_that_it_is_not_relevant_too_and_practice_is_not():
    _, station = run(chooses=lambda trial, n: Response(trial.axis.answers[-1]))

    assert {outcome.answer for _, outcome in station.rows} == {NOT_RELEVANT, "5"}
    assert station.page(Page.DEBRIEF).values == {"answers": 6, "pay": "1.06", "currency": "$"}


def test_progress_counts_items_and_not_practice():
    _, station = run()
    blocks = [s.values for s in station.steps if getattr(s, "page", None) is Page.BLOCK]

    assert station.page(Page.PRACTICE).values == {"trials": 1}
    assert [(v["block"], v["blocks"], v["trials"]) for v in blocks] == [(1, 2, 2), (2, 2, 1)]
    assert station.page(Page.REST).values["done"] == 1


def trial(**cells: Any) -> RatingTrial:
    return replace(run()[1].rows[4][0], **cells)


def test_a_swapped_pair_has_its_levels_swapped_and_its_answers_not():
    """The key of the left image's best level answers "5": about the first, on the right."""
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
    """And otherwise if its images come in another order: answers are about the first one."""
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
    """And how long it takes is not."""
    turned = RatingBlock(number=2, items=(planned(3, swapped=True),))
    changed = [
        replace(PLAN, blocks=(*PLAN.blocks[:2], turned)),
        replace(PLAN, axes=PLAN.axes[::-1]),
    ]

    assert PLAN.checksum() not in {plan.checksum() for plan in changed}
    assert replace(PLAN, minutes=9, breaks=False).checksum() == PLAN.checksum()
