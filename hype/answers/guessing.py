"""What a table that calls its columns otherwise may mean: a guess, and the command that says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Final

import pandas as pd

from hype.answers.choices import Choices, ReadingChoices
from hype.errors import InputError
from hype.tables.columns import core, listed, missing_columns
from hype.tables.distinct import distinct
from hype.tables.shapes import shapes_like

THEIRS: Final = "THEIRS"
"""What stands in a command for the name of a column that nobody can guess."""
WHICH: Final = "WHICH"
"""What stands there for a value that could mean real or fake."""
SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "evaluator": (
        *("participant", "participantid", "subject", "subjectid", "rater", "raterid", "user"),
        *("userid", "worker", "workerid", "annotator", "annotatorid", "observer", "observerid"),
        *("judge", "voter", "person", "respondent", "usersession", "session", "prolificpid"),
    ),
    "condition": ("model", "generator", "method", "system", "source", "category", "algorithm"),
    "truth": (
        *("kind", "label", "imagelabel", "correctresponse", "correctanswer", "corrans"),
        *("groundtruth", "isreal", "isfake", "fake", "real"),
    ),
    "answer": (
        *("response", "choice", "userchoice", "vote", "votetype", "winner", "selection", "guess"),
        *("guessfake", "judgement", "judgment", "rating", "score", "preferred", "preference"),
    ),
    "left": ("modela", "model1", "leftmodel", "condition1", "option1", "method1", "a"),
    "right": ("modelb", "model2", "rightmodel", "condition2", "option2", "method2", "b"),
    "item": ("image", "imageid", "stimulus", "video", "picture", "file", "filename"),
    "axis": ("attribute", "dimension", "question", "criterion", "aspect"),
    "first": ("model", "generator", "method", "system"),
    "group": ("set", "setid", "prompt"),
    "rank": ("ranking", "place", "position"),
}
"""What others call our columns, in small letters and digits alone."""
CORRECT: Final = "correct"
"""The column that makes a truth of answers, or answers of truths."""
REAL: Final = frozenset(("real", "photo", "photograph", "human", "natural", "authentic", "genuine"))
FAKE: Final = frozenset(
    ("fake", "ai", "generated", "aigenerated", "synthetic", "artificial", "machine", "deepfake")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What a table may call the columns that were not found in it."""

    columns: Mapping[str, str]  # what it calls them, those that were said among them
    missing: tuple[str, ...]  # columns that neither were found nor can be guessed
    needed: tuple[str, ...]
    real: tuple[str, ...] = ()
    fake: tuple[str, ...] = ()
    is_certain: bool = False

    def completed(self, choices: Choices) -> Choices:
        return replace(
            choices,
            columns=self.columns,
            real=choices.real or self.real or None,
            fake=choices.fake or self.fake or None,
        )

    def command(self, source: object) -> str:
        columns = {**self.columns, **dict.fromkeys(self.missing, THEIRS)}
        if "condition" in self.missing:
            columns["condition"] = "=NAME"
        words = ["--columns", ",".join(f"{name}={theirs}" for name, theirs in columns.items())]
        for option, values in (("--real", self.real), ("--fake", self.fake)):
            words += [word for value in values for word in (option, value)]
        return " ".join(["hype", "score", *map(quote, [str(source), *words])])


def guess(
    table: pd.DataFrame, choices: ReadingChoices, kinds: Iterable[Sequence[str]]
) -> Guess | None:
    """Guess what a table calls the columns that answers need; None where it has them all.

    ``kinds``: the columns that answers of each protocol need; ``a|b`` is either.
    """
    said = choices.columns or {}
    given = [str(name) for name in table.columns]
    known = {core(name) for name in given if name not in said.values()} | {core(n) for n in said}
    best: Guess | None = None
    for needed in kinds:
        lacking = [n for n in needed if known.isdisjoint(map(core, n.split("|")))]
        if CORRECT in known and len({"truth", "answer"} & {*lacking}) == 1:
            lacking = [n for n in lacking if n not in ("truth", "answer")]
        if not lacking:
            return None
        free = {core(name): name for name in reversed(given) if name not in said.values()}
        found = dict(said)
        missing = []
        for name in (name.partition("|")[0] for name in lacking):
            theirs = next((free.pop(word) for word in SYNONYMS.get(name, ()) if word in free), None)
            if theirs is not None:
                found[name] = theirs
            elif name not in said:
                missing.append(name)
        if best is None or len(missing) < len(best.missing):
            best = Guess(columns=found, missing=tuple(missing), needed=tuple(needed))
    return _with_meanings(best, table, choices) if best else None


def _with_meanings(guessed: Guess, table: pd.DataFrame, choices: ReadingChoices) -> Guess:
    """Say which values are real and fake, where words say so; without them nothing is certain."""
    is_complete = not guessed.missing
    if "truth" not in guessed.needed or choices.real or choices.fake:
        return replace(guessed, is_certain=is_complete)
    columns = [guessed.columns.get(name, name) for name in ("truth", "answer")]
    texts = {t for c in columns if c in table for t in distinct(table[c]).texts if t.strip()}
    real = tuple(sorted(text for text in texts if core(text) in REAL))
    fake = tuple(sorted(text for text in texts if core(text) in FAKE))
    if real and fake and {*real, *fake} == texts:
        return replace(guessed, is_certain=is_complete, real=real, fake=fake)
    # Which of 0 and 1 is real, only their owner knows.
    return replace(guessed, real=(WHICH,), fake=(WHICH,)) if texts else guessed


def refuse_missing(table: pd.DataFrame, guessed: Guess, source: object) -> None:
    """Refuse a table that lacks columns, and propose the command that says what it calls them."""
    if len(table.columns) == 1:
        hint = "cells are separated by commas, semicolons or tabs"
        raise InputError(source, f"has one column, {listed([*map(str, table.columns)])}", hint)
    needed = (name.partition("|")[0] for name in guessed.needed)
    lacking = [name for name in needed if name in guessed.missing or name in guessed.columns]
    found = listed([*map(str, table.columns)])
    said = f"found are {found}; if the guess is right: {guessed.command(source)}"
    shapes = shapes_like(table) if guessed.missing else []
    reads = f"or --from {' or '.join(shapes)}" if shapes else "--from NAME reads published shapes"
    raise InputError(source, missing_columns(lacking), f"{said}; {reads}")
