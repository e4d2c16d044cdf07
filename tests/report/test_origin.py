"""A report's facts about itself: versions, the input's hash, the start of response times."""

import hashlib
import re
from html import unescape

import pandas as pd

import hype


def text_of(page) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))).split())


def test_versions_and_the_hash_of_the_table_and_no_path_of_the_machine(tmp_path):
    path = tmp_path / "answers.csv"
    hype.example("infinity").to_csv(path, index=False)
    page = hype.score(path, draws=100).report(tmp_path / "report.html")
    text = text_of(page)
    assert hashlib.sha256(path.read_bytes()).hexdigest() in text
    for package in ("numpy", "scipy", "pandas", "matplotlib"):
        assert re.search(rf" {package} \d", text), package
    assert str(tmp_path) not in page.read_text(encoding="utf-8")


def test_judgements_rebuilt_from_counts_are_said_to_be_so(tmp_path):
    path = tmp_path / "people.csv"
    counts = {"num_correct": [150, 160], "err_rt": [0.25, 0.2]}
    rates = {"f_err_rt": [0.3, 0.2], "r_err_rt": [0.2, 0.2]}
    pd.DataFrame({"id": ["a", "b"], "model": "gan", **counts, **rates}).to_csv(path, index=False)
    scores = hype.score(path, shape="dgm-eval", draws=100)
    assert any("computed from each person" in note for note in scores.notes)
    page = scores.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "computed from each person" in page
    assert str(tmp_path) not in page
