"""The shortest study file of every protocol, and invalid ones."""

import re
from pathlib import Path
from typing import Any

import pytest
from builders import TINY, merged, toml

from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.registry import HYPE, PROTOCOLS
from hype.study.studies import AnyStudy

NAMES = tuple(protocol.name for protocol in PROTOCOLS)
BESIDE_HYPE = tuple(protocol.name for protocol in PROTOCOLS if protocol is not HYPE)

COMMENTED = re.compile(r"^# (?=\[|[\w\"]+(?: [\w\"]+)* = )", re.MULTILINE)
"""The comment sign before a key that is not set."""


def base(protocol: str) -> dict[str, Any]:
    """Return the content of a short study file of a protocol."""
    if protocol == HYPE.name:
        return TINY
    study = {"name": "small", "seed": 7, "methods": [protocol]}
    return {"study": study, "stimuli": {"folder": "stimuli"}}


def load(protocol: str, folder: Path, **changes: Any) -> AnyStudy:
    """Write and read a study file with some tables changed."""
    (folder / "study.toml").write_text(toml(merged(base(protocol), changes)), encoding="utf-8")
    return load_any(folder)


def assert_refused(protocol: str, folder: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        load(protocol, folder, **changes)
    assert str(folder / "study.toml") in str(refused.value)
