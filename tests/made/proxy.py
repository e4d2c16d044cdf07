"""A network between a station and a PostgreSQL server, which fails when it is told to.

It passes on what both say. It knows the client's messages from one another, and after it has passed
on the n-th statement it cuts, stalls or delays the connection: what the server replies to it is not
heard any more. A statement ends with the message after which the server replies.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ASKED = frozenset(b"QSdcf")
"""Kinds of messages that count: a query, the end of a longer one, and what is copied."""
CODES = (80877102, 80877103, 80877104)
"""Of messages before the first proper one: to cancel, and to ask for encryption."""
UNHEARD_S = 0.05


class Fault(Enum):
    """What becomes of a connection."""

    NONE = "nothing"
    CUT = "cut at both ends"
    LEFT = "cut at the client's end and open at the server's"
    STALL = "kept open at both ends, and silent"
    DELAY = "slow"


HARMLESS = (Fault.NONE, Fault.DELAY)


@dataclass
class Proxy:
    """Listens at a port of 127.0.0.1, and passes on to another.

    Attributes
    ----------
    at
        After which statement the fault comes, counted over all connections. With 0 it comes before
        anything was passed on.
    passed
        How many statements were passed on, and of what kind.
    """

    port: int
    fault: Fault = Fault.NONE
    at: int = 0
    delay_s: float = 0.0
    passed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._struck = threading.Event()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    def leads_to(self, url: str) -> str:
        """Give the URL by which a server is reached through here."""
        parts = urlsplit(url)
        return urlunsplit(parts._replace(netloc=f"{parts.username}@127.0.0.1:{self.listens_at}"))

    @property
    def listens_at(self) -> int:
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        """End, and all connections with it."""
        for one in (self._listener, *self._open):
            shut(one)

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.append(client)
                if self._struck.is_set() and self.fault is Fault.STALL:
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self.port))
                except ConnectionRefusedError:
                    shut(client)
                    continue
                server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.append(server)
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        """Pass on what a client says, message by message."""
        heard = threading.Event()
        if self.at > 0 or self.fault in HARMLESS:
            heard.set()
            threading.Thread(target=self._down, args=(server, client, heard), daemon=True).start()
        else:
            self._strike(client, server)
            return
        with suppress(OSError, EOFError):
            for kind, message in messages(client):
                if kind in ASKED and self._is_next(kind):
                    heard.clear()
                    server.sendall(message)
                    time.sleep(UNHEARD_S)  # the server does what it was asked, and replies
                    self._strike(client, server)
                    return
                server.sendall(message)
        shut(server)

    def _down(self, server: socket.socket, client: socket.socket, heard: threading.Event) -> None:
        """Pass on what the server says, while it is to be heard."""
        with suppress(OSError):
            while (data := server.recv(65_536)) and heard.is_set():
                client.sendall(data)
        if heard.is_set():
            shut(client)

    def _is_next(self, kind: int) -> bool:
        """Count a statement, and say whether the fault comes after it."""
        with self._lock:
            self.passed.append(chr(kind))
            number = len(self.passed)
        if self.fault is Fault.DELAY:
            time.sleep(self.delay_s)
        return number == self.at and self.fault not in HARMLESS

    def _strike(self, client: socket.socket, server: socket.socket) -> None:
        """Let the fault come."""
        self._struck.set()
        if self.fault is not Fault.STALL:
            shut(client)
        if self.fault is Fault.CUT:
            shut(server)


def messages(client: socket.socket) -> Iterator[tuple[int, bytes]]:
    """Yield the messages of a client with their kinds; 0 for those before the first proper one."""
    while True:
        head = exactly(client, 4)
        length, code = struct.unpack("!i", head)[0], b""
        code = exactly(client, 4)
        yield 0, head + code + exactly(client, length - 8)
        if struct.unpack("!i", code)[0] not in CODES:
            break
    while True:
        head = exactly(client, 5)
        kind, length = struct.unpack("!ci", head)
        yield kind[0], head + exactly(client, length - 4)


def exactly(client: socket.socket, number: int) -> bytes:
    """Read some bytes."""
    data = b""
    while len(data) < number:
        more = client.recv(number - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def shut(one: socket.socket) -> None:
    """Close a socket, whoever reads from it at this moment."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def between(port: int, fault: Fault = Fault.NONE, at: int = 0, **more: Any) -> Iterator[Proxy]:
    """Stand between clients and the server at a port, while the block lasts."""
    proxy = Proxy(port, fault, at, **more)
    try:
        yield proxy
    finally:
        proxy.close()
