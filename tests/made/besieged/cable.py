"""The cable between a store and those who use it, which can be cut, and can stall."""

import socket
import threading
import time
from contextlib import suppress


class Cable:
    """Hands everything that is sent to ``port`` on to another port. Use it in a ``with``."""

    def __init__(self, to: int, host: str) -> None:
        self._to = (host, to)
        self._ends: list[socket.socket] = []
        self._flows = threading.Event()
        self._flows.set()
        self._door = socket.create_server((host, 0))
        self.port: int = self._door.getsockname()[1]

    def __enter__(self) -> "Cable":
        threading.Thread(target=self._join_all, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._door.close()
        self.cut()

    def cut(self) -> None:
        """End every connection; new ones can be made."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def stall(self, seconds: float) -> None:
        """Keep all connections, and carry nothing for some time."""
        self._flows.clear()
        time.sleep(seconds)
        self._flows.set()

    def _join_all(self) -> None:
        with suppress(OSError):  # the door is closed
            while True:
                near, _ = self._door.accept()
                try:
                    far = socket.create_connection(self._to)
                except OSError:
                    near.close()
                    continue
                self._ends += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while content := one.recv(65_536):
                self._flows.wait()
                other.sendall(content)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
