"""Nothing is lost if a session's program is killed at any moment."""

import random

import pytest
from faults import file_calls
from faults.ordeal import trials_told
from long import long_but

JUDGED = ("timed", "both methods", "spoiled repeated")
RANDOMLY_KILLED = (*JUDGED, "compared", "arena", "rated", "ranked")
SHORT = ("short", "short compared")
SHORT_TOO = ("short rated", "short ranked")
STARTING_S = 0.06
STEP_S = 0.01
MOST_TRIALS = 8


def let_live(sitter, chance):
    """Let a sitter (a session's process) run: sometimes only its start, mostly a few trials."""
    if chance.random() < 0.15:
        return sitter.read_for(chance.uniform(0, STARTING_S))
    trials = chance.randint(1, MOST_TRIALS)
    sitter.read_until(lambda lines: len(trials_told(lines, "shown")) >= trials)
    return sitter.read_for(chance.uniform(0, STEP_S))


@pytest.mark.long
def test_there_is_something_to_lose(sat):
    """The records contain moving staircases, both methods, spoiled trials and votes.

    They also contain missing ratings, and rankings with acts that were taken back.
    """
    timed, both, spoiled, *others = (sat(kind).reference.answers for kind in RANDOMLY_KILLED)
    *voted, rated, ranked = others
    assert len({row["exposure_ms"] for row in timed if row["task"] == "time"}) > 1
    assert {row["task"] for row in both} == {"practice", "qualification", "time", "infinity"}
    assert {row["verdict"] for row in spoiled if row["exposure_ms"]} == {"ok", "dropped"}
    assert any(row["repeats"] for row in spoiled)
    for rows in voted:
        assert {row["task"] for row in rows} == {"practice", "comparison", "validation"}
        assert {"left", "right"} <= {row["answer"] for row in rows}
    assert sat("compared").reference.said == ["age", "place"]
    assert sat("arena").reference["evaluators"][0]["pairs"]
    assert {row["task"] for row in rated} == {"practice", "rating"}
    assert {"1", "5", "not-relevant"} <= {row["answer"] for row in rated}
    assert {row["task"] for row in ranked} == {"practice", "test", "ranking"}
    assert {"A", "undo", "tie", "accept"} <= {row["answer"] for row in ranked}


@pytest.mark.parametrize("kind", long_but(["both methods", "ranked"], RANDOMLY_KILLED))
def test_killed_at_random_moments(kind, ordeal, figures, soak):
    """Sessions are killed at any moment, mostly while trials are shown."""
    chance = random.Random(kind)
    count = figures("killed at random moments")
    wanted = count.kills + (100 if soak else 3)
    while count.kills < wanted:
        one = ordeal(kind, count, pace_ms=1)
        while count.kills < wanted and not one.over:
            one.end(let_live(one.begin(), chance).kill())
        one.finish()


WITHIN = {"short rated": "axis", "short ranked": "standing"}
"""The column that distinguishes the trials of one item or of one group."""


@pytest.mark.parametrize("kind", long_but(["short ranked"], WITHIN))
def test_killed_within_an_item_or_a_ranking_again_and_again(kind, ordeal, sat, figures, soak):
    """Each session continues at exactly the axis, or act, at which the last one was killed."""
    count = figures("killed within an item or a ranking")
    rows = sat(kind).reference.answers
    within = [at for at, row in enumerate(rows) if row[WITHIN[kind]] not in ("", "overall")]
    assert len(within) > len(rows) / 2
    one = ordeal(kind, count)
    for at in within[:-1] if soak else within[1:9:4]:
        for _ in range(2):  # killed at this trial, and again when the next session shows it
            sitter = one.begin(pace_ms=60).read_until(shows(sat(kind).reference.trials[at]))
            one.end(sitter.kill())
            assert one.past[-1].killed
    record = one.finish()
    first = [trials_told(past.lines, "begun")[0] for past in one.past[1:]]
    assert first == one.cut
    assert [name for _, name in record.interrupted] == one.cut


def shows(trial):
    """Return a function that tells whether a trial was shown."""
    return lambda lines: trial in trials_told(lines, "shown")


def moments(number, some):
    """Return ``some`` (0: all) of the moments 1 to ``number``, always the first and the last."""
    if not 0 < some < number:
        return range(1, number + 1)
    return sorted({1 + round(n * (number - 1) / (some - 1)) for n in range(some)})


@pytest.mark.parametrize("kind", long_but(["short"], [*SHORT, *SHORT_TOO]))
def test_killed_between_statements(kind, ordeal, sat, figures, soak):
    count = figures("killed between statements")
    for at in moments(sat(kind).occasions["statements"], 0 if soak else 4):
        one = ordeal(kind, count)
        assert one.end(one.begin(fault="statements", at=at)).killed
        one.finish()


needs_library = pytest.mark.skipif(
    file_calls.library() is None, reason="SQLite is built into this Python and cannot be changed"
)


def calls(sat, soak, some):
    """Yield kinds of studies, each with the number of one call that changes a file of the record.

    A few calls are enough for ratings and rankings, which are written like comparisons.
    """
    kinds = dict.fromkeys(SHORT, some)
    if soak:
        kinds |= dict.fromkeys(SHORT_TOO, 30) | {"long": 10}
    for kind, number in kinds.items():
        for at in moments(sat(kind).occasions["file calls"], number):
            yield kind, at


@needs_library
@pytest.mark.parametrize(
    "how", long_but(["killed half way", "power cut"], file_calls.KILLS + file_calls.POWER_CUTS)
)
def test_killed_inside_a_write(how, ordeal, sat, figures, soak):
    count = figures(how if how in file_calls.POWER_CUTS else "killed inside a write")
    every = how != "killed after"  # almost the same as before the next call
    for kind, at in calls(sat, soak, (0 if every else 40) if soak else 2):
        one = ordeal(kind, count)
        assert one.end(one.begin(fault="file calls", at=at, how=how)).killed
        one.finish()


@needs_library
@pytest.mark.parametrize("how", long_but(file_calls.REFUSALS[:1], file_calls.REFUSALS))
def test_a_write_that_is_refused(how, ordeal, sat, figures, soak):
    count = figures("a write refused")
    for kind, at in calls(sat, soak, 25 if soak else 2):
        one = ordeal(kind, count)
        one.end(one.begin(fault="file calls", at=at, how=how))
        one.finish()


@needs_library
@pytest.mark.parametrize("how", long_but(file_calls.REFUSALS[:1], file_calls.REFUSALS))
def test_a_record_that_cannot_be_made(how, ordeal, figures, soak):
    """The first calls make the tables and enrol the evaluator; SQLite may repeat a refused call."""
    count = figures("a write refused")
    for at in range(2, 29, 1 if soak else 12):
        one = ordeal("short", count)
        refused = one.end(one.begin(fault="file calls", at=at, how=how))
        if refused.code:
            assert "data.sqlite" in refused.says
        else:
            assert writes_ahead(one.folder)
        one.finish()


def writes_ahead(folder):
    """Tell whether a record has a log; with a journal, a power cut may undo confirmed writes."""
    versions = slice(18, 20)  # format for writers and for readers; 2 means a log
    return (folder / "data.sqlite").read_bytes()[versions] == b"\2\2"
