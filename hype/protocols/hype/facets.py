"""Scores within the classes of a column, such as the object that an image shows.

Zhou et al. (2019, section 5.1) score five ImageNet classes apart, with one analysis of variance
each. Here any column of the judgements will do, and any column that an experimenter adds to the
manifest of the stimuli.

Only HYPE_infinity is scored within a class. A HYPE_time score is the mode of a staircase, and a
staircase runs over images of all classes: the trials of one class are no staircase and have no
mode of their own. For these trials the error rates within a class are given instead. They compare
classes within a condition, at the same exposures; between conditions they say nothing, since
each staircase sets its own exposures, so there is no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.exclusion import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hype.protocols.hype.results import Score

MOST_VALUES: Final = 50
"""Values beyond which a column does not hold classes."""


@dataclass(frozen=True, kw_only=True)
class TimedErrors:
    """The errors of one condition of HYPE_time within a class."""

    condition: str
    evaluators: int
    judgements: int
    # error, fakes_error, reals_error: percent wrong of all judgements, of those of fake and of real
    # images; None without any
    error: float
    fakes_error: float | None
    reals_error: float | None


@dataclass(frozen=True, kw_only=True)
class Facet:
    """One class."""

    value: str
    judgements: int  # how many are of it, of both protocols
    # Of HYPE_infinity, with its analysis of variance; empty where there is none
    scores: tuple[Score, ...]
    # Error rates of HYPE_time, by condition; empty where there are none
    timed: tuple[TimedErrors, ...]
    notes: tuple[str, ...]  # conditions that have no image of this class


@dataclass(frozen=True, kw_only=True)
class Facets:
    """The outcome of `score_by`."""

    column: str  # what told the classes apart
    facets: tuple[Facet, ...]  # sorted by value: as numbers if all are, else as text
    left_out: int  # judgements without a value
    notes: tuple[str, ...]  # sentences the reader must know in order to read the figures rightly


def with_manifest(
    judgements: pd.DataFrame, columns: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame:
    """Join what a manifest says of each image to its judgements.

    ``columns`` are path to column to value, as `hype.stimuli.manifest.read_extra_columns` gives
    them. Each is added as text, empty where the manifest does not know the image; one that the
    judgements have already stays as it was recorded. InputError where there is no column `image`.
    """
    if "image" not in judgements:
        raise InputError("judgements", "the column 'image' is missing", "it names the images")
    joined = judgements.copy()
    codes, paths = pd.factorize(np.asarray(judgements["image"], dtype=object))
    names = dict.fromkeys(name for row in columns.values() for name in row)
    for name in names:
        if name not in judgements:
            values = [columns.get(path, {}).get(name, "") for path in paths]
            joined[name] = np.array([*values, ""], dtype=object)[codes]  # -1: no image, the last
    return joined


def score_by(
    judgements: pd.DataFrame,
    column: str,
    score: Callable[[pd.DataFrame], tuple[Score, ...]],
) -> Facets:
    """Score judgements within each value of a column.

    InputError where there is no such column, it is empty, or it does not look like classes: more
    than `MOST_VALUES` values, or numbers most of which differ; a value that cannot be printed;
    nobody has finished.
    """
    scored = judgements[judgements["task"].isin(("time", "infinity"))]
    scored = scored[finished(scored)]
    codes, values = _classes(scored, column)
    conditions = _conditions(scored)
    return Facets(
        column=column,
        facets=tuple(
            _facet(value, scored[codes == code], conditions, score)
            for code, value in _sorted(values)
        ),
        left_out=int((codes < 0).sum()),
        notes=tuple(_notes(scored, column, codes)),
    )


def _classes(scored: pd.DataFrame, column: str) -> tuple[np.ndarray, list[str]]:
    """Give each row's place in the list of values, -1 where it has none."""
    if column not in scored:
        columns = ", ".join(map(str, scored.columns))
        raise InputError(column, "there is no such column", f"columns are {columns}")
    rough, cells = pd.factorize(np.asarray(scored[column], dtype=object))
    texts = pd.Series([_text(cell) for cell in cells], dtype=object)
    fine, values = pd.factorize(texts.mask(texts.eq("")))
    codes = np.append(fine, -1)[rough]  # -1, a missing cell, takes the last
    _refuse(column, [str(value) for value in values], int((codes >= 0).sum()))
    return codes, [str(value) for value in values]


def _text(cell: object) -> str:
    # A whole number becomes a float in pandas when some other cell of its column is empty.
    whole = isinstance(cell, float) and cell.is_integer()
    return f"{cell:.0f}" if whole else str(cell).strip()


def _refuse(column: str, values: list[str], rows: int) -> None:
    if not values:
        raise InputError(column, "the column is empty", "a class for at least some judgements")
    if len(values) > MOST_VALUES:
        problem = f"does not look like classes: it has {len(values)} values"
        raise InputError(column, problem, f"at most {MOST_VALUES}")
    if len(values) > rows / 2 and all(map(_is_number, values)):
        problem = f"does not look like classes: {len(values)} numbers in {rows} judgements"
        raise InputError(column, problem, "values that many judgements share")
    for value in values:
        if not value.isprintable():
            raise InputError(column, f"{value!r} cannot be printed", "printable values")


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _sorted(values: list[str]) -> list[tuple[int, str]]:
    numbers = all(map(_is_number, values))
    return sorted(enumerate(values), key=lambda pair: (float(pair[1]) if numbers else 0, pair[1]))


def _conditions(rows: pd.DataFrame) -> list[str]:
    return sorted(map(str, rows["condition"].unique()))


def _facet(
    value: str,
    rows: pd.DataFrame,
    conditions: list[str],
    score: Callable[[pd.DataFrame], tuple[Score, ...]],
) -> Facet:
    untimed = rows[rows["task"].eq("infinity")]
    absent = [name for name in conditions if name not in _conditions(rows)]
    note = f"no judgements of {value} in: {', '.join(absent)}."
    return Facet(
        value=value,
        judgements=len(rows),
        scores=score(untimed) if len(untimed) else (),
        timed=tuple(_timed(rows[rows["task"].eq("time")])),
        notes=(note[0].upper() + note[1:],) if absent else (),
    )


def _timed(rows: pd.DataFrame) -> Iterator[TimedErrors]:
    fake = rows["truth"].eq("fake")
    wrong = 100.0 * (fake != rows["answer"].eq("fake"))
    for name, group in wrong.groupby(rows["condition"], observed=True, sort=True):
        fakes = fake[group.index]
        yield TimedErrors(
            condition=str(name),
            evaluators=rows.loc[group.index, "evaluator"].nunique(),
            judgements=len(group),
            error=float(group.mean()),
            fakes_error=float(group[fakes].mean()) if fakes.any() else None,
            reals_error=float(group[~fakes].mean()) if not fakes.all() else None,
        )


def _notes(scored: pd.DataFrame, column: str, codes: np.ndarray) -> Iterator[str]:
    left_out = codes < 0
    if left_out.any():
        yield f"{left_out.sum()} of {len(codes)} judgements have no {column} and are left out."
    fake = scored["truth"].eq("fake").to_numpy()
    for truth, rows in (("fake", fake), ("real", ~fake)):
        if rows.any() and left_out[rows].all():
            other = "real" if truth == "fake" else "fake"
            yield f"No {truth} image has a {column}: these are errors on {other} images alone."
    if scored["task"].eq("time").any():
        yield (
            "HYPE_time has no score within a class, since a staircase runs over all of them; its "
            "error rates compare classes within a condition, not conditions."
        )
