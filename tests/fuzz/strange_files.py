"""Files for each target: almost valid, with faults that a stranger might put in.

The folder ``found`` contains files that once caused an error.
"""

import gzip
import io
import json
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, get_args

import pyarrow as pa
import pyarrow.parquet as pq
from crafted_journals import MAGIC, header, naming
from hypothesis import strategies as st
from PIL import Image
from pydantic import BaseModel

import hype.protocols.registry  # noqa: F401  which knows the tables of answers
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.hype.rows import ROW as JUDGED
from hype.protocols.hype.settings import StudyFile
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating.settings import RatingFile
from hype.store.sqlite_record import writing_record

FOUND: Final = Path(__file__).parent / "found"
Files = st.SearchStrategy[bytes]
Edit = tuple[int, float, int, bytes]
ANYWHERE: Final[tuple[bytes, ...]] = (
    *(b"", b"\0", b"\n", b"\r", b"\r\n", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc0\x80"),
    *(b"\xed\xa0\x80", b"\x1b[31m", b"\x7f" * 9, b"\xff" * 4, b"\0" * 8),
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{LINE SEPARATOR}\N{NEXT LINE}".encode(),
)
"""Bytes that cause trouble in some format."""


def damaged(whole: Files, words: Sequence[bytes] = (), *, most: int = 3) -> Files:
    """Change whole files in 0 to ``most`` places, also by inserting some of ``words``."""
    edit = st.tuples(
        st.integers(0, 5),
        st.floats(0, 1, allow_subnormal=False),
        st.integers(0, 255),
        st.sampled_from((*ANYWHERE, *words)),
    )
    return whole | st.builds(apply, whole, st.lists(edit, min_size=1, max_size=most))


def apply(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Apply changes to a file, one after the other."""
    for kind, place, number, word in edits:
        start = int(place * len(data))
        head, tail = data[:start], data[start:]
        data = (
            head + bytes([number]) + tail[1:],
            head + word + tail,
            head + word + tail[len(word) :],
            head + tail[number:],
            head + tail[:number] * (1 + number % 4) + tail,
            head if number % 2 else head + tail[:number],
        )[kind]
    return data


METHODS: Final[Mapping[str, type[BaseModel]]] = {
    "time": StudyFile,
    "comparison": ComparisonFile,
    "rating": RatingFile,
    "ranking": RankingFile,
}
ONES_OWN: Final = {"observers": "gan", "axes": "style", "demographics": "age"}
"""For each table whose keys users choose: an example of such a key."""
VALUES: Final = (
    *("true", "0", "2", "-1", "9223372036854775808", "0.5", "1e308", "1e400", "nan", "-inf"),
    *("1979-05-27", "25:61:61", "1" * 4400, "0x" + "f" * 4000, '""', '"a b"', '"../.."', '"~"'),
    *("'C:\\x'", '"{left_key}"', '"{"', '"{left_key!r:>9999999}"', '"{a[b]}"', '"""\na\nb"""'),
    *(r'"\u0000"', r'"\u001b[31m"', r'"\ud800"', r'"\x"', '"' + "x" * 9000 + '"', '"open', "="),
    *("[]", "[1, 2, 3]", "[1.5, 2]", '["a", 1, true]', "[,]", "[" * 2000 + "]" * 2000, "{}"),
    *("{a = 1, a = 2}", "{a" + ".a" * 1500 + " = 1}", "{a=" * 1200 + "1" + "}" * 1200),
    *('["infinity"]', '["rating"]', '["style"]', '"weighted-75"', '"keep"', '"real"', "[640, 480]"),
)
HEADERS: Final = ("study", "observers.real", '""', r'"\u001b[31mx"', "[time]", "a" + ".a" * 1500)


def keys_in(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[tuple[str, str], str]]:
    """Yield ((table, key), value) for each key of a study file, with a value that is allowed."""
    for name, field in model.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        tables = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
        part = f"{name}.{ONES_OWN[name]}" if name in ONES_OWN else name
        if tables:
            yield from keys_in(tables[0], f"{prefix}.{part}".lstrip("."))
        else:
            usual = None if field.is_required() else field.get_default(call_default_factory=True)
            yield (prefix, name), "57" if usual is None else json.dumps(usual)


USUAL: Final = {key: usual for model in METHODS.values() for key, usual in keys_in(model)}
KEYS: Final = (*USUAL, ("study", "unknown"), ("study", r'"\u001b[31m"'), ("study", "name.x"))


@st.composite
def studies(draw: st.DrawFn) -> bytes:
    """Draw a study file with some keys added or changed, and perhaps another table."""
    method = draw(st.sampled_from([*METHODS]))
    tables = {"study": {"name": '"tiny"', "seed": "7", "methods": f'["{method}"]'}}
    tables["stimuli"] = {"folder": '"stimuli"'}
    if method == "time":
        tables |= {"masks": {"folder": '"masks"'}, "time": {"blocks": "2", "trials": "6"}}
    value = st.sampled_from(VALUES) | st.floats(0, 1000).map(repr) | st.integers(0, 200).map(str)
    change = st.tuples(st.sampled_from(KEYS), st.none() | value)
    for (table, key), new in draw(st.lists(change, max_size=3)):
        tables.setdefault(table, {})[key] = USUAL.get((table, key), "1") if new is None else new
    lines = [
        f"[{t}]\n" + "\n".join(f"{k} = {v}" for k, v in keys.items()) for t, keys in tables.items()
    ]
    tail = st.tuples(st.sampled_from(HEADERS), value)
    lines += [f"[{name}]\nx = {new}" for name, new in draw(st.lists(tail, max_size=1))]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


WRONG: Final = (
    *("", " ", "0", "-1", "1.5", "1e400", "inf", "NaN", "NA", "None", "1" * 5000, "0x10", "1_000"),
    *("٣", "²", "1,5", "+1", "real", "Real", "TRUE", "time", "ok", "=1+1", "'=1+1", "'", "é", "🖼"),
    *('"', '"a\nb"', 'a"b', "\r", "\0", "\x1b[31m", "\u2028", "\ud800", "../x.png", "/x.png", "."),
    *("real//x.png", "C:\\x", "a\0b", "x" * 300, "y" * 140_000, "0" * 64, "fake/gan/0.png", "[1]"),
)
"""Cells that are wrong in most columns and right in some."""
JUDGEMENT: Final[Mapping[str, Sequence[str]]] = {
    **{column.name: ("1", "2", "3", "") for column in JUDGED.read},
    "evaluator": ("p1", "p2", "007"),
    "condition": ("gan", "vae"),
    "truth": ("real", "fake"),
    "answer": ("real", "fake"),
    "task": ("infinity", "practice"),
    "trial": tuple(map(str, range(50))),
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
    {"path": f"{n:05d}.png", "source": "real/0.png", "method": "portilla-simoncelli"}
    | {"seed": "0", "size_px": "16", "error": "0.003", "note": "" if n else "x"}
    for n in range(4)
)
SEPARATORS: Final = (",", ";", "\t", "|", ",,", " ")
ENDS: Final = ("\n", "\r\n", "\r", "\n\n", "\u2028")
ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7")


@st.composite
def judgements(draw: st.DrawFn) -> list[list[str]]:
    """Draw the lines of a table of judgements with some of its columns."""
    others = [name for name in JUDGEMENT if name not in NEEDED]
    names = [*NEEDED, *draw(st.lists(st.sampled_from(others), max_size=4, unique=True))]
    cells = st.tuples(*(st.sampled_from(JUDGEMENT[name]) for name in names))
    return [names, *map(list, draw(st.lists(cells, max_size=6)))]


def manifests(rows: Sequence[Mapping[str, str]]) -> st.SearchStrategy[list[list[str]]]:
    """Draw the lines of a manifest: some of these rows, without repeats."""
    chosen = st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True)
    return chosen.map(lambda places: [list(rows[0]), *(list(rows[n].values()) for n in places)])


@st.composite
def tables(draw: st.DrawFn, whole: st.SearchStrategy[list[list[str]]]) -> bytes:
    """Draw a table with a few wrong cells, as bytes of some encoding."""
    lines = draw(whole)
    place = st.integers(0, 40)
    wrong = st.tuples(place, place, st.integers(0, 9), st.sampled_from(WRONG))
    for number, column, action, cell in draw(st.just([]) | st.lists(wrong, max_size=3)):
        line = lines[number % len(lines)]
        if action == 0 or not line:
            line.append(cell)
        elif action == 1:
            del line[column % len(line)]
        elif action == 2:
            line.reverse()
        else:
            line[column % len(line)] = cell
    usual = draw(st.integers(0, 3)) > 0
    separator, end, encoding = (
        kinds[0] if usual else draw(st.sampled_from(kinds))
        for kinds in (SEPARATORS, ENDS, ENCODINGS)
    )
    text = end.join(separator.join(line) for line in lines) + draw(st.sampled_from(("", end)))
    data = text.encode(encoding, "replace" if encoding == "cp1252" else "surrogatepass")
    return gzip.compress(data) if draw(st.integers(0, 99)) == 0 else data


@cache
def parquet(groups: int) -> bytes:
    """Make a valid Parquet file with one row group or several."""
    cells = {name: [JUDGEMENT[name][row % 2] for row in range(40)] for name in NEEDED}
    cells |= {"image": [f"{row}.png" for row in range(40)]}
    table = pa.table({**cells, "rt_ms": [None if row % 7 else 0.5 * row for row in range(40)]})
    content = io.BytesIO()
    pq.write_table(table, content, row_group_size=-(-40 // groups))
    return content.getvalue()


FORMS: Final = ("PNG", "JPEG", "WEBP", "BMP", "PPM", "GIF")
MODES: Final = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I", "F", "I;16")
OPTIONS: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "PNG": ({"save_all": True},),
    "JPEG": ({"progressive": True}, {"restart_marker_rows": 1}),
    "WEBP": ({"lossless": True}, {"save_all": True}),
    "GIF": ({"save_all": True}, {"interlace": 0}),
}


@cache
def whole_images() -> tuple[bytes, ...]:
    """Encode a small picture in each format, mode and compression of Pillow."""
    made = []
    picture = Image.linear_gradient("L").resize((12, 9)).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    for form, mode in product(FORMS, MODES):
        extra = {"exif": exif} if form in ("PNG", "JPEG", "WEBP") else {}
        for options in ({}, *OPTIONS.get(form, ())):
            more = [Image.new("RGB", (12, 9), "red").convert(mode)] * bool(options.get("save_all"))
            buffer = io.BytesIO()
            try:
                picture.convert(mode).save(buffer, form, append_images=more, **extra, **options)
            except (OSError, ValueError, KeyError, DeprecationWarning):  # Pillow cannot write this
                continue
            made.append(buffer.getvalue())
    return tuple(dict.fromkeys(made))


BOMB: Final = zlib.compress(bytes(2**27), 9)
"""128 MiB of zeros, compressed to 130 kB."""
SIDES: Final = st.sampled_from((0, 1, 4, 12, 8192, 8193, 60_000, 2**31 - 1, 2**32 - 1))
SOUND_HEADER: Final = (b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
PIXELS: Final = (b"IDAT", zlib.compress((b"\0" + bytes(12)) * 4))
CHUNKS: Final = st.one_of(
    st.sampled_from(
        (
            *((b"zTXt", b"a\0\0" + BOMB), (b"iCCP", b"a\0\0" + BOMB), (b"IDAT", BOMB)),
            *(PIXELS, SOUND_HEADER, (b"eXIf", b"II*\0\x08\0\0\0" + bytes(512))),
            (b"tEXt", b"Raw profile type exif\0\nexif\n      8\n49492a0008000000"),
        )
    ),
    st.builds(
        lambda *numbers: (b"IHDR", struct.pack(">IIBBBBB", *numbers)),
        *(SIDES, SIDES, st.sampled_from((1, 2, 4, 8, 16, 3)), st.integers(0, 6)),
        *(st.just(0), st.just(0), st.integers(0, 2)),
    ),
    st.tuples(
        st.sampled_from((b"PLTE", b"tRNS", b"eXIf", b"iTXt", b"acTL", b"fcTL", b"fdAT", b"ABCD")),
        st.binary(max_size=40),
    ),
)


@st.composite
def pngs(draw: st.DrawFn) -> bytes:
    """Draw a PNG whose chunks have the right checksums, but whose contents may be wrong.

    With a changed byte in a whole PNG, the checksum fails and the reader reads no further.
    """
    parts = [SOUND_HEADER] * draw(st.integers(0, 1))
    parts += [*draw(st.lists(CHUNKS, max_size=3)), PIXELS, *draw(st.lists(CHUNKS, max_size=2))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in (*parts, (b"IEND", b""))
    )


VICTIM: Final = Path(tempfile.gettempdir()) / "hype-fuzz-victim"
"""A file outside the study that a journal may name."""
NUMBERS: Final = tuple(struct.pack(">I", number) for number in (0, 1, 2, 24, 4096, 2**32 - 1))


@cache
def whole_record() -> tuple[bytes, bytes]:
    """Return the bytes of a record, and of the log that it had while it was open."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.sqlite"
        with writing_record(path) as engine:
            with engine.begin():
                pass
            log = Path(f"{path}-wal").read_bytes()
        return path.read_bytes(), log


def journals() -> Files:
    """Return a strategy for journals of one page, with and without the name of another file."""
    page = struct.pack(">I", 1) + whole_record()[0][:4096] + bytes(4)
    named = naming(VICTIM)
    parts = (header(24), header(0), header(2**20), page, page, named, named[:-8], MAGIC)
    return st.lists(st.sampled_from(parts), max_size=4).map(b"".join)


WORDS: Final = (b",", b";", b"\t", b'"', b'""', b'"\n"', b",,,,", b"\n,\n", b"'", b"=", b"1e999")
FILES: Final[Mapping[str, Files]] = {
    "study": damaged(studies(), (b"=", b"[", b"]", b'"', b"'''", b"#"), most=2),
    "judgements": damaged(tables(judgements()), WORDS, most=2),
    "parquet": damaged(st.sampled_from((1, 3)).map(parquet), (b"PAR1",), most=2),
    "stimuli": damaged(tables(manifests(STIMULI)), WORDS, most=2),
    "masks": damaged(tables(manifests(MASKS)), WORDS, most=2),
    "image": st.one_of(
        st.deferred(lambda: damaged(st.sampled_from(whole_images()), most=4)),
        damaged(pngs(), most=2),
        damaged(
            st.sampled_from([p.read_bytes() for p in sorted((FOUND / "image").iterdir())]), most=2
        ),
    ),
    "record": st.one_of(  # the first byte selects the file: record, journal or log
        damaged(st.just(whole_record()[0]), NUMBERS, most=5).map(lambda data: b"\0" + data),
        damaged(st.deferred(journals), (*NUMBERS, MAGIC)).map(lambda data: b"\1" + data),
        damaged(st.just(whole_record()[1]), NUMBERS, most=5).map(lambda data: b"\2" + data),
    ),
}
