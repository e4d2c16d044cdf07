"""The description of a study in words, for its report."""

import shutil
from pathlib import Path

import pytest
from verified_records import sound_study

from hype.protocols.hype.report import FLOW_COLUMNS, background_of
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.load import load_study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return sound_study(tmp_path_factory.mktemp("study"))


@pytest.fixture
def copied(study: Study, tmp_path: Path) -> Study:
    return load_study(Path(shutil.copytree(study.folder, tmp_path / "study")))


def test_rows_of_the_flow_add_up(study):
    found = background_of(study, simulated=False)

    assert found.flow_columns == (*FLOW_COLUMNS, "Not qualified")
    assert [row[:2] for row in found.flow] == [
        ("crude", "HYPE_time and HYPE_∞"),
        ("good", "HYPE_time and HYPE_∞"),
    ]
    for row in found.flow:
        came, *became = map(int, row[2:])
        assert came == sum(became)
    assert sum(int(row[2]) for row in found.flow) == 5


def test_a_study_whose_folders_are_gone_is_described_by_its_record(copied):
    shutil.rmtree(copied.folder / "stimuli")
    shutil.rmtree(copied.folder / "masks")
    found = background_of(copied, simulated=False)

    assert "two conditions (crude and good)" in found.design[0]
    assert len(found.flow) == 2


def test_places_that_are_not_of_the_design_any_more_stay_in_the_flow(copied):
    one = copied.settings.model_dump() | {"stimuli": {"folder": "stimuli", "conditions": ("good",)}}
    found = background_of(
        Study(path=copied.path, settings=StudyFile.model_validate(one)), simulated=False
    )

    assert [row[0] for row in found.flow] == ["good", "crude"]
    assert [name for name, _ in found.facts] == ["Collected"]  # the same numbers as in the scores
