"""Notes are in the order of their topics, each once."""

import json

import hype
from hype.statistics.estimate import plain
from hype.tables.reasons import Note, Weight, sort_notes, weigh


def test_the_gravest_come_first_and_those_of_one_weight_stay_as_they_come():
    scope = (*weigh(Weight.SCOPE, ["of few", "of these"]),)
    notes = ["detail", *scope, Note("left", Weight.LEFT_OUT), Note("copied", Weight.DATA), "detail"]
    assert sort_notes(notes) == ("copied", "of few", "of these", "left", "detail")
    assert json.loads(json.dumps(plain(sort_notes(notes))))[0] == "copied"


def test_what_figures_are_of_stands_before_what_is_left_out():
    votes = hype.example("comparisons")[["evaluator", "left", "right", "answer"]]
    votes.loc[votes.index[0], "answer"] = ""
    notes = hype.score(votes[votes["evaluator"].isin(votes["evaluator"].unique()[:4])]).notes
    about = [
        next(i for i, note in enumerate(notes) if word in note) for word in ("only", "left out")
    ]
    assert about == sorted(about)
    assert len({*notes}) == len(notes)
