"""Links of newcomers, and their address at the end: from settings, addresses and codes."""

import string
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.study.web_settings import WebSettings
from hype.web.arrivals import (
    NOT_ACCEPTED,
    NOWHERE,
    Arrival,
    Departure,
    Query,
    TurnedAway,
    arrival,
    departure,
    hand_in_link,
    turk_address,
)

PID = "5f3a1b2c3d4e5f6a7b8c9d0e"
STUDY = [("STUDY_ID", "6" * 24), ("SESSION_ID", "7" * 24)]
SONA = "https://a.sona-systems.com/webstudy_credit.aspx?experiment_id=7&survey_code=XXXX"
TURK = {
    "assignmentId": "3Z4AIRP3C6D2CN2QBHGP3M3LPWRX1H",
    "hitId": "3XM0HYN6NKZHOAC5O3FJ8GKMBN9PEA",
    "workerId": "A2XJMS2J2FMVXK",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}


def web(**given: Any) -> WebSettings:
    return WebSettings.model_validate(given)


def turk(**changes: str | None) -> Query:
    return [(name, value) for name, value in (TURK | changes).items() if value is not None]


def why_not(*given: Any, **more: Any) -> str:
    with pytest.raises(TurnedAway) as away:
        arrival(*given, **more)
    return away.value.text


def test_whoever_has_an_open_link_comes_as_nobody_in_particular():
    assert arrival(web(), []) == Arrival()
    assert arrival(web(), [("PROLIFIC_PID", PID), ("workerId", "A1")]) == Arrival()


def test_who_is_invited_comes_by_their_code_alone():
    settings = web(codes=2)

    assert arrival(settings, [], invited=("abcd",), code="abcd") == Arrival(
        person="invitation:abcd"
    )
    assert why_not(settings, [], invited=("abcd",)) == "not_invited"
    for code in ("", "abce", "ABCD", "abcd ", "abcd\n", "%61bcd", "../abcd"):
        assert why_not(settings, [], invited=("abcd",), code=code) == "not_invited"


def test_people_come_from_prolific():
    settings = web(platform="prolific", completion="DONE", screen_out="OUT", no_consent="NO")
    came = arrival(settings, [("PROLIFIC_PID", PID), *STUDY])

    assert came == Arrival(person=f"prolific:{PID}")
    complete = "https://app.prolific.com/submissions/complete?cc="
    for ended, code in (("complete", "DONE"), ("unqualified", "OUT"), ("declined", "NO")):
        assert departure(settings, came, ended) == Departure(
            url=complete + code, code=code, platform="Prolific"
        )
    assert departure(settings, came, "full") == departure(settings, came, "unqualified")
    of_its_own = web(platform="prolific", screen_out="OUT", quota_full="FULL")
    assert departure(of_its_own, came, "full").code == "FULL"
    assert departure(settings, came, "quit") == NOWHERE


def test_an_address_of_prolific_is_taken_as_it_is():
    address = "https://app.prolific.com/submissions/complete?cc=C1A2"
    found = departure(
        web(platform="prolific", completion=address),
        Arrival(person=f"prolific:{PID}"),
        "complete",
    )

    assert (found.url, found.code) == (address, "C1A2")


def test_who_comes_otherwise_is_not_sent_to_the_platform():
    settings = web(platform="prolific", completion="DONE", open=True)

    assert departure(settings, Arrival(), "complete") == NOWHERE
    assert departure(settings, Arrival(person="invitation:abcd"), "complete") == NOWHERE
    assert departure(settings, Arrival(person="sona:12"), "complete") == NOWHERE


@pytest.mark.parametrize(
    "query",
    [
        [],
        [("PROLIFIC_PID", "")],
        [("PROLIFIC_PID", "{{%PROLIFIC_PID%}}")],
        [("PROLIFIC_PID", PID), ("PROLIFIC_PID", "6" * 24)],
        [("PROLIFIC_PID", PID), ("PROLIFIC_PID", PID)],
        [("PROLIFIC_PID", PID + "\n")],
        [("PROLIFIC_PID", PID[:-1] + "\u0660")],
        [("PROLIFIC_PID", "=1+1;" + PID[5:])],
        [("prolific_pid", PID)],
        [("PROLIFIC_PID", "a" * 100_000)],
    ],
)
def test_no_other_name_is_one_of_prolific(query):
    assert why_not(web(platform="prolific"), query) == "not_invited"
    assert arrival(web(platform="prolific", open=True), query) == Arrival()


def test_people_come_from_mechanical_turk_and_their_assignment_is_submitted():
    settings = web(platform="mturk")
    came = arrival(settings, turk())

    assert isinstance(came, Arrival)
    assert came.person == f"mturk:{TURK['workerId']}"
    assert departure(settings, came, "complete") == Departure(platform="Mechanical Turk")
    assert hand_in_link(came, "complete") == (
        "https://workersandbox.mturk.com/mturk/externalSubmit",
        {"assignmentId": TURK["assignmentId"], "ended": "complete"},
    )
    for ended in ("declined", "active", "quit"):
        assert departure(settings, came, ended) == NOWHERE
        assert hand_in_link(came, ended) is None


def test_nobody_takes_part_in_a_preview():
    for more in ({}, {"workerId": None}, {"turkSubmitTo": "https://evil.org"}):
        query = turk(**{"assignmentId": NOT_ACCEPTED, **more})
        assert why_not(web(platform="mturk", open=True), query) == "preview"


@pytest.mark.parametrize(
    "address",
    [
        "http://www.mturk.com",
        "https://mturk.com.evil.org",
        "https://evil-mturk.com",
        "https://evil.org/.mturk.com",
        "https://www.mturk.com@evil.org",
        "https://www.mturk.com:443",
        "https://www.mturk.com/mturk/externalSubmit",
        "javascript:alert(1)//.mturk.com",
        "https://www.mturk.com\r\nSet-Cookie: a=b",
        "https://www.mturk.com ",
        "https://\u24e2.mturk.com",
        "https://" + "a." * 5000 + "mturk.com",
        "",
        None,
    ],
)
def test_nobody_is_sent_anywhere_but_to_mechanical_turk(address):
    assert turk_address(address) == ""
    assert why_not(web(platform="mturk"), turk(turkSubmitTo=address)) == "not_invited"


@pytest.mark.parametrize("name", ["workerId", "assignmentId", "turkSubmitTo"])
@pytest.mark.parametrize("value", [None, "", "a b c d e", "x" * 41, "<script>", "A1\x00B2C"])
def test_who_lacks_what_the_end_needs_cannot_begin(name, value):
    assert why_not(web(platform="mturk"), turk(**{name: value})) == "not_invited"


def test_people_come_from_sona_and_bring_back_their_code():
    settings = web(platform="sona", completion=SONA, no_consent="https://a.sona-systems.com/")
    came = arrival(settings, [("survey_code", "4711")])

    assert came == Arrival(person="sona:4711")
    assert departure(settings, came, "complete").url == SONA.replace("XXXX", "4711")
    assert departure(settings, came, "declined").url == "https://a.sona-systems.com/"
    assert departure(settings, came, "unqualified") == NOWHERE
    assert why_not(settings, [("survey_code", "%SURVEY_CODE%")]) == "not_invited"
    assert why_not(settings, [("survey_code", "1&credit_token=2")]) == "not_invited"


def test_without_a_platform_somebody_gets_a_code_or_goes_on():
    assert departure(web(completion="DONE"), Arrival(), "complete") == Departure(code="DONE")
    away = departure(web(completion="https://lab.org/done"), Arrival(), "complete")
    assert away == Departure(url="https://lab.org/done")
    assert departure(web(), Arrival(), "complete") == NOWHERE


LETTERS = st.text(st.characters(), max_size=60)
NAMES = st.sampled_from(["PROLIFIC_PID", "workerId", "assignmentId", "turkSubmitTo", "survey_code"])


@given(
    platform=st.sampled_from(["prolific", "mturk", "sona"]),
    query=st.lists(st.tuples(NAMES | LETTERS, LETTERS | st.sampled_from([*TURK.values(), PID]))),
)
def test_whatever_comes_nothing_but_plain_names_is_kept(platform, query):
    plain = set(string.ascii_letters + string.digits + "-:")
    with suppress(TurnedAway):
        came = arrival(web(platform=platform), query)
        assert set(came.person) <= plain
        assert set(came.facts.get("assignment", "")) <= plain
        assert came.facts.get("submit_to", TURK["turkSubmitTo"]) == TURK["turkSubmitTo"]
