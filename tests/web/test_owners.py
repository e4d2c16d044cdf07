"""The owners' page over HTTP: who may add a model, refusals, and complete additions."""

import io
import json
import socket
import time
import zipfile
from pathlib import Path

import pytest
from builders import contents, noise
from served import HOST, KEY, Tab, listening
from test_addition import images_for, left, study_of, zipped

from hype.protocols.load import load_any
from hype.stimuli import zipped as zips
from hype.store.record import RECORD_FILE
from hype.store.seats import hold_seat, is_taken
from hype.web import owners
from hype.web.experimenter import watch_path
from hype.web.owners import SEAT, owners_path

PATIENCE_S = 120
LINK = owners_path(KEY)


@pytest.fixture
def study(tmp_path):
    return study_of("comparison", tmp_path / "s")


def detail_in(answer):
    return json.loads(answer).get("detail", "") if answer.startswith(b"{") else ""


class Owner:
    """A browser that has opened the owners' link."""

    def __init__(self, port, path=LINK):
        self.client = Tab(port, "none", simulated=False).client
        self.client._cookie = ""
        if path:
            assert self.client.get(path)[0] == 200

    def state(self):
        status, content = self.client.get("/add/state")
        assert status == 200, content
        return json.loads(content)

    def check(self, name, size=100):
        report = json.dumps({"name": name, "bytes": size})
        status, _, answer = self.client._ask("POST", "/add/check", report)
        return status, detail_in(answer)

    def send(self, name, content, **headers):
        connection = self.client._connection
        given = {"Content-Type": "application/zip", "Cookie": self.client._cookie} | headers
        connection.request("POST", f"/add/images?name={name}", content, given)
        answer = connection.getresponse()
        return answer.status, detail_in(answer.read())

    def end(self):
        """Wait until the addition is over; return its last state and the steps before it."""
        doing, end_s = set(), time.monotonic() + PATIENCE_S
        while not (state := self.state())["is_over"]:
            doing.add(state.get("doing"))
            assert time.monotonic() < end_s
            time.sleep(0.05)
        return state, doing - {None}


@pytest.fixture
def owner(study):
    with listening(study) as port:
        opened = Owner(port)
        yield opened
        opened.client.close()


def packed(study, tmp_path, *, within=""):
    tmp_path.mkdir(exist_ok=True)
    folder = images_for(study, tmp_path / "new")
    return zipped(folder, tmp_path / "new.zip", within=within).read_bytes()


def test_a_zip_is_added(study, owner, tmp_path):
    assert owner.state() == {}
    assert owner.check("new")[0] == 200
    assert owner.send("new", packed(study, tmp_path))[0] == 202
    state, doing = owner.end()
    assert (state["name"], state["added"], state["problems"]) == ("new", True, [])
    assert state["images"] == len(list((tmp_path / "new").iterdir()))
    assert doing
    assert list(load_any(study.path).added) == ["new"]
    assert not is_taken(study.folder / RECORD_FILE, SEAT)
    assert not list(tmp_path.glob("state/hype/serve/*.adding/*"))
    refused = f"'new' joined on {day_of(study)}; give another name"
    assert owner.check("new") == (409, refused)


def day_of(study):
    return load_any(study.path).added["new"].day


def test_each_wrong_file_is_named(study, owner, tmp_path):
    before = left(study)
    folder = images_for(study, tmp_path / "new")
    noise(9).save(folder / "a_unicorn_01.png")
    (folder / "a_bag_99.png").write_text("no image")
    owner.send("new", zipped(folder, tmp_path / "new.zip").read_bytes())
    state, _ = owner.end()
    assert not state["added"]
    assert state["files"] == 2
    wrong = {one["where"]: one for one in state["problems"]}
    assert wrong["a_bag_99.png"]["problem"] == "is not an image"
    assert "'a unicorn', which is not a prompt of the study" in wrong["a_unicorn_01.png"]["problem"]
    assert all(one["allowed"] for one in wrong.values())
    assert str(tmp_path) not in json.dumps(state)
    assert left(study) == before


@pytest.mark.long
def test_what_does_not_suffice_is_said_without_places_of_files(study, owner, tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as one:
        noise(9).save(tmp_path / "a_bag_1.png")
        one.write(tmp_path / "a_bag_1.png", "a_bag_1.png")
    owner.send("new", content.getvalue())
    (problem,) = owner.end()[0]["problems"]
    assert problem["where"] == "the zip"
    assert "does not fit this study" in problem["problem"]
    assert str(tmp_path) not in json.dumps(problem)


@pytest.mark.long
def test_of_a_study_that_is_served_from_its_folder_names_stay_as_they_are(
    study, tmp_path, monkeypatch
):
    monkeypatch.chdir(study.folder)
    with listening(load_any(Path())) as port:
        there = Owner(port)
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as one:
            one.writestr("../a_bag_1.png", b"x")
        there.send("new", content.getvalue())
        state, _ = there.end()
        there.client.close()
    assert [problem["where"] for problem in state["problems"]] == ["'../a_bag_1.png'"]
    assert str(tmp_path) not in json.dumps(state)


PAGES = ("/add", "/add/needs", "/add/state")


@pytest.mark.parametrize("path", ["", watch_path(KEY)])
def test_nothing_is_there_without_the_token(study, path):
    with listening(study) as port:
        stranger = Owner(port, path)
        for page in (*PAGES, "/add/wrong", LINK[:-1]):
            assert stranger.client.get(page)[0] == 404
        assert stranger.check("new")[0] == 404
        assert stranger.send("new", b"x")[0] == 404
        stranger.client.close()


def test_the_token_adds_and_does_nothing_else(owner):
    assert [owner.client.get(page)[0] for page in PAGES] == [200, 200, 200]
    for page in ("/watch", "/watch/state", "/watch/report"):
        assert owner.client.get(page)[0] == 404
    assert owner.client._ask("POST", "/watch/doors", '{"open": false}')[0] == 404


def test_another_site_cannot_send(owner):
    assert owner.send("new", b"x", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert owner.send("new", b"x", **{"Content-Type": "text/plain"})[0] == 400


def test_impossible_names_are_refused_before_anything_is_sent(owner):
    for name in ("crude", "real", "", "x" * 65):
        status, why = owner.check(name)
        assert status == 409, name
        assert why
    assert owner.state() == {}


def test_a_zip_that_is_too_large_is_refused(owner, monkeypatch):
    status, why = owner.check("new", zips.MOST_PACKED_BYTES + 1)
    assert (status, why.partition("; ")[2]) == (409, zips.LIMITS)
    usage = type("Usage", (), {"free": 3})
    monkeypatch.setattr(zips.shutil, "disk_usage", lambda folder: usage)
    status, why = owner.send("new", b"more")
    assert status == 409
    assert "8 bytes temporarily, but only 3 are free here" in why


def test_one_is_added_at_a_time(study, owner, tmp_path):
    record = study.folder / RECORD_FILE
    for seat in (SEAT, "add"):
        with hold_seat(record, seat, "adding"):
            assert owner.check("new") == (409, owners.OTHERS)
            assert owner.send("new", packed(study, tmp_path / seat))[0] == 409


def begun(owner, size, sent):
    """Start to send a file, and stop after ``sent``."""
    connection = socket.create_connection((HOST, owner.client._connection.port))
    head = f"POST /add/images?name=new HTTP/1.1\r\nHost: x\r\nCookie: {owner.client._cookie}\r\n"
    head += f"Content-Type: application/zip\r\nContent-Length: {size}\r\n\r\n"
    connection.sendall(head.encode() + sent)
    while not owner.state():
        time.sleep(0.01)
    return connection


def test_a_connection_that_is_cut_leaves_nothing(study, owner):
    before = left(study)
    with begun(owner, 10_000, b"PK"):
        assert owner.state()["is_over"] is False
    state, _ = owner.end()
    assert state["problems"] == [owners.CUT_OFF]
    assert left(study) == before
    assert owner.check("new")[0] == 200


def test_a_connection_that_says_nothing_more_is_given_up(study, owner, monkeypatch):
    monkeypatch.setattr(owners, "LONGEST_WAIT_S", 0.2)
    with begun(owner, 10_000, b"PK") as connection:
        assert b"408" in connection.recv(100)
        assert owner.end()[0]["problems"] == [owners.CUT_OFF]


def test_what_a_killed_server_left_is_taken_away(study, tmp_path):
    with listening(study) as port:
        owner = Owner(port)
        with begun(owner, 10_000, b"PK"):
            pass
        owner.end()
        owner.client.close()
    (home,) = tmp_path.glob("state/hype/serve/*.adding")
    left_behind = home / ".hype-zip-abcdefgh"
    left_behind.mkdir()
    with listening(study):
        assert not left_behind.exists()


def test_ending_the_server_ends_the_addition(study, tmp_path):
    before = contents(study.stimuli_folder)
    with listening(study) as port:
        owner = Owner(port)
        owner.send("new", packed(study, tmp_path))
        owner.client.close()
    assert not is_taken(study.folder / RECORD_FILE, "add")
    assert contents(study.stimuli_folder) == before
    assert list((study.folder / "added").iterdir() if load_any(study.path).added else []) == []


def test_what_a_zip_must_hold_is_said(study, owner):
    needs = json.loads(owner.client.get("/add/needs")[1])
    assert "16 x 16 px or more" in needs["lines"][1]
    assert needs["prompts"]
