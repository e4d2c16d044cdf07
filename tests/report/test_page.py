import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from hype.analysis import score
from hype.errors import InputError
from hype.report.page import write_report

BANNER = "SIMULATED EVALUATORS: nobody real was asked"
PROVENANCE = {"Study": "study.toml", "Seed": "7", "Software": "hype 0.1.0 <dev>"}


def written(out, frame, scores=None, title="Four generators"):
    scores = scores or score(frame, draws=50)
    return write_report(scores, out, frame=frame, title=title, provenance=PROVENANCE).read_text(
        encoding="utf-8"
    )


@pytest.fixture(scope="module")
def page(both_protocols, scores, tmp_path_factory):
    return written(tmp_path_factory.mktemp("page") / "report.html", both_protocols, scores)


class Structure(HTMLParser):
    VOID = frozenset({"meta", "br", "link", "img"})

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.targets = [], [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.targets.update(re.findall(r"#([\w-]+)\)", values.get("clip-path", "")))
        self.targets.update([values["href"].lstrip("#")] if "href" in values else [])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_figure_is_in_it(page, scores):
    for result in scores:
        for row in result.conditions:
            assert f">{row.condition}</th>" in page
            assert f">{row.score:.1f}</td>" in page
            assert f">{row.ci_low:.1f} \N{EN DASH} {row.ci_high:.1f}</td>" in page
    assert "F(2, 9)" in page
    assert page.count("<svg") == 6


def test_conditions_label_the_drawings_themselves(page):
    drawings = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    for svg in (svg for svg in drawings if "width of the interval" not in svg):
        assert all(f">{name}</text>" in svg for name in ("stylegan", "progan", "wgan"))


def test_provenance_and_methods_are_in_it(page):
    assert "<dt>Seed</dt><dd>7</dd>" in page
    assert "hype 0.1.0 &lt;dev&gt;" in page
    assert "Zhou et al. 2019" in page
    assert "Efron 1979" in page
    assert "500 draws" in page


def test_it_is_sound_html(page):
    structure = Structure(page)
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids))
    assert structure.targets <= set(structure.ids)


def test_it_needs_neither_network_nor_script(page):
    assert "http" not in page
    assert "url(" not in page.replace("url(#", "")
    assert not {"script", "link", "img", "iframe"} & set(Structure(page).tags)


@pytest.mark.parametrize("simulated", [True, False])
def test_banner_exactly_when_simulated(make_study, tmp_path, simulated):
    page = written(tmp_path / "r.html", make_study("infinity", simulated=simulated))
    assert (BANNER in page) == simulated


def test_names_are_escaped_everywhere(make_study, tmp_path):
    frame = make_study("time", names={"<b>x</b>": 0.4, "$y_1$ & co": 0.1})
    page = written(tmp_path / "r.html", frame, title="<i>T</i>")
    assert "<b>" not in page
    assert "<i>T</i>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;</th>" in page
    assert "&lt;b&gt;x&lt;/b&gt;</text>" in page
    assert ">$y_1$ &amp; co</text>" in page


def test_names_in_any_script(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("infinity", names={"模型": 0.4, "b": 0.1}))
    assert ">模型</text>" in page


def test_long_names_are_whole_in_the_table(make_study, tmp_path):
    name = "generator " * 12 + "end"
    page = written(tmp_path / "r.html", make_study("time", names={name: 0.4, "b": 0.1}))
    assert f">{name}</th>" in page


def test_same_input_same_bytes(both_protocols, scores, page, tmp_path):
    assert written(tmp_path / "again.html", both_protocols, scores) == page


def test_pairs_say_whether_they_are_separable(make_study, tmp_path):
    names = {"a": 0.3, "b": 0.3, "c": 0.9}
    page = written(tmp_path / "r.html", make_study("infinity", names=names))
    assert page.count('<td class="separable">') == 2
    assert page.count("<br>not separable") == 1


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


def test_timing_of_what_was_measured(make_study, tmp_path):
    frame = make_study("time").assign(exposure_ms=500.0, **MEASURED)
    frame.loc[7, "verdict"] = "late"
    page = written(tmp_path / "r.html", frame)
    minus = "\N{MINUS SIGN}"
    timing = page[page.index("<h2>Timing</h2>") : page.index("<h2>Methods</h2>")]
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


@pytest.mark.parametrize("task", ["time", "infinity"])
def test_without_measurements_there_is_no_timing(make_study, tmp_path, task):
    page = written(tmp_path / "r.html", make_study(task))
    assert "<h2>Timing</h2>" not in page
    assert "under Timing" not in page


def test_verdicts_alone_are_counted_without_a_table(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("time").assign(verdict="dropped"))
    assert "0 of 480 exposures ok, 480 dropped." in page
    assert 'aria-label="Timing"' not in page


def test_staircases_are_drawn_without_repetitions(make_study, tmp_path):
    frame = make_study("time")
    again = frame.iloc[:1].assign(trial=21, repeats=3, exposure_ms=990.0)
    scores = score(frame, draws=50)
    with_repetition = written(
        tmp_path / "a.html", pd.concat([frame, again], ignore_index=True), scores
    )
    assert with_repetition == written(tmp_path / "b.html", frame, scores)


def test_without_trial_numbers_the_staircases_are_left_out_with_a_sentence(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("time").drop(columns="trial"))
    assert "The course of the staircases cannot be drawn" in page
    assert page.count("<svg") == 2


def test_one_condition(make_study, tmp_path):
    page = written(tmp_path / "r.html", make_study("time", names={"only": 0.2}))
    assert "One condition only" in page
    assert "Pairs of conditions" not in page


def test_degenerate_data(make_study, tmp_path):
    frame = make_study("infinity")
    page = written(tmp_path / "r.html", frame[frame["evaluator"].str.endswith("-0")])
    assert "cannot be computed" in page
    assert "None" not in page
    assert not re.search(r"\bnan\b", page)


def test_no_reals(make_study, tmp_path):
    frame = make_study("infinity")
    page = written(tmp_path / "r.html", frame[frame["truth"].eq("fake")])
    assert "no reals</text>" in page


def test_unwritable_destination(both_protocols, scores, tmp_path):
    with pytest.raises(InputError, match=r"report\.html: cannot be written"):
        written(tmp_path / "nowhere" / "report.html", both_protocols, scores)


def test_a_report_is_replaced_whole(make_study, tmp_path):
    out = tmp_path / "r.html"
    out.write_text("old")
    written(out, make_study("infinity"))
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [out]
