import io

import pytest
from rich.console import Console

from hype.report.terminal import share, timing_lines
from hype.session.timing import Exposed, timing_table


def exposed(requested_ms, measured_ms, kind="image", frame_ms=10.0):
    frames = round(requested_ms / frame_ms)
    return Exposed(
        kind=kind,
        requested_ms=requested_ms,
        frames=frames,
        nominal_ms=frames * frame_ms,
        measured_ms=measured_ms,
    )


def printed(table, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(timing_lines(table))
    return console.file.getvalue()


def test_each_duration_has_a_line_and_the_verdicts_come_last():
    table = timing_table(
        [exposed(100, 101), exposed(100, 97), exposed(1000, 988), exposed(30, 30, "mask")],
        ["ok"] * 147 + ["late"] * 2 + ["dropped"],
    )
    text = printed(table)
    lines = [line.split() for line in text.splitlines()]
    minus = "\N{MINUS SIGN}"

    assert ["image", "100", "10", "100.0", "2", "99.00", "2.83", f"{minus}3.00", "0%"] in lines
    assert ["image", "1000", "100", "1000.0", "1", "988.00", "–", f"{minus}12.00", "100%"] in lines
    assert ["mask", "30", "3", "30.0", "1", "30.00", "–", "+0.00", "0%"] in lines
    assert text.endswith("147 of 150 exposures ok, 2 late, 1 dropped.\n")


def test_a_long_study_fits_the_terminal():
    pictures = [exposed(ms, ms + 10.5) for ms in range(100, 1001, 10)]
    masks = [exposed(30, 1234.5, "mask")] * 54_000
    text = printed(timing_table([*pictures, *masks], ["dropped"] * 13_500))

    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert text.count("\nimage ") == 91
    assert "0 of 13,500 exposures ok, 13,500 dropped." in text


def test_nothing_measured_is_a_sentence():
    text = printed(timing_table([], []))

    assert text == "No exposure was measured: no image was flashed in a window.\n"


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0%"), (1, "100%"), (0.5, "50%"), (0.0123, "1.23%"), (1 / 13_500, "<0.1%")],
)
def test_a_share_that_is_not_nothing_does_not_read_so(value, written):
    assert share(value) == written
