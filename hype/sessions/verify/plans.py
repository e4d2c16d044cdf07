"""An evaluator's plan made anew from the record's copy of the study and the manifests of today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from hype.errors import InputError
from hype.protocol.plan import SessionPlan
from hype.sessions.enrol import assignment_of
from hype.sessions.verify.case import Case
from hype.sessions.verify.found import Found, shown
from hype.sessions.verify.kept import KeptStudy
from hype.study.sampling import Pools, plan_session


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """A plan made anew, or None and what is different now."""

    plan: SessionPlan | None
    faults: Sequence[Found] = ()


def remake_plan(case: Case, kept: KeptStudy | None) -> Remade:
    """Make an evaluator's plan anew."""
    if kept is None:
        message = "the record has no copy that can be read of the study they began with"
        return Remade(plan=None, faults=[Found("study-not-kept", message)])
    unlike = list(check_assignment(case, kept))
    if kept.pools is None:
        return Remade(plan=None, faults=unlike)
    reason = ""
    try:
        plan = planned(case, kept, kept.pools)
        if plan.checksum() == case.who.plan:
            return Remade(plan=plan, faults=unlike)
    except InputError as error:
        reason = str(error)
    message = "; ".join(what_changed(case, kept, kept.pools)) or reason or UNKNOWN
    return Remade(plan=None, faults=[*unlike, Found("plan-changed", message)])


UNKNOWN = (
    "the plan made anew is another: the manifests list other images or masks, or in another order, "
    "or the evaluator's row was changed"
)


def planned(case: Case, kept: KeptStudy, pools: Pools) -> SessionPlan:
    """Plan the session of an evaluator as enrolling does.

    Raises
    ------
    InputError
        The condition or the methods are gone, or there are too few images or masks.
    """
    who = case.who
    if who.condition not in pools.fake:
        raise InputError(kept.study.path, f"the condition {shown(who.condition)} is gone")
    if who.methods not in kept.study.settings.methods_of_one_evaluator():
        raise InputError(kept.study.path, f"the methods {shown(' '.join(who.methods))} are gone")
    qualified = bool(who.qualified_in)
    return plan_session(kept.study.settings, pools, assignment_of(who), qualified=qualified)


def check_assignment(case: Case, kept: KeptStudy) -> Iterator[Found]:
    """Compare an evaluator's row with the study."""
    who, settings = case.who, kept.study.settings
    if case.seed != str(settings.study.seed):
        message = f"seed {shown(case.seed)}, and the study's is {settings.study.seed}"
        yield Found("evaluator-unlike-study", message)
    if who.methods not in settings.methods_of_one_evaluator():
        message = f"methods {shown(' '.join(who.methods))}, which the study gives nobody"
        yield Found("evaluator-unlike-study", message)
    means = settings.keys.left_means
    allowed = ("real", "fake") if means == "counterbalanced" else (means,)
    if who.left_means not in allowed:
        message = f"the left key means {shown(who.left_means)}, and not {' or '.join(allowed)}"
        yield Found("evaluator-unlike-study", message)


def what_changed(case: Case, kept: KeptStudy, pools: Pools) -> Iterator[str]:
    """Say what of that which the record shows is no longer to be had."""
    yield from changed_images(case.rows, kept)
    masks = {name for row in case.rows for name in str(row.masks or "").split()}
    if gone := sorted(masks - set(pools.masks)):
        yield f"the manifest of the masks lacks {some(gone)} that they saw"
    fakes = {row.source for row in case.rows if row.task in ("time", "infinity") and row.source}
    if strange := sorted(map(str, fakes - {case.who.condition})):
        yield f"they judged fakes of {some(strange)}, and their row says {case.who.condition!r}"


def changed_images(rows: Sequence[Row[Any]], kept: KeptStudy) -> Iterator[str]:
    """Say which images are no longer listed, or listed with another checksum."""
    seen = {row.image: row.image_sha256 for row in rows}
    if gone := sorted(str(path) for path in seen if path not in kept.listed):
        yield f"the manifest of the images lacks {some(gone)} that they saw"
    other = sorted(
        path
        for path, sha256 in seen.items()
        if path in kept.listed and kept.listed[path].sha256 != sha256
    )
    if other:
        yield f"the manifest of the images has other checksums for {some(other)} that they saw"


def some(names: Sequence[str]) -> str:
    """Name the first of some things, and count the others."""
    return shown(names[0]) + (f" and {len(names) - 1} more" if len(names) > 1 else "")
