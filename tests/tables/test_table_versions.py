"""Tables of a study that was changed while it ran: versions are never scored together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.hype.table import TABLE
from hype.tables.codebook import Codebook, keep_one_version

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    f"{who},{condition},{truth},real,{version}"
    for who, condition, version in (("p1", "a", 1), ("p2", "b", 2))
    for truth in ("real", "fake")
]


def table(folder: Path, header: str, *rows: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def test_several_versions_are_refused_until_one_is_chosen(tmp_path):
    path = table(tmp_path, "evaluator,condition,truth,answer,study_version", *ROWS)
    message = (
        "table.csv: contains 2 versions of a study, which are never scored together; choose one"
    )
    with pytest.raises(InputError, match=re.escape(f"{message}: --version 1, --version 2")):
        TABLE.load(path)
    chosen = TABLE.load(path, codebook=Codebook(version=2)).frame

    assert chosen["evaluator"].cat.categories.tolist() == ["p2"]
    assert chosen["condition"].cat.categories.tolist() == ["b"]


@pytest.mark.parametrize("cells", [["1", "1"], ["", ""], [1, 1], [1.0, 1.0], ["1", " 1.0 "]])
def test_one_version_need_not_be_chosen(cells):
    frame = pd.DataFrame({"study_version": cells})

    assert keep_one_version(frame, None, "here") is frame


@pytest.mark.parametrize("cells", [["1", "2"], [1, 2], [1.0, 2.0], ["1.0", "2.0"]])
def test_a_version_is_known_however_it_is_written(cells):
    frame = pd.DataFrame({"study_version": cells, "n": [1, 2]})

    assert keep_one_version(frame, 2, "here")["n"].tolist() == [2]


def test_a_version_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"--version: here has no version 3; one of: --version 1$"):
        keep_one_version(pd.DataFrame({"study_version": [1]}), 3, "here")
    with pytest.raises(InputError, match="here has no column study_version"):
        keep_one_version(pd.DataFrame({"n": [1]}), 1, "here")


def pooled(*studies: tuple[str, int], evaluators: str = "pq") -> pd.DataFrame:
    return pd.DataFrame(
        [
            (who, condition, truth, "real", study, version)
            for (study, version), who in zip(studies, evaluators, strict=True)
            for condition in "ab"
            for truth in ("real", "fake")
        ],
        columns=["evaluator", "condition", "truth", "answer", "study_name", "study_version"],
    )


def test_several_studies_are_scored_as_one_and_named():
    frame = pooled(("mine", 1), ("theirs", 2))
    assert keep_one_version(frame, None, "here") is frame
    (note,) = TABLE.check_table(frame).notes
    assert note == (
        "The rows come from 2 studies, which are scored as one: mine version 1 (4 rows); theirs "
        "version 2 (4 rows). All results include the differences between these studies, and the "
        "same evaluator code in two studies counts as one person."
    )
    assert TABLE.check_table(pooled(("mine", 1), ("mine", 1))).notes == ()
    with pytest.raises(InputError, match="contains 2 versions of a study"):
        keep_one_version(pooled(("mine", 1), ("mine", 2)), None, "here")
