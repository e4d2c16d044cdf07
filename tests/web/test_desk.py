"""The desk: one code for each person, in a file outside studies or in the record's store."""

import csv
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from postgres_server import run_postgres
from served import served
from small_studies import SMALLER, STUDIES
from sqlalchemy import delete

from hype.errors import InputError
from hype.store.postgres import PostgresRecord, make_record, people
from hype.web.desk import Desk, FileDesk, TableDesk, people_in
from hype.web.sitting import Sitting


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with run_postgres() as server:
        make_record(url := server.database("desk"))
        yield url


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


@pytest.fixture(params=["file", "table"])
def desk(request: pytest.FixtureRequest, file: Path) -> Iterator[Desk]:
    if request.param == "file":
        yield FileDesk(file.with_name("key"), file)
        return
    with PostgresRecord(request.getfixturevalue("store"), "").writing() as engine:
        with engine.begin() as connection:
            connection.execute(delete(people))
        yield TableDesk(engine)


def test_who_comes_again_keeps_their_code(desk):
    one, other = desk.code_of("prolific:a"), desk.code_of("prolific:b")

    assert one != other
    assert desk.code_of("prolific:a") == one
    assert {code: row["person"] for code, row in desk.people().items()} == {
        one: "prolific:a",
        other: "prolific:b",
    }


def test_only_its_owner_can_read_the_file(file):
    FileDesk(file, file).code_of("prolific:a")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_the_platform_wants_in_the_end_is_that_of_the_last_time(desk):
    for assignment in ("FIRST", "SECOND"):
        code = desk.code_of("mturk:a", {"assignment": assignment})

    assert desk.row_of(code)["assignment"] == "SECOND"
    assert desk.code_of("mturk:a") == code
    assert desk.people()[code]["assignment"] == "SECOND"
    assert desk.row_of("nobody") == {}


def test_who_has_a_code_in_another_study_has_it_here(desk, file):
    others = file.with_name("other.csv"), file.with_name("not-there.csv")
    code = FileDesk(others[0], others[0]).code_of("sona:a")

    assert desk.code_of("sona:a", others=others) == code
    assert desk.code_of("sona:a") == code


def test_a_line_is_struck(desk):
    one, other = desk.code_of("a"), desk.code_of("b")

    assert desk.strike(one)
    assert not desk.strike(one)
    assert list(desk.people()) == [other]
    assert desk.code_of("a") != one


def test_doors_close_and_open_and_links_are_renewed(desk):
    assert desk.closing_time() is None
    desk.set_doors(is_open=False)
    assert time.time() - 60 < desk.closing_time() <= time.time() + 1
    desk.set_doors(is_open=True)
    assert desk.closing_time() is None

    before = desk.key()
    desk.renew_links()
    assert desk.key().secret == before.secret
    assert desk.key().links != before.links


def test_it_is_refused_in_a_study_and_where_it_is_none(file, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.toml").touch()
    inside = tmp_path / "study" / "people.csv"
    desk = FileDesk(inside, inside)
    for use in (lambda: desk.code_of("a"), desk.people, lambda: desk.strike("a")):
        with pytest.raises(InputError, match="would be in a study"):
            use()
    with pytest.raises(InputError, match="there is no such file"):
        people_in(file)
    file.write_text("name,address\n")
    with pytest.raises(InputError, match="has no column code, person"):
        FileDesk(file, file).code_of("a")


MANY = """
import sys
from pathlib import Path
from hype.web.desk import FileDesk
file = Path(sys.argv[1])
desk = FileDesk(file, file)
for number in range(20):
    desk.code_of(f"person {number}")
    desk.code_of(f"person {number} of {sys.argv[2]}")
"""


def test_several_programs_share_it(file):
    programs = [subprocess.Popen([sys.executable, "-c", MANY, str(file), who]) for who in "abc"]
    assert [program.wait(timeout=120) for program in programs] == [0, 0, 0]
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))

    assert len({row["person"] for row in rows}) == len(rows) == 20 + 3 * 20
    assert len({row["code"] for row in rows}) == len(rows)


def test_with_a_store_people_are_paid_and_forgotten_by_its_table(
    store, tmp_path, hype, monkeypatch
):
    monkeypatch.setattr(Sitting, "_least_s", lambda *_: 0.0)
    monkeypatch.setenv("HYPE_STORE", store)
    (tmp_path / "study").mkdir()
    web = {"platform": "prolific", "completion": "DONE"}
    study = STUDIES["comparison"](tmp_path / "study", **SMALLER["comparison"], web=web)
    study = replace(study, store=store)
    with PostgresRecord(store, study.settings.study.name).writing() as engine:
        code = TableDesk(engine).code_of("prolific:" + 24 * "a")
    with served(study) as open_tab:
        tab = open_tab(code, simulated=False)
        tab.sit()
        tab.go_to("end")
    pay, elsewhere = tmp_path / "pay.csv", tmp_path / "people.csv"

    assert hype("status", study.folder, "--pay", pay).code == 0
    name, amount = (tmp_path / "pay-prolific.csv").read_text().strip().split(",")
    assert name == 24 * "a"
    assert float(amount) > 0
    for command in (("forget", study.folder, code, "--yes"), ("serve", study.folder)):
        refused = hype(*command, "--key", elsewhere)
        assert refused.code == 2
        assert "the store's table “people” contains" in refused.err
    forgotten = hype("forget", study.folder, code, "--yes")
    assert f"The table of people no longer has a line on {code}." in forgotten.out
    with PostgresRecord(store, study.settings.study.name).writing() as engine:
        assert code not in TableDesk(engine).people()
