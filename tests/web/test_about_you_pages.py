"""Questions about the evaluator on real pages: a choice, a number, and free text."""

import pytest
from asking_people import ABOUT_PEOPLE
from long import long_but
from running import run_here
from selenium.webdriver.common.keys import Keys
from served import listening, rows_of, served
from small_studies import SMALLER, STUDIES
from sqlalchemy import select
from visitor import LAPTOP, PHONE, Visitor

from hype.protocols.comparison.record import comparisons
from hype.store.schema import demographics
from hype.store.sqlite_record import reading_record
from hype.study.web_settings import WebTexts
from hype.web.simulated import sit_report

NO_PLACE_NOW, ENOUGH = (
    text.split("\n\n")[1] for text in (WebTexts().full, WebTexts().enough_people)
)
ASKED = "document.querySelector('.asked')?.textContent"


def told_in(study):
    columns = demographics.c.question, demographics.c.answer
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return dict(connection.execute(select(*columns)).all())


def asking(protocol, folder):
    return STUDIES[protocol](folder, **SMALLER[protocol] | {"demographics": ABOUT_PEOPLE})


def test_what_people_type_is_in_the_record(browser, tmp_path):
    study = asking("rating", tmp_path)
    with listening(study) as port:
        visitor = Visitor(browser, port, PHONE, looks=False).come()

        def asked(about):
            visitor.until(lambda: browser.js(ASKED) == about)
            found = visitor.now()
            visitor.look_closely(found)
            return found

        visitor.go_to("page", "A question about you")
        send, withhold = asked("How old are you?")["buttons"]
        field = browser.find("#entry")
        send.click()
        field.send_keys("17", Keys.ENTER)
        assert browser.js("document.querySelector('#entry').validity.rangeUnderflow")
        assert withhold.text == "I prefer not to say"
        field.clear()
        field.send_keys("34", Keys.ENTER)
        asked("Do you wear glasses?")["buttons"][1].click()
        send, _ = asked("What do you do for a living?")["buttons"]
        browser.find("#entry").send_keys("  painter, retired ")
        send.click()
        visitor.until(lambda: browser.js("document.querySelector('#entry')") is None)
        visitor.answer_one()
    assert told_in(study) == {"age": "34", "eyes": "no", "work": "painter, retired"}


def test_who_is_of_a_full_group_is_thanked_and_not_let_in_again(tmp_path):
    asked = {"study": {"quotas": {"eyes": {"yes": 1, "no": 1}}}, "demographics": ABOUT_PEOPLE}
    texts = {"declined": "Well then\n\nWithout {left_key}."}
    study = STUDIES["comparison"](tmp_path, **asked, texts=texts)
    with served(study) as tab:
        first, second, third, other = (tab(f"sim-{n}") for n in range(1, 5))
        (unwilling := tab("sim-5")).sit()
        unwilling.answer()
        assert unwilling.answer(answer="no")[1]["step"]["page"] == "consent_again"
        assert unwilling.answer(answer="no")[1]["step"]["ended"] == "declined"
        declined = unwilling.ask("/api/sit", sit_report())
        for came in (first, second, third):
            came.sit()
            came.go_to("question")
            assert [one["label"] for one in came.step["buttons"]][:2] == ["yes", "no"]
        assert first.answer(answer="yes")[1]["step"]["kind"] == "question"
        assert first.answer(answer="30")[1]["step"]["kind"] == "question"
        _, full = second.answer(answer="yes")
        again = second.ask("/api/sit", sit_report())
        assert third.answer(answer="no")[1]["step"]["kind"] == "question"
        assert other.ask("/api/sit", sit_report())[1]["refused"]["body"] == [NO_PLACE_NOW]
        for came in (first, third):
            came.go_to("end")
        assert other.ask("/api/sit", sit_report())[1]["refused"]["body"] == [ENOUGH]
    assert full["step"]["ended"] == "full"
    assert full["step"]["title"] == "Thank you for your interest"
    assert full["step"]["close"] == "You can close this page now."
    assert again[1]["refused"]["title"] == "Thank you for your interest"
    assert declined[1]["refused"]["title"] == "Well then"


UNDERSTOOD = {
    "comprehension": {"question": "What is it?", "options": ["this", "that"], "right": "that"}
}


@pytest.mark.parametrize("paid", [False, True])
@pytest.mark.parametrize("protocol", long_but(["hype", "rating"], STUDIES))
def test_a_second_wrong_answer_about_the_instructions_ends_all(protocol, paid, tmp_path):
    asked = {"comprehension": UNDERSTOOD["comprehension"] | {"paid": paid}}
    asked |= {"web": {"screen_out": "OUT"}, "demographics": None}
    study = STUDIES[protocol](tmp_path, **SMALLER[protocol] | asked)
    with served(study) as tab:
        wrong, right = tab("p01", simulated=False), tab("p02", simulated=False)
        for came in (wrong, right):
            came.sit()
            came.go_to("question")
            assert came.answer(answer="this")[0] == 400
            again = came.answer(answer="1")[1]["step"]
            assert (again["page"], again["title"]) == ("comprehension_again", "Not quite")
        wrong.sit()  # after a reload the first answer still counts
        wrong.go_to("question")
        ended = wrong.answer(answer="1")[1]["step"]
        refused = wrong.ask("/api/sit", sit_report())[1]
        right.go_to("question")
        assert right.answer(answer="2")[1]["step"]["page"] in ("practice", "qualification", "block")
    assert ended["ended"] == "misunderstood"
    assert ended["body"][-1] == (
        "You receive $1.00." if paid else "Nothing is paid for this session."
    )
    assert refused["refused"]["title"] == "You have already taken part"
    assert ended["code"] == refused["refused"]["code"] == "OUT"  # the code is shown again
    told = run_here("status", study.folder, "--json").json
    assert (told["whole"]["misunderstood"], told["base_due"]) == (1, float(paid))
    assert "Two wrong answers about the instructions: 1" in run_here("status", study.folder).out
    assert run_here("verify", study.folder).code == 0


def test_the_server_takes_no_answer_that_the_study_does_not(tmp_path):
    study = asking("comparison", tmp_path)
    with served(study) as tab:
        came = tab()
        came.sit()
        came.go_to("question")
        for wrong in ("17", "34.5", "thirty", "1e2", "\u0661\u0668\u0669"):
            assert came.answer(answer=wrong)[0] == 400
        came.answer(answer="\u0663\u0664")  # Arabic digits
        came.answer(answer="")
        for wrong in ("x" * 31, "a\u202eb"):
            assert came.answer(answer=wrong)[0] == 400
        came.answer(answer="clerk")
        came.answer()

    assert told_in(study) == {"age": "34", "eyes": "", "work": "clerk"}


STANDING = """[...document.querySelectorAll('section:not(.unseen) canvas')].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x, y, width, height];
})"""


@pytest.mark.parametrize("limit_ms", long_but([None], [None, 5000.0]))
def test_how_sure_people_are_and_why_is_kept_with_their_answer(browser, tmp_path, limit_ms):
    """During these questions, images with a time limit disappear, and others keep their places."""
    asked = {"comparison": {"min_ms": 0, "limit_ms": limit_ms, "both_bad": True, "practice": 0}}
    asked |= {"follow_up": {"confidence": 4, "why": 1.0}, "display": {"enlarge": True}}
    asked |= {"validation": {"kind": "off"}}
    study = STUDIES["comparison"](tmp_path, **asked)
    with listening(study) as port:
        visitor = Visitor(browser, port, PHONE if limit_ms else LAPTOP, looks=False).come()
        visitor.go_to("trial")
        standing = [] if limit_ms else browser.js(STANDING)
        visitor.answer_one()
        view = visitor.until_seen(*(("page", "Your") if limit_ms else ("trial", "How sure")))
        visitor.look_closely(view)
        assert view["labels"] == ["1a guess", "2rather unsure", "3rather sure", "4certain"]
        assert browser.js(STANDING) == standing
        view["buttons"][0].click()
        visitor.until(lambda: browser.js("document.querySelector('#entry') !== null"))
        assert browser.js(STANDING) == standing
        field = browser.find("#entry")
        visitor.now()["buttons"][0].click()
        assert browser.js("document.activeElement.id") == "entry", "empty texts are not sent"
        field.send_keys("the hands and " * 20)
        assert browser.js("arguments[0].scrollWidth <= arguments[0].clientWidth", field), "too long"
        visitor.look_closely(visitor.now())
        field.clear()
        field.send_keys("=1+1 the hands", Keys.ENTER)
        visitor.answer_one()
    last = [row for row in rows_of(study, comparisons) if row["why"]][-1]
    assert (last["why"], last["confidence"]) == ("=1+1 the hands", 1)


@pytest.mark.long
@pytest.mark.parametrize("limit_ms", [None, 5000.0])
def test_confidence_is_marked_on_a_slider(browser, tmp_path, limit_ms):
    asked = {"comparison": {"min_ms": 0, "limit_ms": limit_ms, "practice": 0}}
    study = STUDIES["comparison"](tmp_path, **asked, follow_up={"confidence": "slider"})
    with listening(study) as port:
        visitor = Visitor(browser, port, PHONE, looks=False).come()
        visitor.go_to("trial")
        visitor.answer_one()
        view = visitor.until_seen(*(("page", "Your") if limit_ms else ("trial", "How sure")))
        visitor.look_closely(view)
        assert view["buttons"] == [], "nothing is sent before the scale is marked"
        browser.find("input[type=range]").send_keys(Keys.ARROW_RIGHT)
        visitor.answer_one()
        visitor.until(lambda: [row["confidence"] for row in rows_of(study, comparisons)] == [51])


SMALL_TARGETS = """(() => {
  const targets = '.choice:not([inert] *), .clickable, .order > b, .pause';
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const boxes = [...document.querySelectorAll(targets)].filter(seen).map((one) => {
    const inner = one.matches('.choice') && one.querySelector('.label, kbd:only-child');
    return (inner || one).getBoundingClientRect();
  });
  const small = boxes.filter(({ width, height }) => Math.min(width, height) < 44);
  const close = boxes.flatMap((one, place) => boxes.slice(place + 1).filter((other) => {
    const across = Math.max(other.left - one.right, one.left - other.right);
    const up = Math.max(other.top - one.bottom, one.top - other.bottom);
    return across < 15.9 && up < 15.9;
  }).map((other) => [one, other]));
  return [boxes.length, small, close];
})()"""


@pytest.mark.parametrize(
    ("protocol", "asked"),
    [
        ("comparison", {"comparison": {"both_bad": True, "practice": 0, "mouse": False}}),
        ("ranking", {"ranking": {"mouse": False}}),
        ("rating", {}),
    ],
)
@pytest.mark.long
def test_targets_on_a_phone_are_large_and_apart_beside_small_images(
    browser, tmp_path, protocol, asked
):
    """Even for images of 16 px the targets are at least 44 px large, 16 px apart."""
    study = STUDIES[protocol](tmp_path, **asked)
    with listening(study) as port:
        visitor = Visitor(browser, port, (360, 640), looks=False).come()
        visitor.go_to("trial")
        for _ in range(3):
            visitor.until_seen("trial")
            number, small, close = browser.js(SMALL_TARGETS)
            assert number > 2
            assert (small, close) == ([], [])
            visitor.answer_one()
