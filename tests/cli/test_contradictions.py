"""Answers that a central store did not take are named by every command, until it is settled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from central.contradicted import at, contradicted_at, contradicted_in, gone_on_with_twice
from central.pushed import sent
from postgres import Database

from hype.protocols.load import load_any
from hype.session.pushing import push_record

if TYPE_CHECKING:
    from running import Program


@pytest.mark.parametrize("station", ["lab-a", "lab-b"], ids=["same station", "another"])
def test_a_contradiction_stands_until_it_is_settled(
    station: str,
    tmp_path: Path,
    central: Database,
    hype: Program,
    monkeypatch: pytest.MonkeyPatch,
):
    """The first push is of a program that tells nobody."""
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    quiet = at(central, station, monkeypatch)
    study = load_any(copy.parent)
    answers = push_record(study, quiet).contradicted["p01"]
    assert answers > 5
    said = [
        hype("sync", copy.parent, "--to", quiet),
        hype("status", copy.parent),
        hype("verify", copy.parent),
        hype("score", copy.parent),
        hype("status", central.analyst_url),
        hype("score", central.analyst_url),
    ]

    assert [ended.code for ended in said] == [1, 0, 1, 0, 0, 0]
    for ended in said:
        words = " ".join((ended.out + ended.err).split())
        assert f"{answers} answers" in words, ended
        assert "p01" in words
    settled = hype("sync", copy.parent, "--to", quiet, "--settle", "p01")
    assert settled.code == 0
    assert "not taken" not in settled.out + settled.err
    assert hype("sync", copy.parent, "--to", quiet).code == 0
    assert contradicted_at(central) == contradicted_in(copy) == []
