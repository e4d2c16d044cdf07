"""Whoever comes back to other images, masks or rules is not let in, and told why."""

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


def refused(one, *words):
    """Check that a resume is stopped with a message."""
    sitter = one.end(one.begin())
    assert sitter.code == 2, sitter.says
    for word in words:
        assert word in sitter.says
    assert not any(line.startswith("shown") for line in sitter.lines)


def stopped(one, path, content, *words):
    """Check that a changed file stops the resume; it is put back."""
    before = exchange(path, content)
    refused(one, *words)
    exchange(path, before)


def test_whatever_changed_stops_it_until_all_is_as_it_was(broken_off):
    folder = broken_off.folder
    seen, unseen = (
        folder / "stimuli" / judged(broken_off, "time", place)["image"] for place in (0, -1)
    )
    for path in (seen, unseen):
        stopped(broken_off, path, path.read_bytes() + b"\0", str(path), "changed")
    kept = unseen.rename(unseen.with_suffix(".kept"))
    refused(broken_off, f"{unseen}: is missing")
    kept.rename(unseen)
    stopped_by_masks(broken_off)
    stopped_by_a_manifest(broken_off)
    file = folder / "study.toml"
    text = file.read_text()
    for rule, changed in (
        ("seed = 7", "seed = 8"),
        ("[time]\nblocks = 1", "[time]\nblocks = 3"),
    ):
        assert rule in text
        content = text.replace(rule, changed).encode()
        stopped(broken_off, file, content, str(file), "'e1'", "changed")
    broken_off.finish()


def stopped_by_masks(one):
    """As large as it was, and a mask like others: only its bytes are not the same."""
    masks = one.folder / "masks"
    for place in (0, -1):
        first, *_ = judged(one, "time", place)["masks"].split()
        other = next(path for path in sorted(masks.glob("*.png")) if path.name != first)
        stopped(one, masks / first, other.read_bytes(), str(masks), "the masks changed")


def stopped_by_a_manifest(one):
    """Its checksum is another, and so is the plan."""
    manifest = one.folder / "stimuli" / "manifest.csv"
    copy = one.folder / "copy.csv"
    copy.write_bytes(manifest.read_bytes())
    with copy.open(encoding="utf-8", newline="") as file:
        images = [row["path"] for row in csv.DictReader(file)]
    planned = images.index(judged(one, "time", -1)["image"])
    rewrite_row(copy, planned, sha256="0" * 64)
    stopped(one, manifest, copy.read_bytes(), "its stimuli", "changed")


def test_a_mask_that_changed_before_the_first_trial(ordeal, figures):
    """What its masks are is known as soon as somebody is enrolled."""
    one = ordeal("short", figures("changed meanwhile"), pace_ms=PACE_MS)
    one.end(one.begin().read_until(lambda lines: "shown welcome" in lines).kill())
    mask = one.folder / "masks" / judged(one, "time", 0)["masks"].split()[0]
    other = next(path for path in sorted(mask.parent.glob("*.png")) if path != mask)
    stopped(one, mask, other.read_bytes(), "the masks changed")
    one.finish()


def test_words_may_change(broken_off):
    """They are no rules: a misprint can be mended on the way."""
    file = broken_off.folder / "study.toml"
    exchange(file, file.read_bytes() + b'[texts]\nrest = "Rest a while."\n')
    assert broken_off.end(broken_off.begin(), fault=False).code == 0
