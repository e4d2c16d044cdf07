"""Faults between the program and a server: after temporary ones the request is repeated."""

import asyncio
import math
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest
from model_server import (
    PROMPT_TOKENS,
    ModelServer,
    bomb,
    drip,
    flood,
    hang,
    left_lover,
    moved,
    refuse,
    say_no_json,
    truncate,
)
from small_studies import STUDIES

from hype.asking.cache import Tokens, open_cache
from hype.asking.judging import Asking, Bounds, Prices, Purse, wait_s
from hype.asking.questions import Wording
from hype.asking.requests import Endpoint, JudgeRequest, Pace, Parameters, requests_of, waiting_s
from hype.protocols.registry import protocol_of

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=timezone.utc)


class Asker:
    """Ask the first questions of a small study, with short timeouts."""

    def __init__(self, folder: Path, server: ModelServer, *, questions: int = 4) -> None:
        study = STUDIES["rating"](folder)
        asked = list(protocol_of(study).export_kind(study).questions(study))[:questions]
        self.stimuli, self.said = study.stimuli_folder, []
        parameters = Parameters(endpoint=server.url, model="m")
        self.requests = requests_of(asked, Wording(), parameters, 1)
        self.cache = folder / "cache.sqlite"

    def ask(self, *, timeout_s=5.0, per_minute=None, at_once=1) -> Asking:
        parameters = self.requests[0].parameters
        with open_cache(self.cache) as cache:
            replies = cache.replies(self.requests)
            asking = Asking(
                endpoint=Endpoint(
                    url=parameters.endpoint,
                    key="k",
                    timeout_s=timeout_s,
                    now=lambda: NOW,
                    say=self.said.append,
                ),
                cache=cache,
                purse=Purse(prices=Prices(prompt=1.0, completion=0.0), budget=None, spent=0.0),
                bounds=Bounds(100),
                pace=Pace(per_minute=per_minute, clock=time.monotonic),
                attempts=3,
                first_wait_s=0.01,
                stimuli=self.stimuli,
                now=lambda: NOW,
                draw=lambda: 0.0,
                advance=lambda: None,
            )
            waiting = [request for request in self.requests if request.key not in replies]
            asyncio.run(asking.ask_all(waiting, at_once))
            self.lost = cache.count_tokens(parameters)[2]
            self.kept = len(cache.replies(self.requests))
        return asking


@pytest.mark.parametrize(
    ("fault", "lost"),
    [
        (refuse(429, "slow down", Retry_After="0.05"), 0),
        (refuse(500), 0),
        (refuse(503), 0),
        (truncate, 1),
        (say_no_json, 1),
        (hang(0.6), 1),
        (drip, 1),
        (flood, 1),
        (bomb, 1),
    ],
    ids=["429", "500", "503", "truncated", "no JSON", "hanging", "drip", "flood", "bomb"],
)
def test_what_passes_is_asked_again_and_what_may_have_been_billed_is_counted(tmp_path, fault, lost):
    with ModelServer(left_lover, [fault]) as server:
        asker = Asker(tmp_path, server)
        asking = asker.ask(timeout_s=0.3)

    assert (asking.stopped, asking.failed) == ("", 0)
    assert [each.split(":")[0] for each in asker.said] == ["a request is sent again"]
    assert len(server.asked) == 5
    assert (asker.kept, asker.lost) == (4, lost)
    assert asking.purse.spent == pytest.approx(4 * PROMPT_TOKENS / 1e6)
    assert (asking.purse.lost > 0) == bool(lost)


def test_a_redirection_is_not_followed(tmp_path):
    with ModelServer(left_lover) as other, ModelServer(left_lover, [moved(other.url)]) as server:
        asking = Asker(tmp_path, server).ask()

    assert asking.stopped.startswith("the endpoint refuses: status 307")
    assert other.asked == []


def test_a_server_that_asks_for_time_is_left_alone_by_all(tmp_path):
    with ModelServer(left_lover, [refuse(429, Retry_After="0.4")]) as server:
        asker = Asker(tmp_path, server)
        began = time.monotonic()
        asker.ask(at_once=4)
        assert time.monotonic() - began >= 0.4
    assert asker.kept == 4


def test_who_asks_for_hours_is_not_waited_for(tmp_path):
    with ModelServer(left_lover, [refuse(429, Retry_After="7200")]) as server:
        asker = Asker(tmp_path, server)
        asking = asker.ask()
    assert asking.stopped == "the endpoint asks to wait 120 minutes"
    assert (asker.kept, len(server.asked)) == (0, 1)


def test_after_three_without_a_reply_no_other_is_sent(tmp_path):
    with ModelServer(left_lover, [refuse(500, "on fire")] * 9) as server:
        asker = Asker(tmp_path, server, questions=10)
        asking = asker.ask()
        assert "the endpoint does not answer (status 500: " in asking.stopped
        assert "on fire" in asking.stopped
        assert len(server.asked) == 9
        asker.ask()
    assert (asker.kept, len(server.asked)) == (10, 19)


def test_no_more_requests_go_out_in_a_minute_than_are_allowed(tmp_path):
    with ModelServer(left_lover) as server:
        asker = Asker(tmp_path, server)
        began = time.monotonic()
        asker.ask(per_minute=600, at_once=4)
        assert time.monotonic() - began >= 3 * 0.1
        assert server.most_at_once <= 4


def test_a_wait_is_twice_as_long_each_time_and_partly_drawn():
    assert [wait_s(n, 6.0, 1.0) for n in range(5)] == [6, 12, 24, 48, 60]
    assert [wait_s(n, 2.0, 0.0) for n in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1.5", 1.5),
        ("-1", 0.0),
        ("Sat, 01 Mar 2025 12:00:30 GMT", 30.0),
        ("Sat, 01 Mar 2025 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_how_long_a_server_asks_to_be_left_alone(text, seconds):
    assert waiting_s({"retry-after": text}, NOW) == seconds


def test_a_bound_learns_what_a_server_tells():
    bounds = Bounds(1000)
    request = JudgeRequest(
        question=next(iter(_questions())), repeat=1, text="abcd", parameters=_parameters(50)
    )
    assert bounds.estimate(request) == Tokens(prompt=2 + 64 + 2 * 1064, completion=50)
    bounds.learn(2, 400)
    bounds.learn(2, 300)
    assert bounds.estimate(request) == Tokens(prompt=500, completion=50)


def _parameters(tokens: int) -> Parameters:
    return Parameters(endpoint="http://x", model="m", max_tokens=tokens)


def _questions():
    from hype.asking.questions import OrderQuestion

    yield OrderQuestion(kind="ranking", item="i", images=("a", "b"), prompt="", text="?")


def test_the_probability_of_an_answer_is_that_of_its_own_tokens():
    from hype.asking.requests import Reply, logprob_of

    tokens = (('{"', -9.0), ("answer", -9.0), ('":', -9.0), (' "', -0.1), ("not", -0.2))
    tokens += (("-relevant", -0.3), ('"}', -0.5))
    reply = Reply(
        text="",
        refused=False,
        cut_short=False,
        tokens=tokens,
        prompt_tokens=None,
        completion_tokens=None,
    )
    assert math.isclose(logprob_of(("not-relevant",), "answer", reply) or 0, -0.5)
    assert logprob_of(("5",), "answer", reply) is None
