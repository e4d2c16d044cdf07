"""Whoever comes back to other images, masks or rules is not let in, and told why."""

from __future__ import annotations

import csv

import pytest
from builders import rewrite_row
from faults.places import exchange

PACE_MS = 40
"""So slow that whoever is to be killed in the middle is not done before."""


def half_way(lines):
    """Whether a sitting is in the middle of its judgements."""
    return "shown time 1 2" in lines


@pytest.fixture
def broken_off(ordeal, figures):
    """Begin a session and break it off."""
    one = ordeal("short", figures("changed meanwhile"), pace_ms=PACE_MS)
    one.end(one.begin().read_until(half_way).kill())
    return one


def judged(one, task, place):
    """Give the row of one judgement that the uninterrupted evaluator made."""
    return [row for row in one.reference["judgements"] if row["task"] == task][place]


def stopped(one, path, content, *words):
    """Check that a changed file stops the resume with a message, and its return lets it go on."""
    before = exchange(path, content)
    sitter = one.end(one.begin())
    assert sitter.code == 2, sitter.says
    for word in words:
        assert word in sitter.says
    assert not any(line.startswith("shown") for line in sitter.lines)
    exchange(path, before)
    one.finish()


@pytest.mark.parametrize("place", [0, -1], ids=["seen", "unseen"])
def test_an_image_that_changed(broken_off, place):
    path = broken_off.folder / "stimuli" / judged(broken_off, "time", place)["image"]
    stopped(broken_off, path, path.read_bytes() + b"\0", str(path), "changed")


def test_an_image_that_is_gone(broken_off):
    path = broken_off.folder / "stimuli" / judged(broken_off, "time", -1)["image"]
    kept = path.rename(path.with_suffix(".kept"))
    sitter = broken_off.end(broken_off.begin())
    assert sitter.code == 2
    assert f"{path}: is missing" in sitter.says
    kept.rename(path)
    broken_off.finish()


@pytest.mark.parametrize("place", [0, -1], ids=["seen", "unseen"])
def test_a_mask_that_changed(broken_off, place):
    """As large as it was, and a mask like others: only its bytes are not the same."""
    masks = broken_off.folder / "masks"
    first, *_ = judged(broken_off, "time", place)["masks"].split()
    other = next(path for path in sorted(masks.glob("*.png")) if path.name != first)
    stopped(broken_off, masks / first, other.read_bytes(), str(masks), "the masks changed")


def test_a_mask_that_changed_before_the_first_trial(ordeal, figures):
    """What its masks are is known as soon as somebody is enrolled."""
    one = ordeal("short", figures("changed meanwhile"), pace_ms=PACE_MS)
    one.end(one.begin().read_until(lambda lines: "shown welcome" in lines).kill())
    mask = one.folder / "masks" / judged(one, "time", 0)["masks"].split()[0]
    other = next(path for path in sorted(mask.parent.glob("*.png")) if path != mask)
    stopped(one, mask, other.read_bytes(), "the masks changed")


def test_a_manifest_that_changed(broken_off):
    """Its checksum is another, and so is the plan."""
    manifest = broken_off.folder / "stimuli" / "manifest.csv"
    copy = broken_off.folder / "copy.csv"
    copy.write_bytes(manifest.read_bytes())
    with copy.open(encoding="utf-8", newline="") as file:
        images = [row["path"] for row in csv.DictReader(file)]
    planned = images.index(judged(broken_off, "time", -1)["image"])
    rewrite_row(copy, planned, sha256="0" * 64)
    stopped(broken_off, manifest, copy.read_bytes(), "its stimuli", "changed")


@pytest.mark.parametrize(
    ("rule", "changed"),
    [("seed = 7", "seed = 8"), ("[time]\nblocks = 1", "[time]\nblocks = 3")],
)
def test_rules_that_changed(broken_off, rule, changed):
    file = broken_off.folder / "study.toml"
    text = file.read_text()
    assert rule in text
    stopped(broken_off, file, text.replace(rule, changed).encode(), str(file), "'e1'", "changed")


def test_words_may_change(broken_off):
    """They are no rules: a misprint can be mended on the way."""
    file = broken_off.folder / "study.toml"
    exchange(file, file.read_bytes() + b'[texts]\nrest = "Rest a while."\n')
    assert broken_off.end(broken_off.begin(), fault=False).code == 0
