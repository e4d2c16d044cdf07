"""What a study file of rankings may say: one test for each rule, and messages with the key."""

import pytest
from prompted_builders import ranking_settings

from hype.protocols.ranking.settings import RankingSettings, ScreeningSettings


def test_the_sources_numbers_are_the_defaults():
    asked, screening = RankingSettings(), ScreeningSettings()

    assert (asked.rankings, asked.group, asked.ties, asked.prompt) == (10, None, False, "shown")
    assert (screening.check_share, screening.test, screening.min_recall) == (0.1, 0, None)
    assert "how well they show what the caption says" in asked.question


@pytest.mark.parametrize(
    ("code", "checks"), [("check", True), ("check1", True), ("Check1", False), ("ann", False)]
)
def test_checkers_are_told_by_their_codes(code, checks):
    screening = ranking_settings(screening={"checkers": ["check*"]}).screening

    assert screening.is_checker(code) is checks
    assert not ScreeningSettings().is_checker(code)
