"""The names of columns and values in tables of other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from hype.errors import InputError
from hype.tables.cells import constant, distinct, make_categories, only_used, plain
from hype.tables.columns import Row, list_columns, several, shorten, use_known_names
from hype.tables.made_columns import change_cells, make_columns, parts_of, sources_of
from hype.tables.reasons import Note, Weight
from hype.tables.shapes import shape_of

STUDY: Final = "study_name"
STUDY_VERSION: Final = "study_version"
"""The columns of an export with the study's name and its version."""


def keep_one_version(table: pd.DataFrame, version: int | None, where: object) -> pd.DataFrame:
    """Keep the rows of one version of each study.

    Without the column `STUDY_VERSION`, all rows are of one version. ``version``: the wanted
    version; None if each study has only one. ``where``: the table's name in messages.
    Raises InputError: a study has several versions and none is chosen; no row has the version.
    """
    if STUDY_VERSION not in table:
        if version is not None:
            raise InputError("--version", f"{where} has no column {STUDY_VERSION}", "leave it out")
        return table
    cells = table[STUDY_VERSION]
    # pandas reads 1 as 1.0 if another cell of the column is empty
    numbers = cells.astype(str).str.strip().str.removesuffix(".0")
    numbers = numbers.where(cells.notna())
    there = sorted({*numbers.dropna()}, key=lambda number: (len(number), number))
    choices = ", ".join(f"--version {number}" for number in there)
    if version is None:
        studies = table[STUDY].astype(str) if STUDY in table else pd.Series("", table.index)
        if numbers.groupby(studies.to_numpy()).nunique().le(1).all():
            return table
        problem = f"contains {len(there)} versions of a study, which are never scored together"
        raise InputError(where, problem, f"choose one: {choices}")
    if str(version) not in there:
        raise InputError("--version", f"{where} has no version {version}", f"one of: {choices}")
    kept = table[numbers.eq(str(version))]
    return kept.assign(**{str(n): only_used(kept[n]) for n in kept.select_dtypes("category")})


@dataclass(frozen=True, kw_only=True)
class Codebook:
    """The meaning of columns and values in a table.

    Raises InputError: one column of the table is given for ``answer`` and for another of our
    columns; or a value means both real and fake.
    """

    # For each of our column names: the table's name, or ``=text`` if all rows have this text
    columns: Mapping[str, str] = field(default_factory=dict)
    # For each of our column names: values in the table, and the value that each stands for
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()  # values that mean "missing" in any column
    # real, fake: values that mean real and fake in the columns truth and answer, besides the words
    # "real" and "fake". Case and surrounding space do not matter, and 1 equals 1.0. By default,
    # true and 1 mean real, false and 0 mean fake.
    real: tuple[str, ...] = ()
    fake: tuple[str, ...] = ()
    real_condition: str | None = None  # the condition of real images, if all conditions share them
    version: int | None = None  # the wanted version of the study, if the table has several versions

    def __post_init__(self) -> None:
        answer = self.columns.get("answer", "=")
        if not answer.startswith("=") and [*self.columns.values()].count(answer) > 1:
            problem = f"{shorten(answer)!r} is also used for another column"
            raise InputError("--columns answer", problem, "a separate column")
        real, fake = ({*map(plain, v)} for v in (("real", *self.real), ("fake", *self.fake)))
        if both := real & fake:
            problem = f"{shorten(min(both))!r} would mean both real and fake"
            raise InputError("--real --fake", problem, "different values")

    def names(self, header: Sequence[str]) -> list[str]:
        """Return our name for each column; "" if another column of the table gets that name."""
        here = {theirs: name for name, theirs in self.columns.items() if theirs in header}
        return [here.get(name, "" if name in self.columns else name) for name in header]

    def translate(
        self, table: pd.DataFrame, row: Row, further: Sequence[str], where: object
    ) -> pd.DataFrame:
        """Give a table our column names and values, and keep one version of its study.

        ``row``, ``further``: our column names. If the column answer contains conditions, like left
        and right, it is renamed to chosen. Raises InputError: see `rename_columns` and
        `keep_one_version`; or meanings are given for values of a column that is missing.
        """
        known = [name for c in row.read for name in (c.name, c.alias) if name]
        table = self.rename_columns(table, [*known, *further], where)
        table = use_known_names(table, row, where, further)
        table = keep_one_version(table, self.version, where).copy(deep=False)
        for name in self.values:
            if name not in table:
                found = list_columns([*map(str, table.columns)])
                raise InputError(f"--values {name}", f"{where} has no column {name!r}", found)
        nothing = {plain(text): "" for text in self.missing}
        for name in table.columns if nothing else list(self.values):
            if table[name].dtype.kind not in "iuf" or name in self.values:
                own = {plain(theirs): ours for theirs, ours in self.values.get(name, {}).items()}
                table[name] = write_meanings(table[name], nothing | own)
        if "chosen" in known and "chosen" not in table and {"left", "right", "answer"} <= {*table}:
            left, right, given = (
                {*map(str, table[n].unique())} for n in ("left", "right", "answer")
            )
            if not (left | right).isdisjoint(given):
                table = table.rename(columns={"answer": "chosen"})
        return table

    def rename_columns(
        self, table: pd.DataFrame, known: Sequence[str], where: object
    ) -> pd.DataFrame:
        """Give a table's columns our names.

        Other columns that already have one of these names are dropped. ``known``: the names that
        are allowed. ``where``: the table's name in messages. Raises InputError: a name is not
        allowed, or the table does not have the column that should get it.
        """
        given = [str(name) for name in table.columns]
        names = self.names(given)
        made: dict[str, pd.Series] = {}
        for name, theirs in self.columns.items():
            option = f"--columns {name}={shorten(theirs)}"
            if name not in known:
                raise InputError(option, f"{name!r} is not read", f"one of {', '.join(known)}")
            if theirs.startswith("="):
                made[name] = constant(theirs[1:], table.index)
            elif theirs not in given:
                joined, factor, pattern = parts_of(theirs)
                whole = make_columns(table, [*sources_of(joined), joined])
                for source in sources_of(joined):
                    if source not in whole:
                        problem = f"{where} has no column {shorten(source)!r}"
                        raise InputError(option, problem, f"one of {list_columns(given)}")
                cells = whole[joined].astype(object).astype(str)
                made[name] = change_cells(cells, factor, pattern, option, where)
            elif name not in names:  # the column already has another of our names
                made[name] = table.iloc[:, given.index(theirs)]
        kept = [place for place, name in enumerate(names) if name or not given[place]]
        table = table.iloc[:, kept].set_axis([names[place] for place in kept], axis=1)
        return table.assign(**made)

    def recode(self, table: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, list[Note]]:
        """Write real and fake where a table has other words for them.

        Without --real and --fake, true and 1 are read as real, and a note explains this.
        """
        is_said = bool(self.real or self.fake)
        given = {"real": self.real, "fake": self.fake} if is_said else _USUAL
        words = {plain(value): word for word, values in given.items() for value in values}
        table = table.copy(deep=False)
        met: set[str] = set()
        for name in (name for name in names if name in table):
            met.update(map(plain, distinct(table[name]).texts))
            table[name] = write_meanings(table[name], words)
        note = (
            "In the columns 'truth' and 'answer', true and 1 mean real, false and 0 mean fake; if "
            "it is the other way round, use --real 0 --fake 1."
        )
        is_guessed = not is_said and not met.isdisjoint(words)
        return table, [Note(note, Weight.DATA)] * is_guessed

    def describe(self) -> dict[str, str]:
        values = (
            f"{n}={t}:{ours}" for n, given in self.values.items() for t, ours in given.items()
        )
        meanings = {
            "columns": ", ".join(f"{name}={theirs}" for name, theirs in self.columns.items()),
            "values": ", ".join(values),
            "missing": ", ".join(self.missing),
            "real": ", ".join(self.real),
            "fake": ", ".join(self.fake),
            "real images of": self.real_condition or "",
            "study version": "" if self.version is None else str(self.version),
        }
        return {name: text for name, text in meanings.items() if text}


_USUAL: Final[Mapping[str, tuple[str, ...]]] = {"real": ("true", "1"), "fake": ("false", "0")}
"""The values of truth and answer if a program wrote booleans."""


def write_meanings(cells: pd.Series, meanings: Mapping[str, str]) -> pd.Series:
    """Replace each value that ``meanings`` contains (in the form of `plain`); keep the others."""
    values = distinct(cells)
    texts = [meanings.get(plain(text), text) for text in values.texts]
    return make_categories(values.codes, texts, cells.index)


PLAIN: Final = Codebook()
"""The codebook of a table that has our own names and values."""


def codebook_of(choices: Any) -> Codebook:
    """Make a codebook from the options that say what names and values of a table mean.

    Raises InputError: the options contradict each other.
    """
    shape = shape_of(choices.shape) if choices.shape else {}
    # With --from, the columns already have our names: see `read_published`.
    return Codebook(
        columns={} if choices.shape else choices.columns or {},
        values=choices.values or {},  # noqa: PD011 - of an option
        missing=several("missing", choices.missing),
        real=several("real", choices.real),
        fake=several("fake", choices.fake),
        real_condition=choices.real_condition or shape.get("real_condition"),
        version=choices.version,
    )
