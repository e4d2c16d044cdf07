"""Opening a study or a table, and finding its protocol.

If hype does not know the column names of a table, the error message guesses what they mean and
proposes a command.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from hype.answers.choices import (
    Choices,
    ReadingChoices,
    option_name,
    options_on_tables,
    own_choices,
)
from hype.answers.groups import score_groups
from hype.answers.sources import ALIKE, LoadedAnswers, Opened, choose_version, join
from hype.errors import InputError
from hype.files import blank_missing_words
from hype.protocols.registry import (
    PROTOCOLS,
    StudyProtocol,
    collect_fixed_parts,
    protocol_of,
    protocol_of_table,
)
from hype.report.groups import group_tables
from hype.report.tabular import objects_of
from hype.tables.cells import distinct, floats, plain, plain_word
from hype.tables.codebook import codebook_of
from hype.tables.columns import core, list_columns, missing_columns, several
from hype.tables.formats import make_long, read_table
from hype.tables.made_columns import parts_of, sources_of
from hype.tables.reasons import sort_notes
from hype.tables.shapes import read_published, shapes_like
from hype.tables.table_files import FrameTable

if TYPE_CHECKING:
    from hype.study.studies import OneOfVersions


def open_source(source: str | FrameTable, choices: ReadingChoices) -> Opened:
    """Read a study file, or a table whose columns may have other names than ours.

    ``source``: a study file, its folder, or a table.

    Raises InputError: the study or table is missing or wrong.
    """
    is_wide = choices.wide is not None or choices.key is not None
    header_row = choices.header_row or 1
    if choices.shape is not None and is_wide:
        raise InputError("--from --wide", "both given", "one of them")
    if isinstance(source, FrameTable):
        table = source
    elif choices.shape is not None:
        named = choices.columns or {}
        return read_published(
            Path(source), choices.shape, named, header_row, further=choices.by_columns
        )
    elif is_table(Path(source)):
        table = read_table(source, header_row=header_row)
    else:
        from hype.protocols.load import load_any

        return load_any(Path(source))
    if is_wide and choices.key is None:
        raise InputError("--wide", "needs a table that describes the columns", "--key CSV")
    return table if choices.key is None else make_long(table, choices.wide or "*", choices.key)


def is_table(path: Path) -> bool:
    if path.is_dir() or path.suffix.lower() == ".toml":
        return False
    return path.suffix != "" or path.is_file()


def open_answers(source: str | FrameTable, choices: ReadingChoices) -> tuple[StudyProtocol, Opened]:
    """Open a table, or the chosen version of a study, and find the protocol of its answers.

    Raises InputError: as in `open_source`, `answers_in` and `choose_version`, or if an option does
    not apply to the protocol of the answers.
    """
    opened_source = open_source(source, choices)
    if isinstance(opened_source, FrameTable) and (guessed := guess_in(opened_source, choices)):
        refuse_missing(opened_source.frame, guessed, opened_source)
    protocol = answers_in(opened_source, choices)
    if isinstance(opened_source, FrameTable):
        opened_source = note_unused(opened_source, choices, protocol)
    for choice, option, owners in own_choices(choices):
        if protocol.name not in owners and getattr(choices, choice.name) != choice.default:
            named = [one for one in PROTOCOLS if one.name in owners]
            raise refuse_option(option, named, protocol, source)
    return protocol, choose_version(opened_source, choices.version, simulated=choices.simulated)


def answers_in(source: Opened, choices: ReadingChoices) -> StudyProtocol:
    """Find the protocol of the answers of a study or of a table.

    Raises InputError: an option for tables was given for a study.
    """
    if isinstance(source, FrameTable):
        codebook = codebook_of(choices)
        return protocol_of_table(
            [*codebook.names([*map(str, source.frame.columns)]), *codebook.columns]
        )
    if option := next(options_on_tables(choices), None):
        raise InputError(option, f"is only for tables, but {source.path} is a study")
    return protocol_of(source)


def refuse_option(
    option: str, owners: Sequence[StudyProtocol], protocol: StudyProtocol, source: object
) -> InputError:
    *others, last = (owner.answers for owner in owners)
    names = f"{', '.join(others)} and {last}" if others else last
    return InputError(option, f"is for {names}, but {source} contains {protocol.answers}")


def read_answers(protocol: StudyProtocol, opened_source: Opened, choices: ReadingChoices) -> Any:
    answers = protocol.scoring.read(opened_source, choices)
    study = answers.study
    if study is None or study.scores_nobody:
        return answers
    from hype.registration import NOT_REGISTERED, describe_registration, registration_of

    if registration := registration_of(study):
        said = tuple(describe_registration(registration, study, collect_fixed_parts(study)))
    else:
        said = (NOT_REGISTERED,)
    return replace(answers, said=said)


@dataclass(frozen=True, kw_only=True)
class ScoredAnswers:
    """Answers of one protocol, and their scores (HYPE has a score for each method)."""

    protocol: StudyProtocol
    answers: LoadedAnswers[Any]
    scored: Any

    @property
    def every(self) -> tuple[Any, ...]:
        return self.scored if isinstance(self.scored, tuple) else (self.scored,)

    @property
    def version(self) -> OneOfVersions | None:
        return self.answers.study.version if self.answers.study else None

    def to_object(self) -> object:
        """Make the JSON object, or a list of objects for two methods."""
        version = self.version
        facts = {"version": {"number": version.number, "of": version.of}} if version else {}
        tables = group_tables(self.answers.grouped)
        objects = [
            score.to_object() | facts | objects_of(score.protocol, tables) for score in self.every
        ]
        return objects[0] if len(objects) == 1 else objects


def score_sources(sources: Sequence[str | FrameTable], choices: Choices) -> ScoredAnswers:
    """Score the answers of a study or table, or of several together.

    Raises InputError: as in `open_answers`, or if sources do not fit together or share answers.
    """
    are_several = len(sources) > 1
    if choices.margin is not None and not choices.judges:
        problem = "is for judges only; the margin of conditions is in a study's [analysis]"
        raise InputError("--margin", problem, "add --judges CSV, or leave it out")
    if choices.apart and not are_several:
        raise InputError("--apart", "is only for several studies or tables", "leave it out")
    if choices.version is not None and are_several:
        raise InputError("--version", "is only for a single study", "score the versions one by one")
    typed = [f"frame {n}" if isinstance(s, FrameTable) else s for n, s in enumerate(sources, 1)]
    if again := next((name for name in typed if typed.count(name) > 1), None):
        raise InputError(again, "is given twice", "each study or table once")
    opened_sources = [open_answers(source, choices) for source in sources]
    protocol = opened_sources[0][0]
    scoring = protocol.scoring
    for name, (other, _) in zip(typed, opened_sources, strict=True):
        if other is not protocol:
            problem = f"contains {other.answers}, but {typed[0]} contains {protocol.answers}"
            raise InputError(name, problem, ALIKE)
    loaded = {
        name: read_answers(protocol, source, choices)
        for name, (_, source) in zip(typed, opened_sources, strict=True)
    }
    answers = loaded[typed[0]]
    notes: list[str] = []
    if are_several:
        answers, notes = join(
            loaded, scoring.common_settings, apart=choices.apart or choices.simulated
        )
    answers = score_groups(answers, choices, scoring.group_measures)
    scored = scoring.score(answers, choices)
    if notes:
        every = scored if isinstance(scored, tuple) else (scored,)
        noted = tuple(replace(score, notes=sort_notes((*notes, *score.notes))) for score in every)
        scored = noted if isinstance(scored, tuple) else noted[0]
    answers = replace(answers, study=None) if are_several else answers
    return ScoredAnswers(protocol=protocol, answers=answers, scored=scored)


SYNONYMS: Final[Mapping[str, str]] = {
    "evaluator": (
        "participant participantid participantno pid subject subjectid subjectnr subjectno "
        "subj subjid subjno rater raterid user userid worker workerid annotator annotatorid "
        "observer observerid judge voter person respondent usersession session prolificpid "
        "participantcode subjectcode ratercode vp vpcode probandid"
    ),
    "condition": (
        "model modelname t2imodel generator generatormodel method system source category "
        "algorithm architecture"
    ),
    "truth": (
        "isreal isfake isai isgenerated groundtruth truelabel actuallabel stimtype stimulustype "
        "imagetype correctresponse correctanswer corrans kind label imagelabel authenticity "
        "fake real"
    ),
    "answer": (
        "response choice userchoice vote votetype winner selection guess guessfake humanchoice "
        "humanannotation manualannotation judgement judgment rating score preferred preference "
        "theysaid whichone decision keypress keyresp keyrespkeys fake real"
    ),
    "correct": "accuracy acc corr iscorrect correctness hit",
    "left": (
        "modela model0 model1 leftmodel leftimagemodel condition1 option1 method1 imageamodel "
        "imagea a l"
    ),
    "right": (
        "modelb model2 model1 rightmodel rightimagemodel condition2 option2 method2 imagebmodel "
        "imageb b r"
    ),
    "image": (
        "imageid imagefile imagename imagepath img stimulus stimulusid stimulusfile stimuluspath "
        "stim stimfile pic picture picturefile file filename"
    ),
    "exposure_ms": (
        "exposure exposures exposuretime displaytime presentationtime stimulusduration duration "
        "durationms durations"
    ),
    "prompt": "promptid prompttext caption captionid scene",
    "item": "image imageid itemid stimulus video picture file filename",
    "axis": "attribute dimension question criterion aspect",
    "first": "model modelname t2imodel generator method system",
    "group": "set setid prompt",
    "rank": "ranking place position",
}
"""Names of our columns in other programs, reduced to lower-case letters and digits.

A column whose last word is such a name (source_model) is proposed, but the guess is not certain.
If no column is named like truth or answer, `correct` or columns with two values may be proposed.
"""
REAL: Final = "real reals photo photograph human humanmade humancreated natural authentic genuine"
FAKE: Final = "fake ai aimade aigenerated generated synthetic artificial machine deepfake"
YES: Final = (plain("1"), "true", "yes")
NO: Final = (plain("0"), "false", "no")
ANSWERS: Final = ("left", "right", "tie", "both-bad", "none")
SIDES: Final = {"a": "left", "b": "right", "1": "left", "2": "right", "same": "tie", "equal": "tie"}
TO_WRITE: Final = {
    "THEIRS": "the name of your column",
    "==NAME": "=COLUMN for a column that names the models, or ==MODEL if there is only one model",
    "VALUE": "the word for real or fake in your table",
    "MEANING": f"one of: {', '.join(sorted(ANSWERS))}",
}
LEAST_MS: Final = 20.0
"""If all exposures of a table are below this number, they are read as seconds."""
MOST_UNCLEAR: Final = 3
"""The message asks for the meaning of at most this many unknown answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A guess about which columns of a table correspond to ours."""

    columns: Mapping[str, str]  # the table's column for each of ours, guessed or given
    missing: tuple[str, ...]  # missing columns whose names cannot be guessed
    needed: tuple[str, ...]
    is_complete: bool  # whether all needed columns have known names
    options: Mapping[str, Any] = field(default_factory=dict)  # proposed, such as real and fake
    is_certain: bool = False

    def command(self, source: object) -> str:
        columns = {**self.columns, **dict.fromkeys(self.missing, "THEIRS")}
        if "condition" in self.missing:
            columns["condition"] = "=NAME"
        words = ["--columns", ",".join(f"{name}={theirs}" for name, theirs in columns.items())]
        for name, given in self.options.items():
            words += [word for one in several(name, given) for word in (option_name(name), one)]
        return " ".join(["hype", "score", *map(quote, [str(source), *words])])


def guess_in(source: Opened, choices: ReadingChoices) -> Guess | None:
    """Guess which columns are the needed ones; None if the table has all needed names."""
    if not isinstance(source, FrameTable) or choices.shape is not None:
        return None
    table, said = source.frame, codebook_of(choices).columns
    given = [str(name) for name in table.columns]
    made = (name for name in said.values() if name not in given and not name.startswith("="))
    of = {name for theirs in made for name in sources_of(parts_of(theirs)[0])}
    if any(name not in given and name.partition(".")[0] not in given for name in of):
        return None  # the error message about ``--columns`` comes later
    known = {core(name) for name in given if name not in said.values()} | {core(n) for n in said}
    guesses = []
    for protocol in PROTOCOLS:
        lacking = [n for n in protocol.needed if known.isdisjoint(map(core, n.split("|")))]
        if "correct" in known and len({"truth", "answer"} & {*lacking}) == 1:
            lacking = [n for n in lacking if n not in ("truth", "answer")]
        if not lacking:
            return None
        lacking = [name.partition("|")[0] for name in lacking]
        # Also look for evaluators, and for images or prompts, since intervals need them.
        shown = {"truth": ("image", "exposure_ms"), "answer|chosen": ("prompt",)}
        wanted = [
            "evaluator",
            *lacking,
            *(one for n in protocol.needed for one in shown.get(n, ())),
        ]
        wanted = [n for n in dict.fromkeys(wanted) if n in lacking or core(n) not in known]
        right = ["correct"] if "truth" in protocol.needed and "correct" not in known else []
        found, are_known = _find_columns(table, {*said.values()}, wanted + right, lacking + right)
        if exposure := found.pop("exposure_ms", None):  # may be response times
            found |= _in_milliseconds(table, exposure)
            are_known = False
        found = {**said, **found}
        missing = [n for n in lacking if n not in found]
        # With `correct`, the truth follows from the answer, and the answer from the truth
        if "correct" in known | {*found}:
            one = ["truth"] if {"truth", "answer"} <= {*missing} else []
            missing = [n for n in missing if n in one or n not in ("truth", "answer")]
        item, first = (found.get(name, name) for name in ("item", "first"))
        if "item" in lacking and {item, first} <= {*given}:
            conditions = table.groupby(item, observed=True)[first].nunique()
            found["item"] = f"{item}+{first}" if conditions.gt(1).any() else item
        guesses.append(
            Guess(
                columns=found,
                missing=tuple(missing),
                needed=protocol.needed,
                is_complete=are_known and not missing,
            )
        )
    best = min(guesses, key=lambda guess: (len(guess.missing), not guess.is_complete))
    return _guess_meanings(best, table, choices)


def _find_columns(
    table: pd.DataFrame, taken: Collection[str], wanted: Sequence[str], needed: Sequence[str]
) -> tuple[dict[str, str], bool]:
    """Find wanted columns by name, guess needed ones; return them, and whether none was guessed."""
    free = {core(n): n for n in map(str, reversed([*table])) if n not in taken}
    found: dict[str, str] = {}
    for name in wanted:
        if word := next((w for w in SYNONYMS[name].split() if w in free), None):
            found[name] = free.pop(word)
    known = len(found.keys() - {"correct"})
    for name in reversed([name for name in needed if name not in found]):
        last = {core(re.split(r"[\W_]+", theirs)[-1]): at for at, theirs in free.items()}
        words = [w for w in (*SYNONYMS[name].split(), name) if len(w) > 3]
        if word := next((last[w] for w in words if w in last), None):
            found[name] = free.pop(word)
    unknown = [n for n in ("truth", "answer") if n in needed and n not in found]
    right = found.pop("correct", "")
    if right in table and unknown and {*map(plain, _texts(table, right))} <= {*YES, *NO}:
        found["correct"] = right
    if unknown and ("correct" in found or "correct" in free):
        unknown.pop()  # the truth or the answer follows from `correct`
    if unknown:
        others = [n for n in map(str, table) if n in free.values() and core(n) not in SYNONYMS]
        binary = [name for name in others if len(_texts(table, name)) == 2]
        worded = [
            name
            for name in binary
            if {_guess_meaning("", text) for text in _texts(table, name)} == {"real", "fake"}
        ]
        best = worded if len(worded) == len(unknown) else binary
        if (image := found.get("image")) in table:  # each image has one truth
            best.sort(
                key=lambda name: table.groupby(image, observed=True)[name].nunique().max() > 1
            )
        found |= dict(zip(unknown, best, strict=True)) if len(best) == len(unknown) else {}
    return {name: found[name] for name in wanted if name in found}, len(found) == known


def _texts(table: pd.DataFrame, column: str) -> list[str]:
    return [text for text in distinct(table[column]).texts if text.strip()]


def _guess_meanings(guessed: Guess, table: pd.DataFrame, choices: ReadingChoices) -> Guess:
    """Guess what values mean from their words; if one is unknown, the whole guess is uncertain."""
    condition, truth, answer = (guessed.columns.get(n, n) for n in ("condition", "truth", "answer"))
    if "axis" in guessed.needed and choices.scale is None and answer in table:
        ratings = floats(_texts(table, answer))
        if len(ratings) and np.isfinite(ratings).all():
            sign = "-" if (ratings >= 0).all() and (ratings % 1 == 0).all() else ":"
            scale = f"{ratings.min():g}{sign}{ratings.max():g}"
            return replace(guessed, options={"scale": scale})
    if "answer|chosen" in guessed.needed and answer in table:
        return _guess_sides(guessed, table, choices)
    if "truth" not in guessed.needed or choices.real or choices.fake:
        return replace(guessed, is_certain=guessed.is_complete)
    truths, answers = (
        {*_texts(table, name)} if name in table else set() for name in (truth, answer)
    )
    meanings: dict[str, set[str]] = {}
    for name, texts in ((truth, truths), (answer, answers)):
        for text in texts:
            meanings.setdefault(text, set()).add(_guess_meaning(name, text))
    real, fake = (
        tuple(sorted(text for text, meant in meanings.items() if meant - {""} == {word}))
        for word in ("real", "fake")
    )
    if not (real and fake):
        unknown = dict.fromkeys(("real", "fake"), "VALUE")
        return replace(guessed, options=unknown) if meanings else guessed
    if answers.isdisjoint({*real, *fake}):  # answers may be keys: the first letters of the words
        of_real, of_fake = ({core(word)[:1] for word in words} for words in (real, fake))
        real += tuple(key for key in sorted(answers) if core(key) in of_real - of_fake)
        fake += tuple(key for key in sorted(answers) if core(key) in of_fake - of_real)
    unclear = {*meanings} - {*real, *fake}
    further = ("VALUE",) if unclear & truths or (answers and answers <= unclear) else ()
    options: dict[str, Any] = {"real": real + further, "fake": fake + further}
    if unclear and not further and len(unclear) <= MOST_UNCLEAR:
        options["missing"] = tuple(sorted(unclear))
    if {condition, truth} <= {*table}:
        kinds = table.groupby(condition, observed=True)[truth].agg(set)
        only_real = [str(name) for name, of in kinds.items() if of <= {*real}]
        options |= {"real_condition": only_real[0]} if len(only_real) == 1 else {}
    is_clear = not any("" in meant or len(meant) > 1 for meant in meanings.values())
    return replace(guessed, options=options, is_certain=guessed.is_complete and is_clear)


def _guess_sides(guessed: Guess, table: pd.DataFrame, choices: ReadingChoices) -> Guess:
    """Guess which answers of a comparison mean left, right and a tie.

    "A" is assumed to mean left, and "B" right. An answer may also name the chosen image, condition
    or column.
    """
    left, right, answer = (guessed.columns.get(n, n) for n in ("left", "right", "answer"))
    chosen = {
        text for name in (left, right) if name in table for text in distinct(table[name]).texts
    }
    unclear = [
        text
        for text in blank_missing_words(distinct(table[answer]).texts)
        if text.strip() and text not in chosen and plain_word(text, ANSWERS) not in ANSWERS
    ]
    if not unclear or choices.values or len(unclear) > MOST_UNCLEAR:  # noqa: PD011 - of an option
        return replace(guessed, is_certain=guessed.is_complete and not unclear)
    sides = {**SIDES, core(left): "left", core(right): "right"}
    means = (f"{text}:{sides.get(core(text), 'MEANING')}" for text in sorted(unclear))
    return replace(guessed, options={"values": f"answer={','.join(means)}"})


def _guess_meaning(column: str, text: str) -> str:
    """Guess whether a value means real or fake; empty if this is unclear.

    The value 1 means real in a column named is_real, and fake in a column named guess_fake. In a
    column named label, its meaning is unclear.
    """
    if core(text) in REAL.split():
        return "real"
    if core(text) in FAKE.split():
        return "fake"
    words = {*re.split(r"[\W_]+", column.lower())}
    kinds = {"real": REAL, "fake": FAKE}
    named = [kind for kind in kinds if kind in core(column) or words & {*kinds[kind].split()}]
    if len(named) != 1 or plain(text) not in (*YES, *NO):
        return ""
    return named[0] if plain(text) in YES else {"real": "fake", "fake": "real"}[named[0]]


def note_unused(table: FrameTable, choices: ReadingChoices, protocol: StudyProtocol) -> FrameTable:
    """Add a note on each unused column that seems to name evaluators or to contain exposures."""
    said = codebook_of(choices).columns
    names = {core(str(name)): str(name) for name in table.frame}
    notes = []
    for ours, seems in (("evaluator", "name the evaluator"), ("exposure_ms", "contain exposures")):
        theirs = next((names[word] for word in SYNONYMS[ours].split() if word in names), "")
        if theirs in ("", *said.values()) or ours in said or core(ours) in names:
            continue
        reads = {ours: theirs}
        if ours == "exposure_ms":
            reads = _in_milliseconds(table.frame, theirs) if "truth" in protocol.needed else {}
        notes += [
            f"The column {theirs} seems to {seems}: --columns {ours}={how} reads it."
            for how in reads.values()
        ]
    return replace(table, notes=(*table.notes, *notes))


def _in_milliseconds(table: pd.DataFrame, column: str) -> dict[str, str]:
    """Return how to read a column as exposures in ms; empty if not all cells are numbers."""
    times = floats(_texts(table, column))
    if not len(times) or not np.isfinite(times).all():
        return {}
    return {"exposure_ms": column if times.max() >= LEAST_MS else f"{column}*1000"}


def refuse_missing(table: pd.DataFrame, guessed: Guess, source: object) -> None:
    """Refuse a table that lacks columns, and propose a command with the table's own names."""
    if len(table.columns) == 1:
        hint = "cells are separated by commas, semicolons or tabs"
        raise InputError(
            source, f"has one column, {list_columns([*map(str, table.columns)])}", hint
        )
    found = list_columns([*map(str, table.columns)])
    if guessed.missing and (shapes := shapes_like(table)):
        ways = [f"hype score {quote(str(source))} --from {shape}" for shape in shapes]
        problem = f"looks like a table of another program or data set; found: {found}"
        raise InputError(source, problem, f"read it with {' or '.join(ways)}")
    if len({*guessed.missing} - {"condition"}) < 2:
        needed = (name.partition("|")[0] for name in guessed.needed)
        lacking = [name for name in needed if name in guessed.missing or name in guessed.columns]
        way = f"if the guess is right: {guessed.command(source)}"
        to_write = [f"instead of {w} write {said}" for w, said in TO_WRITE.items() if w in way]
        way += f" ({'; '.join(to_write)})" if to_write else ""
        raise InputError(source, missing_columns(lacking), f"found: {found}; {way}")
    kinds = (
        f"{kind.answers} need {', '.join(n.partition('|')[0] for n in kind.needed)}"
        for kind in PROTOCOLS
    )
    says = (
        "--columns OURS=THEIRS names your columns, --key CSV describes the columns of a "
        "survey, --from NAME reads tables of other programs"
    )
    problem = f"has no columns that hype recognises as answers; found: {found}"
    raise InputError(source, problem, f"{'; '.join(kinds)}; {says}")
