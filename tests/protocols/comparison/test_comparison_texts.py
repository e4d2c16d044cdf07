"""The words of a study of comparisons."""

from __future__ import annotations

import pytest
from builders import comparison_pools, comparison_settings
from paper_comparer import Choosing, PaperComparer, obviously, variously
from paper_station import PaperStation

from hype.protocols.comparison.sampling import METHODS, plan_comparisons
from hype.protocols.comparison.settings import ComparisonTexts
from hype.protocols.comparison.trial import ComparisonTrial, comparison_session
from hype.session.loop import run_session
from hype.session.steps import Response, Screen
from hype.study.assignment import Assignment, Cell

ABOUT = {"age": {"question": "How old are you?", "options": ["young", "old"]}}


def whole_session(station: PaperStation) -> list[Screen]:
    """Show all that a session of everything shows."""
    asked = comparison_settings(
        comparison={"limit_ms": 5000.0, "trials": 24},
        validation={"kind": "listed", "share": 0.2},
        demographics=ABOUT,
    )
    cell = Cell(condition="", methods=METHODS, share=1)
    pools = comparison_pools(asked)
    plan = plan_comparisons(asked, pools, Assignment(evaluator="p01", cell=cell))
    run_session(comparison_session(plan), station, station, station)
    return [step for step in station.steps if isinstance(step, Screen)]


def always_left(_trial: ComparisonTrial, _n: int) -> Response:
    return Response("left", "f", 900.0)


@pytest.mark.parametrize("chooses", [variously, always_left, obviously])
@pytest.mark.parametrize("consents", [True, False])
def test_each_screen_has_a_text_and_fills_its_placeholders(
    chooses: Choosing, consents: bool
) -> None:
    screens = whole_session(PaperComparer(consents=consents, chooses=chooses))
    texts = ComparisonTexts()

    for screen in screens:
        assert getattr(texts, screen.page.value), screen.page
        wanted = ComparisonTexts.in_text.get(screen.page.value, set())
        assert set(screen.values) >= wanted, screen.page
