"""A cache of replies: a request whose reply is stored is never sent again.

A request is recorded before it is sent, and its reply is stored when it arrives. A request is lost
if its reply takes too long, or if the program is killed before the reply arrives. A lost request is
sent again. It may have been billed, so the budget counts it as billed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.asking.requests import JudgeRequest, Parameters
from hype.errors import InputError, SessionProblem
from hype.system import lock, open_file

APPLICATION: Final = 0x68794A75
"""This number in a file's header marks it as a cache of judges' replies."""
TABLE: Final = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL, model TEXT NOT NULL, parameters TEXT NOT NULL,
    images TEXT NOT NULL, prompt TEXT NOT NULL, repeat INTEGER NOT NULL,
    lost INTEGER NOT NULL DEFAULT 0, -- sent, and perhaps billed
    lost_prompt_tokens INTEGER NOT NULL DEFAULT 0,
    lost_completion_tokens INTEGER NOT NULL DEFAULT 0,
    reply TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, answered TEXT
) WITHOUT ROWID
"""
NOT_LOST: Final = (
    "UPDATE requests SET lost = lost - 1, lost_prompt_tokens = lost_prompt_tokens - ?, "
    "lost_completion_tokens = lost_completion_tokens - ?"
)


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Numbers of tokens in requests and in their replies."""

    prompt: int
    completion: int

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            prompt=self.prompt + other.prompt, completion=self.completion + other.completion
        )


NOTHING: Final = Tokens(prompt=0, completion=0)


StoredReply = tuple[str, str]
"""A reply, and the time of its arrival (ISO 8601, UTC)."""


class Cache:
    """An open cache; `open_cache` opens it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replies(self, requests: Iterable[JudgeRequest]) -> dict[str, StoredReply]:
        """Return the stored replies, by the keys of their requests."""
        select = "SELECT reply, answered FROM requests WHERE key = ? AND reply IS NOT NULL"
        found = ((r.key, self._connection.execute(select, (r.key,)).fetchone()) for r in requests)
        return {key: row for key, row in found if row}

    def most_tokens(self, parameters: Parameters) -> Iterator[tuple[int, int]]:
        """Yield pairs: a number of images, and the maximum tokens of a request with that many."""
        yield from self._connection.execute(
            "SELECT length(images) - length(replace(images, ' ', '')) + 1, max(prompt_tokens) "
            "FROM requests WHERE endpoint = ? AND model = ? AND prompt_tokens > 0 GROUP BY 1",
            (parameters.endpoint, parameters.model),
        )

    def count_tokens(self, parameters: Parameters) -> tuple[Tokens, Tokens, int]:
        """Return the tokens of answered and of lost requests, and the number of lost requests."""
        row = self._connection.execute(
            "SELECT ifnull(sum(prompt_tokens), 0), ifnull(sum(completion_tokens), 0), "
            "ifnull(sum(lost_prompt_tokens), 0), ifnull(sum(lost_completion_tokens), 0), "
            "ifnull(sum(lost), 0) FROM requests WHERE endpoint = ? AND model = ?",
            (parameters.endpoint, parameters.model),
        ).fetchone()
        billed, lost = (Tokens(prompt=row[at], completion=row[at + 1]) for at in (0, 2))
        return billed, lost, row[4]

    def note_sending(self, request: JudgeRequest, bound: Tokens) -> None:
        """Record a request before it is sent, with the maximum number of tokens that it can use."""
        parameters = request.parameters
        images = " ".join(image.sha256 for image in request.question.shown.values())
        self._commit(
            "INSERT INTO requests (key, endpoint, model, parameters, images, prompt, repeat, lost, "
            "lost_prompt_tokens, lost_completion_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET lost = lost + 1, "
            "lost_prompt_tokens = lost_prompt_tokens + excluded.lost_prompt_tokens, "
            "lost_completion_tokens = lost_completion_tokens + excluded.lost_completion_tokens",
            (
                *(request.key, parameters.endpoint, parameters.model, parameters.summary),
                *(images, request.text, request.repeat, bound.prompt, bound.completion),
            ),
            durable=False,
        )

    def note_refusal(self, request: JudgeRequest, bound: Tokens) -> None:
        """Record that the server refused a request; refused requests are not billed."""
        values = (bound.prompt, bound.completion, request.key)
        self._commit(f"{NOT_LOST} WHERE key = ?", values)

    def store(
        self, request: JudgeRequest, bound: Tokens, stored: StoredReply, used: Tokens
    ) -> None:
        """Store a reply and the tokens that it used."""
        self._commit(
            f"{NOT_LOST}, reply = ?, answered = ?, prompt_tokens = ?, completion_tokens = ? "
            "WHERE key = ? AND reply IS NULL",
            (
                *(bound.prompt, bound.completion, *stored),
                *(used.prompt, used.completion, request.key),
            ),
        )

    def _commit(self, statement: str, values: tuple[object, ...], *, durable: bool = True) -> None:
        """Commit a change; if not ``durable``, a power failure soon after may undo it."""
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        with self._connection:
            self._connection.execute(statement, values)


@contextmanager
def open_cache(path: Path | None) -> Iterator[Cache]:
    """Open a cache, and make it if it is missing; without a path, the cache is in memory.

    Raises InputError: the file is not a cache, or cannot be written.
    Raises SessionProblem: another program uses the cache.
    """
    if path is None:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(TABLE)
            yield Cache(connection)
        return
    try:
        held = open_file(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise InputError(path, f"cannot be opened: {error.strerror}") from None
    try:
        lock(held)
        with closing(sqlite3.connect(path)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables and application != APPLICATION:
                raise InputError(
                    path, "is another database", "a cache of hype judge, or a new file"
                )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            with connection:
                connection.execute(TABLE)
            yield Cache(connection)
    except BlockingIOError:
        raise SessionProblem(f"{path}: another hype judge is asking with this cache") from None
    except sqlite3.Error as error:
        raise InputError(path, f"cannot be used as a cache: {error}") from None
    finally:
        os.close(held)
