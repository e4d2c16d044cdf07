"""One run of each protocol, from the seed to the scores: plan, answers and scores stay the same.

Each file in the folder `golden` contains the trials and answers of six simulated evaluators, the
scores, and the names in `hype score --json`. If a change is intended, delete the file: the next run
writes it and fails, so that you read it before you commit it.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import named_study
from compared_studies import compared_study
from rated_studies import ranked_study, rated_study

GOLDEN = Path(__file__).parent / "golden"
BOTH_METHODS = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
STUDIES: dict[str, Callable[[Path], object]] = {
    "hype": lambda folder: named_study(
        folder,
        {"": 20, "crude": 20, "good": 20},
        study=BOTH_METHODS,
        qualification={"pass_rate": 0.0},
    ),
    "comparison": compared_study,
    "rating": rated_study,
    "ranking": ranked_study,
}
ANSWERS = {
    "hype": "task, block, trial, image, exposure_ms, answer, rt_ms from judgements",
    "comparison": "task, block, trial, left_image, right_image, answer, rt_ms from comparisons",
    "rating": "task, block, trial, first_image, second_image, axis, answer, rt_ms from ratings",
    "ranking": "task, block, trial, image, standing, answer, rt_ms from placements",
}


def figures(protocol: str, scores: Any) -> list[list[Any]]:
    """Return the score, or win rate and strength, of each condition, with intervals."""
    if protocol == "hype":
        names = ("score", "low", "high")
        return [[row["condition"], *map(row.get, names)] for row in scores["conditions"]]
    names = ("strength", "strength_low", "strength_high")
    return [
        [
            row["condition"],
            *(row[end] / 100 for end in ("win_rate_low", "win_rate_high")),
            *map(row.get, names),
        ]
        for row in scores["conditions"]
        if protocol != "rating" or row["axis"] == scores["axes"][0]["axis"]
    ]


@pytest.mark.parametrize("protocol", STUDIES)
def test_a_seed_gives_the_same_plan_answers_and_scores(protocol, tmp_path, hype):
    STUDIES[protocol](tmp_path)
    assert hype("simulate", tmp_path, "--evaluators", 6, "--seed", 3).code == 0
    scored = hype("score", tmp_path, "--simulated", "--json").json
    results = scored if isinstance(scored, list) else [scored]
    now = {
        "json": [names for scores in results for names in names_in(scores)],
        "answers": answers(tmp_path / "data.sqlite", ANSWERS[protocol]),
        "scores": [row for scores in results for row in figures(protocol, scores)],
    }

    for scores in results:
        assert {"conditions", "pairs"} <= {name for name in scores if are_rows(scores[name])}
        assert [name for name in scores if is_nested(scores[name])] == []

    path = GOLDEN / f"{protocol}.json"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(now), encoding="utf-8")
        pytest.fail(f"{path} was missing and has been written: read it, then commit it")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert now["json"] == kept["json"]
    assert now["answers"] == kept["answers"]
    assert [row[0] for row in now["scores"]] == [row[0] for row in kept["scores"]]
    for row, before in zip(now["scores"], kept["scores"], strict=True):
        assert row[1:] == pytest.approx(before[1:], rel=1e-9)


def are_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def names_in(scores: dict[str, Any]) -> list[list[str]]:
    """Return a line with the names of all single facts, and one line of columns for each table."""
    facts = [name for name, value in scores.items() if not (value and are_rows(value))]
    tables = [[name, *scores[name][0]] for name in scores if name not in facts]
    return [["facts", *facts], *tables]


def is_nested(value: Any) -> bool:
    """Tell whether a JSON value contains lists or objects inside its rows or items."""
    rows = value if are_rows(value) else [value] if isinstance(value, dict) else []
    cells = [cell for row in rows for cell in row.values()] if rows else value
    return any(isinstance(cell, dict | list) for cell in (cells if isinstance(cells, list) else []))


def answers(record: Path, columns: str) -> list[list[Any]]:
    """Return each answer as it was recorded, with times rounded to microseconds."""
    query = f"select evaluator, {columns} join evaluators on evaluators.id = evaluator_id"
    with closing(sqlite3.connect(record)) as database:
        rows = database.execute(query + f" order by {columns.rsplit(maxsplit=1)[-1]}.id").fetchall()
    return [[round(cell, 3) if isinstance(cell, float) else cell for cell in row] for row in rows]


def written(now: dict[str, list[Any]]) -> str:
    """Return JSON with one answer or one score on each line."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in now.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"
