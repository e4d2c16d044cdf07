"""What `hype check` says of a study's design, where it asks about images of prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

Facts = Mapping[str, Any]
Line = tuple[str, str]
"""A title, or none, and what is said."""
WIDTH: Final = 66
"""Letters of a line, beside its title."""


def lines_of_design(facts: Facts) -> Iterator[Line]:
    if "axes" in facts:
        return lines_of_ratings(facts)
    return lines_of_rankings(facts) if "groups" in facts else lines_of_comparisons(facts)


def lines_of_comparisons(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what is compared, how often and by how many."""
    yield "prompts", prompts_in(facts, "images_compared")
    met = between(facts["comparisons_per_prompt"])
    pairs = f"{counted(facts['pairs'], 'pair')} of {len(facts['conditions']):,} conditions"
    can = " can be asked for" if facts["arena"] else ""
    yield "comparisons", f"{facts['comparisons']:,}{can}, {met} a prompt; {pairs}"
    votes = between(facts["votes_per_pair"])
    if arena := facts["arena"]:
        until = "the ranking is" if arena["goal"] == "ranking" else "the best is"
        yield "arena", f"{arena['pairs']} pairs, until {until} known or {facts['votes']:,} votes"
        yield "evaluators", f"{facts['evaluators']:,} at most"
    else:
        yield "votes", f"{facts['votes']:,}, {votes} a pair of conditions"
        yield "evaluators", evaluators_in(facts)
    if needed := facts.get("planned"):
        yield "", f"{needed['votes_needed_per_pair']:,} votes a pair tell {said_of_plan(needed)}"
    yield "session", session_in(facts)


def lines_of_ratings(facts: Facts) -> Iterator[Line]:
    """Yield what is rated, on which axes, how often and by how many."""
    pairs = facts["of"] == "pairs"
    yield "prompts", prompts_in(facts, "images_rated")
    yield (
        "items",
        f"{counted(facts['items'], 'pair' if pairs else 'image')}, "
        + (f"{between(facts['items_per_prompt'])} a prompt"),
    )
    axes = [axis["axis"] for axis in facts["axes"]]
    yield from folded("axes", axes)
    each = facts["ratings_per_item"]
    what = "1 axis" if len(axes) == 1 else f"{len(axes)} axes"
    yield "answers", f"{facts['answers']:,}: of {counted(each, 'evaluator')} on {what} of each item"
    of = "two conditions" if pairs else "a condition"
    yield "", f"{between(facts['ratings_per_axis'])} ratings of {of} on each axis"
    if known := facts["with_truth"]:
        yield from folded("truth", [f"{number:,} on {axis}" for axis, number in known.items()])
    yield "evaluators", evaluators_in(facts)
    yield "session", session_in(facts, "items: ")


def lines_of_rankings(facts: Facts) -> Iterator[Line]:
    """Yield what is ranked, how often, by how many, and who checks it."""
    yield "prompts", prompts_in(facts, "images_ranked")
    size = between(facts["images_per_group"])
    yield "groups", f"{facts['groups']:,} of {size} images"
    each = counted(facts["rankings_per_group"], "evaluator")
    yield "rankings", f"{facts['rankings']:,}: of {each} for each group"
    met = between(facts["rankings_per_pair"])
    yield "", f"{facts['comparisons']:,} comparisons of images, {met} of two conditions"
    yield from lines_of_screening(facts["screening"])
    if held := facts["held_out"]:
        of = f"{held:,} of {facts['prompts']:,} prompts"
        yield "held out", f"{of}, for testing preference models"
    yield "evaluators", evaluators_in(facts)
    yield "session", session_in(facts, "groups: ")


def lines_of_screening(rule: Facts) -> Iterator[Line]:
    """Yield what there is to know whether people rank as checkers do."""
    if rule["test"]:
        bound = rule["min_recall"]
        said = f"; below recall@2 {bound:g} nobody is scored" if bound is not None else ""
        yield "test", f"{counted(rule['test'], 'group')} that everybody ranks first{said}"
    if rule["checkers"]:
        share = f"{rule['check_share']:.0%} of everybody's groups again"
        number = counted(rule["groups_to_check"], "group")
        yield "checkers", f"{', '.join(rule['checkers'])}: {share}, {number} at the least"


def folded(title: str, names: Sequence[str]) -> Iterator[Line]:
    lines = wrap(", ".join(names), WIDTH)
    yield from zip([title, *[""] * (len(lines) - 1)], lines, strict=True)


def between(range_: Mapping[str, int]) -> str:
    """Write a range of numbers, or the one number that it is."""
    least, most = range_["least"], range_["most"]
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def prompts_in(facts: Facts, images: str) -> str:
    """Say how many prompts there are, and how many images of a condition they have."""
    numbers = facts[images].values()
    each = between({"least": min(numbers), "most": max(numbers)})
    return f"{facts['prompts']:,}; {each} images of a condition take part in all"


def evaluators_in(facts: Facts) -> str:
    """Say how many come, and in how many shares."""
    return f"{facts['evaluators']:,} in {counted(facts['cells'], 'share')}"


def session_in(facts: Facts, unit: str = "") -> str:
    """Say how long a session is, and what is in it."""
    (minutes,) = facts["minutes"].values()
    said = ", ".join(f"{number} {task}" for task, number in facts["session"].items() if number)
    return f"about {counted(minutes, 'minute')} ({unit}{said})"


def said_of_plan(planned: Facts) -> str:
    rule = f"α = {planned['alpha']:g}, power {planned['power']:g}"
    return f"a win rate of {planned['win_rate']:.1%} from 50% ({rule})"
