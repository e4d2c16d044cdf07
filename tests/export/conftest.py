"""Studies for the tests of their tables: strange names, and everybody in their records."""

from __future__ import annotations

import pytest
from export_comparing_studies import comparing_study, with_comparing_people
from export_studies import strange_study, with_everybody

from hype.study.studies import ComparisonStudy, Study


@pytest.fixture(scope="session")
def tidy_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Give a study that is only to be read."""
    study = strange_study(
        tmp_path_factory.mktemp("tidy") / "study",
        study={"name": 'Über; "x", =1+1'},
        timing={"spoiled_trials": "repeat"},
    )
    return with_everybody(study, rounds=1)


@pytest.fixture(scope="session")
def tidy_comparisons(tmp_path_factory: pytest.TempPathFactory) -> ComparisonStudy:
    """Give a study of comparisons that is only to be read."""
    return with_comparing_people(comparing_study(tmp_path_factory.mktemp("comparing") / "study"))
