"""`hype report` on comparisons: the page of a study and of a table, and the files beside it."""

import re

import pytest
from compared_studies import compared_study, simulate
from known import register

MARK = "SIMULATED EVALUATORS: nobody real was asked"
DEMOGRAPHICS = {
    "age": {
        "question": "How old are you?",
        "options": ["young", "old"],
        "reference": {"young": 0.5, "old": 0.5},
    }
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A registered study with real images, gone through by simulated evaluators."""
    folder = tmp_path_factory.mktemp("compared")
    made = compared_study(folder, files=True, demographics=DEMOGRAPHICS)
    register(made)
    simulate(made, 6)
    return made


def section(page: str, name: str) -> str:
    start = page.index(f'<section id="{name}"')
    return page[start : page.index("</section>", start)]


def test_the_page_of_a_study(study, tmp_path, hype):
    out = tmp_path / "report.html"
    done = hype("report", study.folder, "--simulated", "-o", out)
    page = out.read_text(encoding="utf-8")

    assert done.code == 0
    assert MARK in page
    assert "Which image better reflects the caption above them?</blockquote>" in page
    assert "<dt>Prompt</dt><dd>appeared above the images word by word</dd>" in page
    assert "whose choices were drawn from strengths of the conditions" in page
    assert "psychometric" not in page
    assert re.search(r"<dt>Registered</dt><dd>[0-9a-f]{8}, unchanged</dd>", page)
    assert "unchanged since." in section(page, "comparison-registered")
    assert page.count('src="data:image/png;base64,') == 2 * 2 * 3
    assert "is said of these images alone" in page
    assert "There are only 2 prompts" in page
    assert "Christodoulou, D., Kuhlmann-Jørgensen, M. (2024)." in page


@pytest.mark.usefixtures("undrawn")
def test_a_changed_study_says_that_it_changed(study, tmp_path, hype):
    changed = study.path.read_text(encoding="utf-8")
    out = tmp_path / "r.html"
    try:
        study.path.write_text(changed + "\n[analysis]\nwin_rate = 0.7\n", encoding="utf-8")
        done = hype("report", study.folder, "--simulated", "-o", out)
        assert done.code == 0
    finally:
        study.path.write_text(changed, encoding="utf-8")
    page = out.read_text(encoding="utf-8")

    assert re.search(r"<dt>Registered</dt><dd>[0-9a-f]{8}, changed since</dd>", page)
    assert "win_rate" in section(page, "comparison-registered")


@pytest.mark.usefixtures("undrawn")
def test_a_study_whose_stimuli_are_gone_is_described_by_its_record(tmp_path, hype):
    made = compared_study(tmp_path, files=True)
    simulate(made, 2)
    (made.stimuli_folder / "manifest.csv").unlink()
    assert hype("report", made.folder, "--simulated").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")

    assert "three conditions (crude, fine and good)" in page
