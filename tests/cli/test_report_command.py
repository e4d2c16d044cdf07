"""`hype report`: the page with the facts of a study, its figures and its tables."""

import re
from pathlib import Path

import pytest
from builders import csv_rows, whole_study
from paper_station import record_of
from running import run_here

from hype.protocols.registry import course_of
from hype.session.simulate import Simulation

SMALL = {
    "study": {"methods": ["time", "infinity"]},
    "time": {"blocks": 2, "trials": 8},
    "infinity": {"trials": 10},
    "qualification": {"trials": 10, "pass_rate": 0.0},
    "practice": {"trials": 2},
}
IMAGES = {"": 40, "crude": 14, "good": 14}
MARK = "SIMULATED EVALUATORS: no people were asked"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with image files and the answers of simulated evaluators."""
    study = whole_study(tmp_path_factory.mktemp("report"), IMAGES, **SMALL)
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).fill(9))
    return study.folder


@pytest.fixture(scope="module")
def written(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that `hype report` can write."""
    folder = tmp_path_factory.mktemp("written")
    places = ("--figures", folder / "figures", "--tables", folder / "tables")
    to = ("-o", folder / "report.html", *places)
    assert run_here("report", study, "--simulated", "--draws", "100", *to).code == 0
    return folder


def test_the_page_says_what_was_run_and_shows_its_images(written):
    page = (written / "report.html").read_text(encoding="utf-8")

    assert MARK in page
    assert "Who took part" in page
    assert "each evaluator judged two blocks of 8 images" in page
    assert page.count('src="data:image/png;base64,') > 10
    assert re.search(r"settles.*6\d(\.\d+)?%", page)
    assert "100 draws, seed 0" in page


def test_every_figure_is_left_as_svg_pdf_and_png(written):
    names = sorted(path.name for path in (written / "figures").iterdir())

    assert {Path(name).stem for name in names} >= {
        *("time-intervals", "time-staircases", "time-psychometric", "time-response-times"),
        *("infinity-intervals", "infinity-errors"),
    }
    stems = sorted({Path(name).stem for name in names})
    assert names == sorted(f"{stem}.{end}" for stem in stems for end in ("svg", "pdf", "png"))
    for path in (written / "figures").glob("*.svg"):
        assert MARK in path.read_text(encoding="utf-8"), path.name
    for path in (written / "figures").glob("*.pdf"):
        assert path.read_bytes().startswith(b"%PDF-"), path.name


def test_every_table_is_left_as_csv_and_as_latex(written):
    table = written / "tables" / "infinity-conditions.csv"
    rows = csv_rows(table)

    assert {row["simulated"] for row in rows} == {"true"}
    assert [int(row["evaluators"]) for row in rows] == [9] * len(rows)
    assert MARK in (written / "tables" / "infinity-conditions.tex").read_text(encoding="utf-8")
    assert (written / "tables" / "time-evaluators.csv").exists()
    times = (written / "tables" / "time-response-times.csv").read_text(encoding="utf-8")
    assert times.startswith("condition,median,quartile_low,quartile_high,")


@pytest.mark.usefixtures("undrawn")
def test_a_table_from_elsewhere_is_told_where_its_images_lie(study, tmp_path, hype):
    assert hype("export", study, "--simulated", "-o", tmp_path).code == 0
    table = tmp_path / "judgements.csv"
    pictures = []
    for option in ((), ("--stimuli", study / "stimuli")):
        assert hype("report", table, "--draws", "100", *option).code == 0
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "Who took part" not in page
        pictures.append(page.count('src="data:image/png;base64,'))

    assert pictures[0] == 0
    assert pictures[1] > 10


@pytest.mark.usefixtures("undrawn")
def test_files_that_have_no_place_get_one_message(study, tmp_path, hype):
    (tmp_path / "file").write_text("")
    out = tmp_path / "report.html"
    done = hype(
        "report", study, "--simulated", "--draws", "100", "-o", out, "--tables", tmp_path / "file"
    )

    assert done.code == 2
    assert "file: cannot be made" in done.err
    assert "Traceback" not in done.err
