"""A record's file, its journal or its log, from somebody who knows how SQLite reads them.

The first byte says which of them the others are.
"""

import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from crafted_journals import MAGIC, header, naming
from edits import damaged
from hypothesis import strategies as st

from hype.store.sqlite_record import writing_record

SUFFIXES: Final = ("", "-journal", "-wal")
VICTIM: Final = Path(tempfile.gettempdir()) / "hype-fuzz-victim"
"""A file that lies elsewhere, which a journal may name."""
NUMBERS: Final = tuple(struct.pack(">I", number) for number in (0, 1, 2, 24, 4096, 2**32 - 1))


@cache
def whole_record() -> tuple[bytes, bytes]:
    """Give a record, and the log that it had while it was open."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.sqlite"
        with writing_record(path) as engine:
            with engine.begin():
                pass
            log = Path(f"{path}-wal").read_bytes()
        return path.read_bytes(), log


def journals() -> st.SearchStrategy[bytes]:
    """Give journals of one page, with and without the name of another file."""
    page = struct.pack(">I", 1) + whole_record()[0][:4096] + bytes(4)
    named = naming(VICTIM)
    parts = (header(24), header(0), header(2**20), page, page, named, named[:-8], MAGIC)
    return st.lists(st.sampled_from(parts), max_size=4).map(b"".join)


RECORD_FILES: Final = st.one_of(
    damaged(st.just(whole_record()[0]), NUMBERS, most=5).map(lambda data: b"\0" + data),
    damaged(st.deferred(journals), (*NUMBERS, MAGIC)).map(lambda data: b"\1" + data),
    damaged(st.just(whole_record()[1]), NUMBERS, most=5).map(lambda data: b"\2" + data),
)
