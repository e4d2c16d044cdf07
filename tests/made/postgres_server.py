"""A PostgreSQL server of the tests' own: on a free port of this machine, gone when they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from public import free_port


def programs() -> Path:
    """Give the folder of the server's programs."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        pytest.fail("PostgreSQL is not installed: setup/install test")
    return folders[-1]


@dataclass(slots=True, kw_only=True)
class Server:
    """A server that can be killed and begun again; ``url`` is that of its database ``NAME``."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def url(self, name: str) -> str:
        return f"postgresql://hype@127.0.0.1:{self.port}/{name}"

    def begin(self) -> None:
        """Begin it, once what a killed one left has ended by itself."""
        options = ("-k", "", "-h", "127.0.0.1", "-c", "max_connections=60", "-c", "fsync=off")
        command = (programs() / "postgres", "-D", self.folder, "-p", str(self.port), *options)
        until_s = time.monotonic() + 60
        while time.monotonic() < until_s:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    command,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    **nobody_special(),
                )
            with suppress(psycopg.OperationalError), psycopg.connect(self.url("postgres")):
                return
            time.sleep(0.05)
        raise TimeoutError("PostgreSQL did not begin")

    def kill(self) -> None:
        """End it as a power cut does: whoever is connected is cut off."""
        assert self.process
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()

    def database(self, name: str) -> str:
        """Make an empty database; returns its address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


def nobody_special() -> dict[str, Any]:
    """Say as whom the server runs: it refuses to be root's."""
    return {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}


@contextmanager
def server_in(folder: Path) -> Iterator[Server]:
    home = folder / "postgres"
    home.mkdir()
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
        for above in home.parents:
            if above.stat().st_mode & 0o005 != 0o005 and above.stat().st_uid == 0:
                above.chmod(above.stat().st_mode | 0o005)
    subprocess.run(
        (programs() / "initdb", "-D", home, "-U", "hype", "-A", "trust", "-N", "--locale=C.UTF-8"),
        check=True,
        stdout=subprocess.DEVNULL,
        **nobody_special(),
    )
    server = Server(folder=home, port=free_port())
    server.begin()
    try:
        yield server
    finally:
        server.end()
