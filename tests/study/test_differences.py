"""Which settings make a new version of a study, and which may differ within a version."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import comparison_settings, settings_of
from pydantic import BaseModel

from hype.errors import InputError
from hype.protocols.hype.settings import Study
from hype.protocols.registry import HYPE, PROTOCOLS, study_of
from hype.study.differences import describe_changes, differences, rebuild_given, rebuild_recorded
from hype.study.table import Affects

WITHIN_A_VERSION: Mapping[str, Mapping[str, Any]] = {
    "what it is called": {"study": {"name": "tiny, spring"}},
    "how many are wanted": {"study": {"evaluators": 60}},
    "which of the station's screens": {"display": {"screen": 1}},
    "the measures of the screen": {"monitor": {"width_cm": 60.0, "distance_cm": 57.0}},
    "who is left out": {"study": {"left_out": {"p07": "wore no glasses"}}},
    "whom others have": {"study": {"not_from": ["../first"]}},
    "what was accepted": {"time": {"staircase": {"allow_unsettled": False}}},
    "whom to tell of flips": {"timing": {"triggers": {"serial": "/dev/ttyS0"}}},
    "how simulated evaluators answer": {"people": {"rt_median_ms": 900.0}},
    "how they see": {"observers": {"good": {"threshold_ms": 100.0}}},
}
ANOTHER_VERSION: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "masks": ({"time": {"mask_ms": 50.0}}, "time.mask_ms: 30 → 50"),
    "staircase": (
        {"time": {"staircase": {"start_ms": 300.0}}},
        "time.staircase.start_ms: 500 → 300",
    ),
    "trials": ({"time": {"trials": 8}}, "time.trials: 6 → 8"),
    "who takes part": (
        {"qualification": {"pass_rate": 0.9}},
        "qualification.pass_rate: 0.65 → 0.9",
    ),
    "stimuli": ({"stimuli": {"folder": "others"}}, 'stimuli.folder: "stimuli" → "others"'),
    "size": ({"display": {"size_px": 300.0}}, "display.size_px: nothing → 300"),
    "words": ({"texts": {"real": "echt"}}, 'texts.real: "real" → "echt"'),
    "the end of a long text": (
        {"texts": {"question": "Was that image real or artificial?"}},
        'texts.question: "… fake?" → "… artificial?"',
    ),
    "pay": ({"pay": {"per_correct": 0.05}}, "pay.per_correct: 0.02 → 0.05"),
    "seed": ({"study": {"seed": 8}}, "study.seed: 7 → 8"),
}


def study(**changes: Any) -> Study:
    return Study(path=Path("study.toml"), settings=settings_of(**changes))


@pytest.mark.parametrize("what", WITHIN_A_VERSION)
def test_these_may_differ_among_people_of_one_version(what):
    assert differences(study(), study(**WITHIN_A_VERSION[what])) == {}


@pytest.mark.parametrize("what", ANOTHER_VERSION)
def test_these_make_another_version(what):
    changes, words = ANOTHER_VERSION[what]

    assert describe_changes(differences(study(), study(**changes))) == words


def test_how_simulated_evaluators_answer_makes_another_version_of_them_alone():
    other = study(people={"rt_median_ms": 900.0})

    assert differences(study(), other) == {}
    assert (
        describe_changes(differences(study(), other, simulated=True))
        == "people.rt_median_ms: 700 → 900"
    )


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Affects]]:
    for name, field in model.model_fields.items():
        marks = [one for one in field.metadata if isinstance(one, Affects)]
        yield from ((f"{prefix}{name}", mark) for mark in marks)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields(field.annotation, f"{prefix}{name}.")


def test_every_setting_bears_on_the_answers_but_these():
    """A new setting makes a new version, unless this list and the setting say otherwise."""
    shared = {"study.name", "study.quotas", "study.not_from", "display.screen", "monitor", "web"}
    shared |= {"pay.least_an_hour"}
    simulated = {"people", "observers"}
    own = {
        HYPE.name: {
            "analysis",
            "study.evaluators",
            "timing.triggers",
            "time.staircase.allow_at_or_below_chance",
        },
        "comparison": {"comparison.votes", "analysis"},
        "rating": {"rating.ratings", "analysis"},
        "ranking": {"ranking.rankings", "analysis"},
    }
    for kind, model in ((one.name, one.settings) for one in PROTOCOLS):
        found = dict(fields(model))
        assert {key for key, one in found.items() if one is Affects.SIMULATED} == simulated
        nobodys = {key for key, one in found.items() if one is Affects.NOBODY}
        assert nobodys == shared | own[kind], kind


@pytest.mark.parametrize("what", WITHIN_A_VERSION)
def test_a_study_as_it_was_given_has_todays_values_of_what_does_not_matter(what):
    given, today = study(), study(**WITHIN_A_VERSION[what], pay={"base": 5.0})
    found = rebuild_given(today, given.settings_json(), simulated=False)

    assert differences(found, given) == {}
    assert study(**WITHIN_A_VERSION[what]).settings == found.settings


def test_what_does_not_go_together_is_as_it_was_given():
    """A size in degrees needs the screen's measures, which today's file does not have."""
    monitor = {"width_cm": 60.0, "distance_cm": 57.0}
    given = study(display={"size_deg": 5.0}, monitor=monitor)
    found = rebuild_given(study(), given.settings_json(), simulated=False)

    assert found.settings_json() == given.settings_json()


def test_a_study_of_another_protocol_is_refused():
    other = study_of(Path("study.toml"), comparison_settings())
    with pytest.raises(InputError, match="comparison"):
        rebuild_given(study(), other.settings_json(), simulated=False)


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[]", '{"study": 1}'])
def test_what_is_no_study_is_refused(text):
    with pytest.raises(InputError):
        rebuild_recorded(study(), text)
