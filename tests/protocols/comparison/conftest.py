"""Whether camps differ is tested by dealing choices out anew: here by a fifth of the deals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hype.protocols.comparison import camps

FEWER = 5


@pytest.fixture(scope="module", autouse=True)
def _fewer_deals() -> Iterator[None]:
    """Take a fifth as long for p to the nearest 0.0005; who is dealt out anew stays the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(camps, "DEALS", (camps.DEALS + 1) // FEWER - 1)
        patch.setattr(camps, "_MOST_DEALT", camps._MOST_DEALT / FEWER)
        yield
