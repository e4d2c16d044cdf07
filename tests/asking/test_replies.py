"""Replies of a judge that count as an answer, and replies that do not."""

import json
from dataclasses import replace

import pytest

from hype.asking.questions import (
    ChoiceQuestion,
    Level,
    NoAnswerError,
    OrderQuestion,
)
from hype.asking.requests import answer_of, reply_in

DETECTOR = ChoiceQuestion(
    kind="judgement",
    item="i",
    images=(),
    prompt="",
    text="",
    cells={},
    levels=tuple(Level(answer=word, meaning="", cell=word) for word in ("real", "fake")),
)
RATER = replace(
    DETECTOR, levels=tuple(Level(answer=str(n), meaning="", cell=str(n)) for n in range(1, 11))
)
READ = [
    (DETECTOR, "Real", "real"),
    (DETECTOR, ' "FAKE" ', "fake"),
    (DETECTOR, '{"answer": "Fake"}', "fake"),
    (DETECTOR, '\ufeff{"answer": "fake"}', "fake"),
    (DETECTOR, '```json\n{"answer": "fake"}\n```', "fake"),
    (DETECTOR, '<think>perhaps {"answer": "real"}</think>\n{"answer": "fake"}', "fake"),
    (RATER, "7.0", "7"),
    (RATER, '{"answer": 7.0}', "7"),
    (RATER, '{"answer": 7}', "7"),
]
NOT_READ = [
    (DETECTOR, "not real"),
    (DETECTOR, '<think>{"answer": "real"}</think>'),
    (DETECTOR, '<think>{"answer": "real"}'),
    (DETECTOR, '{"answer": "real", "answer": "fake"}'),
    (DETECTOR, '{"answer": ["fake"]}'),
    (DETECTOR, '{"answer": null}'),
    (DETECTOR, "[" * 10_000),
    (RATER, "7/10"),
    (RATER, "7.5"),
    (RATER, "85"),
    (RATER, '{"answer": true}'),
    (RATER, '{"answer": NaN}'),
]


@pytest.mark.parametrize(("question", "text", "answer"), READ)
def test_answers(question, text, answer):
    assert question.read_answer(text) == (answer,)


@pytest.mark.parametrize(("question", "text"), NOT_READ)
def test_no_answers(question, text):
    with pytest.raises(NoAnswerError):
        question.read_answer(text)


def test_letters_of_an_order_in_any_case():
    order = OrderQuestion(kind="ranking", item="g", images=(None, None), prompt="", text="")
    assert order.read_answer('{"order": ["b", " A"]}') == ("B", "A")


def completion(content: object, usage: object = None, logprobs: object = None) -> str:
    choice = {"message": {"content": content}, "finish_reason": "stop", "logprobs": logprobs}
    return json.dumps({"choices": [choice], "usage": usage})


@pytest.mark.parametrize("content", [["real"], {"text": "real"}, 7, True])
def test_a_reply_that_is_not_text_is_missing(content):
    answer = answer_of(DETECTOR, reply_in(completion(content)))
    assert (answer.given, answer.missing) == ((), "not text")


@pytest.mark.parametrize("number", [-1, 10**12, 1.5, "9", True, None, [1]])
def test_an_impossible_number_of_tokens_is_not_known(number):
    reply = reply_in(completion("real", {"prompt_tokens": number, "completion_tokens": 3}))
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, 3)
    assert reply_in(completion("real", usage=number)).prompt_tokens is None


@pytest.mark.parametrize(
    "logprobs", [7, [], {"content": 7}, {"content": [{"token": "real", "logprob": "much"}]}]
)
def test_log_probabilities_of_another_type_are_none(logprobs):
    answer = answer_of(DETECTOR, reply_in(completion("real", logprobs=logprobs)))
    assert (answer.given, answer.logprob) == (("real",), None)


@pytest.mark.parametrize("body", ["[" * 10_000, "7", "{}", "<html>"])
def test_what_is_no_completion(body):
    with pytest.raises(ValueError, match=r"."):
        reply_in(body)
