"""Changed studies: refused, started as a new version on request, and scored separately."""

from pathlib import Path

import pytest
from builders import named_study, write_study

ENOUGH = {"": 20, "crude": 20, "good": 20}
SHORT = {
    "study": {"methods": ["infinity"], "evaluators": 2},
    "qualification": {"enabled": False},
}
CHANGED = {**SHORT, "infinity": {"trials": 8}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return named_study(tmp_path / "study", ENOUGH, **SHORT).folder


def test_a_changed_study_is_scored_version_by_version(hype, folder):
    hype("simulate", folder)
    write_study(folder, **CHANGED)
    said = hype("simulate", folder).refused()
    assert "study.toml: differs from the study of earlier simulated evaluators " in said
    assert "(infinity.trials: 6 → 8); put back what was changed, " in said
    as_given = hype("score", folder, "--simulated", "--json")
    assert "changed after evaluators took part (infinity.trials: 6 → 8)" in " ".join(
        as_given.err.split()
    )
    assert "version" not in as_given.json
    assert hype("simulate", folder, "--new-version").code == 0

    refused = hype("score", folder, "--simulated")
    assert (refused.code, refused.out) == (2, "")
    assert "version 2: " in refused.err
    assert "4 evaluators; infinity.trials: 6 → 8" in refused.err
    one, two = (hype("score", folder, "--simulated", "--version", n, "--json") for n in (1, 2))
    assert one.json["version"] == {"number": 1, "of": 2}
    assert one.json["conditions"] == as_given.json["conditions"]
    assert [c["judgements"] for c in two.json["conditions"]] == [16, 16]

    page = folder / "two.html"
    hype("report", folder, "--simulated", "--version", 2, "-o", page)
    assert "study version" in page.read_text(encoding="utf-8")
    told = hype("status", folder, "--simulated", "--json").json
    assert (told["version"], [v["evaluators"] for v in told["versions"]]) == (2, [4, 4])


def test_an_export_holds_all_versions_and_its_table_is_scored_one_at_a_time(hype, folder):
    hype("simulate", folder)
    write_study(folder, **CHANGED)
    hype("simulate", folder, "--new-version")
    assert hype("export", folder, "--simulated", "-o", folder / "out").code == 0
    table = folder / "out" / "judgements.csv"

    assert "contains 2 versions of a study" in hype("score", table).refused()
    assert hype("score", table, "--version", 3).code == 2
    of_study = hype("score", folder, "--simulated", "--version", 2, "--json").json
    of_table = hype("score", table, "--version", 2, "--json").json
    assert of_table["conditions"] == of_study["conditions"]
    for name in ("bids", "psych-ds"):
        some = hype("export", folder, "--simulated", "--format", name, "-o", folder / name)
        assert (some.code, some.out) == (2, "")
        assert "choose one: --version 1, --version 2" in some.err
    chosen = ("--format", "psych-ds", "--version", 1, "-o", folder / "one")
    assert hype("export", folder, "--simulated", *chosen).code == 0
