"""The registry through which front ends find the protocols and their parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from hype.store import kept

if TYPE_CHECKING:  # listing the protocols must not load their parts
    from hype.export.kind import ExportKind
    from hype.planning.planned import PlannedScore
    from hype.protocols.facets import Checks, Reporting, Scoring, StudyDesign
    from hype.registration import Fixed
    from hype.session.course import Course
    from hype.store.columns import RecordedAnswers
    from hype.study.studies import AnyFile, AnyStudy


Part = TypeVar("Part")


class Offered(Generic[Part]):
    """A part of a protocol: an object in a module of its folder, which is loaded when needed."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, protocol: StudyProtocol, _kind: type) -> Part:
        package = protocol.package or f"{__package__}.{protocol.name}"
        part: Part = getattr(import_module(f"{package}.{self._module}"), self._name)
        return part


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProtocol:
    """One way of asking people about images. The protocol's parts load when they are used."""

    name: str  # Name of the protocol's folder, and of its method in a study file.
    answers: str  # The protocol's answers, as a plural noun.
    asks: str  # The protocol's question, and its templates in brackets, for `hype new --help`.
    # Returns whether a table with these columns, in small letters, has this protocol's answers.
    is_table: Callable[[Collection[str]], bool]
    # The columns that a table of answers needs; ``a|b`` means one of the two.
    needed: tuple[str, ...]
    # The package of the modules, if it is not the folder with the protocol's name.
    package: str = ""

    settings: ClassVar[Offered[type[AnyFile]]] = Offered("settings", "FILE")
    """The model of the study file."""
    study: ClassVar[Offered[type[AnyStudy]]] = Offered("settings", "STUDY")
    """The class of the protocol's studies."""
    row: ClassVar[Offered[RecordedAnswers]] = Offered("record", "KEPT")
    """How the record stores answers, reads them and exports them."""
    course: ClassVar[Offered[Callable[[Any], Course[Any]]]] = Offered("course", "COURSE")
    """Reads the images of a study, and returns the course of its sessions.

    Raises InputError: a manifest is wrong, or lacks a column or condition that the study names.
    """
    design: ClassVar[Offered[StudyDesign]] = Offered("design", "DESIGN")
    checks: ClassVar[Offered[Checks]] = Offered("checks", "CHECKS")
    export_kind: ClassVar[Offered[Callable[[Any], ExportKind]]] = Offered("export", "export_kind")
    """Returns the export of a study's answers, and the study's questions for automated judges."""
    scoring: ClassVar[Offered[Scoring]] = Offered("score", "SCORING")
    reporting: ClassVar[Offered[Reporting]] = Offered("report", "REPORTING")
    planned: ClassVar[Offered[Callable[[Any, str | None], PlannedScore]]] = Offered(
        "score", "PLANNED"
    )
    """Takes a study and the name of one of its scores; returns the score's plan for `hype power`.

    Raises InputError: there is no such score, or the images are wrong.
    """
    templates: ClassVar[Offered[Mapping[str, Any]]] = Offered("design", "TEMPLATES")
    """The templates of `hype new`, by name."""


SIDES: Final = frozenset(("left", "right", "left_source", "right_source"))


def holds_comparisons(names: Collection[str]) -> bool:
    others = {"axis"} if "truth" in names else {"axis", "item", "rank"}
    return not SIDES.isdisjoint(names) and others.isdisjoint(names) and "condition" not in names


HYPE: Final = StudyProtocol(
    name="hype",
    answers="judgements",
    asks="real or fake (hype), or only a test for other studies (qualification)",
    is_table=lambda names: "truth" in names,
    needed=("evaluator", "condition", "truth", "answer"),
)
PROTOCOLS: Final[tuple[StudyProtocol, ...]] = (
    HYPE,
    StudyProtocol(
        name="comparison",
        answers="comparisons",
        asks="which of two is better, on all pairs (comparison) or chosen pairs (arena)",
        is_table=holds_comparisons,
        needed=("left|left_source", "right|right_source", "answer|chosen"),
    ),
    StudyProtocol(
        name="rating",
        answers="ratings",
        asks="how much better, axis by axis (rating)",
        is_table=lambda names: "axis" in names or ("item" in names and "truth" not in names),
        needed=("item", "axis", "answer", "first|condition"),
    ),
    StudyProtocol(
        name="ranking",
        answers="rankings",
        asks="the order (ranking)",
        is_table=lambda names: "rank" in names and "truth" not in names,
        needed=("group", "condition", "rank"),
    ),
)
"""All protocols. The protocol of HYPE is the default for studies and tables."""


def rows() -> Iterator[RecordedAnswers]:
    return (protocol.row for protocol in PROTOCOLS)


kept.answers_come_from(rows)


def protocol_of(study: AnyStudy) -> StudyProtocol:
    return protocol_of_methods(study.settings.study.methods)


def protocol_of_methods(methods: Iterable[object]) -> StudyProtocol:
    """Return the protocol that has the name of one of the methods, or else the protocol of HYPE."""
    named = set(methods)
    return next((protocol for protocol in PROTOCOLS if protocol.name in named), HYPE)


def protocol_of_file(tables: object) -> StudyProtocol:
    """Return the protocol of a study file, which decides how to read the rest of the file."""
    match tables:
        case {"study": {"methods": list(methods)}}:
            return protocol_of_methods(name for name in methods if isinstance(name, str))
    return HYPE


def protocol_of_table(names: Collection[str]) -> StudyProtocol:
    """Find a table's protocol by its columns, even if some are misspelt or missing."""
    folded = {name.casefold().replace(" ", "_") for name in names}
    others = (protocol for protocol in PROTOCOLS if protocol is not HYPE)
    return next((protocol for protocol in others if protocol.is_table(folded)), HYPE)


def study_of(file: Path, settings: Any) -> AnyStudy:
    return protocol_of_methods(settings.study.methods).study(path=file, settings=settings)


def course_of(study: AnyStudy) -> Course[Any]:
    """Read the images of a study, and return the course of its sessions.

    Raises InputError: a manifest is wrong, or lacks something that the study file names.
    """
    return protocol_of(study).course(study)


def collect_fixed_parts(study: AnyStudy) -> Fixed:
    """Return the functions that compute what a registration of a study fixes."""
    from hype.registration import Fixed

    protocol = protocol_of(study)
    design = protocol.design
    return Fixed(protocol.course, design.planned_analysis, design.fixed_files)
