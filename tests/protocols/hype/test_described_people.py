"""The simulated people that a study describes."""

from pathlib import Path
from typing import Any

from builders import named_study

from hype.protocols.hype.observer import Population, Psychometric
from hype.protocols.hype.pools import population, read_pools


def people_of(folder: Path, **changes: Any) -> Population:
    study = named_study(folder, **changes)
    return population(study, read_pools(study))


def spreads_of(people: Population, condition: str) -> tuple[float, float, float]:
    own = people.own_spreads[condition]
    return own.threshold_spread, own.ceiling_spread, own.bias_spread


def test_people_are_plain_where_nothing_is_said(tmp_path):
    people = people_of(tmp_path)

    plain = Psychometric(threshold_ms=250.0, slope=1.5, ceiling=0.95, lapse=0.02, bias=0.0)
    assert people.typical == {"crude": plain, "good": plain}
    assert spreads_of(people, "crude") == (0.25, 0.15, 0.15)
    assert people.image_spread == 0


def test_a_condition_keeps_the_common_spreads_that_it_does_not_replace(tmp_path):
    people = people_of(
        tmp_path,
        people={"threshold_spread": 0.1, "bias_spread": 0.2},
        observers={"crude": {"ceiling": 0.4, "timed_ceiling": 0.8, "ceiling_spread": 0.0}},
    )

    assert people.typical["crude"].ceiling == 0.4
    assert people.typical["crude"].timed_ceiling == 0.8
    assert spreads_of(people, "crude") == (0.1, 0.0, 0.2)
    assert spreads_of(people, "good") == (0.1, 0.15, 0.2)


def test_what_images_look_like_follows_from_the_studys_seed(tmp_path):
    spread = {"image_spread": 0.5}
    one, same, other = (
        people_of(tmp_path / name, study={"seed": seed}, people=spread).looks("real/1.png")
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )

    assert one == same != other
