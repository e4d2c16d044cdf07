"""Answers of several studies, records, stores or tables, scored together.

What fits is joined, and what does not is refused with the reason: answers are to be of one
protocol, given under one rule, about images between the same masks, beside the same real ones, at
one display. Tables say nothing of that, and a note says so. Evaluators and images are known by
their names: a code is one person, unless evaluators are told apart, and an image is what its
checksum says, where it has one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from hype.answers.sources import LoadedAnswers, chosen_answers
from hype.errors import InputError
from hype.study.versions import StudyDifference, in_words
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    import pandas as pd

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.protocol import StudyProtocol
    from hype.protocols.studies import AnyStudy
    from hype.stimuli.manifest import ImageFolders

PICTURES: Final = (
    *(("image", "image_sha256"), ("left_image", "left_sha256"), ("right_image", "right_sha256")),
    *(("first_image", "first_sha256"), ("second_image", "second_sha256")),
)
"""Columns of images, each with that of their checksums."""
KEY: Final = ("evaluator", "condition", "task", "block", "trial")
RANKED: Final = ("group", "image")
"""Columns that name an answer, and those that name a place in a ranking beside them."""
SAME: Final = (*(name for name, _ in PICTURES), "answer", "rank", "rt_ms")
"""Columns in which an answer that was given twice is the same."""
FEWEST_AGAIN: Final = 10
"""Answers that nobody gives to the same images again, all of them alike."""
WHEN: Final = "onset_unix_s"
FILLED: Final = frozenset(("status", "excluded", "verdict"))
"""Columns that mean something where they are empty: others go unless all parts have them."""
ALIKE: Final = "the same protocol, rule, masks, real images and display"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPart:
    """What was joined."""

    name: str
    evaluators: int
    answers: int
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """What was joined.

    ``shared``: how many codes of evaluators are in several parts. ``apart``: whether each part's is
    another person.
    """

    parts: tuple[JoinedPart, ...]
    shared: int
    apart: bool
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def add_to(self, scored: object) -> object:
        """Put it into what ``--json`` prints of each score."""
        if isinstance(scored, list):
            return [self.add_to(score) for score in scored]
        return {**cast("dict[str, object]", scored), "joined": self.to_json()}

    def add_notes(self, scored: Any) -> Any:
        """Add to the notes of each score what was joined."""
        if isinstance(scored, tuple):
            return tuple(map(self.add_notes, scored))
        notes = (*self.sentences(), *scored.notes)
        return replace(scored, notes=notes)

    def notes_on(self, scored: Any) -> tuple[str, ...]:
        """Say what was joined, once for scores of several methods."""
        scores = scored if isinstance(scored, tuple) else (scored,)
        notes = (note for score in scores for note in self.sentences())
        return tuple(dict.fromkeys(notes))

    def sentences(self) -> Iterator[str]:
        """Say what was joined."""
        listed = "; ".join(f"{p.name} ({p.evaluators:,} evaluators)" for p in self.parts)
        yield f"Scored together: {listed}."
        if self.shared:
            who = "other people" if self.apart else "the same people"
            yield f"Evaluators with a code in several of these: {self.shared:,}, taken for {who}."
        yield from self.notes
        yield from self._on_conditions()

    def _on_conditions(self) -> Iterator[str]:
        for part in self.parts:
            others = {name for p in self.parts if p is not part for name in p.conditions}
            if not others & set(part.conditions):
                yield (
                    f"{part.name} shares no condition with the others: whether it reads higher or "
                    "lower than they do cannot be known, and a difference between its conditions "
                    "and theirs may be one between studies."
                )


def score_together(
    sources: Sequence[str | FrameTable], choices: Choices, *, apart: bool = False
) -> tuple[StudyProtocol, LoadedAnswers[Any], Any, Joined]:
    """Score the answers of several sources as those of one.

    Gives their protocol, the answers as those of a table, their scores, and what was joined.

    Raises InputError: as `joined_answers`.
    """
    protocol, answers, joined = joined_answers(sources, choices, apart=apart)
    from hype.answers.groups import in_groups

    answers = in_groups(protocol, answers, choices)
    scored = joined.add_notes(protocol.score(answers, choices))
    return protocol, replace(answers, study=None), scored, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Answers that fit together, scored."""

    names: tuple[str, ...]
    protocol: StudyProtocol
    answers: LoadedAnswers[Any]
    scores: Any
    notes: tuple[str, ...]  # on what was scored together, if anything was
    study: AnyStudy | None  # the first one, where there is any
    stimuli: ImageFolders | None  # of the first study whose images are here


def scored_by_fit(
    sources: Sequence[str], choices: Choices, *, apart: bool = False
) -> Iterator[Scored]:
    """Score together what fits, and by itself what fits nothing else, in the order of the sources.

    Raises InputError: as `joined_answers`, of answers of one kind.
    """
    groups: dict[object, list[tuple[str, Opened]]] = {}
    for source in sources:
        protocol, opened = chosen_answers(source, choices)
        groups.setdefault(_fit(source, protocol, opened), []).append((source, opened))
    for group in groups.values():
        studies = [study for _, study in group if not isinstance(study, Path | FrameTable)]
        if len(group) > 1:
            together = [source for source, _ in group]
            protocol, answers, joined = joined_answers(together, choices, apart=apart)
            scores = protocol.score(answers, choices)
            names, notes = tuple(part.name for part in joined.parts), joined.notes_on(scores)
        else:
            protocol, opened = chosen_answers(group[0][0], choices)
            answers = protocol.read(opened, choices)
            scores, names, notes = protocol.score(answers, choices), (answers.title,), ()
        yield Scored(
            names=names,
            protocol=protocol,
            answers=answers,
            scores=scores,
            notes=notes,
            study=next(iter(studies), None),
            stimuli=next((study.image_folders for study in studies), None),
        )


def _fit(source: str, protocol: StudyProtocol, opened: Opened) -> object:
    """Give what answers have in common that fit together; what is scored alone has its own."""
    if isinstance(opened, Path | FrameTable):
        return protocol.name
    try:
        return protocol.name, json.dumps(protocol.alike(opened), sort_keys=True, default=str)
    except InputError:
        return source


def joined_answers(
    sources: Sequence[str | FrameTable], choices: Choices, *, apart: bool = False
) -> tuple[StudyProtocol, LoadedAnswers[Any], Joined]:
    """Read the answers of several sources as those of one.

    ``apart``: whether evaluators of different sources are different people, whatever they are
    called.

    Raises InputError: as `chosen_answers`; or sources do not fit together, or hold the same
    answers.
    """
    apart = apart or choices.simulated  # whose codes are counted anew in each study
    if choices.version is not None:
        raise InputError("--version", "is for one study", "score the versions one by one")
    opened = [chosen_answers(source, choices) for source in sources]
    names = _names(sources, [source for _, source in opened])
    protocol, *others = (protocol for protocol, _ in opened)
    for name, other in zip(names[1:], others, strict=True):
        if other is not protocol:
            problem = f"holds {other.answers}, and {names[0]} holds {protocol.answers}"
            raise InputError(name, problem, ALIKE)
    studies = [study for _, study in opened if not isinstance(study, Path | FrameTable)]
    _refuse_unlike(protocol, studies)
    loaded = [protocol.read(source, choices) for _, source in opened]
    for answers in loaded:
        if answers.table:
            answers.table.rows_with_warning()
    sums = [
        _sums(protocol, source, answers.frame)
        for (_, source), answers in zip(opened, loaded, strict=True)
    ]
    frames, shared = _as_one([answers.frame for answers in loaded], names, sums, apart=apart)
    answers = _together(names, loaded, frames)
    parts = tuple(_part(name, frame) for name, frame in zip(names, frames, strict=True))
    joined = Joined(
        parts=parts,
        shared=shared,
        apart=apart,
        notes=tuple(_on_sources(names, [source for _, source in opened], sums)),
    )
    return protocol, answers, joined


def _names(sources: Sequence[str | FrameTable], opened: Sequence[Opened]) -> list[str]:
    """Call each part what its study or file is called; or as it was typed, where two are alike."""
    typed = [
        f"frame {number}" if isinstance(source, FrameTable) else source
        for number, source in enumerate(sources, start=1)
    ]
    for name, number in Counter(typed).items():
        if number > 1:
            raise InputError(name, "is given twice", "each study or table once")
    names = [
        name
        if isinstance(source, FrameTable)
        else source.stem
        if isinstance(source, Path)
        else source.settings.study.name
        for name, source in zip(typed, opened, strict=True)
    ]
    return names if len(set(names)) == len(names) else typed


def _refuse_unlike(protocol: StudyProtocol, studies: Sequence[AnyStudy]) -> None:
    """Refuse studies of which something that bears on their answers differs."""
    if len(studies) < 2:
        return
    first, *others = studies
    expected = protocol.alike(first)
    for study in others:
        settings = protocol.alike(study)
        differences = [
            StudyDifference(key=key, before=expected[key], now=settings[key])
            for key in expected
            if key in settings and expected[key] != settings[key]
        ]
        if differences:
            problem = f"is not scored together with {first.path}: {in_words(differences)}"
            raise InputError(study.path, problem, ALIKE)


def _sums(protocol: StudyProtocol, source: Opened, frame: pd.DataFrame) -> dict[str, str]:
    """Give the checksum of each image that has one."""
    if isinstance(source, Path | FrameTable):
        pairs = [
            frame[[name, checksum]].drop_duplicates().astype(str).itertuples(index=False)
            for name, checksum in PICTURES
            if name in frame and checksum in frame
        ]
        return {image: value for rows in pairs for image, value in rows if image and value}
    from sqlalchemy import select

    from hype.session.records import reading

    columns = protocol.recorded.table.c
    with reading(source) as engine, engine.connect() as connection:
        return {
            str(image): str(value)
            for name, checksum in PICTURES
            if name in columns and checksum in columns
            for image, value in connection.execute(
                select(columns[name], columns[checksum]).distinct()
            )
            if image and value
        }


def _as_one(
    frames: Sequence[pd.DataFrame],
    names: Sequence[str],
    sums: Sequence[Mapping[str, str]],
    *,
    apart: bool,
) -> tuple[list[pd.DataFrame], int]:
    """Call people and images in all parts by names that tell them from others."""
    made: list[pd.DataFrame] = []
    known: dict[str, str] = {}
    images: dict[str, str] = {}
    people: set[str] = set()
    shared: set[str] = set()
    for name, frame, own in zip(names, frames, sums, strict=True):
        renamed = {image: _label(image, own[image], known, images, name) for image in own}
        images |= {
            own[image]: label for image, label in renamed.items() if own[image] not in images
        }
        known |= {label: own[image] for image, label in renamed.items()}
        part = frame.copy(deep=False)
        for column, _ in PICTURES:
            if column in part:
                part[column] = _renamed(part[column], renamed)
        if "evaluator" in part:
            own_people = set(map(str, part["evaluator"].unique()))
            both = own_people & people
            shared |= both
            if apart:
                others = {who: f"{who} of {name}" for who in both}
                part["evaluator"] = _renamed(part["evaluator"], others)
            elif both:
                part = _numbered_on(part, made, both, name)
            people |= own_people
        made.append(part)
    return made, len(shared)


def _label(
    image: str, checksum: str, known: Mapping[str, str], images: Mapping[str, str], part: str
) -> str:
    """Call an image what it is called elsewhere; or by its part, where that is another's name."""
    if known.get(image) == checksum:
        return image
    if checksum in images:
        return images[checksum]
    return f"{image} of {part}" if image in known else image


def _renamed(cells: pd.Series, names: Mapping[str, str]) -> pd.Series:
    changed = {old: new for old, new in names.items() if old != new}
    if not changed:
        return cells
    return cells.astype(object).map(lambda cell: changed.get(cell, cell)).astype("category")


def _numbered_on(
    part: pd.DataFrame, before: Sequence[pd.DataFrame], both: set[str], name: str
) -> pd.DataFrame:
    """Let blocks of people who were in an earlier part follow those, where they are called alike.

    Of rankings sessions do, which tell two of the same group apart.

    Raises InputError: the part holds answers that are there already.
    """
    import pandas as pd

    ranks = "group" in part
    named = (*KEY, *RANKED) if ranks else KEY
    key = [c for c in named if all(c in frame for frame in (part, *before))]
    same = [c for c in SAME if c not in key and all(c in frame for frame in (part, *before))]
    earlier, own = (
        pd.concat(frame.loc[frame["evaluator"].isin(both), [*key, *same]] for frame in frames)
        .astype(str)
        .fillna("")
        for frames in (before, [part])
    )
    met = own.merge(earlier, on=key, suffixes=("", "_before"))
    if ("trial" in key and "rt_ms" in same) or ranks:  # else two answers may well be alike
        is_again = [met[column].eq(met[f"{column}_before"]) for column in same]
        again = met[pd.concat(is_again, axis=1).all(axis=1)]
        again, placed = (rows[key].drop_duplicates() for rows in (again, met))
        if not ranks or len(again) == len(placed):  # single rankings may be alike
            _refuse_again(again, name)
    elif (
        any(picture in same for picture, _ in PICTURES)
        and len(own) >= FEWEST_AGAIN
        and len(own.merge(earlier.drop_duplicates())) == len(own)
    ):
        _refuse_again(own[key], name)
    column = "session" if ranks else "block"
    if met.empty or column not in part:
        return part
    moved = part["evaluator"].astype(str).isin(set(met["evaluator"])).to_numpy()
    numbers = part[column]
    if numbers.dtype.kind in "fi":
        most = max(float(frame[column].max()) for frame in before if column in frame)
        return part.assign(**{column: numbers.where(~moved, numbers + most)})
    labels = numbers.astype(object)
    renamed = labels.map(lambda label: f"{label} of {name}")
    return part.assign(**{column: labels.where(~moved, renamed).astype("category")})


def _refuse_again(again: pd.DataFrame, name: str) -> None:
    if len(again):
        problem = f"holds {len(again):,} answers that were read before"
        first = ", ".join(f"{column} {value}" for column, value in again.iloc[0].items())
        raise InputError(name, f"{problem}: {first}", "each answer once")


def _together(
    names: Sequence[str], loaded: Sequence[LoadedAnswers[Any]], frames: Sequence[pd.DataFrame]
) -> LoadedAnswers[Any]:
    """Put all rows into one frame, and check it."""
    import pandas as pd

    common = set.intersection(*(set(frame) for frame in frames))
    every = dict.fromkeys(name for frame in frames for name in frame)
    kept = [c for c in every if c in common | FILLED or _is_needless(str(c), frames)]
    whole = pd.concat(
        [
            frame.reindex(columns=kept).astype(
                {c: object for c in kept if c in frame and frame[c].dtype == "category"}
            )
            for frame in frames
        ],
        ignore_index=True,
    )
    for column in FILLED & set(kept):
        whole[column] = whole[column].fillna("")
    if WHEN in common and all(frame[WHEN].is_monotonic_increasing for frame in frames):
        # What follows a stream of answers, as Elo's ratings do, follows it again.
        whole = whole.sort_values(WHEN, kind="stable", ignore_index=True)
    title = " and ".join(names)
    check = loaded[0].check
    if check is None:
        raise TypeError("answers that cannot be checked again are not joined")
    studies = [answers.study for answers in loaded if answers.study is not None]
    return LoadedAnswers(
        frame=check(whole, where=title),
        title=title,
        provenance={
            f"{name}: {key}": value
            for name, answers in zip(names, loaded, strict=True)
            for key, value in answers.provenance.items()
        },
        study=studies[0] if studies else None,
        parts=len(loaded),
    )


def _is_needless(column: str, frames: Sequence[pd.DataFrame]) -> bool:
    """Tell whether parts that lack a column have only tasks of which it says nothing elsewhere."""
    if not all("task" in frame and "excluded" in frame for frame in frames):
        return False
    scored = [frame[frame["excluded"].astype(str).eq("")] for frame in frames]
    tasks = {task for frame in scored if column not in frame for task in frame["task"].astype(str)}
    alike = [
        frame.loc[frame["task"].astype(str).isin(tasks), column]
        for frame in scored
        if column in frame
    ]
    return all(cells.isna().all() for cells in alike)


def _part(name: str, frame: pd.DataFrame) -> JoinedPart:
    people = frame["evaluator"].nunique() if "evaluator" in frame else 0
    conditions = {
        str(value)
        for column in ("condition", "left", "right", "first", "second")
        if column in frame
        for value in frame[column].dropna().unique()
    }
    return JoinedPart(
        name=name,
        evaluators=int(people),
        answers=len(frame),
        conditions=tuple(sorted(conditions - {""})),
    )


def _on_sources(
    names: Sequence[str], opened: Sequence[Opened], sums: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    tables = [
        name
        for name, source in zip(names, opened, strict=True)
        if isinstance(source, Path | FrameTable)
    ]
    if tables:
        yield (
            f"A table does not say under which rule, between which masks and at which display its "
            f"answers were given: those of {', '.join(tables)} are taken to be like the others."
        )
    if not all(sums):
        yield (
            "Where images have no checksums, those of the same name are taken for the same image."
        )
