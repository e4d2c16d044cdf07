"""A study file names a server of a stranger's: what it gets to see."""

from __future__ import annotations

import ast
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import whole_study
from central.program import Ended
from central.stranger import ASKS, Stranger, stranger

import hype as package
from hype.cli.main import main
from hype.cli.run import push_at_the_end
from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.session.admitting import admit
from hype.session.pushing import FAILED, attempt, background_pusher
from hype.session.simulate import Simulation
from hype.store.record import RECORD_FILE, writing_record

ROOT = Path(package.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

WORD = "s3cret-of-mine"
COMMANDS = {
    "check": lambda folder, _: ("check", folder, "--no-display"),
    "sync": lambda folder, _: ("sync", folder),
    "sync --to": lambda folder, url: ("sync", folder, "--to", url),
    "status --central": lambda folder, _: ("status", folder, "--central"),
    "score --central": lambda folder, _: ("score", folder, "--central"),
    "score URL": lambda _, url: ("score", url),
}
SHORT = {
    "study": {"methods": ["infinity"], "consent": False},
    "qualification": {"enabled": False},
    "practice": {"trials": 0},
    "infinity": {"trials": 2, "blocks": 2},
    "masks": None,
}
BY_HAND = ("sync --to", "score URL")
Run = Callable[..., Ended]


@pytest.fixture(autouse=True)
def _password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a password that is good anywhere, as PGPASSWORD is; and trust nobody."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGPASSWORD", WORD)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program here, which is quicker."""

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["hype", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, " ".join(said.err.split()))

    return run


def study_at(folder: Path, url: str) -> Path:
    """Give the folder of a study with a record, whose file names a store."""
    study = whole_study(folder, store={"central": url}, **SHORT)
    with writing_record(folder / RECORD_FILE) as engine:
        list(Simulation(engine, conduct_of(study), seed=1).come(1))
    return folder


def saw_nothing_secret(server: Stranger) -> None:
    """See that it was told no password, nothing that stands for one, and no statement."""
    assert WORD.encode() not in server.received
    assert not re.search(rb"md5[0-9a-f]{32}", server.received)
    assert b"BEGIN" not in server.received


@pytest.mark.parametrize("asks", ASKS)
def test_a_password_is_told_to_nobody(asks: str, tmp_path: Path, run: Run) -> None:
    """Not even to a server that is trusted, by mistake or because another listens in its place."""
    with stranger(asks) as server:
        folder = study_at(tmp_path / "study", server.url())
        assert run("trust", f"127.0.0.1:{server.port}").code == 0
        for number, words in enumerate(COMMANDS.values(), start=1):
            ended = run(*words(folder, server.url()))

            assert ended.code == 2, ended
            assert "must ask for a password by scram-sha-256" in " ".join(ended.said.split())
            assert server.visits == number
    saw_nothing_secret(server)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in BY_HAND])
def test_a_server_that_is_not_trusted_is_not_asked(
    name: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = []
    ask = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *words, **more: looked_up.append(words) or ask(*words, **more)
    )
    with stranger("password") as server:
        url = server.url(host="localhost")
        folder = study_at(tmp_path / "study", url)
        ended = run(*COMMANDS[name](folder, url))

        assert (server.visits, looked_up) == (0, [])
        assert ended.code == (1 if name == "check" else 2)
        said = " ".join(ended.said.split())
        assert f"store.central: localhost:{server.port} is not trusted" in said
        assert f"hype trust localhost:{server.port}" in said
        assert "Ready." not in said
        # Which the test would have noticed:
        assert run("trust", f"localhost:{server.port}").code == 0
        run(*COMMANDS[name](folder, url))
        assert server.visits
        assert looked_up


def test_a_session_goes_on_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stranger("password") as server:
        study = load_any(study_at(tmp_path / "study", server.url()))
        remarks: list[str] = []
        with writing_record(study.folder / RECORD_FILE) as engine:
            admit(engine, conduct_of(study), "p01", simulated=False, remark=remarks.append)
        push_at_the_end(study)
        said = " ".join(capsys.readouterr().err.split())

        assert f"127.0.0.1:{server.port} is not trusted" in remarks[0]
        assert "until then, this station goes by its own share of the places" in remarks[0]
        assert f"127.0.0.1:{server.port} is not trusted" in said
        assert "every answer is in this station's record, and hype sync pushes it later" in said
        assert server.visits == 0


def test_the_parts_of_a_session_tell_no_password(tmp_path: Path, run: Run) -> None:
    with stranger("password") as server:
        study = load_any(study_at(tmp_path / "study", server.url()))
        protocol = conduct_of(study)
        remarks: list[str] = []
        run("trust", f"127.0.0.1:{server.port}")
        with writing_record(study.folder / RECORD_FILE) as engine:
            admit(engine, protocol, "p01", simulated=False, remark=remarks.append)
        assert server.visits == 1
        assert "until it is back, this station goes by its own share" in remarks[0]
        assert attempt(study) == FAILED  # as between blocks
        push_at_the_end(study)
        assert server.visits == 3
    saw_nothing_secret(server)


def test_nobody_pushes_between_blocks_to_whom_is_not_trusted(tmp_path: Path, run: Run) -> None:
    with stranger("password") as server:
        study = load_any(study_at(tmp_path / "study", server.url()))
        with background_pusher(study) as pusher:
            assert pusher is None
        assert attempt(study) == FAILED
        assert server.visits == 0
        run("trust", f"127.0.0.1:{server.port}")
        with background_pusher(study) as pusher:
            assert pusher is not None


def test_a_list_that_cannot_be_read_trusts_nobody(tmp_path: Path, run: Run) -> None:
    with stranger("password") as server:
        folder = study_at(tmp_path / "study", server.url())
        run("trust", f"127.0.0.1:{server.port}")
        path = tmp_path / "configuration" / "hype" / "servers"
        path.write_text(f"{path.read_text()}*\n", encoding="utf-8")
        ended = run("sync", folder)

        assert ended.code == 2
        assert f"{path} line 4: names a server that cannot be" in ended.err
        assert run("check", folder, "--no-display").code == 2
        assert server.visits == 0


ELSEWHERE = {
    "PGHOSTADDR": {"PGHOSTADDR": "127.0.0.2"},
    "PGHOST": {"PGHOST": "127.0.0.2"},
    "PGPORT": {"PGPORT": "1"},
    "PGSERVICE": {"PGSERVICE": "theirs"},
    "PGREQUIREAUTH": {"PGREQUIREAUTH": "password"},
}
"""What may stand in somebody's environment for other programs."""
SERVICE = "[theirs]\nhost=127.0.0.2\nhostaddr=127.0.0.2\nrequire_auth=password\nsslmode=disable\n"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_environment_leads_nowhere_else(
    name: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").write_text(SERVICE, encoding="utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    for variable, value in ELSEWHERE[name].items():
        monkeypatch.setenv(variable, value)
    with stranger("password") as named, stranger("password", "127.0.0.2", named.port) as other:
        ended = run("score", f"postgresql://hype_station@127.0.0.1:{named.port}/x")

        assert ended.code == 2
        assert (named.visits, other.visits) == (1, 0)
    saw_nothing_secret(named)


def asks_for_encryption_alone(server: Stranger) -> bool:
    """Whether the server was asked to encrypt, eight bytes, and then told nothing."""
    return server.received == b"\x00\x00\x00\x08\x04\xd2\x16\x2f"


@pytest.mark.parametrize("sslmode", ["", "disable", "allow", "prefer"])
@pytest.mark.parametrize("wanted", ["", "disable"])
def test_nothing_goes_unencrypted_to_another_machine(
    sslmode: str, wanted: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``127.1`` is this machine too, but not by its name."""
    if wanted:
        monkeypatch.setenv("PGSSLMODE", wanted)
    with stranger("password") as server:
        url = server.url(host="127.1", sslmode=sslmode)
        said = run("status", url).err

        assert asks_for_encryption_alone(server)
        assert "does not support SSL" in said
        assert f"hype trust 127.1:{server.port} --clear-text" in said
        run("trust", f"127.1:{server.port}")
        run("status", url)
        assert server.visits == 2
        assert b"hype_station" not in server.received
        run("trust", f"127.1:{server.port}", "--clear-text")
        run("status", url)
        assert b"hype_station" in server.received
    saw_nothing_secret(server)


READERS = {
    "session/records.py": "gives out the URL to whoever asks the store, once it is trusted",
    "session/admitting.py": "only whether there is one",
    "session/quotas.py": "only whether there is one",
    "web/app.py": "only whether there is one",
    "check/record.py": "whether there is one, and to say its URL",
    "cli/forget.py": "to say where data may be left",
}


def test_one_place_gives_out_the_url_of_a_studys_store() -> None:
    readers = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "central":
                owner = node.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                readers |= {path.relative_to(ROOT).as_posix()} if name == "store" else set()

    assert readers == set(READERS)
