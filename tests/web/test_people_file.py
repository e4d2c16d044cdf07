"""The file of people: one code for each person, kept outside of studies."""

import csv
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hype.errors import InputError
from hype.web.arrivals import code_of, people_in, strike


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def test_who_comes_again_keeps_their_code(file):
    one, other = code_of(file, "prolific:a"), code_of(file, "prolific:b")

    assert one != other
    assert code_of(file, "prolific:a") == one
    assert {code: row["person"] for code, row in people_in(file).items()} == {
        one: "prolific:a",
        other: "prolific:b",
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_the_platform_wants_in_the_end_is_that_of_the_last_time(file):
    for assignment in ("FIRST", "SECOND"):
        code = code_of(file, "mturk:a", {"assignment": assignment})

    assert people_in(file)[code]["assignment"] == "SECOND"
    assert code_of(file, "mturk:a") == code
    assert people_in(file)[code]["assignment"] == "SECOND"


def test_a_line_is_struck(file):
    one, other = code_of(file, "a"), code_of(file, "b")

    assert strike(file, one)
    assert not strike(file, one)
    assert list(people_in(file)) == [other]
    assert code_of(file, "a") != one


def test_it_is_refused_in_a_study_and_where_it_is_none(file, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.toml").touch()
    for use in (lambda path: code_of(path, "a"), people_in, lambda path: strike(path, "a")):
        with pytest.raises(InputError, match="would lie in a study"):
            use(tmp_path / "study" / "people.csv")
    with pytest.raises(InputError, match="there is no such file"):
        people_in(file)
    file.write_text("name,address\n")
    with pytest.raises(InputError, match="has no column code, person"):
        code_of(file, "a")


MANY = """
import sys
from pathlib import Path
from hype.web.arrivals import code_of
for number in range(20):
    code_of(Path(sys.argv[1]), f"person {number}")
    code_of(Path(sys.argv[1]), f"person {number} of {sys.argv[2]}")
"""


def test_several_programs_share_it(file):
    programs = [subprocess.Popen([sys.executable, "-c", MANY, str(file), who]) for who in "abc"]
    assert [program.wait(timeout=120) for program in programs] == [0, 0, 0]
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))

    assert len({row["person"] for row in rows}) == len(rows) == 20 + 3 * 20
    assert len({row["code"] for row in rows}) == len(rows)
