"""Tables as files: numbers have all digits, and words stay words."""

import pytest
from builders import csv_rows

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.report.table_files import write_tables
from hype.report.tabular import Table, interval, keep_filled, name, number, percent, words


def table(*rows, columns=(), note=""):
    return Table(name="t", title="T", columns=columns, rows=rows, note=note)


def test_numbers_are_those_of_the_scores_to_the_last_digit(scores, tmp_path):
    for result in scores:
        write_tables(result.tables, tmp_path, simulated=False)
        rows = csv_rows(tmp_path / f"{result.protocol}-conditions.csv")
        for row, condition in zip(rows, result.rows("conditions"), strict=True):
            assert row["condition"] == condition["condition"]
            assert float(row["score"]) == condition["score"]
            assert float(row["low"]) == condition["interval"].low
            assert float(row["high"]) == condition["interval"].high
            assert int(row["judgements"]) == condition["judgements"]
        described = csv_rows(tmp_path / "columns.csv")
        assert not [row for row in described if not row["meaning"]]
        assert {row["holds"] for row in described if not row["unit"]} == {"words"}
        (low,) = (row for row in described if row["column"] == "low" and "cond" in row["table"])
        assert low["unit"] == {"time": "ms", "infinity": "%"}[result.protocol]
        assert low["meaning"] == "lower end of the interval: score of the condition"


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_evaluators_are_marked_in_every_file(make_study, tmp_path, simulated):
    (result,) = score(make_study("infinity", simulated=simulated), draws=20)
    assert result.simulated == simulated
    filled = keep_filled(result.tables)
    for path in write_tables(filled, tmp_path, simulated=simulated):
        if path.suffix == ".csv":
            assert {row["simulated"] for row in csv_rows(path)} == {str(simulated).lower()}
        else:
            assert ("SIMULATED EVALUATORS: no people were asked" in path.read_text()) == simulated


def test_an_open_interval_lacks_an_end(tmp_path):
    elo = (percent("Win rate", "win_rate"), number("Elo", "score", unit="Elo points"))
    columns = (name("Condition", "condition"), *elo, interval("CI", ""))
    write_tables([table(("a", 6, 2, (1.5, None)), columns=columns)], tmp_path, simulated=False)
    *_, low, _ = csv_rows(tmp_path / "columns.csv")
    assert (low["column"], low["unit"]) == ("low", "Elo points")
    assert low["meaning"] == "lower end of the interval: score of the condition"
    (row,) = csv_rows(tmp_path / "t.csv")
    assert (row["low"], row["high"]) == ("1.5", "")
    assert "above 1.5" in (tmp_path / "t.tex").read_text()


@pytest.mark.parametrize("text", ["=cmd()", "+1", "@a", "-x"])
def test_a_name_is_no_formula(tmp_path, text):
    write_tables(
        [table((text,), columns=(name("Condition", "condition"),))], tmp_path, simulated=False
    )
    assert csv_rows(tmp_path / "t.csv")[0]["condition"] == f"'{text}"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b", r"a\_b"),
        ("50% & more", r"50\% \& more"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2$~#1", r"\$x\textasciicircum{}2\$\textasciitilde{}\#1"),
        ("<b>", r"\textless{}b\textgreater{}"),
        ("HYPE_time", r"HYPE$_{\mathrm{time}}$"),
    ],
)
def test_a_name_is_no_latex(tmp_path, text, written):
    columns = (name("Condition", "condition"), words("Words", "words"))
    write_tables([table(("x", text), columns=columns)], tmp_path, simulated=False)
    assert f"x & {written} \\\\" in (tmp_path / "t.tex").read_text()


def test_braces_and_environments_are_closed(scores, tmp_path):
    for path in write_tables(scores[1].tables, tmp_path, simulated=True):
        if path.suffix == ".tex":
            text = path.read_text().replace(r"\{", "").replace(r"\}", "")
            assert text.count("{") == text.count("}")
            assert text.count(r"\begin{") == text.count(r"\end{")


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: cannot be made"):
        write_tables([], tmp_path / "file", simulated=False)
