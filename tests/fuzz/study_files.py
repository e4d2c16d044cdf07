"""Study files to read: TOML that is nearly right."""

import json
from collections.abc import Iterator
from typing import Any, Final, get_args

from edits import damaged
from hypothesis import strategies as st
from pydantic import BaseModel

from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.hype.settings import StudyFile
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating.settings import RatingFile

START: Final = {
    "study": {"name": '"tiny"', "seed": "7", "methods": '["time"]'},
    "stimuli": {"folder": '"stimuli"'},
    "masks": {"folder": '"masks"'},
    "time": {"blocks": "2", "trials": "6"},
    "monitor": {"width_cm": "53.0", "distance_cm": "57"},
}
"""A whole study file; values as TOML writes them."""
PROMPTED: Final = {
    "study": {"name": '"tiny"', "seed": "7"},
    "stimuli": {"folder": '"stimuli"'},
}
"""What studies begin with whose method stands alone; the method is added."""
ALONE: Final = {"comparison": ComparisonFile, "rating": RatingFile, "ranking": RankingFile}

SCALARS: Final = (
    *("true", "false", "0", "1", "2", "7", "-1", "100", "1_000", "9223372036854775808", "0x1F"),
    *("0.5", "1.0", "-0.0", "1e308", "1e400", "5e-324", "inf", "-inf", "nan", "100.0", "250.5"),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00-07:00", "0000-00-00", "25:61:61"),
    *("9999-12-31T23:59:60.999999999Z", "1" * 4400, "0x" + "f" * 4000, "1e" + "9" * 400),
    *('""', '"real"', '"fake"', '"time"', '"infinity"', '"hype"', '"weighted-75"', '"repeat"'),
    *('"space"', '"f"', '"a b"', '"../.."', '"/"', '"~"', '"a/../b"', "'C:\\x'", '"{left_key}"'),
    *('"{"', '"}"', '"{0}"', '"{left_key!r:>9999999}"', '"{minutes.real}"', '"{a[b]}"'),
    *(r'"\u0000"', r'"\u001b[31m"', r'"\ud800"', r'"\U0010ffff"', r'"\U00110000"', r'"\x"'),
    *('"""\ntwo\nlines"""', "'''a'''", '"' + "x" * 9000 + '"', '"open', "'", "=", "#", "[", "{"),
)
ARRAYS: Final = (
    *(
        "[]",
        "[[]]",
        "[1]",
        "[1, 2]",
        "[0, 128, 255]",
        "[0, 0, 0, 0]",
        "[-1, 256, 1]",
        "[1.5, 2, 3]",
    ),
    *('["time", "infinity"]', '["time", "time"]', '["a", 1, true]', "[[0,0,0],[1,1,1]]", "[,]"),
    *(
        "[320, 240]",
        "[" * 5 + "]" * 5,
        "[" * 2000 + "]" * 2000,
        "[" * 99999,
        "[" + "1," * 3000 + "]",
    ),
    *("{}", "{a = 1}", "{a = {b = {c = []}}}", "{size_px = 1}", "{a" + ".a" * 1500 + " = 1}"),
    *("{a=" * 1200 + "1" + "}" * 1200, "{preset = 'hype', min_ms = 1}", "{a = 1, a = 2}"),
)
SOUND: Final = (
    *(
        "true",
        "2",
        "10",
        "100",
        "0.5",
        "250.0",
        "[1, 2, 3]",
        "[640, 480]",
        '"real"',
        '"fake"',
        '"a"',
    ),
    *('["infinity"]', '["time"]', '"weighted-75"', '"one-method"', '"keep"', '"Press {left_key}"'),
    *('["comparison"]', '["rating"]', '["ranking"]', '["style", "overall"]', '"images"', '"pairs"'),
    *(
        '["check*"]',
        '"scale"',
        '"yes-no"',
        '"shown"',
        '"{axes}"',
        '"{question}"',
        '"t"',
        "{a = 0.5}",
    ),
)
"""Values that fit one key or another."""
HEADERS: Final = (
    *("study", "time.staircase", "observers.gan", 'observers."a b"', "observers.real", "people"),
    *("timing.patch", "timing.triggers", "texts", "nothing", '"study"', '""', r'"\u001b[31mx"'),
    *("[time]", "[observers]", "a" + ".a" * 1500, "study.name", "time.staircase.min_ms.x", "[x"),
)
WORDS: Final = (
    b"=",
    b"[",
    b"]",
    b"[[",
    b"{",
    b'"',
    b'"""',
    b"'''",
    b"#",
    b".",
    b"\\u",
    b"1e9",
    b",",
)


ONES_OWN: Final = {"observers": "gan", "axes": "style", "demographics": "age"}
"""A name of one's own in the tables that have such names."""


def defaults(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each key of a study file, after the dotted name of its table, and what it may be."""
    for name, field in model.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        tables = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
        part = f"{name}.{ONES_OWN[name]}" if name in ONES_OWN else name
        if tables:
            yield from defaults(tables[0], f"{prefix}.{part}".lstrip("."))
        else:
            usual = None if field.is_required() else field.get_default(call_default_factory=True)
            yield (prefix, name), "57" if usual is None else json.dumps(usual)


USUAL: Final = {
    key: usual for model in (*ALONE.values(), StudyFile) for key, usual in defaults(model)
}
KEYS: Final = (
    *USUAL,
    *(("study", key) for key in ("unknown", '""', '"a b"', r'"\u001b[31m"', "a.b", "name.x", "é")),
    ("texts", "unknown"),
    ("nothing", "at_all"),
)

VALUES: Final = st.one_of(
    st.sampled_from(SCALARS),
    st.sampled_from(ARRAYS),
    st.integers().map(str),
    st.floats(min_value=0).map(repr),
    st.integers(0, 200).map(str),
    st.floats(0, 1000).map(repr),
    st.sampled_from(SOUND),
    st.lists(st.sampled_from(SCALARS), max_size=4).map(lambda each: f"[{', '.join(each)}]"),
)
METHODS: Final = st.sampled_from(("", *ALONE))
CHANGES: Final = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | VALUES), max_size=3)
TAILS: Final = st.lists(
    st.tuples(st.sampled_from(HEADERS), st.sampled_from(KEYS), VALUES), max_size=1
)


def start(method: str) -> dict[str, dict[str, str]]:
    """Give a whole study file, of HYPE's methods or of one that stands alone."""
    begun = {name: dict(values) for name, values in (PROMPTED if method else START).items()}
    if method:
        begun["study"]["methods"] = f'["{method}"]'
    return begun


def text(method: str, changes: list[tuple[tuple[str, str], str | None]], tails: list[Any]) -> bytes:
    """Write a study file with some keys added or changed (None: as usual) and tables appended."""
    tables = start(method)
    for key, value in changes:
        tables.setdefault(key[0], {})[key[1]] = USUAL.get(key, "1") if value is None else value
    lines = [
        f"[{t}]\n" + "\n".join(f"{k} = {v}" for k, v in kv.items()) for t, kv in tables.items()
    ]
    lines += [f"[{header}]\n{key} = {value}" for header, (_, key), value in tails]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


STUDY_FILES: Final = damaged(st.builds(text, METHODS, CHANGES, st.just([]) | TAILS), WORDS, most=2)
