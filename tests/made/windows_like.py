"""Imitate Windows in this process, as far as Linux can.

Import this module before the program, or give it to pytest with ``-p windows_like``. The program
sees no module, function or flag of POSIX that Windows lacks, and tests see no such module;
libraries see all, since their authors tested them on Windows. Files cannot have names that Windows
forbids. An open file and its folder cannot be removed or replaced.

This module cannot imitate Windows' encodings, drives, disks, or locks (which also prevent
reading).
"""

import builtins
import errno
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
STATION = {"psychopy", "psychtoolbox", "pyglet", "Xlib"}
TESTS = str(Path(__file__).parents[1])
LACKS = {
    os: (
        "chown chroot confstr ctermid fchdir fchmod fchown fork forkpty fpathconf getegid geteuid "
        "getgid getgroups getloadavg getpgid getpgrp getpriority getresuid getuid killpg lchown "
        "lockf mkfifo mknod nice openpty pathconf posix_spawn posix_spawnp pread preadv pwrite "
        "pwritev register_at_fork sched_getaffinity sched_setaffinity sched_setscheduler "
        "sched_yield sendfile set_blocking setpriority setsid statvfs sync sysconf tcgetpgrp "
        "uname wait3 wait4 waitid O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_NOATIME O_NOCTTY "
        "O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC O_TMPFILE PRIO_PROCESS ST_RDONLY"
    ),
    signal: (
        "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 "
        "SIGWINCH alarm pause pthread_kill pthread_sigmask setitimer sigwait"
    ),
    time: "CLOCK_BOOTTIME CLOCK_MONOTONIC clock_gettime clock_settime tzset",
    sys: "",
}
HAS = {os: {"O_BINARY": 0, "O_NOINHERIT": os.O_CLOEXEC}, sys: {"platform": "win32"}}


class AsOnWindows(ModuleType):
    """A module of Python without the names that it has only on POSIX."""

    def __init__(self, module: ModuleType) -> None:
        hidden = set(LACKS[module].split())
        vars(self).update(_module=module, _hidden=hidden, _own=HAS.get(module, {}), _before={})

    def __getattr__(self, name: str) -> Any:
        if name in self._own:
            return self._own[name]
        if name in self._hidden:
            raise AttributeError(f"Windows' {self._module.__name__} has no {name}")
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._before.setdefault(name, getattr(self._module, name))
        setattr(self._module, name, value)

    def __delattr__(self, name: str) -> None:
        """Restore the old value when pytest deletes an attribute that it has set."""
        setattr(self._module, name, self._before.pop(name))


MODULES = {module.__name__: AsOnWindows(module) for module in LACKS}
imported, named = builtins.__import__, importlib.import_module


def import_as_on_windows(  # the parameters are those of `__import__`
    name: str, namespace: Any = None, *more: Any, **others: Any
) -> ModuleType:
    namespace = namespace or others.pop("globals", None)
    importer = (namespace or {}).get("__name__", "")
    ours = importer.partition(".")[0] == "hype"
    is_test = str((namespace or {}).get("__file__", "")).startswith(TESTS)
    if (ours or is_test) and name.partition(".")[0] in (POSIX if ours else POSIX | STATION):
        lack = f"needs {name}, which Windows lacks" if ours else f"is a test that needs {name}"
        raise ModuleNotFoundError(f"{importer} {lack}", name=name)
    if not ours:
        return imported(name, namespace, *more, **others)
    return MODULES.get(name) or imported(name, namespace, *more, **others)


def module_as_on_windows(name: str, package: str | None = None) -> ModuleType:
    if name.partition(".")[0] in POSIX | STATION:
        raise ModuleNotFoundError(f"Windows lacks {name}", name=name)
    return named(name, package)


def is_forbidden(name: str) -> bool:
    """Tell whether Windows forbids a file's name, by other code than the program's."""
    devices = {"con", "prn", "aux", "nul"} | {f"com{n}" for n in range(1, 10)}
    stem = name.lower().partition(".")[0]
    return stem in devices or any(c in name for c in '<>:"|?*\\') or name != name.rstrip(". ")


def open_files() -> set[str]:
    found = set()
    for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 this is asked with each removal
        try:
            found.add(os.readlink(f"/proc/self/fd/{number}"))  # noqa: PTH115 as above
        except OSError:
            continue
    return found


def refuse_as_windows_does(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("os.remove", "os.rename"):
        gone = arguments[: 2 if event == "os.rename" else 1]
        opened = open_files()
        for path in map(os.path.realpath, map(os.fsdecode, gone)):
            if any(one == path or one.startswith(f"{path}/") for one in opened):
                raise PermissionError(errno.EACCES, "is open, as Windows would say", path)
    if event in ("open", "os.mkdir", "os.rename"):
        path = arguments[1 if event == "os.rename" else 0]
        if isinstance(path, str | bytes | Path) and is_forbidden(Path(os.fsdecode(path)).name):
            raise OSError(errno.EINVAL, "is not a name for a file, as Windows would say", str(path))


assert not any(name.split(".")[0] == "hype" for name in sys.modules), "imported too late"
psutil.IDLE_PRIORITY_CLASS = 19  # type: ignore[attr-defined] # where it is Linux that takes it
tempfile.tempdir = tempfile.mkdtemp()  # other programs use theirs as on Linux
shutil._use_fd_functions = False  # type: ignore[attr-defined] # it has only paths on Windows
builtins.__import__ = import_as_on_windows
importlib.import_module = module_as_on_windows
sys.addaudithook(refuse_as_windows_does)
