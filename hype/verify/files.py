"""The images and masks that people were shown: on the disk they must be as they were then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from hype.errors import InputError
from hype.files import inside
from hype.session.materials import combined
from hype.session.steps import AnyPlan
from hype.stimuli.manifest import sha256_of
from hype.study.studies import AnyStudy
from hype.verify.findings import Problem, shown


class ShownFiles:
    """Gathers what people were shown, and looks at each file once."""

    def __init__(self) -> None:
        self._images: dict[tuple[Path, str], set[str]] = {}  # the checksums that each should have
        self._masks: dict[tuple[Path, str], None] = {}
        self._read = cache(read_sum)

    def add_images(self, study: AnyStudy, seen: Mapping[str, str]) -> None:
        """Add the images that an evaluator saw: checksums by path."""
        for path, sha256 in seen.items():
            self._images.setdefault(study.place_of(path), set()).add(sha256)

    def add_masks(self, study: AnyStudy, plan: AnyPlan, expected: str | None) -> Iterator[Problem]:
        """Add the masks of a plan, and compare them with what they were when it began.

        ``expected``: the combined checksum of the masks, if the evaluator's row has it.
        """
        names = sorted({picture.path for picture in plan.upcoming() if picture.mask})
        places = [study.place_of_mask(name) for name in names]
        self._masks.update(dict.fromkeys(places))
        sums = [self._read(*place) for place in places]
        is_known = expected is not None and not any(code for _, code, _ in sums)
        if is_known and combined(sha256 for sha256, _, _ in sums) != expected:
            yield "masks-changed", "the masks of their plan are not those they began with"

    def check(self) -> Iterator[Problem]:
        """Yield what is wrong with the files."""
        for places, kind in ((self._images, "image"), (self._masks, "mask")):
            yield from self._check(places, kind)

    def _check(self, places: Iterable[tuple[Path, str]], kind: str) -> Iterator[Problem]:
        for folder, name in places:
            sha256, code, problem = self._read(folder, name)
            if not code and not self._images.get((folder, name), {sha256}) <= {sha256}:
                code, problem = "changed", "is not the image that was shown"
            if code:
                yield f"{kind}-{code}", f"{folder / shown(name)} {problem}"


def read_sum(folder: Path, name: str) -> tuple[str, str, str]:
    """Return the checksum of a file, or else ``missing`` or ``unreadable`` and what is wrong."""
    try:
        if not (folder / name).exists():  # sooner known than where it would lead to
            return "", "missing", "is missing"
        return sha256_of(inside(folder, name)), "", ""
    except InputError as error:
        return "", "unreadable", error.problem
    except (OSError, ValueError) as error:
        return "", "unreadable", f"cannot be read: {error}"
