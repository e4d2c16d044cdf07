"""The table of a central store, which every new study file has in a comment, is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hype.central_url import EXAMPLE
from hype.protocols.comparison.template import ComparisonShape, comparison_text
from hype.protocols.hype.template import TrialNumbers, pool_text, study_text
from hype.protocols.load import load_any
from hype.protocols.prompted.template import PromptedShape
from hype.protocols.ranking.template import ranking_text
from hype.protocols.rating.template import rating_text
from hype.store.central.engine import STORE
from hype.study.station_settings import StoreSettings

TEXTS: dict[str, Callable[[], str]] = {
    "hype": lambda: study_text("mine", ["time"], TrialNumbers()),
    "qualification": lambda: pool_text("mine", TrialNumbers()),
    "comparison": lambda: comparison_text("mine", ComparisonShape()),
    "rating": lambda: rating_text("mine", PromptedShape()),
    "ranking": lambda: ranking_text("mine", PromptedShape()),
}


def uncommented(text: str) -> str:
    """Take away the marks of comments before the table and its keys."""
    for key in ("[store]", "central =", "stations ="):
        text = text.replace(f"# {key}", key)
    return text


@pytest.mark.parametrize("kind", TEXTS)
def test_a_new_study_has_no_central_store(kind: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(TEXTS[kind](), encoding="utf-8")

    assert load_any(tmp_path).settings.store == StoreSettings()


@pytest.mark.parametrize("kind", TEXTS)
def test_without_its_marks_the_table_is_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(uncommented(TEXTS[kind]()), encoding="utf-8")

    store = load_any(tmp_path).settings.store

    assert store.central == EXAMPLE
    assert store.stations == ("lab-a", "lab-b")


def test_both_keys_are_in_the_comment() -> None:
    assert all(f"# {key} = " in STORE for key in StoreSettings.model_fields)
