"""An evaluator's plan made anew from the record's copy of the study and the manifests of today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hype.errors import InputError
from hype.protocols.base import Conduct
from hype.session.enrol import assignment_of
from hype.session.loop import Script
from hype.session.plan import AnyPlan
from hype.verify.case import Case
from hype.verify.findings import Found, shown, some
from hype.verify.kept import KeptStudy

UNKNOWN: Final = (
    "the plan made anew is another: the manifests list other images or masks, or in another order, "
    "or the evaluator's row was changed"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan, and how it is conducted."""

    protocol: Conduct[Any]
    drawn: AnyPlan

    def script(self) -> Script:
        return self.protocol.script(self.drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """A plan made anew, or None and what is different now."""

    plan: Plan | None
    faults: Sequence[Found] = ()


def remake_plan(case: Case, kept: KeptStudy | None) -> Remade:
    """Make an evaluator's plan anew."""
    if kept is None:
        message = "the record has no copy that can be read of the study they began with"
        return Remade(plan=None, faults=[Found("study-not-kept", message)])
    unlike = [*check_seed(case, kept), *case.kind.check_assignment(case, kept)]
    if kept.protocol is None:
        return Remade(plan=None, faults=unlike)
    reason = ""
    try:
        drawn = planned(case, kept.protocol)
        if drawn.checksum() == case.who.plan:
            return Remade(plan=Plan(protocol=kept.protocol, drawn=drawn), faults=unlike)
    except InputError as error:
        reason = str(error)
    message = "; ".join(what_changed(case, kept)) or reason or UNKNOWN
    return Remade(plan=None, faults=[*unlike, Found("plan-changed", message)])


def planned(case: Case, protocol: Conduct[Any]) -> AnyPlan:
    """Draw the plan of an evaluator, as enrolling does.

    Raises
    ------
    InputError
        Their place in the design is gone, or there are too few images or masks.
    """
    assignment = assignment_of(case.who)
    protocol.require_place(assignment.cell)
    if assignment.cell not in (*protocol.cells, *protocol.other_cells):
        methods = shown(" ".join(case.who.methods))
        raise InputError(protocol.study.path, f"gives nobody such a place: the methods {methods}")
    drawn: AnyPlan = protocol.plan(assignment)
    return drawn


def check_seed(case: Case, kept: KeptStudy) -> Iterator[Found]:
    seed = kept.study.settings.study.seed
    if case.seed != str(seed):
        yield Found("evaluator-unlike-study", f"seed {shown(case.seed)}, and the study's is {seed}")


def what_changed(case: Case, kept: KeptStudy) -> Iterator[str]:
    yield from changed_images(case, kept)
    yield from case.kind.strange(case, kept)


def changed_images(case: Case, kept: KeptStudy) -> Iterator[str]:
    """Say which images are no longer listed, or listed with another checksum."""
    seen = dict(case.kind.files_of_rows(case.rows).images)
    if gone := sorted(str(path) for path in seen if path not in kept.listed):
        yield f"the manifest of the images lacks {some(gone)} that they saw"
    other = sorted(
        path
        for path, sha256 in seen.items()
        if path in kept.listed and kept.listed[path].sha256 != sha256
    )
    if other:
        yield f"the manifest of the images has other checksums for {some(other)} that they saw"
