"""Whether the images and masks that evaluators were shown are on the disk, as they were."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, Literal

from hype.confine import inside
from hype.errors import InputError
from hype.session.materials import combined
from hype.session.steps import AnyPlan
from hype.stimuli.manifest import sha256_of
from hype.store.people import Evaluator
from hype.verify.case import Case, RecordedStudy, images_of
from hype.verify.findings import Irregularities, Problem, shown

Kind = Literal["image", "mask"]
MISSING: Final = "is missing"


class ShownFiles:
    """Gathers what evaluators were shown, and then looks at the files, at each once."""

    def __init__(self) -> None:
        # By folder, by name in it: the checksums that a file should have, and who was to see it
        self._sets: dict[tuple[Kind, Path], dict[str, tuple[set[str], list[Evaluator]]]] = {}
        self._sum_of = cache(sum_of)

    def expect(self, case: Case, recorded: RecordedStudy, plan: AnyPlan | None) -> list[Problem]:
        """Note the files of an evaluator's plan, or else of their answers, and check the masks."""
        study = recorded.study
        if plan is None:
            rows = (images_of(case.answers, row) for row in case.readable)
            self._note("image", case, ((study.place_of(p), sum_) for r in rows for p, sum_ in r))
            return []
        pictures = list(plan.upcoming())
        images = {picture.path for picture in pictures if not picture.mask}
        masks = sorted({picture.path for picture in pictures if picture.mask})
        listed = recorded.listed
        self._note("image", case, ((study.place_of(p), listed[p].sha256) for p in images))
        if not study.masks_folder:
            return []
        places = [study.place_of_mask(name) for name in masks]
        self._note("mask", case, ((place, None) for place in places))
        sums = [self._sum_of(*place) for place in places]
        if case.who.mask_files is None or any(problem for _, problem in sums):
            return []
        if combined(sha256 for sha256, _ in sums) == case.who.mask_files:
            return []
        return [("masks-changed", "the masks of their plan are not those they began with")]

    def _note(
        self, kind: Kind, case: Case, files: Iterable[tuple[tuple[Path, str], str | None]]
    ) -> None:
        for (folder, name), sha256 in files:
            theirs = self._sets.setdefault((kind, folder), {})
            sums, people = theirs.setdefault(name, (set(), []))
            sums.update([sha256] if sha256 else [])
            people.append(case.who)

    def check(self, findings: Irregularities) -> None:
        """Add what is wrong with the files, and note sets that exist by name only."""
        for (kind, folder), files in self._sets.items():
            absent = all(self._sum_of(folder, name)[1] == MISSING for name in files)
            unseen = 0
            for name, (sums, people) in files.items():
                is_simulated = all(who.simulated for who in people)
                if absent and is_simulated:
                    unseen += 1
                    continue
                sha256, problem = self._sum_of(folder, name)
                if not problem and sums <= {sha256}:
                    continue
                code = "missing" if problem == MISSING else "unreadable" if problem else "changed"
                message = f"{folder / shown(name)} {problem or 'changed since it was listed'}"
                first, more = shown(people[0].evaluator), len(people) - 1
                whose = f"plans of {first} and {more} more" if more else f"plan of {first}"
                findings.add(
                    [(f"{kind}-{code}", f"{message}; in the {whose}")], simulated=is_simulated
                )
            if unseen:
                message = f"none of {unseen} {kind}s of simulated evaluators is in {folder}"
                findings.add([("files-by-name-only", message)], simulated=True)


def sum_of(folder: Path, name: str) -> tuple[str, str]:
    """Give the checksum of a file, and what keeps it from having one."""
    try:
        if not (folder / name).exists():  # sooner known than where it would lead to
            return "", MISSING
        return sha256_of(inside(folder, name)), ""
    except InputError as error:
        return "", error.problem
    except (OSError, ValueError) as error:
        return "", f"cannot be read: {error}"
