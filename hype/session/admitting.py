"""Admitting an evaluator: files checked, a place reserved, then enrolled in the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic

from sqlalchemy import Engine

from hype.errors import InputError
from hype.protocols.base import Conduct, PlanT
from hype.protocols.studies import AnyStudy
from hype.session.enrol import (
    Enrolled,
    Newcomer,
    assigned,
    assignment_of,
    check_evaluator_id,
    confirm_masks,
    enrol,
    enter,
    last_of,
    require_newcomers,
    same_plan,
)
from hype.session.pushing import names_of_study, own_url, push_record
from hype.session.records import central_of
from hype.session.registers import CENTRAL, OWN, SHARE, Register, reservation
from hype.session.versions import same_version, study_of_evaluator
from hype.store import people
from hype.store.central.limits import NEWCOMER_S
from hype.store.central.problems import CentralAway, CentralRefused, CentralUntrusted
from hype.store.people import evaluator_of
from hype.store.record import committed, failures_explained, ignore, rehearsing
from hype.study.versions import differences, in_words

if TYPE_CHECKING:
    from hype.store.central.enrolment import Begun, LockedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved(Generic[PlanT]):
    """A place that is somebody's at the central store; ``mask_files`` is what their masks are."""

    newcomer: Newcomer[PlanT]
    mask_files: str | None


def reserve(
    protocol: Conduct[PlanT],
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

    Raises CentralRefused, CentralAway: as `hype.store.central.enrolment.assigning`; nothing is
    reserved.

    Raises SessionProblem: nobody more is needed, or they began elsewhere.
    Raises InputError: an image of the plan is missing or changed; or the plan changed; or another
    version of the study is at the store, and nobody said that a ``new_version`` begins.
    """
    from hype.store.central.enrolment import assigning

    until = monotonic() + NEWCOMER_S
    push_record(protocol.study, url, until=until)  # so that the store counts all who came here
    names, sound, masks = names_of_study(protocol.study), "", None
    while True:
        settled = False
        try:
            with assigning(url, until=until) as store:
                store.require_study(names)
                newcomer = newcomer_at_store(
                    *(store, protocol, evaluator, simulated, masks, sound), new_version=new_version
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


def newcomer_at_store(
    store: LockedStore,
    protocol: Conduct[PlanT],
    evaluator: str,
    simulated: bool,
    masks: str | None,
    sound: str,
    *,
    new_version: bool = False,
) -> Newcomer[PlanT]:
    """Find somebody's place at the store, or choose one; a plan that is ``sound`` is noted."""
    if begun := store.begun(evaluator, simulated=simulated):
        return who_has_a_place(protocol, evaluator, begun, store.station)
    require_newcomers(
        *(store.connection, protocol, CENTRAL), simulated=simulated, new_version=new_version
    )
    earlier = CENTRAL.earlier(store.connection, protocol, simulated=simulated)
    newcomer = assigned(protocol, evaluator, earlier, register=CENTRAL, mask_files=masks)
    if newcomer.plan.checksum() == sound:
        store.keep_study(protocol.study.checksum(), protocol.study.resolved())
        store.enter(newcomer.row)
    return newcomer


def who_has_a_place(
    protocol: Conduct[PlanT],
    evaluator: str,
    begun: tuple[Begun, ...],
    station: str | None,
) -> Newcomer[PlanT]:
    """Give somebody whom the store noted for this station, and the record did not.

    Raises SessionProblem: they began at another station, or what they did here is not in the
    record.

    Raises InputError: the plan changed.
    """
    row = reservation(evaluator, begun, station)
    (first, *_) = begun
    comer = replace(evaluator_of(first.row), evaluator=evaluator)
    assignment = assignment_of(comer)
    plan = same_plan(protocol, comer, assignment)
    return Newcomer(assignment=assignment, plan=plan, row=row)


AWAY: Final = "until it is back, this station goes by its own share of the places"
UNTRUSTED: Final = "until then, this station goes by its own share of the places"


def admit(
    engine: Engine,
    protocol: Conduct[PlanT],
    evaluator: str,
    *,
    simulated: bool,
    register: Register = OWN,
    remark: Callable[[str], None] = ignore,
    new_version: bool = False,
) -> Enrolled[PlanT]:
    """Enrol an evaluator whose images and masks are all as they should be, or nobody.

    Whoever is new is assigned by the study's central store, if it has one; otherwise by the record,
    as ``register`` says. While the store is away the station goes by its own share of the places,
    and ``remark`` is told so; as where the store's server is not trusted, which is asked nothing.
    The record is not kept from others while the store is waited for. ``new_version`` is as in
    `hype.session.enrol.enrol`.

    Raises SessionProblem: the evaluator's part is over already, or nobody more is needed; or they
    began elsewhere.

    Raises InputError: an image of the plan is missing or changed; or the plan changed; or somebody
    new would be given another study than those before.
    """
    check_evaluator_id(evaluator)
    central = protocol.study.settings.store.central
    is_enrolled = is_known(engine, evaluator, simulated=simulated)
    if not is_enrolled:
        require_masks_as_before(engine, protocol, simulated=simulated)
        protocol.ask_around(simulated=simulated, remark=remark)
    if not central or is_enrolled:
        return admitted(engine, protocol, evaluator, simulated, register, new_version)
    try:
        url = own_url(central_of(protocol.study))
        place = reserve(
            *(protocol, url, evaluator),
            simulated=simulated,
            remark=remark,
            new_version=new_version,
        )
    except (CentralAway, CentralRefused) as error:
        remark(f"{error}; {UNTRUSTED if isinstance(error, CentralUntrusted) else AWAY}")
        return admitted(engine, protocol, evaluator, simulated, SHARE, new_version)
    with committed(engine) as connection:
        enrolled = enter(connection, protocol.study, place.newcomer)
        confirm_masks(connection, protocol.study, enrolled, place.mask_files)
    return enrolled


def study_for(
    engine: Engine,
    study: AnyStudy,
    evaluator: str,
    *,
    simulated: bool,
    remark: Callable[[str], None] = ignore,
) -> AnyStudy:
    """Give the study as an evaluator of this station began it; to somebody new, as it is.

    Raises InputError: this program cannot read what they began.
    """
    with failures_explained(engine), rehearsing(engine) as connection:
        theirs = study_of_evaluator(connection, study, evaluator, simulated=simulated)
    if changed := differences(theirs, study, simulated=simulated):
        remark(
            f"{study.path}: differs from what {evaluator!r} began under ({in_words(changed)}), "
            "and they go on under that"
        )
    return theirs


def is_known(engine: Engine, evaluator: str, *, simulated: bool) -> bool:
    with failures_explained(engine), rehearsing(engine) as connection:
        return people.find_evaluator(connection, evaluator, simulated=simulated) is not None


def require_masks_as_before(engine: Engine, protocol: Conduct[PlanT], *, simulated: bool) -> None:
    """Refuse masks that are not those of the last one who came here: plans have their names alone.

    Raises InputError: they were made anew or exchanged under the same names.
    """
    with failures_explained(engine), rehearsing(engine) as connection:
        given = same_version(connection, protocol.study, simulated=simulated)
        shown = (one for one in last_of(connection, given, simulated=simulated) if one.mask_files)
        before = next(shown, None)
    if before is None:
        return
    plan = protocol.plan(assignment_of(before))
    if plan.checksum() == before.plan and protocol.check_files(plan) != before.mask_files:
        raise InputError(
            protocol.study.masks_folder or protocol.study.path,
            f"the masks are not those that {before.evaluator!r} was shown under this study",
            "put them back, or keep the new ones in a folder of their own and name it in the "
            "study file (masks.folder), which is another version of the study",
        )


def admitted(
    engine: Engine,
    protocol: Conduct[PlanT],
    evaluator: str,
    simulated: bool,
    register: Register,
    new_version: bool,
) -> Enrolled[PlanT]:
    """Enrol somebody by the record.

    The files are read between two transactions, since another station cannot write a trial while
    one is open. Where someone else was enrolled meanwhile and the plan came out differently, the
    new one's files are read too.
    """
    sound, masks = "", None
    while True:
        attempt = engine.connect() if sound else rehearsing(engine)
        with failures_explained(engine), attempt as connection:
            enrolled = enrol(
                *(connection, protocol, evaluator),
                simulated=simulated,
                register=register,
                mask_files=masks,
                new_version=new_version,
            )
            if enrolled.plan.checksum() == sound:
                confirm_masks(connection, protocol.study, enrolled, masks)
                connection.commit()
                return enrolled
        masks = protocol.check_files(enrolled.plan)
        sound = enrolled.plan.checksum()
