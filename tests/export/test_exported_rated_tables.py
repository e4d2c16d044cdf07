"""Ratings and rankings as tidy tables: what answers mean, and how they score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_ranked import score_rankings
from tidy_tables import written

from hype.protocols.ranking.exclusion import RANKED
from hype.protocols.ranking.scoring import RankingOptions
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import check_rankings, load_rankings
from hype.protocols.rating.export import RATED
from hype.protocols.rating.rows import ROW
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.table import check_ratings, load_ratings
from hype.session.outgoing import Outgoing
from hype.store.record import RECORD_FILE, reading_record
from hype.study.studies import AnyStudy
from hype.tables.scales import Scale


def frame_of(study: AnyStudy, outgoing: Outgoing[Any], *, simulated: bool = False) -> pd.DataFrame:
    """Give what `hype score STUDY` scores."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        found = outgoing.read(engine, study, simulated=simulated)
        return pd.DataFrame(list(found.rows), columns=list(found.columns))


def told_of(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["tidy_ratings", "tidy_single_ratings"])
def test_ratings_are_the_same_to_the_analysis_from_the_table(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    study = request.getfixturevalue(name)
    _, table = written(study, tmp_path, simulated=False)
    of_csv = load_ratings(tmp_path / "ratings.csv", scale=Scale()).rows_with_warning()
    columns = [column.name for column in ROW.read if column.name in of_csv] + ["value"]

    for other in (frame_of(study, RATED), table.to_pandas()):
        again = check_ratings(other, scale=Scale())
        pd.testing.assert_frame_equal(
            of_csv[columns].astype(str), again[columns].astype(str), check_dtype=False
        )


def test_rankings_score_alike_from_the_table_also_where_evaluators_were_screened(
    screened_rankings: RankingStudy, tmp_path: Path
) -> None:
    written(screened_rankings, tmp_path, simulated=False)
    rule = screened_rankings.settings.screening.min_recall
    options = {"seed": 1}
    record = check_rankings(frame_of(screened_rankings, RANKED))
    of_record_ = score_rankings(record, RankingOptions(min_recall=rule, **options))
    of_csv = score_rankings(
        load_rankings(tmp_path / "rankings.csv").frame, RankingOptions(**options)
    )
    (reason,) = [one for one in of_csv.exclusions if one.reason == "failed-screening"]

    assert replace(of_csv, screening=None) == replace(of_record_, screening=None)
    assert (reason.evaluators, reason.answers) == (2, 5)


def test_the_dictionary_has_the_questions_and_what_each_answer_means(
    tidy_ratings: RatingStudy, tidy_single_ratings: RatingStudy, tmp_path: Path
) -> None:
    levels = []
    for study in (tidy_ratings, tidy_single_ratings):
        written(study, tmp_path, simulated=False)
        columns = told_of(tmp_path, "ratings")["columns"]
        levels.append({one["name"]: one.get("levels", {}) for one in columns})
    pairs, single = levels

    assert pairs["axis"]["overall"] == "Which image is better overall?"
    assert [pairs["answer"][key] for key in "135"] == [
        "the first image is much better",
        "no difference",
        "the second image is much better",
    ]
    assert set(single["answer"]) == {"yes", "no", *"1234567", "not-relevant"}


def test_a_ranking_that_was_not_accepted_has_no_ranks(
    tidy_rankings: RankingStudy, tmp_path: Path
) -> None:
    _, table = written(tidy_rankings, tmp_path, simulated=False)
    frame = table.to_pandas()
    left = frame[frame["evaluator"].eq("unfinished") & frame["task"].eq("test")]

    assert len(left)
    assert left["rank"].isna().all()
    assert left["excluded"].eq("unfinished").all()
    assert told_of(tmp_path, "rankings")["rankings"] < len(frame)
