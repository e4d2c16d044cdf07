"""From replies to the table that ``--judges`` takes, and what there is to say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hype.asking.cache import Kept
from hype.asking.requests import Answer, JudgeRequest, answer_of, reply_in
from hype.tables.spreadsheet_text import as_cell


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


def order_in_words(answers: Sequence[AnsweredRequest]) -> Iterator[str]:
    """Say whether a judge prefers the image that is shown first; nothing if it prefers none."""
    earlier = decided = 0
    chosen: dict[tuple[object, ...], list[str]] = {}
    for each in answers:
        question = each.request.question
        for better, worse in question.preferences(each.answer.given):
            earlier, decided = earlier + (better < worse), decided + 1
            sums = [question.images[place].sha256 for place in (better, worse)]
            pair = (question.item, question.text, each.request.repeat, *sorted(sums))
            chosen.setdefault(pair, []).append(sums[0])
    if not decided:
        return
    # Pairs, questions and repeats with a preference in both orders
    twice = [each for each in chosen.values() if len(each) == 2]
    same = sum(one == other for one, other in twice)
    agree = f"; both orders agree in {same:,} of {len(twice):,}" if twice else ""
    yield (
        f"The image shown first is preferred in {earlier:,} of {decided:,} decided answers "
        f"({earlier / decided:.0%}){agree}."
    )


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
    yield from order_in_words(answers)
