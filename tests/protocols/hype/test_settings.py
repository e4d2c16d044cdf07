"""What a study file may say: one test for each rule, and messages that name the key."""

from typing import Any

import pytest
from builders import TINY, merged, settings_of, toml, write_study

from hype.errors import InputError
from hype.protocols.hype.design import FittedDesign, study_text
from hype.protocols.hype.settings import (
    InfinitySettings,
    PaySettings,
    QualificationSettings,
    StaircaseSettings,
    StudyFile,
    StudySettings,
    TimeSettings,
)
from hype.protocols.load import load_study
from hype.study.table import KeySettings


def test_the_papers_numbers_are_the_defaults():
    time, rule = TimeSettings(), StaircaseSettings().rule

    assert (time.blocks, time.trials, time.countdown_from, time.countdown_ms) == (3, 150, 3, 500)
    assert (time.masks, time.mask_ms, time.feedback) == (4, 30, True)
    assert (rule.start_ms, rule.min_ms, rule.max_ms) == (500, 100, 1000)
    assert (rule.up_ms, rule.down_ms, rule.correct_to_descend) == (10, 30, 3)
    assert (InfinitySettings().blocks, InfinitySettings().trials) == (1, 100)
    assert (QualificationSettings().trials, QualificationSettings().pass_rate) == (100, 0.65)
    assert (PaySettings().base, PaySettings().per_correct) == (1.00, 0.02)
    assert StudySettings(name="x").evaluators == 30
    assert KeySettings().left_means == "counterbalanced"


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown table": ({"stimulus": {"folder": "x"}}, r"stimulus: unknown key; known here are stu"),
    "unknown key": ({"time": {"trails": 6}}, r"time\.trails: unknown key; .*\btrials\b"),
    "unknown key two tables deep": (
        {"time": {"staircase": {"step": 1}}},
        r"time\.staircase\.step: unknown key; .*\bdown_ms\b",
    ),
    "unknown key of an observer": (
        {"observers": {"crude": {"treshold_ms": 1}}},
        r"observers\.crude\.treshold_ms: unknown key; .*\bthreshold_ms\b",
    ),
    "unknown key of an optional table": (
        {"monitor": {"width_cm": 50.0, "distance_cm": 57.0, "gamma": 2.2}},
        r"monitor\.gamma: unknown key; known here are width_cm, distance_cm",
    ),
    "unknown text": ({"texts": {"goodbye": "x"}}, r"texts\.goodbye: unknown key"),
    "missing key": ({"study": {"name": None}}, r"study\.name: is missing"),
    "missing table": ({"stimuli": None}, r"stimuli: is missing"),
    "number as text": ({"study": {"seed": "7"}}, r"study\.seed = '7': must be a whole number"),
    "text as number": ({"study": {"name": 7}}, r"study\.name = 7: must be text in quotation marks"),
    "flag as number": ({"time": {"feedback": 1}}, r"time\.feedback = 1: must be true or false"),
    "fraction of a trial": ({"time": {"trials": 6.0}}, r"time\.trials = 6\.0: must be a whole"),
    "table as number": ({"time": 3}, r"time = 3: "),
    "text of a table of texts": ({"texts": {"real": 3}}, r"texts\.real = 3: must be text"),
    "not a number": ({"time": {"mask_ms": float("nan")}}, r"time\.mask_ms = nan: "),
    "empty name": ({"study": {"name": ""}}, r"study\.name = ''"),
    "negative seed": ({"study": {"seed": -1}}, r"study\.seed = -1: must be 0 or more"),
    "unknown method": ({"study": {"methods": ["tome"]}}, r"study\.methods.* = 'tome': .*infinity"),
    "no method": ({"study": {"methods": []}}, r"study\.methods"),
    "method twice": ({"study": {"methods": ["time", "time"]}}, r"a method is listed twice"),
    "nobody": ({"study": {"evaluators": 0}}, r"study\.evaluators = 0"),
    "odd trials, time": ({"time": {"trials": 5}}, r"time\.trials = 5: must be even"),
    "odd trials, infinity": ({"infinity": {"trials": 5}}, r"infinity\.trials = 5: must be even"),
    "odd trials, qualification": (
        {"qualification": {"trials": 5}},
        r"qualification\.trials = 5: must be even",
    ),
    "odd trials, practice": ({"practice": {"trials": 5}}, r"practice\.trials = 5: must be even"),
    "no trials": ({"time": {"trials": 0}}, r"time\.trials = 0"),
    "no blocks": ({"time": {"blocks": 0}}, r"time\.blocks = 0"),
    "negative masks": ({"time": {"masks": -1}}, r"time\.masks = -1"),
    "mask of no duration": ({"time": {"mask_ms": 0.0}}, r"time\.mask_ms = 0\.0"),
    "impossible rate": ({"qualification": {"pass_rate": 65.0}}, r"pass_rate = 65\.0"),
    "negative pay": ({"pay": {"base": -1.0}}, r"pay\.base = -1\.0"),
    "staircase at chance": (
        {"time": {"staircase": {"down_ms": 10.0, "up_ms": 10.0, "correct_to_descend": 1}}},
        r"time\.staircase: .* settles at 50\.0% correct.*allow_at_or_below_chance",
    ),
    "staircase below chance": (
        {"time": {"staircase": {"correct_to_descend": 1}}},
        r"time\.staircase: .* settles at 25\.0% correct",
    ),
    "start below the floor": (
        {"time": {"staircase": {"start_ms": 50.0}}},
        r"start_ms 50 must lie between min_ms 100 and max_ms 1000",
    ),
    "start above the ceiling": ({"time": {"staircase": {"start_ms": 1500.0}}}, r"start_ms 1500"),
    "unknown preset": (
        {"time": {"staircase": {"preset": "best"}}},
        r"preset = 'best'.*weighted-75",
    ),
    "two sizes": (
        {"display": {"size_px": 100, "size_deg": 8}},
        r"display: give size_deg or size_p",
    ),
    "degrees without a monitor": (
        {"display": {"size_deg": 8}},
        r"display\.size_deg needs \[monitor\] with width_cm and distance_cm",
    ),
    "half a monitor": ({"monitor": {"width_cm": 50.0}}, r"monitor\.distance_cm: is missing"),
    "impossible colour": (
        {"display": {"background_rgb": [0, 0, 256]}},
        r"display\.background_rgb\.3 = 256",
    ),
    "negative rounding": ({"timing": {"rounding_ms": -1.0}}, r"timing\.rounding_ms = -1\.0"),
    "no tolerance at all": ({"timing": {"tolerance_ms": 0.0}}, r"timing\.tolerance_ms = 0\.0"),
    "unknown fate of a spoiled trial": (
        {"timing": {"spoiled_trials": "drop"}},
        r"timing\.spoiled_trials = 'drop'.*leave-out",
    ),
    "patch in the middle": ({"timing": {"patch": {"corner": "middle"}}}, r"corner = 'middle'"),
    "patch that shows no masks": ({"timing": {"patch": {"masks_rgb": []}}}, r"masks_rgb"),
    "patch whose states look alike": (
        {"timing": {"patch": {"masks_rgb": [[9, 9, 9], [255, 255, 255]]}}},
        r"timing\.patch: on_rgb, off_rgb and the colours of masks_rgb must all be different",
    ),
    "trigger of no byte": ({"timing": {"triggers": {"image_on": 256}}}, r"image_on = 256"),
    "one code for two things": (
        {"timing": {"triggers": {"image_off": 1}}},
        r"timing\.triggers: image_on and image_off are both 1",
    ),
    "equal keys": ({"keys": {"left": "f", "right": "f"}}, r"keys: .*four different keys"),
    "a key that goes on and answers": ({"keys": {"left": "space"}}, r"four different keys"),
    "no key": ({"keys": {"left": ""}}, r"keys\.left = '': is no key; allowed are small letters"),
    "a capital letter": ({"keys": {"left": "Ä"}}, r"keys\.left = 'Ä': is no key; .*num_0 to num_9"),
    "no such key": ({"keys": {"pause": "Esc"}}, r"keys\.pause = 'Esc': is no key; .*escape"),
    "unknown meaning of a key": ({"keys": {"left_means": "yes"}}, r"keys\.left_means = 'yes'"),
    "no masks for flashed images": ({"masks": {"folder": ""}}, r"masks\.folder is missing"),
    "unknown placeholder": (
        {"texts": {"welcome": "It takes {hours}."}},
        r"texts\.welcome.*\{hours\} is not known here; known are .*\{minutes\}",
    ),
    "placeholder of another text": ({"texts": {"welcome": "{pay}"}}, r"\{pay\} is not known here"),
    "placeholder by number": ({"texts": {"welcome": "{0}"}}, r"\{0\} is not known here"),
    "nameless placeholder": ({"texts": {"welcome": "{}"}}, r"\{\} is not known here"),
    "open brace": ({"texts": {"welcome": "a { b"}}, r"texts\.welcome.*braces do not match"),
    "format that the value cannot take": (
        {"texts": {"debrief": "{currency}{pay:.2f}"}},  # pay is text already: "7.74"
        r"texts\.debrief",
    ),
    "observer who is never right": (
        {"observers": {"crude": {"ceiling": 0.0}}},
        r"crude\.ceiling = 0\.0: must be more than 0",
    ),
    "timed ceiling of no share": (
        {"observers": {"crude": {"timed_ceiling": 1.1}}},
        r"crude\.timed_ceiling = 1\.1",
    ),
    "negative spread of one condition": (
        {"observers": {"crude": {"bias_spread": -0.1}}},
        r"crude\.bias_spread = -0\.1",
    ),
    "negative spread of images": ({"people": {"image_spread": -0.1}}, r"image_spread = -0\.1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_a_message_that_names_file_and_key(what, tmp_path):
    changes, message = REFUSED[what]
    file = tmp_path / "study.toml"
    text = toml(merged(TINY, changes)).replace("NaN", "nan")
    file.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=message) as caught:
        load_study(file)
    assert caught.value.where == str(file)


def test_every_mistake_is_named_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        write_study(tmp_path, time={"trials": 5}, pay={"bass": 1.0}, keys={"left_means": "no"})

    message = str(caught.value)
    assert all(key in message for key in ("time.trials", "pay.bass", "keys.left_means"))


ALLOWED: dict[str, dict[str, Any]] = {
    "whole number for a duration": {"time": {"mask_ms": 30}},
    "staircase below chance, knowingly": {
        "time": {"staircase": {"correct_to_descend": 1, "allow_at_or_below_chance": True}}
    },
    "observers who are misled": {"observers": {"crude": {"ceiling": 0.4}}},
    "degrees with a monitor": {
        "display": {"size_deg": 8},
        "monitor": {"width_cm": 53.0, "distance_cm": 57.0},
    },
    "no masks, none wanted": {"masks": {"folder": ""}, "time": {"masks": 0}},
    "no masks, nothing flashed": {"masks": None, "study": {"methods": ["infinity"]}},
    "no practice": {"practice": {"trials": 0}},
    "braces meant as braces": {"texts": {"welcome": "{{real}} or not"}},
    "keys in any text": {"texts": {"rest": "{left_key} {right_answer} {pause_key}"}},
    "another language": {"texts": {"real": "echt", "fake": "unecht", "question": "本物?"}},
}


@pytest.mark.parametrize("what", ALLOWED)
def test_allowed(what):
    assert isinstance(settings_of(**ALLOWED[what]), StudyFile)


def test_a_preset_can_be_changed_in_part():
    rule = settings_of(time={"staircase": {"preset": "weighted-75", "up_ms": 20.0}}).time.staircase

    assert (rule.rule.up_ms, rule.rule.down_ms, rule.rule.correct_to_descend) == (20, 10, 1)


@pytest.mark.parametrize(
    ("does", "methods", "expected"),
    [
        ("one-method", ["time", "infinity"], (("time",), ("infinity",))),
        ("all-methods", ["time", "infinity"], (("time", "infinity"),)),
        ("one-method", ["infinity"], (("infinity",),)),
    ],
)
def test_methods_of_one_evaluator(does, methods, expected):
    settings = settings_of(study={"methods": methods, "evaluator_does": does})

    assert settings.methods_of_one_evaluator() == expected


@pytest.mark.parametrize("methods", [["time"], ["infinity"], ["time", "infinity"]])
def test_the_template_says_what_the_defaults_are(methods, tmp_path):
    """A new study file spells out defaults; were one to differ, its comments would lie."""
    (tmp_path / "study.toml").write_text(
        study_text("mine", FittedDesign(methods=tuple(methods))), encoding="utf-8"
    )
    bare = {
        "study": {"name": "mine", "methods": tuple(methods)},
        "stimuli": {"folder": "stimuli"},
        "masks": {"folder": "masks"},
    }

    assert load_study(tmp_path).settings == StudyFile.model_validate(bare)


def test_lists_of_colours_are_read(tmp_path):
    study = write_study(tmp_path, timing={"patch": {"masks_rgb": [[9, 9, 9], [99, 99, 99]]}})
    patch = study.settings.timing.patch

    assert patch is not None
    assert patch.masks_rgb == ((9, 9, 9), (99, 99, 99))
    assert patch.on_rgb == (255, 255, 255)
