"""The tables of a report as files: CSV for programs, LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from hype.files import guard, make_folder, tomllib, write_bytes, write_table
from hype.report import wording
from hype.report.tabular import ColumnKind, Table

ENDS: Final = {"low": "lower end of the interval", "high": "upper end of the interval"}
LONG: Final = 40
"""A table with more rows becomes a longtable, which may continue on the next page."""
_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\n": " ",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{PRIME}": r"$'$",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{INFINITY}": r"$\infty$",
    "\N{SUPERSCRIPT TWO}": r"$^2$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREEK SMALL LETTER ALPHA}": r"$\alpha$",
    "\N{GREEK SMALL LETTER ETA}": r"$\eta$",
    "\N{GREEK SMALL LETTER RHO}": r"$\rho$",
    "\N{GREEK SMALL LETTER TAU}": r"$\tau$",
    "\N{GREEK SMALL LETTER KAPPA}": r"$\kappa$",
    "\N{GREEK SMALL LETTER CHI}": r"$\chi$",
}

_PROTOCOLS: Final = {"HYPE_time": r"HYPE$_{\mathrm{time}}$", "HYPE_∞": r"HYPE$_\infty$"}
_SPECIAL: Final = re.compile("|".join(map(re.escape, [*_PROTOCOLS, *_ESCAPES])))
_ALIGNED: Final = {
    ColumnKind.NAME: "l",
    ColumnKind.WORDS: "l",
    ColumnKind.NUMBER: "r",
    ColumnKind.INTERVAL: "r",
}


def latex_table(table: Table, *, simulated: bool) -> str:
    """Write a table as a float with booktabs' rules, or as a longtable if it is long.

    ``table``: cells are written as shown; title and note become the caption. ``simulated``: whether
    to state in the caption that evaluators were simulated. The LaTeX document needs the packages
    booktabs and longtable, and UTF-8.
    """
    table = table.short
    parts = (wording.SIMULATED + "." if simulated else "", table.title + ".", table.note)
    label = rf"\label{{tab:{table.name}}}"
    caption = rf"\caption{{{escape_latex(' '.join(filter(None, parts)))}}}{label}"
    alignment = "".join(_ALIGNED[column.kind] for column in table.columns)
    units = (f" ({column.unit})" if column.unit else "" for column in table.columns)
    words = map("".join, zip((one.plain_heading for one in table.columns), units, strict=True))
    headings = " & ".join(map(escape_latex, words)) + r" \\"
    rows = [
        # LaTeX would read a [ at the start of a row as an option of the line break before it.
        "{}" * row[0].startswith("[") + " & ".join(map(escape_latex, row)) + r" \\"
        for row in table.shown
    ]
    if len(table.rows) > LONG:
        lines = [
            "% needs \\usepackage{booktabs, longtable}",
            rf"\begin{{longtable}}{{{alignment}}}",
            caption + r" \\",
            *(r"\toprule", headings, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
            *rows,
            r"\end{longtable}",
        ]
    else:
        lines = [
            *("% needs \\usepackage{booktabs}", r"\begin{table}", r"\centering", caption),
            rf"\begin{{tabular}}{{{alignment}}}",
            *(r"\toprule", headings, r"\midrule", *rows, r"\bottomrule"),
            *(r"\end{tabular}", r"\end{table}"),
        ]
    return "\n".join([*lines, ""])


def escape_latex(text: str) -> str:
    known = _ESCAPES | _PROTOCOLS
    return _SPECIAL.sub(lambda match: known[match[0]], text)


def write_tables(tables: Iterable[Table], folder: Path, *, simulated: bool) -> tuple[Path, ...]:
    """Write each table as NAME.csv with all digits, and as NAME.tex with rounded numbers.

    ``columns.csv`` describes each column. ``tables``: their names must differ. ``folder``: made if
    missing; files with these names are replaced. ``simulated``: the value of the column
    ``simulated`` in every CSV file; if true, the LaTeX captions state it too. Returns the files in
    the order of the tables, and columns.csv last.

    Raises InputError: the folder cannot be made or written to.
    """
    make_folder(folder)
    every, dictionary = tuple(tables), folder / "columns.csv"
    files = [path for table in every for path in _write(table, folder, simulated=simulated)]
    mark = {"simulated": str(simulated).lower()}
    meanings = (meaning | mark for table in every for meaning in columns_of(table))
    names = ("table", "column", "heading", "unit", "holds", "meaning", "simulated")
    write_table(dictionary, names, meanings)
    return *files, dictionary


@cache
def read_meanings() -> Mapping[str, str]:
    """Read the meaning of each column by its name; "TABLE.NAME" applies only to that table.

    The entry "score" also describes columns such as "score_AXIS".
    """
    return tomllib.loads((Path(__file__).parent / "columns.toml").read_text(encoding="utf-8"))


def columns_of(table: Table) -> Iterator[dict[str, str]]:
    """Describe each column of a table's file; both ends of an interval have the number's unit."""
    numbers = {one.key: one for one in table.columns if one.kind is ColumnKind.NUMBER}
    measured = next((one for one in numbers.values() if one.measure != "count"), None)
    main = numbers.get("score") or numbers.get("difference") or measured
    for column in table.columns:
        of, holds, unit = column, "words", ""
        if column.kind is ColumnKind.INTERVAL:
            of = (numbers.get(column.key) if column.key else main) or column
        if column.kind in (ColumnKind.NUMBER, ColumnKind.INTERVAL):
            units = (each for one in (column, of, main) if one for each in (one.measure, one.unit))
            holds, unit = "number", next(filter(None, units), "1")
        names = (table.name, table.name.partition("-")[2])
        own = (f"{each}.{key}" for key in (column.key, of.key) for each in names)
        known = *own, of.key, of.key.partition("_")[0]
        meaning = next(filter(None, map(read_meanings().get, known)), "")
        for name, end in zip(column.file_columns, (*column.ends, ""), strict=False):
            is_end = column.kind is ColumnKind.INTERVAL
            yield {
                "table": table.file or table.name,
                "column": name,
                "heading": column.plain_heading + f", {end}" * is_end,
                "unit": unit,
                "holds": holds,
                "meaning": f"{ENDS.get(end, end)}: {meaning}" if is_end else meaning,
            }


def _write(table: Table, folder: Path, *, simulated: bool) -> Iterator[Path]:
    csv, tex = (folder / f"{table.file or table.name}.{kind}" for kind in ("csv", "tex"))
    columns = table.values()
    rows = (row | {"simulated": str(simulated).lower()} for row in table.objects())
    guarded_rows = (
        {key: guard(cell) if isinstance(cell, str) else cell for key, cell in row.items()}
        for row in rows
    )
    write_table(csv, [*columns, "simulated"], guarded_rows)
    write_bytes(tex, latex_table(table, simulated=simulated).encode())
    yield from (csv, tex)
