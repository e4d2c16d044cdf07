"""A process that has loaded the program once, and forks a new sitter on request.

It must not have threads or open records, since sitters are copies of it. It receives messages, each
with the pipes to which a sitter writes.
"""

import ctypes
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from typing import Any

from faults.sitter import Sitting, sit

LONGEST_MESSAGE = 60_000
PR_SET_PDEATHSIG = 1
NEEDED_BY_SITTERS = (
    *(f"hype.protocols.{name}.course" for name in ("hype", "comparison", "rating", "ranking")),
    "sqlalchemy.dialects.sqlite",
)
"""Modules that a sitter needs in a session; else each sitter would spend 1 or 2 s on loading."""


def serve(messages: socket.socket) -> None:
    """Answer requests until the socket is closed."""
    for module in NEEDED_BY_SITTERS:
        importlib.import_module(module)
    while True:
        text, pipes, _, _ = socket.recv_fds(messages, LONGEST_MESSAGE, 2)
        if not text:
            return
        messages.send(json.dumps(answer(json.loads(text), pipes)).encode())


def answer(asked: dict[str, Any], pipes: list[int]) -> object:
    """Start a sitter, wait for one to end, or run a command in the sitters' namespace."""
    if "sit" in asked:
        return send_for(Sitting(**asked["sit"]), *pipes)
    if "wait" in asked:
        return os.waitpid(asked["wait"], 0)[1]
    done = subprocess.run(asked["run"], capture_output=True, text=True, check=False)
    return [done.returncode, (done.stdout + done.stderr)[-LONGEST_MESSAGE:]]


def send_for(sitting: Sitting, pipe: int, says: int) -> int:
    """Fork a sitter and return its process number."""
    number = os.fork()
    if not number:
        os.dup2(says, 1)
        os.dup2(says, 2)
        become(sitting, pipe)
    os.close(pipe)
    os.close(says)
    return number


def become(sitting: Sitting, pipe: int) -> None:
    """Be a sitter until the process ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    code = 70
    try:
        sit(sitting, pipe)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as messages:
        messages.setblocking(True)  # the opener may have set a timeout
        serve(messages)
