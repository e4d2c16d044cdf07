"""Last pages and refusals are accessible, as axe checks."""

from urllib.parse import urlencode

import pytest
from rated_studies import rated_study
from served import listening
from visitor import LAPTOP, PHONE, WIDE, Visitor

from hype.study.web_settings import WebTexts
from hype.web.arrivals import NOT_ACCEPTED
from hype.web.desk import FileDesk

ENGLISH = WebTexts().model_dump()
SAID = [name for name, text in ENGLISH.items() if "\n\n" in text]
"""Names of texts that are whole pages."""
LONGEST = [max(SAID, key=lambda name: len(ENGLISH[name]))]
TURK = {
    "workerId": "A2XJMS2J2FMVXK",
    "assignmentId": "3Z4AIRP3C6D2CN2QBHGP",
    "turkSubmitTo": "https://www.mturk.com",
}
OBSTACLE = """
Promise.all([import('/static/end.js'), import('/static/words.js')]).then(([end, words]) => {
  const { title, body } = words.pageOf(arguments[0]);
  return end.obstacle({ title, body, go_to: '/' }, { label: words.word('reload'), does() {} });
})"""
END = """
import('/static/end.js').then((end) => end.end({
  kind: 'end', id: '', ended: 'complete', title: 'Thank you', body: ['Debrief.'],
  code: 'C1A2B3C4', go_to: '/', button: 'Back to Prolific',
}))"""


@pytest.fixture
def visitor(browser, tmp_path, soak):
    """A visitor of a study that is open to everybody, also from Mechanical Turk."""
    web = {"platform": "mturk", "open": True}
    study = rated_study(tmp_path, files=True, web=web, study={"language": "de"})
    with listening(study) as port:
        came = Visitor(browser, port, looks=soak).come()
        came.study = study
        yield came


@pytest.fixture
def looked(visitor):
    """Return a function that checks a page in two sizes of window."""

    def look(path=""):
        if path:
            visitor.browser.driver.get(f"{visitor.address}{path}")
        for size in (PHONE, LAPTOP):
            visitor.browser.look(width_px=size[0], height_px=size[1])
            assert visitor.browser.js(WIDE) <= 0
        assert visitor.violations() == []
        return visitor.browser.js("document.querySelector('h1').textContent")

    return look


def test_what_the_server_says_by_itself_is_read_by_everybody(visitor, looked):
    words = visitor.study.settings.web.texts
    pages = {
        "nothing": words.not_here,
        "join/nobody": words.not_invited,
        f"?{urlencode(TURK | {'assignmentId': NOT_ACCEPTED})}": words.preview,
        f"?{urlencode(TURK)}": words.accepted,
    }
    for path, text in pages.items():
        assert looked(path) == text.partition("\n")[0]
    visitor.browser.command("Network.clearBrowserCookies")
    assert looked("session") == words.no_cookies.partition("\n")[0]
    FileDesk.of(visitor.study).set_doors(is_open=False)
    assert (
        looked(f"?{urlencode(TURK | {'workerId': 'A3OTHER'})}")
        == words.doors_closed.partition("\n")[0]
    )


@pytest.mark.parametrize("names", [LONGEST, pytest.param(SAID, marks=pytest.mark.long)])
def test_what_the_pages_say_by_themselves_is_read_by_everybody(names, visitor, looked):
    visitor.until_seen("page", "Willkommen")
    for name in names:
        visitor.browser.js(OBSTACLE, name)
        assert looked()
    visitor.browser.js(END)
    assert looked() == "Thank you"
