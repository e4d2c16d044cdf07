"""Who rates and ranks what: rankings that go on, and studies that do not fit their images."""

from collections.abc import Callable
from typing import Any

import pytest
from builders import rewrite_rows
from paper_ranker import PaperRanker
from paper_station import record_of, rows_of
from rated_studies import ranked_study, rated_study
from verified_records import attend

from hype.errors import InputError
from hype.protocols.ranking.record import placements
from hype.study.studies import AnyStudy


def test_a_ranking_that_was_left_is_continued_with_what_stood(tmp_path):
    study = ranked_study(tmp_path, files=True)
    with record_of(study) as engine:
        attend(engine, study, "p01", PaperRanker(stops_at=2), PaperRanker())
        rows = rows_of(engine, placements)

    assert [row.standing for row in rows[:5]] == ["", "A", "A>B", "A>B>C", "A>B>C>D"]
    assert [row.answer for row in rows[:5]] == ["A", "B", "C", "D", "accept"]
    assert [row.session_id for row in rows[:5]] == [1, 1, 2, 2, 2]
    assert len({row.group for row in rows[:5]}) == 1


REFUSED: dict[str, tuple[Callable[..., AnyStudy], dict[str, Any], str]] = {
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
    "an unknown condition": (
        ranked_study,
        {"observers": {"odd": {"strength": 0.0}}},
        r"observers: 'odd' is no condition of",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_study_that_does_not_fit_its_images_is_refused(what, tmp_path):
    make, changes, said = REFUSED[what]
    study = make(tmp_path, **changes)
    with record_of(study) as engine, pytest.raises(InputError, match=said):
        attend(engine, study, "p01", PaperRanker())


def test_one_picture_twice_in_a_group_is_refused(tmp_path):
    """Nobody could put those in order."""
    study = ranked_study(tmp_path)

    def alike(_number: int, row: dict[str, str]) -> dict[str, str]:
        is_one = row["path"].startswith(("fake/fine/000", "fake/good/00"))
        return row | {"sha256": "ab" * 32} if is_one else row

    rewrite_rows(study.stimuli_folder / "manifest.csv", alike)
    with (
        record_of(study) as engine,
        pytest.raises(InputError, match="would show one picture twice in a group of 'a "),
    ):
        attend(engine, study, "p01", PaperRanker())
