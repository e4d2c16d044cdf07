"""A PostgreSQL server for the tests, on a free port; it stops when they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from public import Certificate, free_port
from served import HOST


def programs() -> Path:
    """Return the folder of the server's programs."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        pytest.fail("PostgreSQL is not installed: setup/install test")
    return folders[-1]


@dataclass(slots=True, kw_only=True)
class Server:
    """A server that can be killed and started again; ``url`` is that of its database ``NAME``.

    ``within`` is the start of a command for the network namespace with the address ``host``.
    """

    folder: Path
    port: int
    host: str = HOST
    within: Sequence[str] = ()
    options: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None

    def url(self, name: str) -> str:
        return f"postgresql://hype@{self.host}:{self.port}/{name}"

    def begin(self) -> None:
        """Start the server once all processes of a killed server have ended."""
        options = ["-k", "", "-h", self.host, "-c", "max_connections=60", "-c", "fsync=off"]
        options += ["-c", "wal_writer_delay=10s"]  # a kill loses uncommitted writes
        options += ["-D", str(self.folder), "-p", str(self.port), *self.options]
        command = [*self.within, *as_postgres(), str(programs() / "postgres"), *options]
        until_s = time.monotonic() + 150
        while time.monotonic() < until_s:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            with suppress(psycopg.OperationalError), psycopg.connect(self.url("postgres")):
                return
            time.sleep(0.05)
        raise TimeoutError("PostgreSQL did not start")

    def kill(self) -> None:
        """End the server as a power cut does, and all its connections."""
        assert self.process
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()

    def database(self, name: str) -> str:
        """Make an empty database and return its address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


def as_postgres() -> tuple[str, ...]:
    """Return the start of a command that runs as user postgres: the server refuses root."""
    become = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
    return become if os.geteuid() == 0 else ()


def allow_hosts(home: Path, host: str) -> tuple[str, ...]:
    """Let other hosts of the network connect with TLS; return options for the server."""
    certificate = Certificate.of(home, host)
    for file in certificate:
        shutil.chown(file, "postgres", "postgres")
    with (home / "pg_hba.conf").open("a") as rules:
        rules.write(f"hostssl all all {host}/24 trust\n")
    chain, key = certificate
    return ("-c", "ssl=on", "-c", f"ssl_cert_file={chain}", "-c", f"ssl_key_file={key}")


@contextmanager
def run_postgres(
    host: str = HOST, within: Sequence[str] = (), disk: Path | None = None
) -> Iterator[Server]:
    """Run a server in a new folder; the user postgres may not read pytest's folders."""
    with TemporaryDirectory(dir=disk) as folder:
        home = Path(folder) / "postgres"
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        initdb = [*as_postgres(), str(programs() / "initdb"), "-D", str(home), "-U", "hype"]
        options = ["-A", "trust", "-N", "--locale=C.UTF-8"]
        subprocess.run([*initdb, *options], check=True, stdout=subprocess.DEVNULL)
        more = () if host == HOST else allow_hosts(home, host)
        server = Server(folder=home, port=free_port(), host=host, within=within, options=more)
        server.begin()
        try:
            yield server
        finally:
            server.end()
