"""Tidy tables of comparisons, ratings and rankings: what answers mean, and how they score."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from made_ranked import score_rankings
from tidy_tables import written

from hype.protocols.ranking.exclusion import RANKED
from hype.protocols.ranking.scoring import RankingOptions
from hype.protocols.ranking.table import check_rankings, load_rankings
from hype.session.outgoing import Outgoing
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy


def frame_of(study: AnyStudy, outgoing: Outgoing[Any], *, simulated: bool = False) -> pd.DataFrame:
    """Give what `hype score STUDY` scores."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        found = outgoing.read(engine, study, simulated=simulated)
        return pd.DataFrame(list(found.rows), columns=list(found.columns))


def told_of(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def test_the_files_say_what_was_asked(tidy_comparisons, tmp_path):
    _, table = written(tidy_comparisons, tmp_path, simulated=False)
    told = json.loads((tmp_path / "comparisons.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    asked = {
        "criterion": "alignment",
        "question": "Which image better reflects the caption above them?",
    }

    assert asked.items() <= told.items()
    assert asked.items() <= metadata.items()
    by_name = {column["name"]: column for column in told["columns"]}
    assert set(by_name["answer"]["levels"]) == {"left", "right", "tie", "none"}
    assert by_name["excluded"]["levels"]["failed-validation"]


def test_rankings_score_alike_from_the_table_also_where_evaluators_were_screened(
    screened_rankings, tmp_path
):
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
    tidy_ratings, tidy_single_ratings, tmp_path
):
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


def test_a_ranking_that_was_not_accepted_has_no_ranks(tidy_rankings, tmp_path):
    _, table = written(tidy_rankings, tmp_path, simulated=False)
    frame = table.to_pandas()
    left = frame[frame["evaluator"].eq("unfinished") & frame["task"].eq("test")]

    assert len(left)
    assert left["rank"].isna().all()
    assert left["excluded"].eq("unfinished").all()
    assert told_of(tmp_path, "rankings")["rankings"] < len(frame)
