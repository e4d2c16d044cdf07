"""What can be scored: one row for each kind of answer, found by the study or by the table's header.

A new kind of answer is a new row. The commands know none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.cli.scoring import Choices, judgements_for, score_judgements
from hype.cli.sources import study_or_table
from hype.errors import InputError
from hype.protocols.comparison import commands as comparisons
from hype.protocols.hype.judgements import Judgements
from hype.protocols.ranking import rankings
from hype.protocols.rating import ratings
from hype.tables.codebook_options import codebook_of, refuse_codebook
from hype.tables.header import header_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.cli.sources import Opened
    from hype.protocols.hype.results import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of answer: how a source of it is read, scored, printed.

    Attributes
    ----------
    name
        What the answers are called.
    own
        The names of those `Choices` that no other kind has.
    load
        Reads a source; the other functions are given what it gives.
    score
        Gives the result.
    as_object
        Makes of a result what --json prints.
    laid_out
        Makes of it what a terminal shows.
    """

    name: str
    own: frozenset[str]
    load: Callable[[Opened, Choices], Any]
    score: Callable[[Any, Choices], Any]
    as_object: Callable[[Any], object]
    laid_out: Callable[[Any, Any], RenderableType]


def scores_as_object(scores: tuple[Score, ...]) -> object:
    """Give the scores of judgements as JSON: one object, or a list of those of both methods."""
    objects = [score.to_json() for score in scores]
    return objects[0] if len(objects) == 1 else objects


def scores_laid_out(judgements: Judgements, scores: tuple[Score, ...]) -> RenderableType:
    """Lay out the scores of judgements."""
    from rich.console import Group
    from rich.text import Text

    from hype.protocols.hype.terminal import score_table

    return Group(score_table(scores), *map(Text, judgements.said))


JUDGEMENTS: Final = Kind(
    name="judgements",
    own=frozenset(
        (
            *("keep_spoiled", "two_way", "thresholds", "at", "mixed", "by", "order", "metrics"),
            *("real", "fake"),
        )
    ),
    load=judgements_for,
    score=score_judgements,
    as_object=scores_as_object,
    laid_out=scores_laid_out,
)
COMPARISONS: Final = Kind(
    name="comparisons",
    own=frozenset(("ties",)),
    load=comparisons.comparisons_for,
    score=comparisons.score_comparisons_loaded,
    as_object=lambda score: score.to_json(),
    laid_out=comparisons.comparisons_laid_out,
)
RATINGS: Final = Kind(
    name="ratings",
    own=frozenset(("ties", "judges", "leaderboard", "scale")),
    load=ratings.ratings_for,
    score=ratings.score_ratings_loaded,
    as_object=lambda score: score.to_json(),
    laid_out=ratings.ratings_laid_out,
)
RANKINGS: Final = Kind(
    name="rankings",
    own=frozenset(("ties", "judges")),
    load=rankings.rankings_for,
    score=rankings.score_rankings_loaded,
    as_object=lambda score: score.to_json(),
    laid_out=rankings.rankings_laid_out,
)
NEGATIONS: Final = {"keep_spoiled": "--leave-out-spoiled", "two_way": "--no-two-way"}
"""The options that say the opposite of a choice's name."""
KINDS: Final = (JUDGEMENTS, COMPARISONS, RATINGS, RANKINGS)


def kind_of(source: Opened, choices: Choices) -> Kind:
    """Tell what a study or a table holds.

    Raises
    ------
    InputError
        There is no such study, or its file is wrong; it is told what a table calls things.
    """
    found = study_or_table(source)
    if isinstance(found, Path):
        return kind_in(codebook_of(choices).names(header_of(found)))
    refuse_codebook(choices, found.path)
    return next(kind for kind in KINDS if kind.name == found.answers)


def kind_in(header: Collection[str]) -> Kind:
    """Tell a table's kind by its columns, misspelt or missing ones too.

    What a judgement needs and the others do not have decides against these.
    """
    names = {name.casefold() for name in header}
    if "axis" in names or ("item" in names and "truth" not in names):
        return RATINGS
    if "rank" in names and "truth" not in names:
        return RANKINGS
    sides = {"left", "right", "left_source", "right_source"}
    return COMPARISONS if names & sides and "condition" not in names else JUDGEMENTS


def refuse_choices_of_others(kind: Kind, choices: Choices, source: str) -> None:
    """Refuse an option that was given and has no meaning for this kind of answer.

    Raises
    ------
    InputError
        Names the first such option.
    """
    for choice in fields(Choices):
        value = getattr(choices, choice.name)
        owners = [one for one in KINDS if choice.name in one.own]
        if owners and kind not in owners and value != choice.default:
            raise of_another_kind(option_of(choice.name, value), owners, kind, source)


def of_another_kind(option: str, owners: Sequence[Kind], kind: Kind, source: str) -> InputError:
    *others, last = (owner.name for owner in owners)
    names = f"{', '.join(others)} and {last}" if others else last
    return InputError(option, f"is for {names}, and {source} holds {kind.name}")


def option_of(name: str, value: object) -> str:
    """Give the option by which a choice was made, as it is typed."""
    if value is False and name in NEGATIONS:
        return NEGATIONS[name]
    return f"--{name.replace('_', '-')}"
