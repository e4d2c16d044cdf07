"""A server of a stranger's: it speaks enough of PostgreSQL's protocol to ask for a password.

It keeps every byte that it is sent, and lets in whoever tells it anything. Or it stands between a
station and the server that is meant.
"""

from __future__ import annotations

import socket
import socketserver
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

ENCRYPTION: Final = (80877103, 80877104)
"""What a client begins with that asks for TLS or GSSAPI."""
READY: Final = b"Z" + struct.pack("!ic", 5, b"I")
LET_IN: Final = b"R" + struct.pack("!ii", 8, 0)
ASKS: Final = {
    "password": b"R" + struct.pack("!ii", 8, 3),
    "md5": b"R" + struct.pack("!ii4s", 12, 5, b"salt"),
    "scram, and lets in without the proof": b"R"
    + struct.pack("!ii", 23, 10)
    + b"SCRAM-SHA-256\0\0",
    "nothing": b"",
}
"""How it may ask who is there."""


class Stranger(socketserver.ThreadingTCPServer):
    """Listens at an address of this machine, and asks in one of the ways of `ASKS`.

    Attributes
    ----------
    visits
        How many connections there were.
    received
        All that was sent.
    """

    daemon_threads = True

    def __init__(self, asks: str, host: str, port: int) -> None:
        super().__init__((host, port), Visit)
        self.asks = ASKS[asks]
        self.visits = 0
        self.received = b""

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def url(self, *, host: str = "127.0.0.1", sslmode: str = "disable") -> str:
        """Name a database there."""
        url = f"postgresql+psycopg://hype_station@{host}:{self.port}/x"
        return f"{url}?sslmode={sslmode}" if sslmode else url


class Visit(socketserver.BaseRequestHandler):
    """One connection."""

    server: Stranger

    def handle(self) -> None:
        self.server.visits += 1
        with suppress(OSError):  # who came has gone
            self.talk()

    def talk(self) -> None:
        """Ask who is there, and then listen."""
        while self.beginning() in ENCRYPTION:
            self.request.sendall(b"N")
        if self.server.asks:
            self.request.sendall(self.server.asks)
            self.take()
        self.request.sendall(LET_IN + READY)
        while self.take():
            self.request.sendall(READY)

    def beginning(self) -> int:
        """Take in a message without a type, and give its number."""
        message = self.take()
        return struct.unpack("!i", message[4:8])[0] if len(message) >= 8 else 0

    def take(self) -> bytes:
        """Take in what there is."""
        sent: bytes = self.request.recv(1 << 16)
        self.server.received += sent
        return sent


class Relay(socketserver.ThreadingTCPServer):
    """Stands between: it encrypts towards who comes, and passes on all that it reads.

    Parameters
    ----------
    port
        Of the server that is meant, at 127.0.0.1.
    certificate
        Of its own, with the key.
    """

    daemon_threads = True

    def __init__(self, port: int, certificate: Path) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.to = port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]


class Passing(socketserver.BaseRequestHandler):
    """One connection through a relay."""

    server: Relay

    def handle(self) -> None:
        self.request.recv(8)
        self.request.sendall(b"S")
        with (
            suppress(OSError),  # who came has gone
            self.server.context.wrap_socket(self.request, server_side=True) as near,
            socket.create_connection(("127.0.0.1", self.server.to)) as far,
        ):
            back = threading.Thread(target=passed_on, args=(far, near), daemon=True)
            back.start()
            passed_on(near, far)


def passed_on(taken: socket.socket, given: socket.socket) -> None:
    """Give all that is taken."""
    with suppress(OSError):
        while sent := taken.recv(1 << 16):
            given.sendall(sent)
        given.shutdown(socket.SHUT_RDWR)


def certificate_in(folder: Path) -> Path:
    """Make a certificate that nobody knows, and write it with its key."""
    path = folder / "certificate.pem"
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    files = ("-subj", "/CN=fashion", "-keyout", path, "-out", folder / "alone.pem")
    subprocess.run(["openssl", "req", "-x509", *kind, *files], capture_output=True, check=True)
    path.write_text(path.read_text() + (folder / "alone.pem").read_text())
    path.chmod(0o600)
    return path


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    """Let a server listen."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def stranger(asks: str, host: str = "127.0.0.1", port: int = 0) -> Iterator[Stranger]:
    """Let a stranger listen."""
    with Stranger(asks, host, port) as server, serving(server):
        yield server


@contextmanager
def relay(port: int, folder: Path) -> Iterator[Relay]:
    """Let a relay listen."""
    with Relay(port, certificate_in(folder)) as server, serving(server):
        yield server
