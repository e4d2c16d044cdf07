"""Admitting evaluators: files checked, places reserved, then enrolled in the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic

from sqlalchemy import Engine, NestedTransaction

from hype.errors import HypeError, InputError, NobodyNeeded
from hype.protocols.base import Conduct, PlanT
from hype.protocols.studies import AnyStudy
from hype.session.enrol import (
    Checked,
    Enrolled,
    Newcomer,
    assigned,
    assignment_of,
    check_evaluator_id,
    conduct_given,
    confirm_masks,
    enrol,
    enter,
    last_of,
    require_newcomers,
    same_plan,
)
from hype.session.pushing import names_of_study, own_url, push_record
from hype.session.quotas import question_that_is_full
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
    evaluators: Sequence[str],
    *,
    simulated: bool,
    remark: Callable[[str], None],
    new_version: bool = False,
    since_s: float | None = None,
) -> dict[str, Reserved[PlanT] | HypeError]:
    """Reserve places for people who are new, whose images and masks are all as they should be.

    They are given theirs in their order, each as if they came alone. The files are read while
    others may be assigned. Where someone was meanwhile and a plan came out differently, the new
    one's files are read too. If the program ends before the record notes them, they find their
    place at the store again. ``since_s``: as in `admit_together`.

    Returns for each a place, or why they have none: CentralRefused, CentralAway, as
    `hype.store.central.enrolment.assigning`; SessionProblem, that nobody more is needed or that
    they began elsewhere; InputError, that an image of the plan is missing or changed, or the plan
    changed, or another version of the study is at the store, and nobody said that a
    ``new_version`` begins.
    """
    from hype.store.central.enrolment import assigning

    until = NEWCOMER_S + (monotonic() if since_s is None else since_s)
    came: dict[str, Reserved[PlanT] | HypeError] = {}
    checked: dict[str, Checked[PlanT]] = {}
    try:
        push_record(protocol.study, url, until=until)  # so that the store counts all who came here
        names = names_of_study(protocol.study)
        while waiting := [evaluator for evaluator in evaluators if evaluator not in came]:
            settled: dict[str, Reserved[PlanT] | HypeError] = {}
            try:
                with assigning(url, until=until) as store:
                    store.require_study(names)
                    admission = Admission(
                        store, protocol, simulated=simulated, new_version=new_version
                    )
                    given, tried = admission.places(waiting, checked)
                    settled = given
            except CentralAway as error:
                if not settled:
                    raise
                whom = ", ".join(repr(who) for who in settled if isinstance(settled[who], Reserved))
                remark(f"{error}; it is not known whether it has noted {whom}")
            came |= settled
            begun = monotonic()
            for evaluator, newcomer in tried.items():
                try:
                    checked[evaluator] = with_files_checked(protocol, newcomer)
                except HypeError as error:
                    came[evaluator] = error
            until += monotonic() - begun  # nobody waited for the store
    except (CentralAway, CentralRefused) as error:
        return dict.fromkeys(evaluators, error) | came
    return came


def with_files_checked(
    protocol: Conduct[PlanT], somebody: Newcomer[PlanT] | Enrolled[PlanT]
) -> Checked[PlanT]:
    """Look at all images and masks of somebody's plan.

    Raises InputError: one is missing, or is not what it was.
    """
    masks = protocol.check_files(somebody.plan)
    return Checked(assignment=somebody.assignment, plan=somebody.plan, mask_files=masks)


class Admission(Generic[PlanT]):
    """Where places are given at a central store, while nobody else assigns."""

    def __init__(
        self,
        store: LockedStore,
        protocol: Conduct[PlanT],
        *,
        simulated: bool,
        new_version: bool = False,
    ) -> None:
        self._store = store
        self._protocol = protocol
        self._simulated = simulated
        self._new_version = new_version

    def places(
        self, waiting: Sequence[str], checked: Mapping[str, Checked[PlanT]]
    ) -> tuple[dict[str, Reserved[PlanT] | HypeError], dict[str, Newcomer[PlanT]]]:
        """Give people their places, one after the other.

        From the first on whose files were not looked at nothing is kept: what places there would be
        is tried, so that the files can be. Returns who is settled, and who needs to be looked at.
        """
        settled: dict[str, Reserved[PlanT] | HypeError] = {}
        tried: dict[str, Newcomer[PlanT]] = {}
        trial: NestedTransaction | None = None
        for evaluator in waiting:
            try:
                newcomer, is_noted = self._newcomer(evaluator, known := checked.get(evaluator))
            except HypeError as problem:
                if trial is None:
                    settled[evaluator] = problem
                continue
            is_sound = known is not None and newcomer.plan.checksum() == known.plan.checksum()
            if known is None or not is_sound:
                trial = trial or self._store.connection.begin_nested()
                tried[evaluator] = newcomer
            elif trial is None:
                settled[evaluator] = Reserved(newcomer=newcomer, mask_files=known.mask_files)
            if not is_noted:
                self._note(newcomer)
        if trial is not None:
            trial.rollback()
        return settled, tried

    def _newcomer(
        self, evaluator: str, checked: Checked[PlanT] | None
    ) -> tuple[Newcomer[PlanT], bool]:
        """Find somebody's place at the store, or choose one; and say whether it is noted there."""
        if begun := self._store.begun(evaluator, simulated=self._simulated):
            return who_has_a_place(self._protocol, evaluator, begun, self._store.station), True
        earlier = CENTRAL.earlier(
            *(self._store.connection, self._protocol), simulated=self._simulated, given=self._given
        )
        chosen = assigned(self._protocol, evaluator, earlier, register=CENTRAL, checked=checked)
        return chosen, False

    @cached_property
    def _given(self) -> frozenset[str]:
        """The studies that are this version. Whoever is given a place here does not add to them.

        Raises InputError: as `require_newcomers`.
        """
        return require_newcomers(
            *(self._store.connection, self._protocol, CENTRAL),
            simulated=self._simulated,
            new_version=self._new_version,
        )

    def _note(self, newcomer: Newcomer[PlanT]) -> None:
        study = self._protocol.study
        self._store.keep_study(study.checksum(), study.resolved())
        self._store.enter(newcomer.row)


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
    together = admit_together(
        *(engine, protocol, [evaluator]),
        simulated=simulated,
        register=register,
        remark=remark,
        new_version=new_version,
    )
    came = together[evaluator]
    if isinstance(came, HypeError):
        raise came
    return came


def admit_together(
    engine: Engine,
    protocol: Conduct[PlanT],
    evaluators: Sequence[str],
    *,
    simulated: bool,
    register: Register = OWN,
    remark: Callable[[str], None] = ignore,
    new_version: bool = False,
    since_s: float | None = None,
) -> dict[str, Enrolled[PlanT] | HypeError]:
    """Admit several, in their order, each as if they came alone: see `admit`.

    ``since_s`` is since when the first of them waits, by the monotonic clock; now, if it is not
    said. Returns who is enrolled, or what would be raised of them; no other is harmed by that.
    """
    came: dict[str, Enrolled[PlanT] | HypeError] = {}
    new = newcomers_among(engine, evaluators, came, simulated=simulated)
    places: Mapping[str, Reserved[PlanT] | HypeError] = {}
    if new:
        with refusals_in(came, new):
            require_masks_as_before(engine, protocol, simulated=simulated)
            require_open_group(engine, protocol.study, simulated=simulated)
            protocol.ask_around(simulated=simulated, remark=remark)
            if protocol.study.settings.store.central:
                places = places_for(
                    *(protocol, new),
                    simulated=simulated,
                    remark=remark,
                    new_version=new_version,
                    since_s=since_s,
                )
    for evaluator in evaluators:
        if evaluator in came:
            continue
        place = places.get(evaluator)
        by = SHARE if isinstance(place, CentralAway | CentralRefused) else register
        with refusals_in(came, [evaluator]):
            if isinstance(place, Reserved):
                came[evaluator] = noted(engine, protocol.study, place)
            elif place is None or by is SHARE:
                came[evaluator] = admitted(engine, protocol, evaluator, simulated, by, new_version)
            else:
                came[evaluator] = place
    return came


def newcomers_among(
    engine: Engine,
    evaluators: Sequence[str],
    came: dict[str, Enrolled[PlanT] | HypeError],
    *,
    simulated: bool,
) -> list[str]:
    """List who is not in the record; of whom that cannot be told, ``came`` is told why."""
    new: list[str] = []
    for evaluator in evaluators:
        with refusals_in(came, [evaluator]):
            check_evaluator_id(evaluator)
            if not is_known(engine, evaluator, simulated=simulated):
                new.append(evaluator)
    return new


@contextmanager
def refusals_in(
    came: dict[str, Enrolled[PlanT] | HypeError], evaluators: Sequence[str]
) -> Iterator[None]:
    """Note what is refused within, of each of some evaluators."""
    try:
        yield
    except HypeError as error:
        came |= dict.fromkeys(evaluators, error)


def places_for(
    protocol: Conduct[PlanT],
    evaluators: Sequence[str],
    *,
    simulated: bool,
    remark: Callable[[str], None],
    new_version: bool,
    since_s: float | None,
) -> dict[str, Reserved[PlanT] | HypeError]:
    """Ask the study's central store for places, and say why it gave none to somebody."""
    places: dict[str, Reserved[PlanT] | HypeError]
    try:
        places = reserve(
            *(protocol, own_url(central_of(protocol.study)), evaluators),
            simulated=simulated,
            remark=remark,
            new_version=new_version,
            since_s=since_s,
        )
    except (CentralAway, CentralRefused) as error:
        places = dict.fromkeys(evaluators, error)
    problems = (
        place for place in places.values() if isinstance(place, CentralAway | CentralRefused)
    )
    for problem in dict.fromkeys(problems):
        remark(f"{problem}; {UNTRUSTED if isinstance(problem, CentralUntrusted) else AWAY}")
    return places


def noted(engine: Engine, study: AnyStudy, place: Reserved[PlanT]) -> Enrolled[PlanT]:
    """Note in the record who has a place at the store."""
    with committed(engine) as connection:
        enrolled = enter(connection, study, place.newcomer)
        confirm_masks(connection, study, enrolled, place.mask_files)
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
        shown = (
            session
            for session in last_of(connection, given, simulated=simulated)
            if session.mask_files
        )
        before = next(shown, None)
        theirs = conduct_given(connection, protocol, before) if before else None
    if before is None or theirs is None:
        return
    plan = theirs.plan(assignment_of(before))
    if plan.checksum() == before.plan and theirs.check_files(plan) != before.mask_files:
        raise InputError(
            protocol.study.masks_folder or protocol.study.path,
            f"the masks are not those that {before.evaluator!r} was shown under this study",
            "put them back, or keep the new ones in a folder of their own and name it in the "
            "study file (masks.folder), which is another version of the study",
        )


def require_open_group(engine: Engine, study: AnyStudy, *, simulated: bool) -> None:
    """Refuse newcomers once all groups of a question have their people.

    Raises NobodyNeeded: they have. Raises SessionProblem: as `hype.session.quotas.quotas_here`.
    """
    if not study.settings.study.quotas:
        return
    with failures_explained(engine), rehearsing(engine) as connection:
        given = same_version(connection, study, simulated=simulated)
        question = question_that_is_full(connection, study, given, simulated=simulated)
    if question:
        raise NobodyNeeded(
            f"{study.path}: nobody more is needed: each group of study.quotas.{question} has its "
            "people"
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
    checked: Checked[PlanT] | None = None
    while True:
        attempt = engine.connect() if checked else rehearsing(engine)
        with failures_explained(engine), attempt as connection:
            enrolled = enrol(
                *(connection, protocol, evaluator),
                simulated=simulated,
                register=register,
                checked=checked,
                new_version=new_version,
            )
            if checked and enrolled.plan.checksum() == checked.plan.checksum():
                confirm_masks(connection, protocol.study, enrolled, checked.mask_files)
                connection.commit()
                return enrolled
        checked = with_files_checked(protocol, enrolled)
