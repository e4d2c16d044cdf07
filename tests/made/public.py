"""A public name for this machine: its certificate, and clients that trust it."""

import socket
import ssl
import subprocess
from http.client import HTTPSConnection
from pathlib import Path
from typing import NamedTuple

from programs import program
from served import HOST

from hype.web.simulated import Client

NAME = "study.example.org"


class Certificate(NamedTuple):
    """A self-signed certificate for some names."""

    chain: Path
    key: Path

    @classmethod
    def of(cls, folder: Path, *names: str) -> "Certificate":
        made = cls(folder / "fullchain.pem", folder / "privkey.pem")
        alternatives = ",".join(f"DNS:{name}" for name in names)
        command = [
            program("openssl"),
            "req",
            "-x509",
            "-nodes",
            "-newkey",
            "rsa:2048",
            "-days",
            "1",
        ]
        command += ["-subj", f"/CN={names[0]}", "-addext", f"subjectAltName={alternatives}"]
        command += ["-out", str(made.chain), "-keyout", str(made.key)]
        subprocess.run(command, check=True, capture_output=True)
        return made


class Secured(HTTPSConnection):
    """A connection to a public name whose server runs at a port of this machine."""

    def __init__(self, port: int, authority: Path, name: str = NAME) -> None:
        super().__init__(name, timeout=60, context=ssl.create_default_context(cafile=authority))
        self._port_here = port

    def connect(self) -> None:
        plain = socket.create_connection((HOST, self._port_here), self.timeout)
        try:
            self.sock = self._context.wrap_socket(plain, server_hostname=self.host)
        except OSError:
            plain.close()
            raise


def visitor_of(port: int, authority: Path) -> Client:
    """Return a simulated evaluator's client that connects to the public name."""
    client = Client(HOST, port)
    client._connection = Secured(port, authority)
    return client


def flags_for(**ports: int) -> tuple[str, ...]:
    """Return Chromium's flags that map names to ports here and accept any certificate."""
    rules = ",".join(f"MAP {name} {HOST}:{port}" for name, port in ports.items())
    return (f"host-resolver-rules={rules}", "ignore-certificate-errors")


def free_port() -> int:
    with socket.create_server((HOST, 0)) as taken:
        return int(taken.getsockname()[1])
