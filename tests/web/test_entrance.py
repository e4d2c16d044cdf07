"""A person with a link is recognised later, and only the file of people contains their name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bare_studies import load

from hype.errors import InputError
from hype.web.arrivals import Entrance, Participant, Query, TurnedAway, write_links
from hype.web.desk import FileDesk
from hype.web.tokens import ServerKey

WORKER = "A2XJMS2J2FMVXK"
Opened = Callable[..., Entrance]


def turk(assignment: str, worker: str = WORKER) -> Query:
    return [
        ("workerId", worker),
        ("assignmentId", assignment),
        ("turkSubmitTo", "https://www.mturk.com"),
    ]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """Return a function that opens a study's entrance; its file of people is in another folder."""
    for name in ("study", "keys"):
        (tmp_path / name).mkdir()

    def one(secret: bytes = b"k" * 32, **web: Any) -> Entrance:
        study = load("comparison", tmp_path / "study", web=web)
        desk = FileDesk(tmp_path / "keys" / "study", tmp_path / "keys" / "study.csv")
        return Entrance(study, ServerKey(secret), desk)

    return one


def came(entrance: Entrance, query: Query = (), code: str | None = None) -> Participant:
    who = entrance.come(query, code)
    assert isinstance(who, Participant)
    return who


def test_who_came_before_is_known_and_paid_by_their_last_assignment(opened):
    entrance = opened(platform="mturk")
    who = came(entrance, turk("FIRST1"))

    assert WORKER.casefold() not in who.evaluator.casefold()
    assert came(entrance, turk("FIRST1")) == who
    assert came(entrance, turk("SECOND")) == who
    assert came(entrance, turk("OTHER1", "A9OTHERWORKER")) != who
    form = entrance.hand_in(who, "complete")
    assert form is not None
    assert form.url == "https://www.mturk.com/mturk/externalSubmit"
    assert form.fields["assignmentId"] == "SECOND"


def test_whoever_has_an_open_link_is_new_each_time_and_in_no_file(opened):
    entrance = opened(completion="DONE")
    who = came(entrance)

    assert came(entrance) != who
    assert not Path(entrance.desk.where).exists()
    assert entrance.farewell(who, {"ended": "complete"})["code"] == "DONE"


def test_invitations_that_are_asked_for_are_made_by_the_servers_key_alone(opened):
    entrance = opened(codes=40)

    assert len(entrance.invited) == 40
    assert entrance.invited == opened(codes=40).invited
    assert not entrance.invited & opened(b"x" * 32, codes=40).invited
    assert opened(codes=10).invited < entrance.invited
    code = min(entrance.invited)
    assert came(entrance, code=code) == came(entrance, code=code)
    with pytest.raises(TurnedAway, match="not_invited"):
        entrance.come((), code.swapcase())


def test_invitations_are_given_out_as_links(tmp_path):
    table = tmp_path / "links.csv"
    write_links(table, ("abcd", "efgh"), "https://study.example.org/")

    assert table.read_text().splitlines() == [
        "code,link",
        "abcd,https://study.example.org/join/abcd",
        "efgh,https://study.example.org/join/efgh",
    ]
    with pytest.raises(InputError, match="--invitations: the study invites nobody"):
        write_links(table, (), "https://study.example.org/")


def test_invitations_may_be_the_labs_own(opened):
    entrance = opened(codes="codes.txt")
    file = entrance.study.folder / "codes.txt"
    file.write_text("anna-2026\n\n  bert-2026\n")

    assert entrance.invited == {"anna-2026", "bert-2026"}
    file.write_text("anna-2026\nanna-2026\n")
    with pytest.raises(InputError, match=r"codes.txt line 2: repeats the code of line 1"):
        assert opened(codes="codes.txt").invited
