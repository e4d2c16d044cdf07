"""Telling a recorder (of the EEG, of the gaze) of the flips at which an image comes and goes.

A trigger leaves right after its flip, and nothing on its way waits: an exposure goes on whether or
not anything arrives. What was lost is counted, to be told when the session is over.
"""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from hype.errors import SessionProblem, installing

QUIET: Final = "[log]\nlevel = -1\n"
"""Configuration of liblsl: no chatter, but warnings and errors."""
REFUSALS: Final = {
    errno.ENOENT: "there is no such port",
    errno.EACCES: "this user may not open it (on Debian, members of the group dialout may)",
    errno.EAGAIN: "another program has it open",
    errno.EBUSY: "another program has it open",
}
"""Why a port could not be opened, where the system's own words would say little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerPorts:
    """Where triggers go, and their codes (1 to 255).

    ``lsl`` is the name of a LabStreamingLayer stream to open, ``serial`` a port; empty: none.
    """

    lsl: str
    serial: str
    baud: int
    image_on: int
    image_off: int


class TriggerLine(Protocol):
    """Carries codes to one place."""

    def send(self, code: int) -> None:
        """Send a code without waiting. An OSError or RuntimeError says that it was lost."""
        ...

    def close(self) -> None:
        """Let go of the line."""
        ...


class LslStream:
    """A LabStreamingLayer stream of markers: one channel of strings, at an irregular rate.

    The markers are the codes as text, "1" and "2": strings are what recorders and the readers of
    their files take for markers, and EEGLAB makes text of numbers anyway. The description of the
    stream says what the codes mean. Its source id is the same in every session at this station, so
    that a recorder finds the stream again.
    """

    def __init__(self, pylsl: Any, ports: TriggerPorts) -> None:
        info = pylsl.StreamInfo(
            ports.lsl,
            "Markers",
            1,
            pylsl.IRREGULAR_RATE,
            pylsl.cf_string,
            f"hype-{platform.node()}-{ports.lsl}",
        )
        codes = info.desc().append_child("codes")
        codes.append_child_value("image_on", str(ports.image_on))
        codes.append_child_value("image_off", str(ports.image_off))
        self._local_clock = pylsl.local_clock
        self._outlet = pylsl.StreamOutlet(info)

    def send(self, code: int) -> None:
        """Push a marker with the time of this call; it is lost if no recorder is listening."""
        now_s = self._local_clock()
        self._outlet.push_sample([str(code)], now_s)
        if not self._outlet.have_consumers():
            raise ConnectionError("no recorder was listening to the stream")

    def close(self) -> None:
        """End the stream, as liblsl does when its outlet is forgotten."""
        self._outlet = None


class SerialPort:
    """A serial port, one byte per trigger."""

    def __init__(self, port: Any) -> None:
        self._port = port

    def send(self, code: int) -> None:
        """Write the byte past pyserial, whose ``write`` waits for a full buffer.

        pyserial opens its ports non-blocking: a full buffer refuses the byte at once.
        """
        try:
            os.write(self._port.fileno(), bytes((code,)))
        except BlockingIOError:
            raise OSError("the port takes no more bytes, its buffer is full") from None

    def close(self) -> None:
        self._port.close()


class Output:
    """A line, the setting of the study that asks for it, and what was lost on it."""

    def __init__(self, setting: str, line: TriggerLine) -> None:
        self._setting = setting
        self._line = line
        self._sent = 0
        self._lost = 0
        self._reason = ""

    def send(self, code: int) -> None:
        """Send a code, or count it as lost; the next one is tried all the same."""
        self._sent += 1
        try:
            self._line.send(code)
        except (OSError, RuntimeError) as error:
            self._lost += 1
            self._reason = self._reason or str(error)

    def close(self) -> None:
        self._line.close()

    @property
    def problem(self) -> str | None:
        """How many triggers were lost, and why the first one was; None if none was."""
        if not self._lost:
            return None
        return f"{self._setting}: {self._lost} of {self._sent} triggers were lost: {self._reason}"


class Triggers:
    """What the station calls immediately after the flip that showed, or hid, an image."""

    def __init__(self, ports: TriggerPorts, outputs: Sequence[Output]) -> None:
        self._ports = ports
        self._outputs = tuple(outputs)

    def image_on(self) -> None:
        self._send(self._ports.image_on)

    def image_off(self) -> None:
        self._send(self._ports.image_off)

    @property
    def problem(self) -> str | None:
        """What was lost so far; None if nothing was. It can still be asked after closing."""
        problems = [output.problem for output in self._outputs]
        return "; ".join(filter(None, problems)) or None

    def _send(self, code: int) -> None:
        for output in self._outputs:
            output.send(code)


@contextmanager
def open_triggers(ports: TriggerPorts) -> Iterator[Triggers]:
    """Open what ``ports`` names. Where it names nothing, the triggers do nothing.

    Raises
    ------
    SessionProblem
        A library is not installed, or a stream or port cannot be opened.
    """
    wanted: list[tuple[str, Callable[[TriggerPorts], Output]]] = [
        (ports.lsl, open_lsl),
        (ports.serial, open_serial),
    ]
    with ExitStack() as stack:
        outputs = [stack.enter_context(closing(open_(ports))) for name, open_ in wanted if name]
        yield Triggers(ports, outputs)


def open_lsl(ports: TriggerPorts) -> Output:
    """Open the stream, or say what to do about it."""
    setting = f'timing.triggers.lsl = "{ports.lsl}"'
    try:
        import pylsl
    except (ImportError, RuntimeError) as error:  # RuntimeError: the library beneath is missing
        raise SessionProblem(not_loaded(setting, "pylsl", "lsl", error)) from None
    if not any(path.is_file() for path in lsl_configurations()):
        with suppress(NotImplementedError):  # a liblsl of before 1.17.7 goes on chattering
            pylsl.set_config_content(QUIET)
    try:
        return Output(setting, LslStream(pylsl, ports))
    except RuntimeError as error:
        raise SessionProblem(f"{setting}: the stream cannot be opened: {error}") from None


def lsl_configurations() -> list[Path]:
    """Where liblsl looks for the lab's own configuration, which a default must not push aside."""
    named = os.environ.get("LSLAPICFG")
    return [
        *([Path(named)] if named else []),
        Path("lsl_api.cfg"),
        Path("~/lsl_api/lsl_api.cfg").expanduser(),
        Path("/etc/lsl_api/lsl_api.cfg"),
    ]


def open_serial(ports: TriggerPorts) -> Output:
    """Open the port for this program alone, or say what to do about it."""
    setting = f'timing.triggers.serial = "{ports.serial}"'
    try:
        import serial
    except ImportError as error:
        raise SessionProblem(not_loaded(setting, "pyserial", "serial", error)) from None
    try:
        port = serial.Serial(ports.serial, ports.baud, exclusive=True)
    except OSError as error:
        reason = REFUSALS.get(error.errno or 0, str(error))
        raise SessionProblem(f"{setting}: {reason}; {advice_on_ports()}") from None
    except (ValueError, OverflowError) as error:
        raise SessionProblem(
            f"{setting}: cannot be set to timing.triggers.baud = {ports.baud} ({error}); "
            "take the rate that the manual of the recorder gives, often 9600 or 115200"
        ) from None
    return Output(setting, SerialPort(port))


def not_loaded(setting: str, library: str, extra: str, error: Exception) -> str:
    """Say that a library is missing, and how to get it."""
    return f"{setting}: {library} cannot be loaded ({error}); install it with: {installing(extra)}"


def advice_on_ports() -> str:
    """Name the serial ports that this machine has now."""
    from serial.tools import list_ports

    ports = sorted(port.device for port in list_ports.comports())
    if not ports:
        return "this machine has no serial port now: plug the device in"
    return f"plug the device in, or name one of the ports that exist: {', '.join(ports)}"
