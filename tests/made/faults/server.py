"""A process that has loaded the program once, and forks a new sitter on request.

It must have no threads and no open records, since sitters are its copies. It receives messages,
each with the pipes on which a sitter answers.
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
"""What a sitter loads in the course of a session; each would take a second or two to load it."""


def serve(messages: socket.socket) -> None:
    """Do what is asked for until nobody can ask any more."""
    for module in NEEDED_BY_SITTERS:
        importlib.import_module(module)
    while True:
        text, pipes, _, _ = socket.recv_fds(messages, LONGEST_MESSAGE, 2)
        if not text:
            return
        messages.send(json.dumps(answer(json.loads(text), pipes)).encode())


def answer(asked: dict[str, Any], pipes: list[int]) -> object:
    """Send for a sitter, wait for one, or run a command where sitters live."""
    if "sit" in asked:
        return send_for(Sitting(**asked["sit"]), *pipes)
    if "wait" in asked:
        return os.waitpid(asked["wait"], 0)[1]
    done = subprocess.run(asked["run"], capture_output=True, text=True, check=False)
    return [done.returncode, (done.stdout + done.stderr)[-LONGEST_MESSAGE:]]


def send_for(sitting: Sitting, pipe: int, says: int) -> int:
    """Let a new process sit; returns its number."""
    number = os.fork()
    if not number:
        os.dup2(says, 1)
        os.dup2(says, 2)
        become(sitting, pipe)
    os.close(pipe)
    os.close(says)
    return number


def become(sitting: Sitting, pipe: int) -> None:
    """Be a sitter, to the end."""
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
        messages.setblocking(True)  # whoever opened it may have had another default
        serve(messages)
