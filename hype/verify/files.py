"""The files of images and masks, each read once however many evaluators saw it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from hype.confine import inside
from hype.errors import InputError
from hype.session.materials import combined
from hype.stimuli.manifest import sha256_of
from hype.verify.case import Case
from hype.verify.findings import Irregularity, Whose, shown

Kind = Literal["image", "mask"]
NOT_THERE: Final = "is missing"


@dataclass(frozen=True, slots=True)
class FileSum:
    """The checksum of a file, or what keeps it from having one."""

    sha256: str = ""
    problem: str = ""


def sum_of(folder: Path, name: str) -> FileSum:
    try:
        if not (folder / name).exists():  # sooner known than where it would lead to
            return FileSum(problem=NOT_THERE)
        return FileSum(sha256=sha256_of(inside(folder, name)))
    except InputError as error:
        return FileSum(problem=error.problem)
    except (OSError, ValueError) as error:
        return FileSum(problem=f"cannot be read: {error}")


@dataclass(slots=True)
class ExpectedFile:
    """A file of the plans: what it should be, and who was to see it."""

    sums: set[str] = field(default_factory=set)
    people: list[str] = field(default_factory=list)
    simulated: list[str] = field(default_factory=list)


class ShownFiles:
    """Gathers what evaluators were shown, and then looks at the files."""

    def __init__(self) -> None:
        self._sets: dict[tuple[Kind, Path], dict[str, ExpectedFile]] = {}
        self._sums: dict[tuple[Path, str], FileSum] = {}

    def expect(
        self, case: Case, kind: Kind, folder: Path, files: Iterable[tuple[str, str | None]]
    ) -> None:
        """Note files that an evaluator's plan shows, with their checksums where they have any."""
        theirs = self._sets.setdefault((kind, folder), {})
        for name, sha256 in files:
            expected = theirs.setdefault(name, ExpectedFile())
            if sha256 is not None:
                expected.sums.add(sha256)
            who = expected.simulated if case.who.simulated else expected.people
            who.append(case.who.evaluator)

    def check_masks(
        self, case: Case, folder: Path, names: Collection[str]
    ) -> Iterator[Irregularity]:
        if case.who.mask_files is None:
            return
        sums = [self._sum_of(folder, name) for name in sorted(names)]
        if any(one.problem for one in sums):
            return
        if combined(one.sha256 for one in sums) != case.who.mask_files:
            yield Irregularity(
                "masks-changed", "the masks of their plan are not those they began with"
            )

    def check_files(self) -> Iterator[tuple[Whose, Irregularity]]:
        for (kind, folder), files in self._sets.items():
            yield from self._check_set(kind, folder, files)

    def _check_set(
        self, kind: Kind, folder: Path, files: Mapping[str, ExpectedFile]
    ) -> Iterator[tuple[Whose, Irregularity]]:
        missing = [n for n in files if self._sum_of(folder, n).problem == NOT_THERE]
        by_name_only = len(missing) == len(files)
        for name, expected in files.items():
            if not (by_name_only and not expected.people):
                yield from self._check_file(kind, folder, name, expected)
        if by_name_only and (unseen := sum(not expected.people for expected in files.values())):
            message = f"none of {unseen} {kind}s of simulated evaluators is in {folder}"
            yield Whose(simulated=True), Irregularity("files-by-name-only", message)

    def _check_file(
        self, kind: Kind, folder: Path, name: str, expected: ExpectedFile
    ) -> Iterator[tuple[Whose, Irregularity]]:
        file_sum = self._sum_of(folder, name)
        whose = Whose(simulated=not expected.people)
        where = f"{folder / shown(name)}"
        who = f"in the plan{audience(expected)}"
        if file_sum.problem == NOT_THERE:
            yield whose, Irregularity(f"{kind}-missing", f"{where} is missing; {who}")
        elif file_sum.problem:
            yield whose, Irregularity(f"{kind}-unreadable", f"{where} {file_sum.problem}; {who}")
        elif expected.sums - {file_sum.sha256}:
            yield (
                whose,
                Irregularity(f"{kind}-changed", f"{where} changed since it was listed; {who}"),
            )

    def _sum_of(self, folder: Path, name: str) -> FileSum:
        """Take the checksum of a file, once."""
        if (folder, name) not in self._sums:
            self._sums[folder, name] = sum_of(folder, name)
        return self._sums[folder, name]


def audience(expected: ExpectedFile) -> str:
    everyone = [*expected.people, *expected.simulated]
    first = shown(everyone[0])
    if len(everyone) == 1:
        return f" of {first}"
    return f"s of {first} and {len(everyone) - 1} more"
