"""A mask set: a folder of PNGs with a manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from hype.errors import InputError, quote_path
from hype.files import check_relative, inside, read_table, shorten
from hype.stimuli.manifest import is_size

Row = dict[str, str]
Method = Literal["portilla-simoncelli", "phase-scramble"]

METHODS: Final[tuple[Method, ...]] = ("portilla-simoncelli", "phase-scramble")
MANIFEST: Final = "manifest.csv"
COLUMNS: Final = ("path", "source", "method", "seed", "size_px", "error")
"""The columns that every manifest of masks must have; `hype` also writes others."""
MODEL_COLUMNS: Final = ("scales", "orientations", "window")
SETTINGS: Final = ("method", "seed", "size_px", *MODEL_COLUMNS)
"""Columns that are also options of `hype masks make`."""


@dataclass(frozen=True, slots=True)
class MaskSet:
    """The masks in a folder: paths within the folder, and the side of a mask in pixels."""

    folder: Path
    paths: tuple[str, ...]
    size_px: int
    # Conditions that were added later, and their stimulus sets, which contain their masks
    added: Mapping[str, Path] = field(default_factory=dict)

    def place(self, name: str) -> tuple[Path, str]:
        """Return a mask's folder, and the path within it."""
        return place_of_mask(name, self.folder, self.added)


def list_words(
    folder: object, stimuli: object = "STIMULI", number: object = "N", cells: Row | None = None
) -> list[str]:
    """Return the command that makes masks, as words after `hype`; placeholders are in capitals.

    ``cells``: a row of the manifest; with its settings, the command keeps existing masks.
    """
    given = {name: cell for name in SETTINGS if (cell := (cells or {}).get(name))}
    options = (w for name in given for w in (f"--{name.removesuffix('_px')}", f"{given[name]}"))
    return ["masks", "make", f"{stimuli}", "-o", f"{folder}", "-n", f"{number}", *options]


def write_command(
    folder: object, stimuli: object = "STIMULI", number: object = "N", cells: Row | None = None
) -> str:
    """Return the command line that makes a mask set."""
    return " ".join(map(quote_path, ("hype", *list_words(folder, stimuli, number, cells))))


MASKS: Final = "masks"
"""The folder of masks in the stimulus set of a condition that was added later."""


def place_of_mask(name: str, folder: Path, added: Mapping[str, Path]) -> tuple[Path, str]:
    """Return a mask's folder and path; masks of an added condition are named ``condition/path``."""
    whose, _, rest = name.partition("/")
    return (added[whose] / MASKS, rest) if whose in added else (folder, name)


def read_mask_sets(folder: Path, added: Mapping[str, Path]) -> MaskSet:
    """Read a mask set's manifest, and the manifests of conditions that were added later.

    Raises InputError: as in `read_masks`; or a condition's masks have another size.
    """
    whole = read_masks(folder)
    paths = list(whole.paths)
    for name, home in added.items():
        if not (home / MASKS / MANIFEST).exists():
            continue
        own = read_masks(home / MASKS)
        if own.size_px != whole.size_px:
            problem = f"lists masks of {own.size_px} px"
            raise InputError(
                home / MASKS / MANIFEST, problem, f"{whole.size_px} px, as in {folder}"
            )
        paths += [f"{name}/{path}" for path in own.paths]
    return MaskSet(folder, tuple(paths), whole.size_px, added)


def read_masks(folder: Path) -> MaskSet:
    """Read a mask set's manifest.

    The masks are not opened. Raises InputError: there is no manifest, a column is missing, a row is
    invalid, or sizes differ.
    """
    path = inside(folder, MANIFEST)
    masks = [parse_row(*row) for row in read_rows(folder)]
    paths = Counter(name for name, _ in masks)
    if twice := [name for name, number in paths.items() if number > 1]:
        raise InputError(path, f"lists {twice[0]} twice", "each mask once")
    sizes = sorted({size for _, size in masks})
    if len(sizes) != 1:
        raise InputError(path, f"lists masks of {len(sizes)} sizes", "masks of one size")
    return MaskSet(folder, tuple(name for name, _ in masks), sizes[0])


def read_rows(folder: Path) -> Iterator[tuple[str, Row]]:
    """Yield the place and the cells of each row of a mask set's manifest."""
    return read_table(inside(folder, MANIFEST), COLUMNS, made_by=write_command(folder))


def parse_row(where: str, row: Mapping[str, str]) -> tuple[str, int]:
    name, size = row["path"], row["size_px"]
    check_relative(where, name)
    if " " in name:
        raise InputError(where, f"path {shorten(name)}", "a path without spaces")
    if not is_size(size):
        raise InputError(where, f"size_px {shorten(size)}", "a whole number of pixels")
    return name, int(size)


def check_mask(masks: MaskSet, name: str, size: tuple[int, int]) -> None:
    if size != (masks.size_px, masks.size_px):
        raise InputError(
            Path(*masks.place(name)),
            f"is {size[0]} x {size[1]} px",
            f"{masks.size_px} x {masks.size_px} px, as in the manifest",
        )
