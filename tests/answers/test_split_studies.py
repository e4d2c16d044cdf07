"""A study split in three, or its Parquet file, has exactly the same scores as its record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import merged
from long import long_but
from small_studies import SMALLER, STUDIES

from hype.protocols.registry import PROTOCOLS

UNTIMED = {"study": {"methods": ["infinity"]}}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{protocol.name: (protocol.name, {}) for protocol in PROTOCOLS},
    "infinity": ("hype", UNTIMED),
    "both methods": ("hype", {"study": {"methods": ["time", "infinity"]}}),
    "within": ("hype", merged(UNTIMED, {"study": {"conditions_each": 2}})),
}
KNOWN_TO_STUDIES = (
    *("criterion", "demographics", "demographic_tests", "plan", "validation", "min_correct"),
    *("screening", "check_share", "powered", "said", "notes"),
)
"""Keys of scores that a table cannot give, since they need the study file."""


def without(score: Any, *names: str) -> Any:
    if isinstance(score, list):
        return [without(each, *names) for each in score]
    if isinstance(score, dict):
        return {key: without(each, *names) for key, each in score.items() if key not in names}
    return score


@pytest.mark.long
@pytest.mark.parametrize("name", long_but(["both methods"], VARIANTS))
def test_parquet_and_three_parts_of_it_score_as_the_record(name, tmp_path, hype):
    protocol, changes = VARIANTS[name]
    folder, out = tmp_path / "study", tmp_path / "out"
    folder.mkdir()
    study = STUDIES[protocol](folder, **merged(SMALLER[protocol], changes))
    assert hype("simulate", study.path, "--evaluators", 6).code == 0
    assert hype("export", study.path, "--simulated", "--format", "parquet", "-o", out).code == 0
    (table,) = out.glob("*.parquet")
    of_record, of_table = (
        hype("score", source, "--simulated", "--json").json for source in (study.path, table)
    )
    frame = pd.read_parquet(table).assign(simulated=False)  # only people can be in two studies
    frame.to_parquet(table)
    whole = hype("score", table, "--json").json
    people = np.array_split(frame["evaluator"].unique(), 3)
    by_people = [frame[frame["evaluator"].isin(own)] for own in people]
    by_condition = [own for _, own in frame.groupby("condition")] if name == "within" else []

    assert without(of_record, *KNOWN_TO_STUDIES) == without(of_table, *KNOWN_TO_STUDIES)
    for parts in filter(None, (by_people, by_condition)):
        paths = [tmp_path / f"part-{number}.parquet" for number in range(len(parts))]
        for path, rows in zip(paths, parts, strict=True):
            rows.to_parquet(path)
        done = hype("score", *paths, "--json")
        assert done.code == 0, done.err
        assert without(done.json, "notes") == without(whole, "notes")
