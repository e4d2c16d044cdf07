"""Selects the cases that run only in the long form (``pytest --soak``)."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pytest
from hypothesis import settings


def one_of_each(kinds: Mapping[Hashable, Hashable]) -> list[Any]:
    """Mark all cases (the keys of ``kinds``) as long, except the first of each kind."""
    first: dict[Hashable, Hashable] = {}
    for case, kind in kinds.items():
        first.setdefault(kind, case)
    return long_but(first.values(), kinds)


def long_but(short: Iterable[Hashable], cases: Iterable[Hashable]) -> list[Any]:
    """Mark all cases as long, except those in ``short``."""
    kept = set(short)
    return [case if case in kept else pytest.param(case, marks=pytest.mark.long) for case in cases]


def a_third() -> settings:
    """Draw a third of the usual examples, since each one is slow; the long form draws more."""
    return settings(max_examples=settings.default.max_examples // 3)
