"""The library gives the same figures, messages and checks as the commands."""

import doctest
import inspect
import json
import pickle
import re
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from itertools import chain
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from builders import named_study
from long import long_but
from matplotlib.figure import Figure
from matplotlib.text import Text
from running import run_here
from small_studies import STUDIES

import hype
from hype.answers.choices import Choices, option_name
from hype.library.scores import FOLDER
from hype.planning import people

EXAMPLES = ("time", "infinity", "comparisons", "ratings", "rankings")
HALF = {"study": {"methods": ["infinity"]}, "qualification": {"enabled": False}}
LONGEST_REPR = 900
ROOMS = "agreement masks result scores studies thresholds"


@pytest.fixture(scope="module")
def infinity() -> pd.DataFrame:
    return hype.example("infinity")


def test_importing_it_loads_nothing_and_all_names_are_there():
    code = (
        "import sys; before = set(sys.modules); import hype\n"
        "print(*sorted(m for m in set(sys.modules) - before if m.startswith('hype')))\n"
        "print(*[m for m in ('numpy', 'pandas', 'rich', 'typer') if m in sys.modules])\n"
        "hype.Staircase().after(correct=True); print('pandas' in sys.modules)\n"
        "print(*[n for n in hype.__all__ if not hasattr(hype, n)], len(hype.__all__) < 30)\n"
        "hype.score(hype.example('infinity'), draws=100).plot()\n"
        "print(*[m for m in ('matplotlib.pyplot', 'psychopy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split("\n") == ["hype", "", "False", "True", "", ""]
    assert done.stderr == ""
    assert dir(hype) == sorted(hype.__all__)


@pytest.mark.parametrize("name", long_but(["infinity", "rankings"], EXAMPLES))
def test_a_frame_a_table_and_the_command_give_the_same(name):
    path = FOLDER / f"{name}.csv"
    frame = hype.example(name)
    before = frame.copy()
    scores = hype.score(frame, seed=3)

    assert run_here("score", path, "--seed", 3, "--json").out == scores.to_json() + "\n"
    assert hype.score(path, seed=3).to_json() == scores.to_json()
    assert len(hype.read_table(path)) == len(hype.read_table(frame)) == len(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", long_but(["time"], EXAMPLES))
def test_a_result_can_be_pickled(name):
    scores = hype.score(hype.example(name))
    again = pickle.loads(pickle.dumps(scores))  # noqa: S301 - what we pickled ourselves

    assert again.to_json() == scores.to_json()
    assert (again.tables, again.notes) == (scores.tables, scores.notes)
    pd.testing.assert_frame_equal(again.conditions, scores.conditions)
    assert again.plot().axes
    with pytest.raises(hype.InputError, match="was unpickled"):
        again.report("page.html")


def test_a_figure_fits_a_column_and_axes_of_ones_own(infinity):
    scores = hype.score(infinity)
    for name in scores.figures:
        figure = scores.plot(name, width_in=3.4, font_pt=8)
        assert figure.get_figwidth() == pytest.approx(3.4, abs=0.01), name
        assert {text.get_fontsize() for text in figure.findobj(Text)} <= {8.0, 8.0 * 1.2}, name
    own = Figure(figsize=(3.4, 2.5))
    assert scores.plot(ax=own.add_subplot()) is own
    assert "flow" in {text.get_text() for text in own.findobj(Text)}
    with pytest.raises(hype.InputError, match="leaves no room for the panels"):
        scores.plot(width_in=0.3)
    with pytest.raises(hype.InputError, match=r"^font_pt: 0; above 0"):
        scores.plot(font_pt=0)


@pytest.mark.parametrize("name", long_but(["ratings"], EXAMPLES))
def test_a_result_is_short_tidy_and_drawn(name, capfd):
    before = dict(mpl.rcParams)
    scores = hype.score(hype.example(name))

    assert len(repr(scores)) < LONGEST_REPR
    assert repr(scores).startswith("SIMULATED EVALUATORS: no people were asked: Scores of ")
    assert "<table" in scores._repr_html_()
    for table in scores.tables:
        frame = scores.to_frame(table)
        assert len(frame), table
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column) for column in frame.columns)
        numbers = [name for name in frame if name.endswith(("low", "high", "score"))]
        assert all(
            frame[name].dropna().map(lambda v: not isinstance(v, str)).all() for name in numbers
        )
    for made in scores._tables:
        names = [name for column in made.columns for name in column.file_columns]
        assert len(set(names)) == len(names), made.name
    for figure in scores.figures:
        drawn = scores.plot(figure)
        assert isinstance(drawn, Figure)
        assert drawn.axes
    assert any("no people were asked" in text.get_text() for text in drawn.texts)
    assert scores.plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert dict(mpl.rcParams) == before
    assert capfd.readouterr() == ("", "")
    with pytest.raises(AttributeError):
        scores.heading = "another"


def test_the_frame_holds_the_figures_of_the_json(infinity):
    scores = hype.score(infinity)
    rows = json.loads(scores.to_json())["conditions"]

    frame = scores.to_frame().set_index("condition")
    assert frame["score"].to_dict() == {row["condition"]: row["score"] for row in rows}
    assert frame["low"].to_dict() == {row["condition"]: row["low"] for row in rows}
    pd.testing.assert_frame_equal(scores.conditions, scores.to_frame())
    assert scores.pairs["verdict"].isin(["separable", "not known"]).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            lambda t: hype.score(t.assign(answer=t["answer"].mask(t.index == 17, "maybe"))),
            "the frame, row 17, column answer: 'maybe' is not allowed; .* real=VALUE and fake",
        ),
        (
            lambda t: hype.read_table(t.rename(columns={"truth": "is_fake"})),
            r"is missing; .*hype.score\(frame, columns={'truth': 'is_fake'}, real=\['real'\]",
        ),
        (lambda t: hype.score(t.iloc[:0]), "the frame: contains no judgements"),
        (lambda t: hype.score(t, ties="half"), "^ties: is for compar.* the frame contains judg"),
        (lambda t: hype.score(t, images="all"), "^images: 'all'; one of sample, fixed"),
        (lambda t: hype.score(t, seed=-1), "^seed: -1; a whole number"),
        (lambda t: hype.score(t, draws=5), "^draws: 5; a whole number, 100 or more"),
        (lambda t: hype.score(t, workers=0), "^workers: 0"),
        (lambda t: hype.score(7), "^source: has the type int; a pandas DataFrame"),
        (lambda t: hype.score(t, by={}), "^by: {}; one value, or a list"),
        (lambda t: hype.score("none.csv"), "^none.csv: cannot be read"),
        (lambda t: hype.score(t).to_frame("x"), "^table: 'x' is not a table .* infinity-pairs"),
        (lambda t: hype.score(t).plot("x"), "^figure: 'x' is not a figure .* infinity-errors"),
        (lambda t: hype.power(), "^STUDY: is missing"),
        (lambda t: hype.power(win_rate=0.6).plot("x"), "has no figure"),
        (lambda t: hype.example("x"), "'x' is not known; one of comparisons"),
        (lambda t: hype.alpha([1, 2], [1]), r"^units, values: have the shapes \(2,\), \(1,\)"),
        (lambda t: hype.alpha([1, 1], ["a", "b"], level="ordinal"), "^values: are not numbers"),
        (lambda t: hype.kappa([1], [2], confidence=2), "^confidence: 2"),
        (lambda t: hype.make_mask(np.zeros((4, 4))), "^image: has the type float64"),
        (lambda t: hype.make_mask("none.png"), "none.png"),
        (lambda t: hype.Staircase(start_ms=50), "^start_ms: 50 is not between 100 and 1000"),
        (
            lambda t: hype.Staircase(rule="x"),
            r"^rule: 'x'; one of hype, weighted-75, quest\+",
        ),
        (lambda t: hype.Staircase(rule="quest+", up_ms=5), "^up_ms: is for staircases"),
        (lambda t: hype.Staircase(rule="quest+", refresh_hz=0), "^refresh_hz: 0: fewer than two"),
        (lambda t: hype.Staircase(up_ms=0), "^up_ms: 0; above 0"),
    ],
)
def test_wrong_input_is_one_message(infinity, given, said):
    with pytest.raises(hype.InputError, match=said):
        given(infinity)


def test_a_frame_may_have_any_types_and_index(infinity):
    scores = hype.score(infinity, seed=1).to_json()
    twice = infinity.set_index(np.zeros(len(infinity), dtype=int))
    coded = infinity.rename(columns={"truth": "kind"}).astype("category")
    coded = coded.assign(kind=infinity["truth"].eq("real"), answer=infinity["answer"].eq("real"))

    assert hype.score(twice, seed=1).to_json() == scores
    again = hype.score(coded, columns={"truth": "kind"}, seed=1)
    assert again.notes[0].startswith("In the columns 'truth' and 'answer', true")
    same = hype.score(coded, columns={"truth": "kind"}, real="True", fake="False", seed=1)
    assert same.to_json() == scores
    pd.testing.assert_frame_equal(again.conditions, same.conditions)


ORDERLESS = ("time", "infinity", "rankings")
"""Elo, of comparisons, depends on the order of votes; the list of axes, on that of the rows."""


@pytest.mark.parametrize("what", long_but(["infinity", "comparisons"], EXAMPLES))
def test_neither_the_order_of_rows_nor_unused_categories_matter(what):
    """A part of a table is scored as if it were the whole: the other rows do not count."""
    frame = hype.example(what)
    if what in ("time", "ratings"):
        frame = frame[frame["evaluator"].isin(sorted(frame["evaluator"].unique())[:9])]
    options = {"draws": 200} if what in ("time", "infinity") else {}
    texts = frame.select_dtypes(exclude=["number", "bool"]).columns
    coded = frame.astype(dict.fromkeys(texts, "category"))
    for column in texts:
        coded[column] = coded[column].cat.add_categories("nobody")

    plain = figures(json.loads(hype.score(frame, seed=1, **options).to_json()))
    if what in ORDERLESS:
        coded = coded.sample(frac=1, random_state=3)
    again = figures(json.loads(hype.score(coded, seed=1, **options).to_json()))
    assert again.keys() == plain.keys()
    assert [name for name in plain if again[name] != plain[name]] == []


def figures(told: Any, name: str = "") -> dict[str, Any]:
    """Return each value in JSON by its path."""
    if not isinstance(told, dict | list):
        return {name: float(f"{told:.9g}") if isinstance(told, float) else told}
    parts = told.items() if isinstance(told, dict) else enumerate(told)
    return {at: one for key, part in parts for at, one in figures(part, f"{name}.{key}").items()}


def test_metrics_are_a_frame_or_a_table(infinity, tmp_path):
    fid = pd.DataFrame({"condition": ["flow", "vae", "pca", "gaussian"], "fid": [1.0, 2, 3.5, 4]})
    fid.to_csv(tmp_path / "fid.csv", index=False)
    order = ["gaussian", "pca", "vae", "flow"]

    ours = hype.score(infinity, metrics=fid, order=order)
    assert ours.to_frame("metrics")["spearman_rho"].tolist() == [-1.0]
    theirs = hype.score(infinity, metrics=tmp_path / "fid.csv", order=order)
    pd.testing.assert_frame_equal(theirs.to_frame("metrics"), ours.to_frame("metrics"))


@pytest.mark.parametrize("kind", long_but(["comparison"], ["comparison", "rating", "ranking"]))
def test_a_study_is_simulated_and_scored_as_by_the_commands(kind, tmp_path):
    folder = STUDIES[kind](tmp_path).folder
    came = hype.simulate(folder, 6, seed=4)
    scores = hype.score(hype.open_study(folder), simulated=True, seed=2)

    assert came.to_frame()["evaluators"].sum() >= 6
    assert run_here("score", folder, "--simulated", "--seed", 2, "--json").out == (
        scores.to_json() + "\n"
    )
    assert scores.report(tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!")
    with pytest.raises(hype.InputError, match=r"there is no such study"):
        hype.score(tmp_path / "none")


def test_what_the_program_warns_of_is_a_warning(tmp_path, capfd):
    study = named_study(tmp_path, {"": 40, "good": 40}, **HALF, infinity={"trials": 6})
    hype.simulate(study.folder, 2)
    text = study.path.read_text(encoding="utf-8")
    study.path.write_text(text.replace("trials = 6", "trials = 8"), encoding="utf-8")

    with pytest.warns(UserWarning, match="changed after evaluators took part"):
        hype.read_table(study.folder, simulated=True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_power_is_that_of_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(people, "MOST", 50)
    monkeypatch.setattr(people, "FEWEST", 50)
    observers = {"crude": {"ceiling": 0.9}, "good": {"ceiling": 0.75}}
    short = {**HALF, "infinity": {"trials": 10}, "observers": observers, "practice": {"trials": 0}}
    study = named_study(tmp_path, {"": 30, "crude": 30, "good": 30}, **short)
    plan = hype.power(study.folder, difference=10, evaluators=[5, 9], studies=20, seed=1)

    numbers = ("--difference", 10, "--evaluators", "5,9", "--studies", 20, "--seed", 1)
    ran = run_here("power", study.folder, *numbers, "--json")
    assert ran.out, ran.err
    assert ran.out == plan.to_json() + "\n"
    assert plan.to_frame()["evaluators"].tolist() == [5, 9]
    assert plan.plot().axes


def test_a_threshold_has_a_table_and_a_figure():
    rng = np.random.default_rng(1)
    shown_ms = rng.choice([100, 150, 250, 400, 700], 300)
    correct = rng.random(300) < 0.5 + 0.48 * (1 - np.exp(-((shown_ms / 250) ** 2)))
    found = hype.fit_threshold(shown_ms, correct, at=0.75, bounds_ms=(50, 1000), seed=1)

    true_ms = 250 * np.sqrt(-np.log(1 - 0.25 / 0.48))
    assert found.low_ms < true_ms < found.high_ms
    assert found.to_frame()["threshold"].tolist() == [found.threshold_ms]
    assert json.loads(found.to_json())["slope"] == found.fit.slope
    assert found.plot().axes[0].get_ylabel() == ""
    assert "nothing" not in repr(found)


def test_the_staircase_is_that_of_sessions():
    """The exposures are those of a session's rule, and the mode is that of its block."""
    from hype.protocols.hype.block_scores import block_mode
    from hype.protocols.hype.staircase import PRESETS

    answers = np.random.default_rng(5).random(150) < 0.7
    block, rule = hype.Staircase(), PRESETS["hype"]
    state, shown_ms = rule.start(), []
    for correct in answers:
        assert block.exposure_ms == state.exposure_ms
        shown_ms.append(state.exposure_ms)
        state, block = rule.step(state, bool(correct)), block.after(correct=correct)

    assert block.finished
    assert block.exposures_ms == tuple(shown_ms)
    assert block.mode_ms == block_mode(shown_ms)
    assert hype.Staircase(answers=block.answers).to_frame().equals(block.to_frame())
    with pytest.raises(hype.InputError, match="all 150 trials are answered"):
        block.after(correct=True)
    assert hype.Staircase(rule="weighted-75").settles_at == 0.75
    quest = hype.Staircase(rule="quest+", trials=3, refresh_hz=120)
    assert (quest.settles_at, quest.exposure_ms, quest.threshold_ms) == (0.75, 300.0, None)
    right, wrong = (quest.after(correct=c) for c in (True, False))
    assert right.threshold_ms < wrong.threshold_ms
    assert (right.mode_ms, right.exposure_ms < wrong.exposure_ms) == (None, True)
    assert f"threshold {right.threshold_ms:.0f} ms" in repr(right)
    assert right.plot().axes
    assert hype.Staircase(down_ms=5, correct_to_descend=1).settles_at == pytest.approx(10 / 15)


def test_masks_are_those_of_the_command(tmp_path):
    study = STUDIES["hype"](tmp_path)
    made = hype.make_masks(
        study.stimuli_folder, tmp_path / "ours", 2, seed=4, size_px=32, method="phase-scramble"
    )
    options = ("-n", 2, "--seed", 4, "--size", 32, "--method", "phase-scramble", "--workers", 1)
    ran = run_here("masks", "make", study.stimuli_folder, "-o", tmp_path / "theirs", *options)

    assert ran.code == 0, ran.err
    for name in ("manifest.csv", *made["path"]):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()


def examples() -> list[Any]:
    modules = [import_module(f"hype.library.{room}") for room in ROOMS.split()]
    return [*chain.from_iterable(map(doctest.DocTestFinder().find, modules))]


@pytest.mark.parametrize("example", [e for e in examples() if e.examples], ids=lambda e: e.name)
def test_what_a_docstring_shows_is_so(example):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0


def test_each_option_is_a_parameter_and_stands_in_the_docstring_and_the_help():
    said, shown = hype.score.__doc__, run_here("score", "--help").out
    for choice in fields(Choices):
        assert choice.name in inspect.signature(hype.score).parameters
        assert f"\n    {choice.name}\n        " in said
        assert option_name(choice.name)[:20] in shown


def test_every_name_says_what_it_takes_and_gives():
    for name in set(hype.__all__) - {"__version__"}:
        said = getattr(hype, name).__doc__ or ""
        assert said, name
        if not isinstance(getattr(hype, name), type):
            assert "Parameters\n" in said, name
            assert "Raises" in said, name
    assert hype.__version__.count(".") == 2
