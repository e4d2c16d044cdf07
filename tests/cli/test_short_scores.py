"""The default output of `hype score`, and the notes that need --notes."""

import pytest
from long import long_but

from hype.library.scores import example

FURTHER = {
    "time": "Staircases",
    "infinity": "Do evaluators agree?",
    "comparisons": "Was one side chosen more often?",
    "ratings": "Axes",
    "rankings": "Agreement of people",
}


@pytest.mark.parametrize("name", long_but(["time", "rankings"], FURTHER))
def test_a_score_has_three_notes_and_says_what_else_there_is(name, tmp_path, hype):
    table = tmp_path / f"{name}.csv"
    example(name).to_csv(table, index=False)
    short, whole = (hype("score", table, *options).out for options in ((), ("--notes",)))

    assert short.count("Note: ") == min(3, whole.count("Note: "))
    assert FURTHER[name] in whole
    assert FURTHER[name] not in short
    assert "More with --notes: " in short
    assert "--notes" not in whole
    assert len(short.splitlines()) < len(whole.splitlines())
