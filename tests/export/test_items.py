"""The items exported for automated judges are exactly the items that people get."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from known import write_items

from hype.errors import InputError
from hype.files import unguard
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy


@pytest.fixture
def unasked(tmp_path):
    """Return a function that copies a study without its record."""

    def copied(study: AnyStudy) -> AnyStudy:
        ignored = shutil.ignore_patterns(f"{RECORD_FILE}*")
        return load_any(Path(shutil.copytree(study.folder, tmp_path / "study", ignore=ignored)))

    return copied


def items_in(folder: Path) -> list[dict[str, str]]:
    with (folder / "items.csv").open(encoding="utf-8", newline="") as file:
        return [{k: unguard(v) for k, v in row.items()} for row in csv.DictReader(file)]


def told_in(folder: Path) -> Any:
    return json.loads((folder / "items.json").read_text(encoding="utf-8"))


def met_in(study: AnyStudy, task: str, names: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return the items that people and simulated evaluators saw in a task."""
    found = set()
    for simulated in (False, True):
        with reading_record(study.folder / RECORD_FILE) as engine:
            exported = (
                protocol_of(study)
                .export_kind(study)
                .outgoing.read(engine, study, simulated=simulated)
            )
            for row in exported.rows:
                cells = dict(zip(exported.columns, row, strict=True))
                if cells["task"] == task:
                    found.add(tuple(cells[name] or "" for name in names))
    return found


@pytest.mark.parametrize("name", ["tidy_ratings", "tidy_single_ratings"])
def test_the_items_are_those_that_people_rate(name, request, unasked, tmp_path):
    study = request.getfixturevalue(name)
    written = write_items(unasked(study), tmp_path / "out")
    rows = items_in(tmp_path / "out")
    columns = ("item", "prompt", "first_image", "second_image", "first", "second")

    assert tuple(rows[0]) == columns
    assert {tuple(row.values()) for row in rows} == met_in(study, "rating", columns)
    assert len({row["item"] for row in rows}) == len(rows)
    assert str(written) == f"{len(rows)} items"


def test_axes_go_along_with_their_questions_and_answers(tidy_single_ratings, tmp_path):
    write_items(tidy_single_ratings, tmp_path)
    told = told_in(tmp_path)
    axes = {axis["name"]: axis for axis in told["axes"]}

    assert list(axes) == ["anatomy", "aesthetics"]
    assert axes["anatomy"]["question"] == "Is the anatomy in this image right?"
    assert list(axes["anatomy"]["answers"]) == ["yes", "no", "not-relevant"]
    assert list(axes["aesthetics"]["answers"]) == [*"1234567", "not-relevant"]
    assert told["study_checksum"] == tidy_single_ratings.checksum()
    assert told["stimuli"] == "stimuli"
    assert "truth" not in (tmp_path / "items.csv").read_text(encoding="utf-8")


def test_the_images_are_those_of_groups_that_are_scored(screened_rankings, unasked, tmp_path):
    written = write_items(unasked(screened_rankings), tmp_path / "out")
    rows = items_in(tmp_path / "out")
    columns = ("group", "prompt", "image", "condition", "split")

    assert tuple(rows[0]) == columns
    assert {tuple(row.values()) for row in rows} == met_in(screened_rankings, "ranking", columns)
    assert len({row["image"] for row in rows}) == len(rows) == 20
    assert str(written) == "20 images"
    assert told_in(tmp_path / "out")["question"] == screened_rankings.settings.ranking.question


def test_a_judgement_is_nothing_for_judges(tidy_study, tmp_path):
    with pytest.raises(InputError, match="has no items for judges"):
        write_items(tidy_study, tmp_path / "out")
    assert not (tmp_path / "out").exists()
