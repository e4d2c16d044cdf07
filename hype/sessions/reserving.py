"""Reserving a place at the study's central store, before the record is written to.

The store's lock is held while a place is chosen, and nothing of the record: whoever sits at another
window of this station goes on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Generic

from hype.sessions.enrol import (
    Newcomer,
    assigned,
    assignment_of,
    require_newcomers,
    same_plan,
)
from hype.sessions.protocols.base import PlanT, StudyProtocol
from hype.sessions.pushing import names_of_study, push_record
from hype.sessions.registers import CENTRAL, reservation
from hype.store.central.limits import NEWCOMER_S
from hype.store.central.problems import CentralAway
from hype.store.people import evaluator_of

if TYPE_CHECKING:
    from hype.store.central.desk import Begun, Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved(Generic[PlanT]):
    """A place that is somebody's at the central store; ``mask_files`` is what their masks are."""

    newcomer: Newcomer[PlanT]
    mask_files: str | None


def reserve(
    protocol: StudyProtocol[PlanT],
    url: str,
    evaluator: str,
    *,
    simulated: bool,
    remark: Callable[[str], None],
    new_version: bool = False,
) -> Reserved[PlanT]:
    """Reserve a place for somebody new, whose images and masks are all as they should be.

    The files are read while others may be assigned. Where someone was meanwhile and the plan came
    out differently, the new one's files are read too. If the program ends before the record notes
    them, they find their place at the store again.

    Raises
    ------
    CentralRefused, CentralAway
        As `hype.store.central.desk.assigning`; nothing is reserved.
    SessionProblem
        Nobody more is needed, or they began elsewhere.
    InputError
        An image of the plan is missing or changed; or the plan changed; or another version of the
        study is at the store, and nobody said that a ``new_version`` begins.
    """
    from hype.store.central.desk import assigning

    until = monotonic() + NEWCOMER_S
    push_record(protocol.study, url, until=until)  # so that the store counts all who came here
    names, sound, masks = names_of_study(protocol.study), "", None
    while True:
        settled = False
        try:
            with assigning(url, until=until) as desk:
                desk.require_study(names)
                newcomer = at_desk(
                    *(desk, protocol, evaluator, simulated, masks, sound), new_version=new_version
                )
                settled = newcomer.plan.checksum() == sound
        except CentralAway as error:
            if not settled:
                raise
            remark(f"{error}; it is not known whether it has noted {evaluator!r}")
        if settled:
            return Reserved(newcomer=newcomer, mask_files=masks)
        begun = monotonic()
        masks, sound = protocol.check_files(newcomer.plan), newcomer.plan.checksum()
        until += monotonic() - begun  # nobody waited for the store


def at_desk(
    desk: Desk,
    protocol: StudyProtocol[PlanT],
    evaluator: str,
    simulated: bool,
    masks: str | None,
    sound: str,
    *,
    new_version: bool = False,
) -> Newcomer[PlanT]:
    """Find somebody's place at the store, or choose one; a plan that is ``sound`` is noted."""
    if begun := desk.begun(evaluator, simulated=simulated):
        return who_has_a_place(protocol, evaluator, begun, desk.station)
    require_newcomers(
        *(desk.connection, protocol, CENTRAL), simulated=simulated, new_version=new_version
    )
    so_far = CENTRAL.so_far(desk.connection, protocol, simulated=simulated)
    newcomer = assigned(protocol, evaluator, so_far, register=CENTRAL, mask_files=masks)
    if newcomer.plan.checksum() == sound:
        desk.keep_study(protocol.study.checksum(), protocol.study.resolved())
        desk.enter(newcomer.row)
    return newcomer


def who_has_a_place(
    protocol: StudyProtocol[PlanT],
    evaluator: str,
    begun: tuple[Begun, ...],
    station: str | None,
) -> Newcomer[PlanT]:
    """Give somebody whom the store noted for this station, and the record did not.

    Raises
    ------
    SessionProblem
        They began at another station, or what they did here is not in the record.
    InputError
        The plan changed.
    """
    row = reservation(evaluator, begun, station)
    (first, *_) = begun
    known = replace(evaluator_of(first.row), evaluator=evaluator)
    assignment = assignment_of(known)
    plan = same_plan(protocol, known, assignment)
    return Newcomer(assignment=assignment, plan=plan, row=row)
