"""A real PostgreSQL server, and databases in it, to be killed and thrown away.

Over its socket, in a folder that only its own user and root may enter, everybody is let in: that is
the tests' administrator. Over 127.0.0.1 it wants passwords. What is committed outlives a kill.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
import pytest
from programs import program
from psycopg import sql

pwd = pytest.importorskip("pwd", reason="a server of its own needs POSIX")
HERE = "lab-a"
"""The station at which tests are, unless they say something else."""
STATIONS = (
    *(HERE, "lab-b", "lab-c", "left", "right", "north", "south"),
    *(f"station-{number}" for number in range(1, 9)),
)
"""Stations that have a role."""
ROLES = {
    **{f"hype_station_{name}": "s3cret-of-stations-%/@" for name in STATIONS},
    "hype_analyst": "s3cret-of-analysts-%/@",
}
STATION_PASSWORD = ROLES[f"hype_station_{HERE}"]
ANALYST_PASSWORD = ROLES["hype_analyst"]
TEMPLATE = "hype_template"

PATIENCE_S = 30.0
PORTS = range(20_000, 30_000)
"""Below those that the kernel gives to anybody: the port of a killed server stays free."""

IN_MEMORY = Path("/", "dev", "shm")
SHORT_PATHS = Path("/", "tmp")  # a socket's has at most 107 bytes
ROOM_BYTES = 2 << 30
"""A server takes a tenth of it; there are as many as there are processes that run tests."""

SETTINGS = (
    "fsync=off",  # programs are killed here, and what they gave to the system is kept
    "max_connections=60",
    "jit=off",  # compiling a query takes longer than these few rows
    "shared_buffers=32MB",
    "max_wal_size=128MB",
    "listen_addresses=127.0.0.1",
    "dynamic_shared_memory_type=mmap",  # in its folder, with which it goes
)

LIKE_TEMPLATE = """
    UPDATE pg_database SET datacl = template.datacl FROM pg_database AS template
    WHERE pg_database.datname = %s AND template.datname = %s
"""
"""Who may connect is no part of what a copy of a database is given."""


def binaries() -> Path:
    """Give the folder of the newest PostgreSQL here."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    return Path(program("postgres")).resolve().parent


def place() -> Path:
    """Give where servers have their files: in memory, if there is room.

    A database is 300 files, and some file systems take long over new files while many were deleted
    just before.
    """
    with suppress(OSError):
        if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM_BYTES:
            return IN_MEMORY
    return SHORT_PATHS


def own_user() -> str:
    """Say as whom the server is to run, "" as we ourselves: it refuses to run as root."""
    if os.getuid():
        return ""
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.fail("PostgreSQL does not run as root, and there is no user called postgres")


def free_port() -> int:
    """Give a port of 127.0.0.1 at which nobody listens."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)):
                return port


def processes_in(folder: Path) -> list[int]:
    """Give the processes that work in a folder, the dead not among them."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it is gone, or another user's
            if link.readlink() == folder:
                found.append(int(link.parent.name))
    return found


def waits() -> Iterator[None]:
    """Let a loop go round until patience is at its end."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        yield
        time.sleep(0.02)


@dataclass(frozen=True)
class Database:
    """A database of the server's."""

    name: str
    port: int
    sockets: Path

    @property
    def station_url(self) -> str:
        """As the station pushes at which we are."""
        return self.url_of(os.environ["HYPE_STATION"])

    @property
    def stations_url(self) -> str:
        """As it stands in the study file of all stations."""
        return f"postgresql+psycopg://hype_station@127.0.0.1:{self.port}/{self.name}"

    def url_of(self, station: str) -> str:
        return self.stations_url.replace("hype_station@", f"hype_station_{station}@")

    @property
    def analyst_url(self) -> str:
        return f"postgresql+psycopg://hype_analyst@127.0.0.1:{self.port}/{self.name}"

    @property
    def admin_url(self) -> str:
        return f"postgresql+psycopg://postgres@/{self.name}?host={self.sockets}&port={self.port}"

    def passwords(self, folder: Path) -> Path:
        """Write a file of the passwords of all roles, as libpq reads it."""
        path = folder / "pgpass"
        lines = [f"127.0.0.1:{self.port}:*:{role}:{word}\n" for role, word in ROLES.items()]
        path.write_text("".join(lines), encoding="utf-8")
        path.chmod(0o600)
        return path

    def connect(self) -> psycopg.Connection:
        """Connect as administrator; every statement is committed at once."""
        return psycopg.connect(self.admin_url.replace("+psycopg", ""), autocommit=True)

    def query(self, statement: str | sql.Composable, *args: object) -> list[tuple[Any, ...]]:
        """Do one statement as administrator, and give its rows."""
        with self.connect() as connection:
            done = connection.execute(statement, args or None)
            return done.fetchall() if done.description else []


class Server:
    """A PostgreSQL server with folders of its own, which ends with the process that made it.

    Use it in a ``with`` statement: it runs in it, and is gone with all its databases afterwards.
    """

    def __init__(self) -> None:
        self.binaries = binaries()
        self.user = own_user()
        self.folder = Path(tempfile.mkdtemp(prefix="hype-pg-", dir=place())).resolve()
        self.data = self.folder / "data"
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.template = False

    def __enter__(self) -> Server:
        try:
            self.make()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def make(self) -> None:
        """Make an empty cluster."""
        if self.user:
            shutil.chown(self.folder, self.user)
        words = ["--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "-EUTF8"]
        made = self.spawn("initdb", "-D", self.data, "-Upostgres", "--locale=C.UTF-8", *words)
        if made.wait():
            raise RuntimeError(self.log()[-3000:])

    def spawn(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Start one of PostgreSQL's programs, not as root; the kernel ends it when we are gone."""
        user = [f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        command = ["setpriv", "--pdeathsig", "QUIT", *(user if self.user else [])]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*command, str(self.binaries / program), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
                start_new_session=True,  # an interrupt from the terminal is for us
            )

    def log(self) -> str:
        """Give all that the server said."""
        return (self.folder / "log").read_text(errors="replace")

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start it unless it runs, and wait until it lets us in, whatever it must recover first.

        Called in the main thread: the kernel takes the end of the thread for the end of all.
        """
        assert threading.current_thread() is threading.main_thread()
        known = bool(self.port)
        for _ in waits():
            if not self.running:
                self.port = self.port if known else free_port()
                options = [word for setting in SETTINGS for word in ("-c", setting)]
                place = ["-D", self.data, "-k", self.folder, "-p", self.port]
                self.process = self.spawn("postgres", *place, *options)
            if self.lets_in():
                return
        raise RuntimeError(self.log()[-3000:])

    def lets_in(self) -> bool:
        """Whether it answers."""
        try:
            return bool(self.there("postgres").query("SELECT 1"))
        except psycopg.OperationalError:
            return False

    def stop(self, how: int = signal.SIGINT) -> None:
        """Let it put everybody out, write what it has to, and end."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        """Kill all its processes at once."""
        self.stop(signal.SIGKILL)
        for _ in waits():
            left = processes_in(self.data)
            if not left:
                return
            for number in left:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        raise RuntimeError("the server's processes do not go away")

    def restart(self) -> None:
        """Start it where it was, after `kill` or `stop`; if it runs, stop it first."""
        self.stop()
        self.start()

    def remove(self) -> None:
        """End it without further ado, and throw its folders away."""
        with suppress(subprocess.TimeoutExpired):
            self.stop(signal.SIGQUIT)
        self.kill()
        shutil.rmtree(self.folder)

    def there(self, name: str) -> Database:
        """Name one of its databases."""
        return Database(name, self.port, self.folder)

    def administer(self, words: str, *names: str) -> None:
        """Do one statement, with names of databases or roles put in."""
        self.there("postgres").query(sql.SQL(words).format(*map(sql.Identifier, names)))

    def database(self, name: str, *, prepared: bool = True) -> Database:
        """Make a database: one that ``hype central`` prepared, or an empty one."""
        if not prepared:
            self.administer("CREATE DATABASE {} TEMPLATE template0", name)
            return self.there(name)
        if not self.template:
            self.prepare()
            self.template = True
        self.administer(f"CREATE DATABASE {{}} TEMPLATE {{}} {self.copying}", name, TEMPLATE)
        self.there(name).query(LIKE_TEMPLATE, name, TEMPLATE)
        return self.there(name)

    @cached_property
    def copying(self) -> str:
        """How to copy a database: files as they are, which from 15 on is no longer usual."""
        with self.there("postgres").connect() as connection:
            return "STRATEGY file_copy" if connection.info.server_version >= 150_000 else ""

    def prepare(self) -> None:
        """Make the template with what ``hype central`` prints, and give the roles passwords."""
        from hype.store.central.tables import central_sql

        self.administer("DROP DATABASE IF EXISTS {}", TEMPLATE)
        self.psql(self.database(TEMPLATE, prepared=False), central_sql(STATIONS))
        for role, word in ROLES.items():
            self.administer(f"ALTER ROLE {{}} PASSWORD '{word}'", role)

    def psql(self, database: Database, statements: str) -> None:
        """Give statements to psql, as administrator; it ends at the first that fails."""
        place = ["-h", str(self.folder), "-p", str(database.port), "-U", "postgres"]
        done = subprocess.run(
            [self.binaries / "psql", "-Xq", "-vON_ERROR_STOP=1", *place, "-d", database.name],
            input=statements,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def drop(self, database: Database) -> None:
        """Throw a database away, whoever is in it."""
        self.administer("DROP DATABASE {} WITH (FORCE)", database.name)
