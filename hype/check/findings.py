"""The findings of a pre-flight: each has a code, a severity and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from hype.errors import HypeError, InputError, installing

Severity = Literal["error", "problem", "warning"]
Result = TypeVar("Result")

REMEDIES: Final = {
    "manifest-wrong": "correct the manifest, or write it again: hype stimuli scan FOLDER",
    "masks-wrong": "correct the manifest, or make masks: hype masks make STIMULI -o MASKS -n N",
    "mask-unfit": "put the masks back, or remove wrong masks and make the missing ones",
    "image-missing": "put the image back, or write the manifest again: hype stimuli scan FOLDER",
    "image-unreadable": (
        "replace the image, or remove it and write the manifest again: hype stimuli scan FOLDER"
    ),
    "page-picture-unreadable": "add the picture file, or correct [pictures] in the study",
    "image-changed": (
        "put the image back, or write the manifest again before the first session: "
        "hype stimuli scan FOLDER"
    ),
    "condition-unknown": "use only conditions of the stimulus set",
    "prompts-unfit": "give each image a prompt in the manifest, and each prompt a text",
    "display-silent": "set DISPLAY to a running display, such as :0, and check again",
    "psychopy-missing": f"install what a station needs: {installing('station')}",
    "keyboard-unfit": "plug in a keyboard; Debian: apt install libjack-jackd2-0 libasound2",
    "display-unfit": "change the display's mode, or [display] in the study",
    "record-wrong": "update the program, or restore the record from a copy in backups/",
    "trigger-missing": "plug the device in and switch it on, or correct [timing.triggers]",
}
"""Remedies for errors that give no remedy, or only the allowed values."""
ADVICE_IS_A_VALUE: Final = frozenset(
    ("manifest-wrong", "masks-wrong", "mask-unfit", "image-unreadable", "condition-unknown")
)
"""Codes of errors that give the allowed value, but no remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    An error means wrong input; a problem means an unsuitable station. Both must be corrected before
    a session; a warning need not be. Programs can rely on the code, which never changes.
    """

    code: str
    severity: Severity
    message: str
    remedy: str


class Preflight:
    """Collects findings and facts in order."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.facts: dict[str, Any] = {}

    def find(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)

    def warn(self, code: str, message: str, remedy: str) -> None:
        self.find(Finding(code=code, severity="warning", message=message, remedy=remedy))

    def refuse(self, code: str, message: str, remedy: str) -> None:
        """Add a problem of the station."""
        self.find(Finding(code=code, severity="problem", message=message, remedy=remedy))

    def add(self, code: str, error: HypeError) -> None:
        severity: Severity = "error" if isinstance(error, InputError) else "problem"
        message, advice = parts_of(error)
        remedy = REMEDIES.get(code, "correct it")
        if advice:
            remedy = f"{remedy} ({advice})" if code in ADVICE_IS_A_VALUE else advice
        self.find(Finding(code=code, severity=severity, message=message, remedy=remedy))

    def attempt(self, code: str, action: Callable[[], Result]) -> Result | None:
        """Run an action; an error becomes a finding."""
        try:
            return action()
        except HypeError as error:
            self.add(code, error)
            return None

    def allows(self, code: str, action: Callable[[], object]) -> bool:
        """Run an action; an error becomes a finding. Return whether the action had no error."""
        return self.attempt(code, lambda: (action(),)) is not None

    @property
    def exit_code(self) -> int:
        """2 for wrong input, 1 for an unsuitable station, 0 if a session can start."""
        severities = {finding.severity for finding in self.findings}
        return 2 if "error" in severities else 1 if "problem" in severities else 0


def parts_of(error: HypeError) -> tuple[str, str]:
    """Split an error into the problem and the remedy, which may be empty.

    In the text of a station's problem, the remedy follows the last semicolon.
    """
    if isinstance(error, InputError):
        return f"{error.where}: {error.problem}", error.allowed
    message, _, advice = str(error).rpartition("; ")
    return (message, advice) if message else (advice, "")
