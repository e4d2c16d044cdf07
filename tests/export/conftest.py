"""One study for the tests of its tidy tables: strange names, and everybody in its record."""

from __future__ import annotations

import pytest
from export_studies import strange_study, with_everybody

from hype.study.load import Study


@pytest.fixture(scope="session")
def tidy_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Give a study that is only to be read."""
    study = strange_study(
        tmp_path_factory.mktemp("tidy") / "study",
        study={"name": 'Über; "x", =1+1'},
        timing={"spoiled_trials": "repeat"},
    )
    return with_everybody(study, rounds=1)
