"""What results of comparisons, ratings and rankings say in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from hype.export.kind import TaskWords
from hype.report.parts import Fact
from hype.study import phrases

if TYPE_CHECKING:
    from hype.statistics.paired_counts import Randomness
    from hype.statistics.pairs import Verdict

_NAMED: Final = 10


def open_ranks(rows: Sequence[Any], *, tested: bool) -> Iterator[str]:
    """Say which ranks are left open; nothing where none was tested."""
    ranges = [
        f"{row.condition} {row.rank_low} to {row.rank_high}"
        for row in rows
        if row.rank_low is not None and row.rank_high is not None and row.rank_low < row.rank_high
    ]
    if ranges:
        yield f"Ranks left open: {listed(ranges)}."
    elif any(row.rank for row in rows) and tested:
        yield "No rank is open."


def within_margin(margin: float | None) -> str:
    return "" if margin is None else f" within {margin:.1%} of one half"


def verdict_sentence(pairs: Sequence[Any], *, alpha: float, within: str = "", by: str = "") -> str:
    """Say what is known of how many pairs; empty where none was tested.

    ``within``: what equivalent means, such as " within 5.0% of one half". ``by``: what said so, if
    not tests at ``alpha``.
    """
    by = by or f"α = {alpha:g}"
    verdicts = Counter(pair.verdict for pair in pairs if pair.verdict)
    if not verdicts:
        return ""
    words: dict[Verdict, str] = {
        "separable": "separable",
        "equivalent": f"equivalent{within}",
        "not known": "not known to differ",
    }
    caution = " Not known does not mean equal." if verdicts["not known"] else ""
    if verdicts.total() == 1:
        (pair,) = (pair for pair in pairs if pair.verdict)
        return f"{pair.a} and {pair.b} are {words[next(iter(verdicts))]} ({by}).{caution}"
    numbers = [
        f"{verdicts[verdict]:,} {'is' if verdicts[verdict] == 1 else 'are'} {word}"
        for verdict, word in words.items()
        if verdicts[verdict]
    ]
    return f"Of {verdicts.total():,} pairs, {phrases.listed(numbers)} ({by}).{caution}"


def listed(names: list[str] | tuple[str, ...]) -> str:
    """List the first of some names, and say how many more there are."""
    more = [f"and {len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])


TIES: Final = {
    "davidson": "a part of the model (Davidson 1970), and half a win to either in win rates",
    "half": "half a win to either",
    "none": "not counted",
}


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def allowed_for(random: Randomness) -> str:
    """Name what could have been others, which intervals and tests allow for."""
    who = {
        "evaluators": f"for other evaluators than these {random.units:,}",
        "one evaluator": "for other answers of this evaluator",
        "prompts": f"for other prompts and their images than these {random.units:,}",
        "groups": f"for other groups of images than these {random.units:,}",
    }.get(random.unit, f"for other {random.unit}, each independent of all others")
    if random.unit in ("prompts", "groups"):
        return f"{who}, and not for other evaluators"
    if random.item is None:
        return f"{who}, and these images"
    also = {"prompts": " and their images", "groups": " of images"}.get(random.item, "")
    return f"{who}, and other {random.item}{also} than these {random.items:,}"


NO_STRENGTH: Final = "cannot be said"
_MOST_NAMED: Final = 3


def on_top(conditions: Sequence[Any]) -> Fact:
    """Name whoever may be the first of conditions in their order, the strongest first."""
    tops = firsts(conditions)
    if not tops:
        return "On top", NO_STRENGTH
    every = all(row.strength is not None for row in conditions)
    return "On top" if every else "On top of those with a strength", few(tops, "or")


def firsts(conditions: Sequence[Any]) -> list[str]:
    """Name those: what is left open is not decided; nobody where none has a strength."""
    strong = [row for row in conditions if row.strength is not None]
    return [row.condition for row in strong if row.rank_low == 1] or [
        row.condition for row in strong[:1]
    ]


def few(names: Sequence[str], word: str = "and") -> str:
    """List the first of some names, and say how many more there are."""
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    return f" {word} ".join([*names[:_MOST_NAMED], *more])


PROMPT: Final = {
    "hidden": "The prompt was not shown.",
    "shown": "The prompt stood above.",
}
"""How the prompt was shown."""


def task_words(description: str, *read: str, question: str = "") -> TaskWords:
    """Put together what was done, and what was read before a task and with each of its trials."""
    filled = (text.replace("{question}", question) if question else text for text in read)
    return TaskWords(description=description, instructions="\n\n".join(filled))


def one_line(question: str) -> str:
    return f"“{' '.join(question.split())}”"
