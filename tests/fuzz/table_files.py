"""Tables to read: judgements and manifests that are nearly right."""

import gzip
import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from edits import damaged
from hypothesis import strategies as st

from hype.protocols.hype.rows import ROW as JUDGED

WRONG: Final = (
    *("", " ", "0", "1", "-1", "1.5", "1e3", "1e400", "inf", "nan", "NaN", "NA", "<NA>", "None"),
    *("9" * 400, "1" * 5000, "0x10", "1_000", "٣", "１", "²", "1,5", "1 2 3", "1e-400", "+1", "-0"),
    *(
        "real",
        "fake",
        "Real",
        "true",
        "TRUE",
        "False",
        "time",
        "infinity",
        "practice",
        "ok",
        "late",
    ),
    *("=1+1", "'=1+1", "''NA", "'", "@x", "é", "\N{ZERO WIDTH SPACE}", "\N{NO-BREAK SPACE}", "🖼"),
    *('"', '""', '"a\nb"', '"a""b"', 'a"b', "\r", "\0", "\x1b[31m", "\x85", "\u2028", "\ud800"),
    *("../x.png", "/x.png", "real//x.png", "real/./x.png", "C:\\x", "a\0b", "x" * 300, "..", "."),
    *("2020-01-01", "1e308", "1" * 19, "18446744073709551616", "y" * 9000, "y" * 140_000),
    *("0" * 64, "f" * 64, "F" * 64, "real/a b.png", "fake/gan/0.png", "[1]", "{}", "(1, 2)", "1j"),
)
"""Cells that are wrong in one column or another, and right in some."""

SEPARATORS: Final = (",", ";", "\t", "|", ",,", " ")
ENDS: Final = ("\n", "\r\n", "\r", "\n\n", "\n\r", "\u2028")
ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7")
WORDS: Final = (b",", b";", b"\t", b'"', b'""', b'"\n"', b",,,,", b"\n,\n", b"'", b"=", b"1e999")

JUDGEMENT: Final[Mapping[str, Sequence[str]]] = {
    **{column.name: ("1", "2", "3", "") for column in JUDGED.read},
    "evaluator": ("p1", "p2", "007"),
    "condition": ("gan", "vae"),
    "truth": ("real", "fake"),
    "answer": ("real", "fake"),
    "task": ("infinity", "practice"),
    "exposure_ms": ("500", "100.5"),
    "block": ("1", "2"),
    "trial": tuple(map(str, range(50))),
    "image": ("a.png", "b.png", ""),
    "verdict": ("ok", "late", "dropped", ""),
    "status": ("complete", "running"),
    "simulated": ("false", ""),
    "extra": ("x", "1", ""),
}
NEEDED: Final = ("evaluator", "condition", "truth", "answer")

STIMULI: Final = tuple(
    {
        "path": f"fake/{condition}/{n}.png" if condition else f"real/{n}.png",
        "kind": "fake" if condition else "real",
        "condition": condition,
        "width": "16",
        "height": "8192",
        "sha256": f"{n + 10 * len(condition):064x}",
        "age": "" if n else "30",
    }
    for condition in ("", "gan")
    for n in range(3)
)
MASKS: Final = tuple(
    {
        "path": f"{n:05d}.png",
        "source": "real/0.png",
        "method": "portilla-simoncelli",
        "seed": "0",
        "size_px": "16",
        "error": "0.003",
        "note": "" if n else "x",
    }
    for n in range(4)
)


@st.composite
def judged(draw: st.DrawFn) -> list[list[str]]:
    """Draw the lines of a table of judgements with some of its columns."""
    others = [name for name in JUDGEMENT if name not in NEEDED]
    names = [*NEEDED, *draw(st.lists(st.sampled_from(others), max_size=4, unique=True))]
    cells = st.tuples(*(st.sampled_from(JUDGEMENT[name]) for name in names))
    return [names, *map(list, draw(st.lists(cells, max_size=6)))]


def listed(rows: Sequence[Mapping[str, str]]) -> st.SearchStrategy[list[list[str]]]:
    """Draw the lines of a manifest: some of these rows, each once."""
    chosen = st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True)
    return chosen.map(lambda places: [list(rows[0]), *(list(rows[n].values()) for n in places)])


@st.composite
def tables(draw: st.DrawFn, whole: st.SearchStrategy[list[list[str]]]) -> bytes:
    """Draw a table with a few wrong cells, as bytes of some encoding."""
    lines = draw(whole)
    place = st.integers(0, 40)
    wrong = st.tuples(place, place, st.integers(0, 9), st.sampled_from(WRONG))
    for line, column, action, cell in draw(st.just([]) | st.lists(wrong, max_size=3)):
        spoil(lines[line % len(lines)], column, action, cell)
    usual = draw(st.integers(0, 3)) > 0
    separator = draw(st.sampled_from(SEPARATORS)) if not usual else ","
    end = draw(st.sampled_from(ENDS)) if not usual else "\n"
    encoding = draw(st.sampled_from(ENCODINGS)) if not usual else "utf-8"
    text = end.join(separator.join(line) for line in lines) + draw(st.sampled_from(("", end)))
    data = text.encode(encoding, "replace" if encoding == "cp1252" else "surrogatepass")
    return gzip.compress(data) if draw(st.integers(0, 99)) == 0 else data


@cache
def as_parquet(groups: int) -> bytes:
    """Make a whole Parquet file of one row group or several."""
    cells = {name: [JUDGEMENT[name][row % 2] for row in range(40)] for name in NEEDED}
    cells |= {"image": [f"{row}.png" for row in range(40)]}
    table = pa.table({**cells, "rt_ms": [None if row % 7 else 0.5 * row for row in range(40)]})
    content = io.BytesIO()
    pq.write_table(table, content, row_group_size=-(-40 // groups))
    return content.getvalue()


def spoil(line: list[str], column: int, action: int, cell: str) -> None:
    """Change one row: mostly one cell of it, sometimes their number or order."""
    place = column % len(line) if line else 0
    if action == 0 or not line:
        line.append(cell)
    elif action == 1:
        del line[place]
    elif action == 2:
        line[place] = line[-1]
    elif action == 3:
        line.reverse()
    else:
        line[place] = cell


JUDGEMENT_FILES: Final = damaged(tables(judged()), WORDS, most=2)
PARQUET_FILES: Final = damaged(st.sampled_from((1, 3)).map(as_parquet), (b"PAR1",), most=2)
STIMULUS_MANIFESTS: Final = damaged(tables(listed(STIMULI)), WORDS, most=2)
MASK_MANIFESTS: Final = damaged(tables(listed(MASKS)), WORDS, most=2)
