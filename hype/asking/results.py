"""From replies to the table that ``--judges`` takes, and what there is to say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.asking.requests import answer_of, reply_in
from hype.tables.spreadsheet_text import as_cell

if TYPE_CHECKING:
    from hype.asking.cache import Kept
    from hype.asking.requests import Answer, JudgeRequest


@dataclass(frozen=True, kw_only=True)
class AnsweredRequest:
    """A request that had a reply, and the answer in it."""

    request: JudgeRequest
    answer: Answer
    at: str


def answers_in(
    requests: Sequence[JudgeRequest], replies: Mapping[str, Kept]
) -> list[AnsweredRequest]:
    """Read the replies that there are, in the order of the requests."""
    return [
        AnsweredRequest(
            request=r, answer=answer_of(r.question, reply_in(kept.reply)), at=kept.answered
        )
        for r in requests
        if (kept := replies.get(r.key))
    ]


def rows_of(judge: str, answers: Sequence[AnsweredRequest]) -> Iterator[dict[str, object]]:
    """Yield the rows of a table; those of what was missing have an empty cell and say why."""
    for each in answers:
        parameters, answer = each.request.parameters, each.answer
        logprob = "" if answer.logprob is None else round(answer.logprob, 6)
        order = 2 if is_turned(each.request) else 1
        for row in each.request.question.rows(answer.given):
            yield {
                "judge": as_cell(judge),
                **{name: as_cell(cell) for name, cell in row.items()},
                **({"order": order} if "group" in row else {}),
                "repeat": each.request.repeat,
                "missing": answer.missing,
                "logprob": logprob,
                "model": as_cell(parameters.model),
                "endpoint": parameters.host,
                "asked": each.at,
                "parameters": parameters.in_words,
            }


def is_turned(request: JudgeRequest) -> bool:
    images = request.question.images
    return images[0].sha256 > images[-1].sha256


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """How a judge answers about pairs of images that it saw in both orders."""

    earlier: int  # answers that prefer the image shown earlier
    decided: int  # of those that prefer one
    same: int  # pairs, questions and repeats in which both orders prefer the same image
    both: int  # of those that prefer one in both orders


def consistency(answers: Sequence[AnsweredRequest]) -> Consistency:
    earlier = decided = 0
    chosen: dict[tuple[object, ...], list[str]] = {}
    for each in answers:
        question = each.request.question
        for better, worse in question.preferences(each.answer.given):
            earlier, decided = earlier + (better < worse), decided + 1
            sums = [question.images[place].sha256 for place in (better, worse)]
            pair = (question.item, question.text, each.request.repeat, *sorted(sums))
            chosen.setdefault(pair, []).append(sums[0])
    twice = [each for each in chosen.values() if len(each) == 2]
    same = sum(one == other for one, other in twice)
    return Consistency(earlier=earlier, decided=decided, same=same, both=len(twice))


def sentences(requests: int, answers: Sequence[AnsweredRequest]) -> Iterator[str]:
    """Say how much was answered, what was missing, and whether places were preferred."""
    missing = Counter(each.answer.missing for each in answers if each.answer.missing)
    given = len(answers) - missing.total()
    yield f"{given:,} of {requests:,} questions answered."
    if missing:
        named = ", ".join(f"{number:,} {why}" for why, number in missing.most_common())
        yield f"Missing, with a reply: {named}. They are empty in the table."
    if requests > len(answers):
        yield f"Not answered yet: {requests - len(answers):,}; the same command asks them."
    places = consistency(answers)
    if places.decided:
        share = places.earlier / places.decided
        yield (
            f"The image shown first is preferred in {places.earlier:,} of {places.decided:,} "
            f"decided answers ({share:.0%})"
            + (
                f"; both orders agree in {places.same:,} of {places.both:,}."
                if places.both
                else "."
            )
        )
