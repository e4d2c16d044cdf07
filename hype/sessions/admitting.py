"""Admitting an evaluator: enrolled once all images and masks of theirs are as they should be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from sqlalchemy import Engine

from hype.sessions.enrol import Enrolled, confirm_masks, enrol
from hype.sessions.protocols.base import PlanT, StudyProtocol
from hype.sessions.pushing import names_of_study, own_url, push_record
from hype.sessions.records import central_of
from hype.sessions.registers import OWN, Register, ShareRegister, central_register
from hype.store import people
from hype.store.central.problems import CentralAway, CentralRefused, CentralUntrusted
from hype.store.record import failures_explained, ignore, rehearsing

OpenRegister = Callable[[], AbstractContextManager[Register]]
AWAY: Final = "until it is back, this station goes by its own share of the places"
UNTRUSTED: Final = "until then, this station goes by its own share of the places"


def admit(
    engine: Engine,
    protocol: StudyProtocol[PlanT],
    evaluator: str,
    *,
    simulated: bool,
    remark: Callable[[str], None] = ignore,
) -> Enrolled[PlanT]:
    """Enrol an evaluator whose images and masks are all as they should be, or nobody.

    Whoever is new is assigned by the study's central store, if it has one. While that is away the
    station goes by its own share of the places, and ``remark`` is told so; as where the store's
    server is not trusted, which is asked nothing.

    Raises
    ------
    SessionProblem
        The evaluator's part is over already, or nobody more is needed; or they began elsewhere.
    InputError
        An image of the plan is missing or changed; or the plan changed.
    """
    if not protocol.study.settings.store.central or is_known(
        engine, evaluator, simulated=simulated
    ):
        return admitted(engine, protocol, evaluator, simulated, lambda: nullcontext(OWN), remark)
    try:
        url = own_url(central_of(protocol.study))
        push_record(protocol.study, url)  # so that the store counts all who came here
        names = names_of_study(protocol.study)
        return admitted(
            engine, protocol, evaluator, simulated, lambda: central_register(url, names), remark
        )
    except (CentralAway, CentralRefused) as error:
        remark(f"{error}; {UNTRUSTED if isinstance(error, CentralUntrusted) else AWAY}")
    share = ShareRegister()
    return admitted(engine, protocol, evaluator, simulated, lambda: nullcontext(share), remark)


def is_known(engine: Engine, evaluator: str, *, simulated: bool) -> bool:
    """Whether somebody has begun at this station."""
    with failures_explained(engine), rehearsing(engine) as connection:
        return people.find_evaluator(connection, evaluator, simulated=simulated) is not None


def admitted(
    engine: Engine,
    protocol: StudyProtocol[PlanT],
    evaluator: str,
    simulated: bool,
    register: OpenRegister,
    remark: Callable[[str], None],
) -> Enrolled[PlanT]:
    """Enrol somebody by a register.

    The files are read between two transactions, since another station cannot write a trial while
    one is open. Where someone else was enrolled meanwhile and the plan came out differently, the
    new one's files are read too. The register notes them first: if the program ends before the
    record does, they find their place there.
    """
    sound, masks = "", None
    while True:
        attempt = engine.connect() if sound else rehearsing(engine)
        with failures_explained(engine), attempt as connection:
            settled = False
            try:
                with register() as places:
                    enrolled = enrol(
                        *(connection, protocol, evaluator),
                        simulated=simulated,
                        register=places,
                        mask_files=masks,
                    )
                    settled = enrolled.plan.checksum() == sound
                    if settled:
                        confirm_masks(connection, protocol.study, enrolled, masks)
                    else:
                        places.leave()
            except CentralAway as error:
                if not settled:
                    raise
                remark(f"{error}; it is not known whether it has noted {evaluator!r}")
            if settled:
                connection.commit()
                return enrolled
        masks = protocol.check_files(enrolled.plan)
        sound = enrolled.plan.checksum()
