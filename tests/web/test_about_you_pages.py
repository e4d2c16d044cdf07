"""Questions about the evaluator at real pages: chosen, a number, and words of one's own."""

import pytest
from asking_people import ABOUT_PEOPLE
from selenium.webdriver.common.keys import Keys
from served import listening, served
from small_studies import SMALLER, STUDIES
from sqlalchemy import select
from visitor import LAPTOP, PHONE, Visitor

from hype.store.record import reading_record
from hype.store.schema import demographics

ASKED = "document.querySelector('.asked')?.textContent"


def told_in(study):
    columns = demographics.c.question, demographics.c.answer
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return dict(connection.execute(select(*columns)).all())


def asking(protocol, folder):
    return STUDIES[protocol](folder, **SMALLER[protocol] | {"demographics": ABOUT_PEOPLE})


@pytest.mark.parametrize(("protocol", "size"), [("hype", LAPTOP), ("rating", PHONE)])
def test_what_people_type_is_in_the_record(protocol, size, browser, tmp_path):
    study = asking(protocol, tmp_path)
    with listening(study) as port:
        visitor = Visitor(browser, port, size).come()

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
