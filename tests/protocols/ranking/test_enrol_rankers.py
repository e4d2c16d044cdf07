"""Who rates and ranks what: rankings that go on, and studies that do not fit their images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paper_ranker import PaperRanker
from paper_station import record_of, rows_of
from rated_studies import ranked_study, rated_study
from verified_records import attend

from hype.errors import InputError
from hype.protocols.ranking.rows import placements
from hype.study.studies import AnyStudy


def test_a_ranking_that_was_left_is_continued_with_what_stood(tmp_path: Path) -> None:
    study = ranked_study(tmp_path, files=True)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker(stops_at=2), PaperRanker())
        rows = rows_of(engine, placements)

    assert [row.standing for row in rows[:5]] == ["", "A", "A>B", "A>B>C", "A>B>C>D"]
    assert [row.answer for row in rows[:5]] == ["A", "B", "C", "D", "accept"]
    assert [row.session_id for row in rows[:5]] == [1, 1, 2, 2, 2]
    assert len({row.group for row in rows[:5]}) == 1


REFUSED: dict[str, tuple[Callable[..., AnyStudy], dict[str, Any], str]] = {
    "too few images to rate": (
        rated_study,
        {"rating": {"images": 3}},
        r"too few images of 'crude' for the prompt 'a [a-z]+': 2, and rating\.images = 3",
    ),
    "simulated people find something of an axis that is not asked": (
        rated_study,
        {"rating": {"axes": ["style"]}},
        r"observers\.fine\.axes: 'artifacts' is not among rating\.axes",
    ),
    "no column of what is right": (
        rated_study,
        {"rating": {"of": "images"}, "axes": {"anatomy": {"truth_column": "odd"}}},
        r"has no column 'odd', which axes\.anatomy\.truth_column names",
    ),
    "something right that is no answer": (
        rated_study,
        {"rating": {"of": "images"}, "axes": {"anatomy": {"truth_column": "beauty"}}},
        r"in the column 'beauty' of .*one of yes, no, the answers of the axis 'anatomy'; or noth",
    ),
    "larger groups than conditions": (
        ranked_study,
        {"ranking": {"group": 5}},
        r"ranking\.group = 5, and there are 4 conditions",
    ),
    "a test of everything": (
        ranked_study,
        {"screening": {"test": 6}},
        r"screening\.test = 6 leaves no group to rank: there are 6",
    ),
    "too few images to rank": (
        ranked_study,
        {"ranking": {"images": 3}},
        r"too few images of 'crude' for the prompt 'a [a-z]+': 2, and ranking\.images = 3",
    ),
    "an unknown condition": (
        ranked_study,
        {"observers": {"odd": {"strength": 0.0}}},
        r"observers: 'odd' is no condition of",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_study_that_does_not_fit_its_images_is_refused(what: str, tmp_path: Path) -> None:
    make, changes, said = REFUSED[what]
    study = make(tmp_path, **changes)
    with record_of(study) as engine, pytest.raises(InputError, match=said):
        attend(engine, study, "p01", PaperRanker())


def test_one_picture_twice_in_a_group_is_refused(tmp_path: Path) -> None:
    """Nobody could put those in order."""
    study = ranked_study(tmp_path)
    manifest = study.stimuli_folder / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    first_sum = next(line for line in lines if "fake/fine/000" in line).split(",")[5]
    lines = [
        line.replace(line.split(",")[5], first_sum) if "fake/good/00" in line else line
        for line in lines
    ]
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (
        record_of(study) as engine,
        pytest.raises(InputError, match="would show one picture twice in a group of 'a "),
    ):
        attend(engine, study, "p01", PaperRanker())
