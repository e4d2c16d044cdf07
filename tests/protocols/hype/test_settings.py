"""Rules of the study file: one test for each, with messages that name the key."""

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


OUT_OF_BOUNDS: dict[str, tuple[object, ...]] = {
    "study.evaluators": (0,),
    "time.trials": (5, 0),
    "time.blocks": (0,),
    "time.masks": (-1,),
    "time.mask_ms": (0.0, float("nan")),
    "infinity.trials": (5,),
    "qualification.trials": (5,),
    "qualification.pass_rate": (65.0,),
    "practice.trials": (5,),
    "pay.base": (-1.0,),
    "time.staircase.preset": ("best",),
    "timing.rounding_ms": (-1.0,),
    "timing.tolerance_ms": (0.0,),
    "timing.spoiled_trials": ("drop",),
    "timing.patch.corner": ("middle",),
    "timing.patch.masks_rgb": ([],),
    "timing.triggers.image_on": (256,),
    "keys.left": ("", "Ä"),
    "keys.pause": ("Esc",),
    "keys.left_means": ("yes",),
    "observers.crude.ceiling": (0.0,),
    "observers.crude.timed_ceiling": (1.1,),
    "observers.crude.bias_spread": (-0.1,),
    "people.image_spread": (-0.1,),
    "texts.real": (3,),
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in OUT_OF_BOUNDS.items() for value in values]
)
def test_a_value_out_of_bounds_is_refused_with_its_key(key, value):
    changes: Any = value
    for name in reversed(key.split(".")):
        changes = {name: changes}
    with pytest.raises(ValueError) as refused:
        StudyFile.model_validate(merged(TINY, changes))
    assert key in {".".join(map(str, one["loc"])) for one in refused.value.errors()}


def staircase(**changes: Any) -> dict[str, Any]:
    return {"time": {"staircase": changes}}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"stimulus": {"folder": "x"}}, r"stimulus: unknown key; known here are stu"),
    (staircase(step=1), r"time\.staircase\.step: unknown key; .*\bdown_ms\b"),
    (
        {"observers": {"crude": {"treshold_ms": 1}}},
        r"observers\.crude\.treshold_ms: unknown key; .*\bthreshold_ms\b",
    ),
    ({"texts": {"goodbye": "x"}}, r"texts\.goodbye: unknown key"),
    ({"stimuli": None}, r"stimuli: is missing"),
    ({"study": {"methods": ["time", "time"]}}, r"a method is listed twice"),
    (
        staircase(down_ms=10.0, up_ms=10.0, correct_to_descend=1),
        r"time\.staircase: .* settle at 50\.0% correct.*allow_at_or_below_chance",
    ),
    (staircase(start_ms=50.0), r"start_ms 50 must be between min_ms 100 and max_ms 1000"),
    ({"time": {"limit_ms": 100.0}}, r"limit_ms 100 must be longer than min_ms 100"),
    (staircase(start_ms=1500.0), r"start_ms 1500"),
    ({"display": {"size_px": 100, "size_deg": 8}}, r"display: give size_deg or size_p"),
    ({"display": {"size_deg": 8}}, r"display\.size_deg needs \[monitor\] with width_cm and dist"),
    ({"monitor": {"width_cm": 50.0}}, r"monitor\.distance_cm: is missing"),
    ({"display": {"background": [0, 0, 256]}}, r"display\.background\.3 = 256"),
    ({"display": {"background": "blue"}}, r'display\.background .*"grey", "light" or a colour'),
    ({"display": {"background": "light"}}, r'"light" is for studies that flash no images'),
    (
        {"timing": {"patch": {"masks_rgb": [[9, 9, 9], [255, 255, 255]]}}},
        r"timing\.patch: on_rgb, off_rgb and the colours of masks_rgb must all be different",
    ),
    ({"timing": {"triggers": {"image_off": 1}}}, r"image_on and image_off are both 1"),
    ({"keys": {"left": "f", "right": "f"}}, r"keys: .*four different keys"),
    ({"keys": {"left": "space"}}, r"four different keys"),
    ({"masks": {"folder": ""}}, r"masks\.folder is missing"),
    (
        {"texts": {"welcome": "It takes {hours}."}},
        r"welcome.*\{hours\} is not known here; .*minutes",
    ),
    ({"texts": {"welcome": "{pay}"}}, r"\{pay\} is not known here"),
    ({"texts": {"welcome": "{0}"}}, r"\{0\} is not known here"),
    ({"texts": {"welcome": "{}"}}, r"\{\} is not known here"),
    ({"texts": {"welcome": "a { b"}}, r"texts\.welcome.*braces do not match"),
    # The pay is already a text such as "7.74"
    ({"texts": {"debrief": "{currency}{pay:.2f}"}}, r"texts\.debrief"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_does_not_go_together_is_refused_with_file_and_key(changes, message, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(toml(merged(TINY, changes)), encoding="utf-8")

    with pytest.raises(InputError, match=message) as caught:
        load_study(file)
    assert caught.value.where == str(file)


def test_every_mistake_is_named_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        write_study(tmp_path, time={"trials": 5}, pay={"bass": 1.0}, keys={"left_means": "no"})

    message = str(caught.value)
    assert all(key in message for key in ("time.trials", "pay.bass", "keys.left_means"))


ALLOWED: list[dict[str, Any]] = [
    {"time": {"mask_ms": 30}},
    staircase(correct_to_descend=1, allow_at_or_below_chance=True),
    {"observers": {"crude": {"ceiling": 0.4}}},
    {"display": {"size_deg": 8}, "monitor": {"width_cm": 53.0, "distance_cm": 57.0}},
    {"masks": {"folder": ""}, "time": {"masks": 0}},
    {"masks": None, "study": {"methods": ["infinity"]}},
    {"practice": {"trials": 0}},
    {"texts": {"welcome": "{{real}} or not", "rest": "{left_key} {right_answer} {pause_key}"}},
    {"texts": {"real": "echt", "fake": "unecht", "question": "本物?"}},
]


@pytest.mark.parametrize("changes", ALLOWED)
def test_allowed(changes):
    assert isinstance(settings_of(**changes), StudyFile)


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
    """A new study file contains the defaults as comments, so they must be the real defaults."""
    (tmp_path / "study.toml").write_text(
        study_text("mine", FittedDesign(methods=tuple(methods))), encoding="utf-8"
    )
    bare = {
        "study": {"name": "mine", "methods": tuple(methods)},
        "stimuli": {"folder": "stimuli"},
        "masks": {"folder": "masks"},
    }

    assert load_study(tmp_path).settings == StudyFile.model_validate(bare)
