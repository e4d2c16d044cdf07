"""Admission by decision in a browser: asked again, admitted, left out, from another study."""

from pathlib import Path

import pytest
from long import long_but
from served import served
from small_studies import STUDIES, make_tested
from test_places import ENOUGH, FULL, WORDS, fill, go_to, people_in, places_of, sit, study_of

from hype.session.stage import tell_pay
from hype.web.app import watch_of
from hype.web.arrivals import Entrance, Participant
from hype.web.desk import FileDesk, open_desk
from hype.web.simulated import sit_report
from hype.web.sitting import Sitting
from hype.web.tokens import ServerKey
from hype.web.wire import PlaceReport

DECLINED = "Thank you"
BEFORE, (KINDLY, WHY_NOT) = WORDS.came_before.partition("\n\n")[0], WORDS.left_out.split("\n\n")


@pytest.fixture(autouse=True)
def _quick_people(monkeypatch):
    """Accept answers at once, without a shortest time."""
    monkeypatch.setattr(Sitting, "_least_s", lambda *_: 0.0)


def leave_out(study, **reasons):
    lines = "".join(f'{code} = "{why}"\n' for code, why in reasons.items())
    text = study.path.read_text(encoding="utf-8").split("\n[study.left_out]")[0]
    study.path.write_text(f"{text}\n[study.left_out]\n{lines}", encoding="utf-8")


def decline(tab):
    """Refuse consent, and return the next step."""
    go_to(tab, "consent")
    assert tab.answer(answer="no")[0] == 200
    return tab.step


@pytest.mark.parametrize(("base", "told"), [(1.5, "GBP\xa01,50 GBP\xa00,00"), (0.0, "")])
def test_pay_is_named_before_people_consent(base, told, tmp_path):
    pay = {"currency": "GBP", "base": base, "per_answer": 0.0}
    words = {"consent_pay": "{currency}{base} {currency}{per_answer} {hourly}"}
    study = study_of(tmp_path, "rating", pay=pay, study={"language": "de"}, texts=words)
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        sit(tab)
        go_to(tab, "consent")

    *_, paid, question = tab.step["body"]
    assert question == "Stimmen Sie der Teilnahme zu?"
    assert paid.startswith(told)
    assert ("," in paid.split()[-1]) == bool(told)


@pytest.mark.parametrize("paid", [False, True])
def test_the_consent_says_if_wrong_answers_cost_the_base(paid, tmp_path):
    """The heading of the consent stays its first paragraph."""
    check = {"question": "?", "options": ["this", "that"], "right": "that", "paid": paid}
    settings = study_of(tmp_path, "rating", comprehension=check).settings
    texts = {
        "consent": "Do you agree?",
        "consent_pay": "$1.",
        "comprehension_unpaid": "Or nothing.",
    }
    said = tell_pay(texts, settings)["consent"].split("\n\n")
    assert said == ["Do you agree?", "$1.", *([] if paid else ["Or nothing."])]


def turned_away(study):
    """Return the number of people turned away on the page to watch a study."""
    (side,) = watch_of(lambda: study, lambda: open_desk(study)).state()["sides"]
    return dict(side["facts"])["Turned away"]


@pytest.mark.parametrize("protocol", long_but(["comparison"], STUDIES))
def test_who_waits_after_the_test_goes_on_by_the_same_link(tmp_path, protocol, hype):
    study = make_tested(tmp_path, protocol, decide="ask")
    with served(study) as open_tab:
        for code in ("p1", "p2"):
            tab = open_tab(code, simulated=False)
            assert sit(tab) is None
            tab.go_to("end")
            assert (tab.step["ended"], tab.step["title"]) == ("waiting", "Thank you")
            assert sit(tab) == tab.step["title"]
        assert turned_away(study) == "0", "they are waiting"
        hype("status", study.folder, "--refuse", "p2")
        assert turned_away(study) == "1"
        assert sit(tab) == BEFORE
        admit = PlaceReport(what="admit", evaluator="p1")
        watch_of(lambda: study, lambda: open_desk(study)).change_place(admit)
        tab = open_tab("p1", simulated=False)
        assert sit(tab) is None
        assert tab.go_to("end")["ended"] == "complete"
    assert hype("verify", study.folder).code == 0


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_says_no_is_asked_once_more(tmp_path, protocol, hype):
    study = study_of(tmp_path, protocol)
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        assert sit(tab) is None
        go_to(tab, "consent")
        buttons = tab.step["buttons"]
        asked = decline(tab)
        assert (asked["page"], asked["title"]) == ("consent_again", "You chose not to take part")
        assert asked["buttons"] == buttons
        assert tab.answer(answer="yes")[0] == 200
        assert tab.step.get("page") not in ("consent", "consent_again", "declined")
        tab.go_to("end")
        assert tab.step["ended"] == "complete"
        wrong = open_tab("p2", simulated=False)
        sit(wrong)
        decline(wrong)
        assert wrong.answer(answer="")[0] == 400
        assert wrong.answer(answer="no")[1]["step"]["ended"] == "declined"
        assert sit(wrong) == DECLINED
        hype("status", study.folder, "--again", "p2")
        assert sit(wrong) is None
        assert wrong.step["page"] == "welcome"
        assert wrong.go_to("end")["ended"] == "complete"
    assert hype("verify", study.folder).code == 0


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_is_left_out_is_told_kindly_and_the_place_goes_to_the_next(tmp_path, protocol):
    study = study_of(tmp_path, protocol)
    with served(study) as open_tab:
        done, begun, late = (open_tab(code, simulated=False) for code in ("p1", "p2", "p3"))
        for tab in (done, begun):
            assert sit(tab) is None
            tab.go_to("scene")
        done.go_to("end")
        assert fill(open_tab, study) == FULL
        leave_out(study, p1="wore no glasses", p2="is a friend", p3="is another")
        assert [sit(tab) for tab in (done, begun, late)] == [BEFORE, KINDLY, KINDLY]
        assert late.ask("/api/sit", sit_report())[1]["refused"]["body"] == [WHY_NOT]
        for code in ("p4", "p5"):
            tab = open_tab(code, simulated=False)
            assert sit(tab) is None
            tab.go_to("end")
        assert sit(open_tab("p6", simulated=False)) == ENOUGH
        leave_out(study)
        assert sit(begun) is None  # p2 may return, although others came
    found = people_in(study)
    place = {code: (row["condition"], row["share"]) for code, row in found.items()}
    assert {place["p4"], place["p5"]} == {place["p1"], place["p2"]}
    assert found["p1"]["status"] == "complete"
    assert sum(row["status"] == "complete" for row in found.values()) == places_of(study) + 1


def test_a_test_in_another_study_is_known_by_the_link_and_others_are_sent_back(tmp_path):
    web = {"platform": "prolific", "screen_out": "OUT"}
    rule = {"valid_from": ["../first"]}
    first = STUDIES["rating"](tmp_path / "experiments" / "first", web=web)
    second = STUDIES["rating"](tmp_path / "experiments" / "second", web=web, screening=rule)
    entrances = [Entrance(s, ServerKey(b"k" * 32), FileDesk.of(s)) for s in (first, second)]
    Path(entrances[0].desk.where).parent.mkdir(parents=True)
    link = [("PROLIFIC_PID", "a1b2" * 6)]
    who = entrances[0].come(link)
    assert isinstance(who, Participant)
    assert entrances[1].come(link) == who
    with served(first) as open_tab:
        assert sit(open_tab(who.evaluator, simulated=False)) is None
    with served(second) as open_tab:
        assert sit(open_tab(who.evaluator, simulated=False)) == KINDLY
        refused = open_tab(who.evaluator, simulated=False).ask("/api/sit", sit_report())[1]
    assert refused["refused"]["body"] == [WORDS.not_qualified.split("\n\n")[1].strip()]


@pytest.mark.parametrize("platform", [None, "prolific"])
def test_who_took_part_in_another_study_that_was_served_is_known_by_their_link(tmp_path, platform):
    web = {"platform": platform} if platform else {"codes": "codes.txt"}
    first, second = (tmp_path / "experiments" / name for name in ("first", "second"))
    studies = [
        STUDIES["rating"](first, web=web),
        STUDIES["rating"](second, web=web, study={"not_from": ["../first"]}),
    ]
    link = ([("PROLIFIC_PID", "a1b2" * 6)], None) if platform else ((), "ABCD1234")
    for study in studies:
        (study.folder / "codes.txt").write_text("ABCD1234\n", encoding="utf-8")
    entrances = [Entrance(s, ServerKey(b"k" * 32), FileDesk.of(s)) for s in studies]
    Path(entrances[0].desk.where).parent.mkdir(parents=True)
    who = entrances[0].come(*link)
    assert isinstance(who, Participant)
    with served(studies[0]) as open_tab, served(studies[1]) as open_other:
        tab, other = (
            open_one(who.evaluator, simulated=False) for open_one in (open_tab, open_other)
        )
        assert sit(tab) is None
        assert entrances[1].come(*link) == who
        assert sit(other) is None  # opening the first page is not taking part
        go_to(tab, "consent")
        tab.answer(answer="yes")
        assert sit(other) == BEFORE
        stranger = open_other("stranger", simulated=False)
        assert sit(stranger) is None
    assert "stranger" in people_in(studies[1])
