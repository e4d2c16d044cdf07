"""Triggers to a recorder (of EEG or gaze) when an image appears and disappears.

A trigger is sent right after the flip that shows or hides an image. An exposure continues even if
its trigger is lost. Lost triggers are counted and reported after the session.
"""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from hype.errors import SessionProblem, installing
from hype.study.table import TriggerSettings

REFUSALS: Final = {
    errno.ENOENT: "there is no such port",
    errno.EACCES: "this user may not open it (on Debian, members of the group dialout may)",
    errno.EAGAIN: "another program has it open",
    errno.EBUSY: "another program has it open",
}
"""Plain words for the system's errors when a port cannot be opened."""


@dataclass(slots=True)
class Output:
    """A stream or port for trigger codes; ``setting`` is the study's setting that names it.

    ``send`` sends a code without waiting; if it raises OSError or RuntimeError, the code is lost.
    """

    setting: str
    send: Callable[[int], None]
    sent: int = 0
    lost: int = 0
    reason: str = ""  # why the first lost code was lost


class Triggers:
    """Sends a trigger right after each flip that shows or hides an image."""

    def __init__(self, ports: TriggerSettings, outputs: Sequence[Output]) -> None:
        self._ports = ports
        self._outputs = tuple(outputs)

    def image_on(self) -> None:
        self._send(self._ports.image_on)

    def image_off(self) -> None:
        self._send(self._ports.image_off)

    @property
    def problem(self) -> str | None:
        """Describe how many triggers were lost, and why; None if no trigger was lost.

        This also works after closing.
        """
        problems = (
            f"{one.setting}: {one.lost} of {one.sent} triggers were lost: {one.reason}"
            for one in self._outputs
            if one.lost
        )
        return "; ".join(problems) or None

    def _send(self, code: int) -> None:
        """Send a code to each output; if an output fails, count the code as lost there."""
        for output in self._outputs:
            output.sent += 1
            try:
                output.send(code)
            except (OSError, RuntimeError) as error:
                output.lost += 1
                output.reason = output.reason or str(error)


@contextmanager
def open_triggers(ports: TriggerSettings) -> Iterator[Triggers]:
    """Open the outputs that ``ports`` names; if it names none, nothing is sent.

    Raises SessionProblem: a library is not installed, or a stream or port cannot be opened.
    """
    opening = ((ports.lsl, open_lsl), (ports.serial, open_serial))
    with ExitStack() as stack:
        yield Triggers(
            ports,
            [stack.enter_context(open_output(ports)) for name, open_output in opening if name],
        )


@contextmanager
def open_lsl(ports: TriggerSettings) -> Iterator[Output]:
    """Open a LabStreamingLayer stream of markers.

    The stream has one channel of strings, at an irregular rate. The markers are the codes as text,
    "1" and "2", since recorders and programs that read their files expect strings. The description
    of the stream explains the codes. The stream's source id is the same in every session at this
    station, so that a recorder finds the stream again.

    Raises SessionProblem: pylsl is not installed, or the stream cannot be opened.
    """
    setting = f'timing.triggers.lsl = "{ports.lsl}"'
    try:
        import pylsl
    except (ImportError, RuntimeError) as error:  # RuntimeError: liblsl itself is missing
        raise SessionProblem(not_loaded(setting, "pylsl", "lsl", error)) from None
    source = f"hype-{platform.node()}-{ports.lsl}"
    try:
        info = pylsl.StreamInfo(
            *(ports.lsl, "Markers", 1, pylsl.IRREGULAR_RATE, pylsl.cf_string, source)
        )
        codes = info.desc().append_child("codes")
        codes.append_child_value("image_on", str(ports.image_on))
        codes.append_child_value("image_off", str(ports.image_off))
        outlets = [pylsl.StreamOutlet(info)]
    except RuntimeError as error:
        raise SessionProblem(f"{setting}: the stream cannot be opened: {error}") from None

    def send(code: int) -> None:
        """Push a marker with the time of this call; it is lost if no recorder listens."""
        now_s = pylsl.local_clock()
        outlets[0].push_sample([str(code)], now_s)
        if not outlets[0].have_consumers():
            raise ConnectionError("no recorder was listening to the stream")

    try:
        yield Output(setting, send)
    finally:
        outlets.clear()  # liblsl ends the stream when its outlet is deleted


@contextmanager
def open_serial(ports: TriggerSettings) -> Iterator[Output]:
    """Open a serial port, and keep other programs from using it; each trigger is one byte.

    Raises SessionProblem: pyserial is not installed, or the port cannot be opened.
    """
    setting = f'timing.triggers.serial = "{ports.serial}"'
    try:
        import serial
        from serial.tools import list_ports
    except ImportError as error:
        raise SessionProblem(not_loaded(setting, "pyserial", "serial", error)) from None
    try:
        port = serial.Serial(ports.serial, ports.baud, exclusive=True)
    except OSError as error:
        reason = REFUSALS.get(error.errno or 0, str(error))
        there = ", ".join(sorted(port.device for port in list_ports.comports()))
        advice = "this machine has no serial port now: plug the device in"
        if there:
            advice = f"plug the device in, or name one of the ports that exist: {there}"
        raise SessionProblem(f"{setting}: {reason}; {advice}") from None
    except (ValueError, OverflowError) as error:
        raise SessionProblem(
            f"{setting}: cannot be set to timing.triggers.baud = {ports.baud} ({error}); "
            "choose the rate given in the recorder's manual, often 9600 or 115200"
        ) from None

    def send(code: int) -> None:
        """Write to the port directly: pyserial's ``write`` would wait if the buffer is full."""
        try:
            os.write(port.fileno(), bytes((code,)))
        except BlockingIOError:
            raise OSError("the port accepts no more bytes, since its buffer is full") from None

    with port:
        yield Output(setting, send)


def not_loaded(setting: str, library: str, extra: str, error: Exception) -> str:
    """Describe a missing library, and how to install it."""
    return f"{setting}: {library} cannot be loaded ({error}); install it with: {installing(extra)}"
