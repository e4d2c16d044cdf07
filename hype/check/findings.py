"""What a pre-flight finds: each thing with a code, how bad it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from hype.errors import HypeError, InputError, installing

Severity = Literal["error", "problem", "warning"]
Result = TypeVar("Result")

REMEDIES: Final = MappingProxyType(
    {
        "manifest-wrong": "correct the manifest, or write it anew: hype stimuli scan FOLDER",
        "masks-wrong": "correct the manifest, or make the masks anew: hype masks make",
        "mask-unfit": "put the mask back, or make the masks anew: hype masks make",
        "image-missing": "put the image back, or write the manifest anew: hype stimuli scan FOLDER",
        "image-unreadable": (
            "put a whole image in its place, or take it away and write the manifest anew: "
            "hype stimuli scan FOLDER"
        ),
        "image-changed": (
            "put the image back, or write the manifest anew before anyone begins: "
            "hype stimuli scan FOLDER"
        ),
        "condition-unknown": "name conditions that the stimulus set has",
        "prompts-unfit": "say in the manifest what each image shows, in words for each prompt",
        "display-silent": "name a display that runs in DISPLAY, such as :0, and check again",
        "psychopy-missing": f"install what a station needs: {installing('station')}",
        "keyboard-unfit": "plug in a keyboard; Debian: apt install libjack-jackd2-0 libasound2",
        "display-unfit": "change the display's mode, or [display] in the study",
        "record-wrong": "update the program, or put the record back from a copy in backups/",
        "trigger-missing": "plug the device in and switch it on, or correct [timing.triggers]",
    }
)
"""What to do, if the error itself does not say it, or names only the allowed values."""
ADVICE_IS_A_VALUE: Final = frozenset(
    ("manifest-wrong", "masks-wrong", "mask-unfit", "image-unreadable", "condition-unknown")
)
"""Codes whose errors name the value that was allowed, and not what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was found.

    An error is wrong input, a problem an unfit station; either spoils a session. A warning is
    something to know. The code is for programs and does not change; the remedy says what to do.
    """

    code: str
    severity: Severity
    message: str
    remedy: str


class Preflight:
    """Collects findings and facts, in the order in which they are met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.facts: dict[str, Any] = {}

    def find(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)

    def warn(self, code: str, message: str, remedy: str) -> None:
        self.find(Finding(code=code, severity="warning", message=message, remedy=remedy))

    def add(self, code: str, error: HypeError) -> None:
        severity: Severity = "error" if isinstance(error, InputError) else "problem"
        message, advice = parts_of(error)
        remedy = REMEDIES.get(code, "correct what is named")
        if advice:
            remedy = f"{remedy} ({advice})" if code in ADVICE_IS_A_VALUE else advice
        self.find(Finding(code=code, severity=severity, message=message, remedy=remedy))

    def attempt(self, code: str, action: Callable[[], Result]) -> Result | None:
        """Do something; what it refuses becomes a finding."""
        try:
            return action()
        except HypeError as error:
            self.add(code, error)
            return None

    def allows(self, code: str, action: Callable[[], object]) -> bool:
        """Do something; return whether it succeeded, that is, was not refused."""
        return self.attempt(code, lambda: (action(),)) is not None

    @property
    def exit_code(self) -> int:
        """2 for wrong input, 1 for an unfit station, 0 when a session can begin."""
        severities = {finding.severity for finding in self.findings}
        return 2 if "error" in severities else 1 if "problem" in severities else 0


def parts_of(error: HypeError) -> tuple[str, str]:
    """Split an error into the problem and the remedy, which may be empty.

    A problem of the station says after its last semicolon what to do.
    """
    if isinstance(error, InputError):
        return f"{error.where}: {error.problem}", error.allowed
    message, _, advice = str(error).rpartition("; ")
    return (message, advice) if message else (advice, "")
