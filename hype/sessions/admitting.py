"""Admitting an evaluator: enrolled once all images and masks of theirs are as they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Engine

from hype.errors import InputError
from hype.sessions.enrol import (
    Enrolled,
    assignment_of,
    check_evaluator_id,
    confirm_masks,
    enrol,
    enter,
    last_of,
)
from hype.sessions.protocols.base import PlanT, StudyProtocol
from hype.sessions.pushing import own_url
from hype.sessions.records import central_of
from hype.sessions.registers import OWN, SHARE, Register
from hype.sessions.reserving import reserve
from hype.sessions.versions import same_version, study_of_evaluator
from hype.store import people
from hype.store.central.problems import CentralAway, CentralRefused, CentralUntrusted
from hype.store.record import committed, failures_explained, ignore, rehearsing
from hype.study.studies import AnyStudy
from hype.study.versions import differences, said

AWAY: Final = "until it is back, this station goes by its own share of the places"
UNTRUSTED: Final = "until then, this station goes by its own share of the places"


def admit(
    engine: Engine,
    protocol: StudyProtocol[PlanT],
    evaluator: str,
    *,
    simulated: bool,
    remark: Callable[[str], None] = ignore,
    new_version: bool = False,
) -> Enrolled[PlanT]:
    """Enrol an evaluator whose images and masks are all as they should be, or nobody.

    Whoever is new is assigned by the study's central store, if it has one. While that is away the
    station goes by its own share of the places, and ``remark`` is told so; as where the store's
    server is not trusted, which is asked nothing. The record is not kept from others while the
    store is waited for. ``new_version`` is as in `hype.sessions.enrol.enrol`.

    Raises
    ------
    SessionProblem
        The evaluator's part is over already, or nobody more is needed; or they began elsewhere.
    InputError
        An image of the plan is missing or changed; or the plan changed; or somebody new would be
        given another study than those before.
    """
    check_evaluator_id(evaluator)
    central = protocol.study.settings.store.central
    known = is_known(engine, evaluator, simulated=simulated)
    if not known:
        require_masks_as_before(engine, protocol, simulated=simulated)
        protocol.ask_around(simulated=simulated, remark=remark)
    if not central or known:
        return admitted(engine, protocol, evaluator, simulated, OWN, new_version)
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

    Raises
    ------
    InputError
        This program cannot read what they began.
    """
    with failures_explained(engine), rehearsing(engine) as connection:
        theirs = study_of_evaluator(connection, study, evaluator, simulated=simulated)
    if changed := differences(theirs, study, simulated=simulated):
        remark(
            f"{study.path}: differs from what {evaluator!r} began under ({said(changed)}), "
            "and they go on under that"
        )
    return theirs


def is_known(engine: Engine, evaluator: str, *, simulated: bool) -> bool:
    """Whether somebody has begun at this station."""
    with failures_explained(engine), rehearsing(engine) as connection:
        return people.find_evaluator(connection, evaluator, simulated=simulated) is not None


def require_masks_as_before(
    engine: Engine, protocol: StudyProtocol[PlanT], *, simulated: bool
) -> None:
    """Refuse masks that are not those of the last one who came here: plans have their names alone.

    Raises
    ------
    InputError
        They were made anew or exchanged under the same names.
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
    protocol: StudyProtocol[PlanT],
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
