"""The page on judgements: its numbers, measured times, and answers that are not scored."""

import re

import pandas as pd
import pytest
from full_report import pictured, report_of
from page_structure import Structure, facts_of

from hype.protocols.hype.report import gallery
from hype.protocols.hype.scoring import score


def written(out, frame, **more):
    return report_of(frame, **more).write_page(out).read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
def test_every_figure_is_in_it(both_protocols, scores, tmp_path):
    page = written(tmp_path / "r.html", both_protocols, scores=scores)
    for result in scores:
        for row in result.rows("conditions"):
            assert f">{row['condition']}</th>" in page
            assert f'<td data-sort="{row["score"]:.10g}">{row["score"]:.1f}</td>' in page
            interval = f"{row['interval'].low:.1f} \N{EN DASH} {row['interval'].high:.1f}"
            assert f'<td data-sort="{row["interval"].low:.10g}">{interval}</td>' in page
    assert "F(2, 9)" in page
    assert facts_of(page) == {
        "Protocols": "HYPE<sub>time</sub> and HYPE<sub>∞</sub>",
        "Conditions": "3",
        "Evaluators": "12",
        "Judgements": "960",
    }
    assert "Nothing was excluded" in page


MEASURED = {
    "verdict": "ok",
    "exposure_frames": 30,
    "exposure_nominal_ms": 500.0,
    "exposure_measured_ms": 501.25,
    "mask_ms": 30.0,
    "mask_frames": 2,
    "mask_nominal_ms": 33.333,
    "mask_measured_ms": "33.3 16.6",
}


@pytest.mark.usefixtures("undrawn")
def test_timing_of_what_was_measured(make_study, tmp_path):
    frame = make_study("time").assign(exposure_ms=500.0, **MEASURED)
    frame.loc[7, "verdict"] = "late"
    practice = frame.assign(task="practice", evaluator="x-" + frame["evaluator"])
    page = written(tmp_path / "r.html", pd.concat([frame, practice], ignore_index=True))
    minus = "\N{MINUS SIGN}"
    timing = page[page.index('<section id="timing"') : page.index('<section id="methods"')]
    rows = re.findall(r'<th scope="row" class="name">(.*?)</tr>', timing, flags=re.DOTALL)
    cells = [re.sub(r"</?t[hdr].*?>\s*", " ", row).split() for row in rows]

    assert cells == [
        ["image", "500", "30", "500.0", "480", "501.25", "0.00", "+1.25", "0%"],
        ["mask", "30", "2", "33.3", "960", "24.95", "8.35", f"{minus}16.73", "50%"],
    ]
    assert "479 of 480 exposures ok, 1 late." in timing
    assert "1 of 480 measured exposures was not as requested (1 late); it is scored." in page
    assert Structure(page).open == []


@pytest.mark.usefixtures("undrawn")
def test_without_trial_numbers_the_staircases_are_left_out_with_a_sentence(make_study, tmp_path):
    frame = make_study("time", names={"only": 0.2}).drop(columns="trial")
    page = written(tmp_path / "r.html", frame)
    assert "The course of the staircases cannot be drawn" in page
    assert 'id="figure-time-staircases"' not in page
    assert 'id="table-time-staircases"' in page
    assert "There is only one condition" in page
    assert "Pairs of conditions" not in page
    assert 'id="asked"' not in page
    assert 'id="timing"' not in page


@pytest.mark.usefixtures("undrawn")
def test_what_was_excluded_is_said(make_study, tmp_path):
    frame = make_study("infinity").assign(status="complete")
    frame.loc[frame["evaluator"].eq("wgan-0"), "status"] = "active"
    page = written(tmp_path / "r.html", frame)
    section = page[page.index('<section id="exclusions"') : page.index('<section id="methods"')]
    assert "have not finished" in section
    assert section.count(">40</td>") == 1


def judgements(passed, shown=5):
    """Make judgements of fakes: ``passed`` is how often each one was called real."""
    rows = [
        (f"p{time}", "gan", "fake", "real" if time < often else "fake", f"fake/gan/{number:02}.png")
        for number, often in enumerate(passed)
        for time in range(shown)
    ]
    rows += [(f"p{time}", "gan", "real", "real", "real/0.png") for time in range(shown)]
    return pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer", "image"])


def test_the_gallery_shows_either_end_with_what_people_made_of_it():
    (result,) = score(judgements([0, 0, 0, 4, 1, 1, 1, 1, 3, 3, 3, 2]), draws=100)
    (ends,) = gallery(result, lambda name: pictured(name) if "03" in name else None)
    names = {end: [picture["name"] for picture in ends[end]] for end in ("most", "least")}
    first, second = ends["most"][:2]

    assert names["most"] == [f"gan/{n}.png" for n in ("03", "08", "09", "10", "11")]
    assert names["least"] == [f"gan/{n}.png" for n in ("00", "01", "02", "04", "05")]
    assert (first["uri"], first["width_px"], first["height_px"]) == pictured("fake/gan/03.png")
    assert (second["uri"], second["width_px"], second["height_px"]) == (None, 0, 0)
    assert second["alt"] == "gan/08.png, taken for real by 3 of 5"
