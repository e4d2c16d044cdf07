"""A datasheet: what the study knows, what its owner says, and what is left open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders import merged
from running import Program
from small_studies import SMALLER, STUDIES
from standard_studies import everybody, strange_study

from hype.export.data_set import ABOUT_FILE
from hype.export.datasheet import FILE, questions, write_datasheet
from hype.protocols.hype.settings import Study
from hype.protocols.registry import PROTOCOLS
from hype.store.record import RECORD_FILE, reading_record

EVERY = {key: text for asked in questions().values() for key, text in asked.items()}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return everybody(strange_study(tmp_path_factory.mktemp("datasheet") / "study"))


def sheet_of(study: Study, folder: Path) -> dict[str, str]:
    """Write a datasheet; gives what stands below each question, by its key."""
    folder.mkdir()
    with reading_record(study.folder / RECORD_FILE) as engine:
        write_datasheet(engine, study, folder, simulated=False)
    text = (folder / FILE).read_text(encoding="utf-8").partition("\n## Open questions")[0]
    parts = re.split(r"\n\*\*(.+?)\*\*\n|\n## .+\n", text)
    given = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {key: given[question].strip() for key, question in EVERY.items()}


def test_a_study_says_what_it_knows_of_people_and_answers(study: Study, tmp_path: Path) -> None:
    given = sheet_of(study, tmp_path / "out")

    assert "are scored" in given["number"]
    assert "`evaluator`: the evaluator's code" in given["fields"]
    assert "practice" in given["errors"]
    assert "attended by" in given["people"]
    assert given["purpose"] == "*Open: a question for the owner of the data (`purpose`).*"
    for key in ("timeframe", "acquired", "sampling", "consent", "revocation", "sensitive"):
        assert not given[key].startswith("*Open"), key


def test_what_the_owner_answers_is_kept_when_it_is_made_anew(study: Study, tmp_path: Path) -> None:
    about = study.folder / ABOUT_FILE
    kept = about.read_text(encoding="utf-8") if about.exists() else ""
    more = '\n[datasheet]\npurpose = "To try it."\nnumber = "More will follow."\nrisks = ""\n'
    about.write_text(kept + more, encoding="utf-8")
    try:
        first, again = (sheet_of(study, tmp_path / name) for name in ("one", "two"))
    finally:
        about.write_text(kept, encoding="utf-8")

    assert first == again
    assert first["purpose"] == "To try it."
    assert first["number"].endswith("More will follow.")
    assert first["risks"].startswith("*Open")


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_every_protocol_has_a_datasheet(protocol, tmp_path: Path, hype: Program) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    study = STUDIES[protocol.name](folder, **merged(SMALLER[protocol.name], {}))
    assert hype("simulate", study.path, "--evaluators", 2).code == 0
    export = ("export", study.path, "--format", "datasheet", "--simulated", "-o", tmp_path / "out")
    done = hype(*export)

    text = (tmp_path / "out" / FILE).read_text(encoding="utf-8")
    assert done.code == 0, done.err
    assert f"of {len(EVERY)} questions answered" in done.out
    assert all(f"**{question}**" in text for question in EVERY.values())
    assert "SIMULATED EVALUATORS" in text
    number = int(re.search(r"(\d+) of \d+ questions", done.out)[1])
    assert number == len(EVERY) - text.count("*Open: ")
    (study.folder / ABOUT_FILE).write_text('[datasheet]\nnix = "x"\n', encoding="utf-8")
    refused = hype(*export)
    assert refused.code == 2
    assert "datasheet.nix: is no question; one of purpose, creators" in refused.err
