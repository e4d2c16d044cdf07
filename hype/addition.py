"""Add a model to a running study: its images, its masks, and places for its evaluators.

All files are first made in a separate folder. When complete, the folder is moved to
``added/<condition>`` next to the study file. The folder has no effect until the study file names
it, so replacing that file adds the model. Until then, the folder contains the file `UNFINISHED`; if
the program is killed, a later `hype add` removes a folder with this file.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

from hype.errors import MOST_NAMED, FilesRefused, InputError, SessionProblem, rename_folder
from hype.files import aside, inside, make_folder, read_bytes, read_table, write_bytes, write_table
from hype.masks.make import MaskJob, make_masks, method_named
from hype.masks.maskset import MASKS, MODEL_COLUMNS, read_masks, read_rows
from hype.masks.model import TextureModel
from hype.session.course import Course
from hype.session.materials import read_columns, read_stimuli
from hype.stimuli.collection import (
    JPEG_QUALITY,
    SOURCE_FORMAT,
    images_in,
    look_of,
    prompt_of,
    refuse_one_sided_jpeg,
    standardise,
)
from hype.stimuli.images import decode, png_bytes
from hype.stimuli.manifest import (
    COLUMNS,
    MANIFEST,
    StimulusSet,
    check_condition_name,
    condition_in,
    folder_name,
    read_manifest,
)
from hype.stimuli.zipped import unpack
from hype.store.record import RECORD_FILE
from hype.store.seats import hold_seat
from hype.study.studies import ADDED, LARGEST_STUDY_BYTES, AnyStudy
from hype.system import move_folder, sync
from hype.workers import WorkerPool

UNFINISHED: Final = "unfinished"
OWN_COLUMNS: Final = ("original", SOURCE_FORMAT, JPEG_QUALITY)
"""Columns that `hype` writes in a manifest in addition to the required ones."""
AT_A_TIME: Final = 16
"""Number of images that a worker receives at a time."""
Tell = Callable[[str, int, int], None]
"""A function that receives the current step, its progress and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonLook:
    """The common properties of a study's images: size, colour mode, and JPEG quality if any.

    ``formats``: the formats of the original files, if known.
    """

    size_px: tuple[int, int]
    mode: str
    jpeg_quality: int | None
    formats: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """An added model, with the numbers of its images and masks."""

    condition: str
    images: int
    masks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOfProtocol:
    """The functions of a study's protocol that `hype add` uses."""

    study_of_text: Callable[[Path, str], AnyStudy]  # reads a study from the text of its file
    course_of: Callable[[AnyStudy], Course[Any]]
    conditions: Callable[[Any, StimulusSet], tuple[str, ...]]
    joining: Callable[[Any, int | None], Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The models to add, and how to add them.

    ``folders``: a folder or zip file of images for each condition. ``votes``: how many to add to an
    arena's limit. ``masks``: how many for each model; None: as many as the other models have.
    ``skip_smaller``: whether to leave out images that are smaller than the study's. ``keep``:
    whether to accept images if only some models' images were JPEG files.
    """

    folders: Mapping[str, Path]
    day: date
    votes: int | None = None
    masks: int | None = None
    skip_smaller: bool = False
    keep: bool = False


def add_models(
    study: AnyStudy, asked: AskedOfProtocol, wanted: Wanted, pool: WorkerPool, tell: Tell
) -> list[Addition]:
    """Add all the models to a study, or none.

    Raises FilesRefused: some images are refused. Raises InputError: the models do not fit
    the study, or its file was changed meanwhile. Raises SessionProblem: another program is adding
    models to the study.
    """
    with hold_seat(study.folder / RECORD_FILE, "add", "adding a model to this study"):
        remove_unfinished(study)
        file = study.path.resolve()
        text = read_bytes(file, most_bytes=LARGEST_STUDY_BYTES).decode()
        before = asked.study_of_text(study.path, text)
        require_new(before, tuple(wanted.folders))
        noted = asked.joining(before, wanted.votes)
        tables = "".join(
            table_of(name, {"day": wanted.day.isoformat(), **noted}) for name in wanted.folders
        )
        grown = asked.study_of_text(study.path, f"{text.rstrip()}\n{tables}")
        home = inside(study.folder, ADDED)
        make_folder(home)
        try:
            with aside(home, "add") as staged:
                added = list(make_sets(before, asked, wanted, staged, pool, tell))
                for name in wanted.folders:
                    own = folder_name(name)
                    (staged / own / UNFINISHED).touch()
                    move_folder(staged / own, home / own)
                sync(home)
                try:
                    asked.course_of(grown).require_enough()
                except InputError as error:
                    where = ", ".join(f"{name}={path}" for name, path in wanted.folders.items())
                    problem = f"does not fit this study: {error.where}: {error.problem}"
                    raise InputError(f"--fake {where}", problem, error.allowed) from None
                if read_bytes(file, most_bytes=LARGEST_STUDY_BYTES).decode() != text:
                    raise InputError(
                        file, "was changed while the model was prepared", "add it again"
                    )
                # If the program is killed, a later `hype add` removes ``staged`` and its files.
                whole = staged / file.name
                write_bytes(whole, f"{text.rstrip()}\n{tables}".encode())
                shutil.copymode(file, whole)
                whole.replace(file)
                sync(study.folder)
        finally:
            remove_what_is_unfinished(asked.study_of_text(study.path, file.read_text("utf-8")))
    return added


def table_of(name: str, noted: Mapping[str, object]) -> str:
    """Write the table for an added model in the study file."""
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
    lines = (f"{each} = {json.dumps(value)}" for each, value in noted.items())
    return "\n".join(("", f"[added.{key}]", *lines, ""))


def require_new(study: AnyStudy, names: Sequence[str]) -> None:
    """Refuse names that are taken or not allowed, and studies that evaluate no model."""
    if study.scores_nobody:
        raise InputError(study.path, "only tests people for other studies, and evaluates no model")
    there = read_stimuli(study).conditions
    for name in names:
        check_condition_name("--fake", name)
        if name in there:
            problem = f"the study already has images of {name!r}"
            if name in study.added:
                problem = f"{name!r} joined on {study.added[name].day}"
            raise InputError("--fake", problem, "give another name")
        if (own := study.folder / ADDED / folder_name(name)).exists():
            problem = "exists, but the study file does not name it"
            raise InputError(own, problem, "remove it, or give another name")


def remove_unfinished(study: AnyStudy) -> None:
    """Remove the remains of a program that was killed while it added models."""
    remove_what_is_unfinished(study)
    with suppress(OSError), aside(study.folder / ADDED, "add"):
        pass  # `aside` removes the folders of killed programs


def clean_up(study: AnyStudy) -> None:
    """Remove unfinished additions, unless another program is adding models now."""
    with suppress(OSError):
        if any((study.folder / ADDED).iterdir()):
            with suppress(SessionProblem), hold_seat(study.folder / RECORD_FILE, "add", "adding"):
                remove_unfinished(study)


def remove_what_is_unfinished(study: AnyStudy) -> None:
    home = study.folder / ADDED
    for mark in home.glob(f"*/{UNFINISHED}") if not home.is_symlink() else ():
        if condition_in(mark.parent.name) in study.added:
            mark.unlink(missing_ok=True)
        elif not mark.parent.is_symlink():
            # Remove the mark last, so that the folder stays marked if the program is killed.
            for path in mark.parent.iterdir():
                if path != mark:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.rmtree(mark.parent, ignore_errors=True)
    with suppress(OSError):
        home.rmdir()  # fails unless the folder is empty


def make_sets(
    study: AnyStudy,
    asked: AskedOfProtocol,
    wanted: Wanted,
    staged: Path,
    pool: WorkerPool,
    tell: Tell,
) -> Iterator[Addition]:
    """Make the stimulus sets of models, with their masks, in a folder."""
    folders = {
        name: unzip(study, images, staged / f".{folder_name(name)}", tell)
        for name, images in wanted.folders.items()
    }
    look, reals = common_look(study, pool, tell)
    for name, folder in folders.items():
        home = staged / folder_name(name)
        try:
            images = make_images(study, name, folder, home, look, reals, wanted, pool, tell)
        except InputError as error:
            raise rename_folder(
                error, staged / f".{folder_name(name)}", wanted.folders[name]
            ) from None
        masks = make_own_masks(study, asked, home, wanted.masks, pool, tell)
        yield Addition(condition=name, images=images, masks=masks)


def unzip(study: AnyStudy, images: Path, place: Path, tell: Tell) -> Path:
    """Return a folder of images: the given one, or the content of a zip file.

    If the zip has a single folder that is not named like a prompt, that folder is returned.
    """
    if not images.is_file():
        return images
    place.mkdir()
    unpack(images, place, partial(tell, "Unpacking the images"))
    only, *others = sorted(place.iterdir()) or [place]
    is_wrapper = (
        only.is_dir() and not others and plain(only.name) not in map_file_names(prompts_of(study))
    )
    return only if is_wrapper else place


def make_images(
    study: AnyStudy,
    name: str,
    folder: Path,
    home: Path,
    look: CommonLook,
    reals: Mapping[str, str],
    wanted: Wanted,
    pool: WorkerPool,
    tell: Tell,
) -> int:
    """Make the stimulus set of a model in ``home``; return the number of images.

    Raises FilesRefused: some images are refused.
    """
    files = images_in(folder)
    known, problems = describe_images(study, folder, files)
    rows: list[dict[str, str]] = []
    (home / "fake" / folder_name(name)).mkdir(parents=True)
    done = 0
    for converted in pool.run(
        (convert, (*part, home, name, look, wanted.skip_smaller)) for part in parts_of(files)
    ):
        done += len(converted)
        tell("Preparing the images", done, len(files))
        for path, made in converted:
            if made is None:
                continue
            if isinstance(made, InputError):
                problems.append(made)
                continue
            row, pixels = made
            if pixels in reals:
                problem = f"has the same pixels as the real image {reals[pixels]}"
                problems.append(InputError(path, problem, "images that the model made"))
            else:
                rows.append(row | known[path])
    if problems:
        raise FilesRefused(f"--fake {name}={folder}", problems)
    if not rows:
        raise InputError(
            f"--fake {name}={folder}", "contains no image as large as the study's images"
        )
    if look.formats and look.jpeg_quality is None and not wanted.keep:
        formats = {"the study": tuple(look.formats), name: [row[SOURCE_FORMAT] for row in rows]}
        refuse_one_sided_jpeg(formats, allowed="--keep accepts them unchanged")
    rows.sort(key=lambda row: row["path"])
    columns = dict.fromkeys(key for row in rows for key in row)
    write_table(home / MANIFEST, tuple(columns), rows, private=False)
    return len(rows)


def prompts_of(study: AnyStudy) -> frozenset[str]:
    """Return the prompts of a study's images; empty if it has none."""
    if study.of_prompts is None:
        return frozenset()
    column = study.of_prompts.prompt_column
    return frozenset(row.get(column, "") for row in read_columns(study).values()) - {""}


def map_file_names(prompts: Collection[str]) -> Mapping[str, str]:
    """Map the plain form of each prompt (underscores read as spaces) to the prompt."""
    return {plain(text): text for text in prompts}


def plain(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


def common_look(study: AnyStudy, pool: WorkerPool, tell: Tell) -> tuple[CommonLook, dict[str, str]]:
    """Return the properties of a study's images, and the paths of real images by checksum.

    Raises InputError: the images have several sizes, so new images cannot match.
    """
    stimuli, columns = read_stimuli(study), read_columns(study)
    sizes = sorted(set(stimuli.sizes_px.values()))
    if len(sizes) > 1:
        some = ", ".join(f"{width} x {height} px" for width, height in sizes[:MOST_NAMED])
        problem = f"has images of several sizes ({some}), so new images cannot match them"
        raise InputError(study.stimuli_folder, problem, "images of one size, as made by hype new")
    first = [stimuli.fake(name)[0].path for name in stimuli.conditions]
    paths = [*first, *(stimulus.path for stimulus in stimuli.real)]
    files = [inside(stimuli.folder_of(path), path) for path in paths]
    found: dict[int, tuple[str, str]] = {}
    for looks in pool.run((looks_of, part) for part in parts_of(files)):
        found |= looks
        tell("Reading the study's images", len(found), len(files))
    modes = {mode for mode, _ in found.values()}
    reals = {found[n][1]: path for n, path in enumerate(paths) if n >= len(first)}
    qualities = {row.get(JPEG_QUALITY, "") for row in columns.values()} - {""}
    look = CommonLook(
        size_px=sizes[0],
        mode="L" if modes == {"L"} else "RGB",
        jpeg_quality=int(min(qualities)) if qualities else None,
        formats=frozenset(row.get(SOURCE_FORMAT, "") for row in columns.values()) - {""},
    )
    return look, reals


def parts_of(files: Sequence[Path]) -> Iterator[tuple[int, Sequence[Path]]]:
    """Divide the files into parts for workers; yield each part with the index of its first file."""
    for start in range(0, len(files), AT_A_TIME):
        yield start, files[start : start + AT_A_TIME]


def looks_of(start: int, files: Sequence[Path]) -> dict[int, tuple[str, str]]:
    """Return each image's colour mode and the checksum of its pixels, by the image's number."""
    looks = [look_of(path) for path in files]
    return {start + n: (look.mode, look.sha256) for n, look in enumerate(looks)}


Converted = tuple[dict[str, str], str]
"""An image's row of the manifest, and the checksum of its pixels."""


def convert(
    start: int, files: Sequence[Path], home: Path, name: str, look: CommonLook, skip_smaller: bool
) -> list[tuple[Path, Converted | InputError | None]]:
    """Write images in the format of the study, numbered from ``start``; return a row for each.

    Instead of a row, a refused image has an error, and a skipped image (too small) has None.
    """
    made: list[tuple[Path, Converted | InputError | None]] = []
    width, height = look.size_px
    for number, path in enumerate(files, start=start + 1):
        place = f"fake/{folder_name(name)}/{number:05d}.png"
        try:
            image = decode(path)
            if image.width < width or image.height < height:
                if skip_smaller:
                    made.append((path, None))
                    continue
                raise InputError(
                    path,
                    f"is {image.width} x {image.height} px, but the study's images are {width} x "
                    f"{height} px: enlarged, it would look blurred",
                    f"{width} x {height} px or more; --skip-smaller leaves out smaller images",
                )
            content = png_bytes(standardise(image, look.size_px, look.mode, look.jpeg_quality))
            write_bytes(home / place, content, private=False)
        except InputError as error:
            made.append((path, error))
            continue
        cells = (place, "fake", name, *map(str, look.size_px), hashlib.sha256(content).hexdigest())
        row = dict(zip(COLUMNS, cells, strict=True))
        if look.formats:
            row |= {
                SOURCE_FORMAT: image.info["format"],
                JPEG_QUALITY: str(look.jpeg_quality or ""),
            }
        made.append((path, (row, look_of(home / place).sha256)))
    return made


def describe_images(
    study: AnyStudy, folder: Path, files: Sequence[Path]
) -> tuple[dict[Path, dict[str, str]], list[InputError]]:
    """Read the facts about a model's images from a table or the file names.

    Returns each image's cells for columns of the study's manifest, and problems with images.
    """
    there = dict.fromkeys(name for row in read_columns(study).values() for name in row)
    rows: dict[Path, dict[str, str]] = {path: {} for path in files}
    problems: list[InputError] = []
    if (table := folder / MANIFEST).is_file():
        allowed = [name for name in there if name not in OWN_COLUMNS]
        problems += read_own_table(table, rows, allowed)
    if asked := study.of_prompts:
        problems += take_prompts(rows, folder, asked.prompt_column, prompts_of(study))
    used = {name for row in rows.values() for name in row}
    empty = dict.fromkeys((name for name in there if name in used), "")
    return {path: empty | row | {"original": path.name} for path, row in rows.items()}, problems


def read_own_table(
    table: Path, rows: Mapping[Path, dict[str, str]], allowed: Sequence[str]
) -> Iterator[InputError]:
    """Read a table of the images; its columns must be columns of the study's manifest.

    Yields the problems: rows without an image, and images without a row.
    """
    folder, listed = table.parent, set[Path]()
    for where, row in read_table(table, ("path",), made_by="a spreadsheet, with a column 'path'"):
        path = folder / row["path"]
        unknown = [c for c in row if c and c not in (*COLUMNS, *OWN_COLUMNS, *allowed)]
        if unknown:
            problem = f"has the column {unknown[0]!r}, which the study's manifest does not have"
            raise InputError(table, problem, ", ".join(("path", *allowed)))
        if path not in rows:
            yield InputError(where, f"{row['path']!r} is not an image of {folder}")
            continue
        listed.add(path)
        rows[path].update({name: row[name].strip() for name in allowed if name in row})
    for path in rows.keys() - listed:
        problem = f"is not listed in {table}"
        yield InputError(path, problem, "a row for each image, or no table")


def take_prompts(
    rows: Mapping[Path, dict[str, str]], folder: Path, column: str, prompts: Collection[str]
) -> Iterator[InputError]:
    """Find the prompt of each image, which must be a prompt of the study; yield problems."""
    texts = map_file_names(prompts)
    for path, row in rows.items():
        try:
            name = plain(row.get(column) or prompt_of(folder, path))
        except InputError as error:
            yield error
            continue
        if name in texts:
            row[column] = texts[name]
        else:
            some = ", ".join(map(repr, sorted(prompts)[:MOST_NAMED]))
            problem = f"shows {name!r}, which is not a prompt of the study"
            yield InputError(path, problem, f"the study has {len(prompts)}, such as {some}")


def make_own_masks(
    study: AnyStudy,
    asked: AskedOfProtocol,
    home: Path,
    number: int | None,
    pool: WorkerPool,
    tell: Tell,
) -> int:
    """Make masks of a model's images by the method of the study's masks; return their number.

    Raises InputError: the study shows no masks, or the method of its masks is unknown.
    """
    if study.masks_folder is None:
        if number:
            raise InputError("--masks", f"{study.path} shows no masks", "0")
        return 0
    there = read_masks(study.masks_folder)
    conditions = len(asked.conditions(study, read_stimuli(study))) - len(study.added)
    # Half of the study's masks were made from fakes, the same number from each condition.
    wanted = max(1, round(len(there.paths) / (2 * conditions))) if number is None else number
    if not wanted:
        return 0
    where, row = next(read_rows(study.masks_folder))
    try:
        cells = ((name, row.get(name)) for name in MODEL_COLUMNS)
        kept = {name: int(cell) for name, cell in cells if cell}
        method, model = method_named(row["method"]), TextureModel(**kept)
    except (InputError, KeyError, ValueError):
        problem = f"describes masks of an unknown method ({row['method']!r})"
        raise InputError(
            where, problem, "--masks 0: then the new images get the masks of the study"
        ) from None
    job = MaskJob(number=wanted, size_px=there.size_px, seed=0, method=method, model=model)
    own = make_masks(read_manifest(home), home / MASKS, job, pool, joins=True)
    for done, _ in enumerate(own, start=1):
        tell("Making masks", done, wanted)
    return wanted
