import numpy as np
import pytest

from hype.statistics.proportions import crossed_shares


@pytest.mark.parametrize(("people", "shows"), [(2, False), (3, True)])
def test_two_people_who_are_alike_by_chance_show_nothing(people, shows) -> None:
    """Each chooses the first in 9 of 10 comparisons, which of independent ones is far from even."""
    person = np.repeat(np.arange(people), 10)
    points = np.where(np.arange(len(person)) % 10, 1.0, 0.0)
    (share,) = crossed_shares(np.zeros_like(person), points, person, None, groups=1)

    interval = share.estimate(0.95)
    assert (interval.low > 0.5) is shows
