"""The form of a study file has every setting; a change leaves the rest of the file unchanged."""

import re

import pytest
import tomllib
from small_studies import STUDIES

from hype.errors import InputError
from hype.local_page.form import (
    NEW,
    UNUSED,
    change_text,
    form_of,
    mistakes_at,
    text_of_value,
    value_of_text,
)
from hype.local_page.places import form_at, write_changes
from hype.protocols.hype.design import FittedDesign, study_text
from hype.protocols.load import study_of_text
from hype.study.mistakes import join_key
from hype.study.table import Topic

TEMPLATE = study_text("mine", FittedDesign(methods=("time",)))


def fields(text):
    return {join_key(field.place): field for group in form_of(text) for field in group.fields}


def differing(before, after):
    """Return the lines that were removed and those that were added."""
    one, other = before.splitlines(), after.splitlines()
    return [x for x in one if x not in other], [x for x in other if x not in one]


@pytest.mark.parametrize("kind", STUDIES)
def test_every_setting_of_every_protocol_is_a_field(kind, tmp_path):
    study = STUDIES[kind](tmp_path)
    text = study.path.read_text(encoding="utf-8")
    found = fields(text)
    tables = tomllib.loads(text)

    def settings(table, model, prefix=""):
        for name in type(model).model_fields:
            one = getattr(model, name)
            if hasattr(type(one), "model_fields"):
                yield from settings(table.get(name, {}), one, f"{prefix}{name}.")
            elif not isinstance(one, dict) and one is not None:
                yield f"{prefix}{name}", table.get(name)

    unused = UNUSED.get(tuple(tables["study"]["methods"]), ()) if kind == "hype" else ()
    held = dict(settings(tables, study.settings))
    held = {key: value for key, value in held.items() if key.partition(".")[0] not in unused}
    if kind != "hype":  # only one value is possible
        held = {key: held[key] for key in held.keys() - {"study.methods", "keys.left_means"}}
    assert {key: found[key].held for key in held} == held


def test_a_field_says_what_it_may_be_and_what_it_usually_is():
    found = fields(TEMPLATE)
    blocks, start = found["time.blocks"], found["time.staircase.start_ms"]
    assert (blocks.kind, blocks.usual, blocks.declared["maximum"]) == ("integer", 3, 1000)
    assert (start.kind, start.usual, start.declared["exclusiveMinimum"]) == ("number", 500.0, 0)
    assert found["keys.left_means"].declared["enum"] == ["real", "fake", "counterbalanced"]
    assert found["study.methods"].choices[1] == ("infinity", "Infinity: no time limit")
    assert found["study.evaluator_does"].choices[0] == ("one-method", "One method")
    assert found["study.language"].choices[1] == ("de", "German")
    assert found["time.staircase.up_ms"].optional
    assert found["time.trials"].label == "Trials of a block"
    assert found["time.trials"].about == "Half of the images are real."
    assert found["texts.rest"].label == "Page between two parts"
    assert found["texts.rest"].about == (
        "It may contain {before_flash}, {block}, {blocks}, {continue_key}, {done}, {left_answer}, "
        "{left_key}, {pause_key}, {right_answer}, {right_key}, {time_to_answer}, {trials}."
    )


@pytest.mark.parametrize("kind", ["hype", "comparison"])
def test_a_question_can_be_begun(kind, tmp_path):
    study = STUDIES[kind](tmp_path)
    form = form_at(study.path)
    (offered,) = (group for group in form["groups"] if group.place == ("demographics", NEW))
    assert {"question", "options", "kind"} <= {field.place[-1] for field in offered.fields}

    asked = [
        (("demographics", "work", "kind"), "text"),
        (("demographics", "work", "question"), "What do you work as?"),
    ]
    write_changes(study.path, form["seen"], asked)
    now = form_at(study.path)
    assert not now["mistakes"]
    assert ("demographics", "work") in [group.place for group in now["groups"]]


VALUES = {
    "hype": {
        "study.evaluators": (12, "12"),
        "study.quotas": ({"age": {"18-29": 20, "": 3}}, "age, 18-29: 20\nage, : 3"),
        "study.left_out": ({"P07": "no glasses: lost"}, "P07: no glasses: lost"),
        "study.methods": (["time", "infinity"], "time infinity"),
        "study.consent": (False, "false"),
        "stimuli.conditions": (["gan a", "vae"], "gan a\nvae"),
        "follow_up.confidence": (4, "4"),
        "display.background": ([255, 0, 16], "#ff0010"),
        "display.window_px": ([800, 600], "800\n600"),
        "timing.patch.masks_rgb": ([[255, 0, 16], [0, 0, 0]], "#ff0010\n#000000"),
        "web.codes": (12, "12"),
        "web.open": (True, "true"),
        "analysis.margin": ({"time": 1.5}, "time: 1.5"),
    },
    "comparison": {
        "comparison.criterion": (["preference", "alignment"], "preference\nalignment"),
        "demographics.age.reference": ({"young": 0.5}, "young: 0.5"),
    },
}
"""Settings for each kind of field: a value, and how the field shows it."""


@pytest.mark.parametrize("kind", VALUES)
def test_what_a_field_shows_is_read_as_it_was(kind, tmp_path):
    found = fields(STUDIES[kind](tmp_path).path.read_text(encoding="utf-8"))
    for key, (value, shown) in VALUES[kind].items():
        assert text_of_value(found[key].kind, value) == shown, key
        assert value_of_text(found[key], shown) == value, key


def test_what_is_no_number_is_left_for_the_study_to_refuse():
    found = fields(TEMPLATE)
    assert value_of_text(found["study.evaluators"], "many") == "many"
    assert value_of_text(found["study.quotas"], "age, 18-29: some") == {"age": {"18-29": "some"}}
    assert value_of_text(found["display.window_px"], "800\n") == [800, ""]
    assert value_of_text(found["study.evaluators"], "") is None
    assert value_of_text(found["analysis.margin"], "5") == 5
    assert value_of_text(found["web.codes"], "2026-01-01") == "2026-01-01"  # the name of a file


def test_what_participants_read_is_usually_of_the_studys_language():
    german = fields(change_text(TEMPLATE, [(("study", "language"), "de")]))
    assert fields(TEMPLATE)["texts.fake"].usual == "fake"
    assert german["texts.fake"].usual == "künstlich"


@pytest.mark.parametrize("kind", STUDIES)
def test_every_setting_has_a_short_label_and_plain_help(kind, tmp_path):
    text = STUDIES[kind](tmp_path).path.read_text(encoding="utf-8")
    groups = form_of(text)
    topics = [topic.value for topic in Topic]
    assert [group.topic for group in groups] == sorted(
        (group.topic for group in groups), key=topics.index
    )
    for group in groups:
        assert group.label
        for field in group.fields:
            key = join_key(field.place)
            assert field.label[:1].isupper(), key
            assert len(field.label.split()) <= 9, key
            assert not re.search(r"[`_{]|\.", field.label), key
            assert not field.about or field.about.endswith("."), key


def test_settings_stand_where_they_are_decided():
    found = {
        join_key(field.place): group.topic for group in form_of(TEMPLATE) for field in group.fields
    }
    assert found["study.name"] == "The study"
    assert found["study.language"] == found["texts.fake"] == "Words"
    assert found["study.evaluators"] == found["qualification.enabled"] == "People"
    assert found["time.staircase.start_ms"] == found["study.breaks"] == "Timing"


def test_the_usual_question_is_that_of_the_criterion(tmp_path):
    text = STUDIES["comparison"](tmp_path).path.read_text(encoding="utf-8")
    question = fields(text)["comparison.question"]
    assert (question.held, question.usual) == (
        None,
        "Which image better reflects the caption above?",
    )
    own = change_text(text, [(question.place, "Which is nicer?")])
    assert fields(own)["comparison.question"].held == "Which is nicer?"


def test_what_a_study_does_not_use_is_not_shown():
    untimed = fields(change_text(TEMPLATE, [(("study", "methods"), "infinity")]))
    assert "time.trials" in fields(TEMPLATE)
    assert "time.trials" not in untimed
    assert "infinity.trials" in untimed
    assert "infinity.trials" not in fields(TEMPLATE)


def test_a_change_leaves_comments_and_order_alone():
    after = change_text(TEMPLATE, [(("study", "evaluators"), "12")])
    assert differing(TEMPLATE, after) == (
        ["evaluators = 30            # wanted per condition and method"],
        ["evaluators = 12            # wanted per condition and method"],
    )


def test_only_what_differs_from_the_default_is_written():
    same = [
        (("display", "enlarge"), "false"),
        (("web", "texts", "loading"), None),
    ]
    assert change_text(TEMPLATE, same) == TEMPLATE
    taken, come = differing(TEMPLATE, change_text(TEMPLATE, [(("time", "blocks"), None)]))
    assert (taken, come) == (["blocks = 3"], [])


def test_a_table_goes_with_its_last_setting_unless_a_comment_is_left():
    text = "[study]\nname = 'a'\n\n[monitor]\nwidth_cm = 50.0\n\n[pay]\n# base = 2\nbase = 3\n"
    places = (("monitor", "width_cm"), ("pay", "base"))
    after = change_text(text, [(place, None) for place in places])
    assert after == "[study]\nname = 'a'\n\n[pay]\n# base = 2\n"


def test_what_was_not_there_is_written_into_its_table():
    changes = [
        (("display", "progress"), "true"),
        (("monitor", "width_cm"), "50.5"),
        (("timing", "patch", "corner"), "top-right"),
        (("texts", "fake"), 'made\n\n"so"'),
    ]
    after = tomllib.loads(change_text(TEMPLATE, changes))
    before = tomllib.loads(TEMPLATE)
    before["display"]["progress"] = True
    before["timing"]["patch"] = {"corner": "top-right"}
    before |= {"monitor": {"width_cm": 50.5}, "texts": {"fake": 'made\n\n"so"'}}
    assert after == before


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ((("time", "blocks"), "0"), ("time", "blocks")),
        ((("time", "staircase", "start_ms"), "5"), ("time", "staircase")),
        ((("keys", "left"), "j"), ("keys",)),
        ((("stimuli", "folder"), "/elsewhere"), ("stimuli", "folder")),
        ((("masks", "folder"), None), ("masks", "folder")),
    ],
)
def test_a_mistake_is_told_at_its_setting_in_the_programs_own_words(change, place, tmp_path):
    after = change_text(TEMPLATE, [change])
    with pytest.raises(InputError) as refused:
        study_of_text(tmp_path / "study.toml", after)
    places = [field.place for field in fields(after).values()]
    ((found, said),) = mistakes_at(refused.value.problem, places)
    assert found == (place if place in places else ())
    assert said in refused.value.problem


def test_settings_that_only_bear_on_the_station_are_told_from_those_that_bear_on_answers():
    found = fields(TEMPLATE)
    assert found["time.trials"].affects_answers
    assert not found["study.evaluators"].affects_answers
