"""Files of batches: requests that a service answers later, and its answers (OpenAI's JSONL)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hype.asking.budget import Bounds
from hype.asking.cache import Cache, Kept
from hype.asking.judging import used_by
from hype.asking.requests import JudgeRequest, reply_in
from hype.errors import InputError
from hype.files import require_regular
from hype.stimuli.manifest import Stimuli

ADDRESS: Final = "/v1/chat/completions"
MOST_LINES: Final = 50_000
MOST_BYTES: Final = 200_000_000
"""Of one file, as services take it."""
LARGEST_READ: Final = 4 << 30


def write_batches(path: Path, requests: Sequence[JudgeRequest], stimuli: Stimuli) -> list[Path]:
    """Write requests into one file, or more where one would be too long for a service.

    Raises InputError: an image is wrong, or a file is there already or cannot be written.
    """
    paths: list[Path] = []
    for number, lines in enumerate(_files(requests, stimuli), start=1):
        name = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        try:
            with name.open("x", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError as error:
            raise InputError(name, f"cannot be written: {error.strerror}", "a new file") from None
        paths.append(name)
    return paths


def _files(requests: Sequence[JudgeRequest], stimuli: Stimuli) -> Iterator[list[str]]:
    lines: list[str] = []
    size = 0
    for request in requests:
        line = {"custom_id": request.key, "method": "POST", "url": ADDRESS}
        text = json.dumps({**line, "body": request.body(stimuli)}) + "\n"
        if lines and (len(lines) == MOST_LINES or size + len(text) > MOST_BYTES):
            yield lines
            lines, size = [], 0
        lines.append(text)
        size += len(text)
    yield lines


def read_batch(
    path: Path, requests: Mapping[str, JudgeRequest], cache: Cache, bounds: Bounds, at: str
) -> str:
    """Take the answers of a batch into the cache; those that are there already stay.

    Returns how many lines were taken, failed and are of other requests, in words.

    Raises InputError: a line is none of a batch's output; those before it are taken.
    """
    taken = failed = others = 0
    for number, line in enumerate(_lines(path), start=1):
        where = f"{path} line {number}"
        try:
            answered: dict[str, Any] = json.loads(line)
            request = requests.get(answered["custom_id"])
            response = answered.get("response") or {}
            if request is None:
                others += 1
            elif response.get("status_code") != 200:
                failed += 1
            else:
                _take(request, json.dumps(response["body"]), cache, bounds, at)
                taken += 1
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            problem = f"is no line of a batch's output: {error!r}"
            raise InputError(where, problem, "custom_id and response, as JSON") from None
    words = "1 reply taken" if taken == 1 else f"{taken:,} replies taken"
    words += f", {failed:,} failed" if failed else ""
    return words + (f", {others:,} of other requests" if others else "")


def _lines(path: Path) -> Iterator[str]:
    try:
        require_regular(path, most_bytes=LARGEST_READ)
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8 text", "a batch's output") from None


def _take(request: JudgeRequest, body: str, cache: Cache, bounds: Bounds, at: str) -> None:
    bound = bounds.of(request)
    used = used_by(reply_in(body), bound)
    if cache.replies([request]):
        return
    cache.send(request, bound)
    cache.answer(request, bound, Kept(reply=body, answered=at), used)
