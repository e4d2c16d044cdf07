"""Limits of requests: enough for any session, but not enough to overload the server."""

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import HOST, served
from small_studies import STUDIES

from hype.web.connections import MOST_NAMES, Rate
from hype.web.simulated import Client


def asked(rate, times_s, name="p01"):
    return [rate.wait_s(name, now_s) == 0 for now_s in times_s]


def test_a_burst_may_come_at_once_and_then_one_after_the_other():
    rate = Rate(burst=3, per_s=2)

    assert asked(rate, [0, 0, 0, 0]) == [True, True, True, False]
    assert rate.wait_s("p01", 0.1) == pytest.approx(0.4)
    assert asked(rate, [0.5, 0.5, 1.0]) == [True, False, True]
    assert asked(rate, [100, 100, 100, 100]) == [True, True, True, False]


def test_nobody_waits_for_what_somebody_else_asked():
    rate = Rate(burst=1, per_s=1)

    assert asked(rate, [0, 0]) == [True, False]
    assert asked(rate, [0], name="p02") == [True]


@given(st.lists(st.floats(0, 0.3), max_size=60), st.integers(1, 5), st.floats(0.5, 20))
def test_never_more_than_a_burst_and_what_has_come_due(gaps_s, burst, per_s):
    rate, now_s, times_s = Rate(burst=burst, per_s=per_s), 0.0, []
    for gap_s in gaps_s:
        now_s += gap_s
        if rate.wait_s("p01", now_s) == 0:
            times_s.append(now_s)
    for first, begin_s in enumerate(times_s):
        for number, end_s in enumerate(times_s[first:], 1):
            assert number <= burst + per_s * (end_s - begin_s) + 1e-6


def test_whoever_has_not_asked_for_long_is_forgotten():
    rate = Rate(burst=1, per_s=1)
    for number in range(MOST_NAMES):
        rate.wait_s(str(number), 0.0)

    assert asked(rate, [9.0], name="another") == [True]
    assert len(rate._due_s) == 1


@pytest.fixture
def tab(tmp_path):
    with served(STUDIES["comparison"](tmp_path)) as opened:
        yield opened


def test_who_asks_without_end_is_told_to_wait_and_nobody_else(tab):
    greedy, other = tab("p01", simulated=False), tab("p02", simulated=False)
    greedy.sit()
    replies = [greedy.client._ask("POST", "/api/step", "") for _ in range(400)]

    assert {status for status, _, _ in replies} == {400, 429}
    late = [reply for reply in replies if reply[0] == 429]
    assert all(int(head["retry-after"]) >= 1 and b'"busy"' in body for _, head, body in late)
    assert other.sit()[0] == 200


def test_simulated_evaluators_are_the_servers_own(tab):
    own = tab("sim-1")
    assert {own.client._ask("POST", "/api/step", "")[0] for _ in range(400)} == {400}


def test_a_stranger_reads_in_words_that_it_is_too_much(tab):
    port = tab().client._connection.port
    with closing(Client(HOST, port)) as stranger:
        statuses = {stranger.get("/nothing")[0] for _ in range(1_200)}
        assert statuses == {404, 429}
        # On a busy machine one of many refused requests may sometimes be accepted.
        for _ in range(1_200):
            stranger._connection.request("GET", "/session", headers={"Accept": "text/html"})
            answer = stranger._connection.getresponse()
            page = answer.read()
            if answer.status == 429:
                break
        assert (answer.status, answer.headers["content-type"]) == (429, "text/html; charset=utf-8")
        assert b"<h1" in page
