import re

import pytest
from page_structure import Structure, facts_of
from reported import without_figures

from hype.protocols.hype.answers import answers_behind
from hype.protocols.hype.report import write_report
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements

PROVENANCE = {"Study": "study.toml", "Seed": "7", "Software": "hype 0.1.0 <dev>"}


def written(out, frame, scores=None, title="Four generators", **more):
    scores = scores or score(frame, draws=50)
    answers = answers_behind(scores, check_judgements(frame), more.pop("spoiled", "keep"))
    return write_report(
        scores, out, answers=answers, title=title, provenance=PROVENANCE, **more
    ).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(both_protocols, scores, tmp_path_factory):
    with without_figures():
        return written(tmp_path_factory.mktemp("page") / "report.html", both_protocols, scores)


def test_every_figure_is_in_it(page, scores):
    for result in scores:
        for row in result.conditions:
            assert f">{row['condition']}</th>" in page
            assert f'<td data-sort="{row["score"]:.10g}">{row["score"]:.1f}</td>' in page
            interval = f"{row['interval'].low:.1f} \N{EN DASH} {row['interval'].high:.1f}"
            assert f'<td data-sort="{row["interval"].low:.10g}">{interval}</td>' in page
    assert "F(2, 9)" in page


@pytest.mark.usefixtures("undrawn")
def test_pairs_say_whether_they_are_separable(make_study, tmp_path):
    names = {"a": 0.3, "b": 0.3, "c": 0.95}
    page = written(tmp_path / "r.html", make_study("infinity", names=names, evaluators=10))
    assert page.count('<td class="separable">') == 4
    assert page.count('<td class="alike">') == 2
    assert "not known at α = 0.05" in page


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
    page = written(tmp_path / "r.html", frame)
    minus = "\N{MINUS SIGN}"
    timing = page[page.index('<section id="timing"') : page.index('<section id="methods"')]
    rows = re.findall(r'<th scope="row" class="name">(.*?)</tr>', timing, flags=re.DOTALL)
    cells = [re.sub(r"</?t[hdr].*?>\s*", " ", row).split() for row in rows]

    assert cells == [
        ["image", "500", "30", "500.0", "480", "501.25", "0.00", "+1.25", "0%"],
        ["mask", "30", "2", "33.3", "960", "24.95", "8.35", f"{minus}16.73", "50%"],
    ]
    assert "479 of 480 exposures ok, 1 late." in timing
    assert "flips and not photons" in timing
    assert "hype timing --witness" in timing
    assert "1 of 480 measured exposures was not as requested (1 late); it is scored." in page
    assert Structure(page).open == []


@pytest.mark.usefixtures("undrawn")
def test_without_trial_numbers_the_staircases_are_left_out_with_a_sentence(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("time").drop(columns="trial"))
    assert "The course of the staircases cannot be drawn" in page
    assert 'id="figure-time-staircases"' not in page
    assert 'id="table-time-staircases"' in page


def test_one_condition(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("time", names={"only": 0.2}))
    assert "One condition only" in page
    assert "Pairs of conditions" not in page


@pytest.mark.usefixtures("undrawn")
def test_what_was_excluded_is_said(make_study, tmp_path):
    frame = make_study("infinity").assign(status="complete")
    frame.loc[frame["evaluator"].eq("wgan-0"), "status"] = "active"
    page = written(tmp_path / "r.html", frame)
    section = page[page.index('<section id="exclusions"') : page.index('<section id="methods"')]
    assert "has not finished" in section
    assert section.count(">40</td>") == 2
    assert "Nothing was excluded" in written(tmp_path / "all.html", make_study("infinity"))


@pytest.mark.usefixtures("undrawn")
def test_without_a_background_the_facts_are_counted(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("infinity"))
    assert facts_of(page) == {
        "Protocols": "HYPE<sub>∞</sub>",
        "Conditions": "3",
        "Evaluators": "12",
        "Judgements": "480",
    }
    assert 'id="asked"' not in page
