"""Small studies, stimulus sets and plans for tests: quick to make and always the same."""

import csv
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hype.masks.maskset import COLUMNS as MASK_COLUMNS
from hype.protocols.comparison.sampling import ComparisonPools, Obvious, share_out
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.hype.sampling import Pools
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.load import load_study
from hype.protocols.prompted.trial import Candidate, Prompt
from hype.stimuli.collection import scan
from hype.stimuli.manifest import COLUMNS, Stimulus, Truth
from hype.system import could_be_named

TINY: dict[str, Any] = {
    "study": {"name": "tiny", "seed": 7, "methods": ["time"]},
    "stimuli": {"folder": "stimuli"},
    "masks": {"folder": "masks"},
    "time": {"blocks": 2, "trials": 6, "staircase": {"allow_unsettled": True}},
    "infinity": {"trials": 6},
    "qualification": {"trials": 6},
    "practice": {"trials": 2},
}
"""A study of a few trials; one evaluator needs 11 real images and 11 fakes of one condition."""

ENOUGH = {"": 14, "crude": 14, "good": 14}
"""Numbers of images by condition: more than one evaluator of `TINY` needs."""


def named_here(name: str) -> str:
    """Return a file's name; on Windows, leave out the characters that Windows forbids in names."""
    return name if could_be_named(name) else re.sub(r'[<>:"|?*]', "", name)


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``changes``, table by table; None removes a key."""
    result = dict(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            result[key] = merged(result.get(key, {}), value)
        else:
            result[key] = value
    return result


def settings_of(**changes: Any) -> StudyFile:
    """Return the settings of `TINY` with some tables changed."""
    return StudyFile.model_validate(merged(TINY, changes))


def toml(tables: Mapping[str, Any]) -> str:
    """Write tables as TOML; scalars and arrays are written as in JSON."""

    def lines(prefix: str, table: Mapping[str, Any]) -> Iterator[str]:
        for key, value in table.items():
            if not isinstance(value, Mapping):
                yield f"{quoted(key)} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in table.items():
            if isinstance(value, Mapping):
                yield f"[{prefix}{quoted(key)}]"
                yield from lines(f"{prefix}{quoted(key)}.", value)

    def quoted(key: str) -> str:
        plain = re.fullmatch(r"[\w-]+", key, re.ASCII) or key.startswith('"')
        return key if plain else json.dumps(key)

    return "\n".join(lines("", tables)) + "\n"


def write_study(folder: Path, **changes: Any) -> Study:
    """Write `TINY`, with some tables changed, as a study file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(toml(merged(TINY, changes)), encoding="utf-8")
    return load_study(folder)


def named_study(folder: Path, counts: Mapping[str, int] = ENOUGH, **changes: Any) -> Study:
    """Write a study whose images and masks exist by name only: it can be planned and simulated."""
    named_images(folder / "stimuli", counts)
    named_masks(folder / "masks", 8)
    return write_study(folder, **changes)


def whole_study(folder: Path, counts: Mapping[str, int] = ENOUGH, **changes: Any) -> Study:
    """Write a study with real files, all of 16 x 16 px: it can be checked and run."""
    stimulus_set(folder / "stimuli", counts)
    mask_set(folder / "masks", 8)
    return write_study(folder, **changes)


def noise(number: int, side_px: int = 16) -> Image.Image:
    """Return a picture of grey noise, a different one for each number."""
    rng = np.random.default_rng(number)
    return Image.fromarray(rng.integers(0, 256, (side_px, side_px), dtype=np.uint8))


def image_folder(folder: Path, number: int, *, first: int = 0, side_px: int = 64) -> Path:
    """Fill a folder with different pictures."""
    folder.mkdir(parents=True)
    for index in range(number):
        noise(first + index, side_px).save(folder / f"{index:03d}.png")
    return folder


def stimulus_set(folder: Path, counts: Mapping[str, int] = ENOUGH, *, side_px: int = 16) -> Path:
    """Write a stimulus set with its manifest."""
    for place, (condition, number) in enumerate(counts.items()):
        part = folder / "fake" / condition if condition else folder / "real"
        image_folder(part, number, first=1000 * place, side_px=side_px)
    scan(folder)
    return folder


def obvious_set(folder: Path, number: int) -> Path:
    """Write a stimulus set of other pictures for catch trials, with ``number`` of each kind."""
    for place, part in enumerate(("real", "fake/plain")):
        image_folder(folder / part, number, first=60_000 + 1000 * place)
    scan(folder)
    return folder


def mask_set(folder: Path, number: int, *, side_px: int = 16) -> Path:
    """Write a mask set with its manifest."""
    named_masks(folder, number, side_px=side_px)
    for index in range(number):
        noise(90_000 + index, side_px).save(folder / f"{index:05d}.png")
    return folder


def named_images(folder: Path, counts: Mapping[str, int] = ENOUGH) -> Path:
    """Write a stimulus set's manifest without its images."""
    folder.mkdir(parents=True)
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for condition, number in counts.items():
            kind = "fake" if condition else "real"
            for index in range(number):
                image = stimulus(index, condition)
                writer.writerow([image.path, kind, condition, 16, 16, image.sha256])
    return folder


def named_masks(folder: Path, number: int, *, side_px: int = 16) -> Path:
    """Write a mask set's manifest without its masks."""
    folder.mkdir(parents=True)
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(MASK_COLUMNS)
        for index in range(number):
            writer.writerow([f"{index:05d}.png", "none", "none", 0, side_px, 0])
    return folder


def stimulus(number: int, condition: str = "") -> Stimulus:
    """Return an image that exists by name only; a real one without a condition."""
    path = f"fake/{condition}/{number:03d}.png" if condition else f"real/{number:03d}.png"
    return Stimulus(
        path=path,
        truth=Truth.FAKE if condition else Truth.REAL,
        condition=condition,
        sha256=hashlib.sha256(path.encode()).hexdigest(),
    )


def pools_of(counts: Mapping[str, int] = ENOUGH, masks: int = 8) -> Pools:
    """Return images and masks that exist by name only; ``counts[""]``: of real images."""
    return Pools(
        real=tuple(stimulus(n) for n in range(counts[""])),
        fake={c: tuple(stimulus(n, c) for n in range(k)) for c, k in counts.items() if c},
        masks=tuple(f"{n:05d}.png" for n in range(masks)),
    )


def rewrite_rows(table: Path, change: Callable[[int, dict[str, str]], Mapping[str, str]]) -> None:
    """Change the rows of a CSV table, numbered from 0; ``change`` may add columns."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [change(number, row) for number, row in enumerate(csv.DictReader(file))]
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def rewrite_row(table: Path, row: int, **cells: str) -> None:
    """Change cells of one row of a CSV table, counted from 0."""
    rewrite_rows(table, lambda number, before: before | cells if number == row else before)


def edit(file: Path, was: str, becomes: str) -> None:
    """Replace the first occurrence of a text in a file, which must contain it."""
    text = file.read_text(encoding="utf-8")
    assert was in text
    file.write_text(text.replace(was, becomes, 1), encoding="utf-8")


def pseudo_terminal() -> tuple[int, int]:
    """Open both ends of a pseudo-terminal, which act as a serial port and the device on it."""
    try:
        far, near = os.openpty()
    except OSError as error:  # a minimal system without /dev/pts
        pytest.skip(f"this machine has no pseudo-terminals: {error}")
    return far, near


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    """Read every file under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def candidate(number: int, condition: str, prompt: str = "a bag") -> Candidate:
    """Return an image for comparisons that exists by name only."""
    path = f"fake/{condition}/{prompt.replace(' ', '-')}-{number:02d}.png"
    sha256 = hashlib.sha256(path.encode()).hexdigest()
    return Candidate(path=path, condition=condition, sha256=sha256)


def prompts_of(
    number: int, images: int = 4, conditions: str | Sequence[str] = "abcd"
) -> tuple[Prompt, ...]:
    """Return prompts for which each condition made ``images`` images."""
    texts = [f"thing {n}" for n in range(number)]
    return tuple(
        Prompt(
            text=text,
            images={c: tuple(candidate(n, c, text) for n in range(images)) for c in conditions},
        )
        for text in texts
    )


def comparison_settings(**changes: Any) -> ComparisonFile:
    """Return the settings of a study of comparisons with some tables changed."""
    base = {"study": {"name": "compared", "seed": 7, "methods": ["comparison"]}}
    base |= {"stimuli": {"folder": "stimuli"}}
    return ComparisonFile.model_validate(merged(base, changes))


def comparison_pools(
    settings: ComparisonFile,
    prompts: int = 3,
    images: int = 4,
    conditions: str | Sequence[str] = "abcd",
    obvious: int = 5,
) -> ComparisonPools:
    """Return the pools of images, which exist by name only, for comparisons with ``settings``."""
    made = prompts_of(prompts, images, conditions)
    plain = tuple(
        Obvious(
            prompt=f"obvious {n}",
            better=candidate(n, conditions[0], "better"),
            worse=candidate(n, conditions[0], "worse"),
        )
        for n in range(obvious)
    )
    arena = settings.comparison.arena is not None
    shares = () if arena else share_out(settings, tuple(conditions), made)
    return ComparisonPools(conditions=tuple(conditions), prompts=made, obvious=plain, shares=shares)
