"""Settings and the preview of a study in Chromium and in Firefox."""

import re

import pytest
import tomllib
from browser import looked_at, until
from builders import whole_study
from selenium.webdriver.common.keys import Keys
from served import HOST, answering
from small_studies import STUDIES
from test_local_page_in_a_browser import all_of, write

from hype.local_page.app import LocalPage
from hype.store.record import RECORD_FILE

FRAME = "document.querySelector('#frame').contentDocument"
SAID = f"{FRAME}?.querySelector('#stage')?.innerText ?? ''"
CHOICES = f"[...({FRAME}?.querySelectorAll('#stage button.choice') ?? [])]"
SHORT = {
    "hype": {
        "study": {"methods": ["time"]},
        "qualification": {"enabled": False},
        "practice": {"trials": 0},
        "time": {"blocks": 1, "trials": 2, "countdown_ms": 60},
    }
}
KINDS = f"{FRAME}?.querySelector('#stage > section')?.className ?? ''"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of the local page, which contains the studies."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "local_page").mkdir()
    return tmp_path / "local_page"


@pytest.fixture
def way_in(folder):
    local_page = LocalPage(folder, 1)
    with answering(local_page.app()) as port:
        yield f"http://{HOST}:{port}{local_page.draw_link()}"


@pytest.fixture
def go_to(browser, way_in):
    """Open a page of the study."""
    browser.visit(way_in, (1366, 900))
    until(lambda: all_of(browser, "#name"))

    def go(step):
        browser.driver.get(way_in.partition("/enter/")[0] + f"/{step}?at=mine")
        return browser

    yield go
    browser.driver.get("about:blank")


def replace(page, selector, text):
    """Replace the content of a field."""
    field = page.find(selector)
    field.send_keys(Keys.CONTROL + "a", Keys.DELETE)
    field.send_keys(text)


def setting(study, table, name):
    return tomllib.loads(study.path.read_text(encoding="utf-8")).get(table, {}).get(name)


def test_settings_are_changed_and_undone(go_to, folder, soak):
    study = whole_study(folder / "mine")
    was = study.path.read_text(encoding="utf-8")
    page = go_to("settings")
    until(lambda: all_of(page, "#groups details"))
    wanted = '[name="pay.base"]'
    page.unfold()
    assert page.find(wanted).get_attribute("value") == "1"  # the field shows the default
    replace(page, wanted, "2.5")
    page.find("#undo").click()
    assert page.find(wanted).get_attribute("value") == "1"
    assert not page.find("#bar").is_displayed()
    replace(page, wanted, "2.5\n")
    until(lambda: page.find("#news").text.startswith("Saved."))
    assert setting(study, "pay", "base") == 2.5
    page.find("#news button").click()
    until(lambda: page.find("#news").text.startswith("Undone."))
    assert tomllib.loads(study.path.read_text(encoding="utf-8")) == tomllib.loads(was)

    page.unfold()
    if soak:
        looked_at(page)
        looked_at(page, width_px=1366, scheme="dark")
    assert page.messages() == []


def test_what_is_wrong_stands_above_with_links_to_its_fields(go_to, folder, soak):
    study = whole_study(folder / "mine")
    page = go_to("settings")
    until(lambda: all_of(page, "#groups details"))
    replace(page, '[name="study.evaluators"]', "many")
    page.unfold()
    replace(page, '[name="display.window_px"] [aria-label="Height"]', "high")
    replace(page, '[name="study.seed"]', "-1\n")
    until(lambda: page.find("#summary").is_displayed())
    assert page.js("document.activeElement.id") == "summary"
    assert [one.text for one in all_of(page, "#mistakes li")] == [
        "Seed of random choices: Must be 0 or more.",
        "Number of evaluators for each condition and method: Must be a whole number.",
        "Size of the window in pixels: Height: must be a whole number.",
    ]
    assert page.find("#set-study-seed-mistake").text == "Must be 0 or more."
    if soak:
        looked_at(page)
    page.find("#mistakes li:nth-child(2) a").send_keys("\n")  # by keyboard
    assert page.js("document.activeElement.name") == "study.evaluators"
    replace(page, '[name="study.evaluators"]', "4")
    replace(page, '[name="display.window_px"] [aria-label="Height"]', "600")
    replace(page, '[name="study.seed"]', "7\n")
    until(lambda: page.find("#news").text.startswith("Saved."))
    assert not page.find("#summary").is_displayed()
    assert setting(study, "display", "window_px") == [1024, 600]


@pytest.mark.long
def test_a_question_is_added_and_removed(go_to, folder):
    study = whole_study(folder / "mine")
    page = go_to("settings")
    until(lambda: all_of(page, "#groups details"))
    page.find("#begin-demographics").send_keys("work\n")
    page.find('[name="demographics.work.kind"]').send_keys("text")
    page.find('[name="demographics.work.question"]').send_keys("What do you work as?\n")
    until(lambda: page.find("#news").text.startswith("Saved."))
    asked = tomllib.loads(study.path.read_text(encoding="utf-8"))["demographics"]
    assert asked == {"work": {"kind": "text", "question": "What do you work as?"}}
    page.find('[data-table="demographics.work"] h4 button').click()
    until(lambda: not all_of(page, '[data-table="demographics.work"]'))
    until(lambda: page.find("#news").text.startswith("Saved."))
    assert "demographics" not in tomllib.loads(study.path.read_text(encoding="utf-8"))
    page.find("#news button").click()
    until(lambda: page.find("#news").text.startswith("Undone."))
    assert tomllib.loads(study.path.read_text(encoding="utf-8"))["demographics"] == asked


@pytest.mark.long
def test_the_number_of_people_is_found_and_taken_over(go_to, folder):
    study = whole_study(folder / "mine", study={"methods": ["infinity"]})
    page = go_to("make")
    until(lambda: all_of(page, '[name="study.evaluators"]'))
    page.find("#difference").send_keys("30\n")
    end = "[data-task=power] + .output [role=status]"
    said = until(lambda: all_of(page, end))[0].text
    number = int(re.match(r"About (\d+) people .+ a difference of 30 percentage", said)[1])
    looked_at(page)
    page.find(f"{end} button").click()
    until(lambda: page.find("#news").text.startswith("Saved."))
    assert setting(study, "study", "evaluators") == number
    assert page.find('[name="study.evaluators"]').get_attribute("value") == str(number)


def press_on(page):
    """Click the first answer in the frame that is not a refusal."""
    page.js(f"{CHOICES}.find((one) => !one.innerText.includes('No'))?.click()")


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_a_preview_plays_by_itself_and_keeps_nothing(protocol, go_to, folder):
    study = STUDIES[protocol](folder / "mine", **SHORT.get(protocol, {}))
    before = sorted(study.folder.rglob("*"))
    page = go_to("look")
    page.find("#simulated").send_keys("\n")
    seen = set()

    def is_over():
        seen.update(page.js(KINDS).split())
        return "Pilot: nothing is saved" in page.js(SAID)

    until(is_over)
    assert {"page", "trial"} <= seen
    assert sorted(study.folder.rglob("*")) == before
    assert not (study.folder / RECORD_FILE).exists()
    assert page.messages() == []


def test_a_text_is_changed_on_the_screen_where_it_stands(go_to, folder, soak):
    study = whole_study(folder / "mine", study={"methods": ["infinity"]})
    page = go_to("look")
    page.find("#own").send_keys("\n")
    until(lambda: "Welcome" in page.js(SAID))
    page.press(" ")  # the keys go to the frame
    until(lambda: "Before we begin" in page.js(SAID))
    replace(page, '[name="texts.consent"]', "Do you agree?\n\nYou may stop.\n\nTake part?")
    assert "Do you agree?\n\nYou may stop." in page.js(SAID)
    press_on(page)
    until(lambda: "Look at each image" in page.js(SAID))
    press_on(page)
    until(lambda: "trial" in page.js(KINDS) or press_on(page))
    question = '[name="texts.question_untimed"]'
    replace(page, question, "Photo or not?")
    assert "Photo or not?" in page.js(SAID)  # without a pause: the participant did not leave
    if soak:
        looked_at(page)
        looked_at(page, width_px=1366, scheme="dark")

    press_on(page)
    until(lambda: "Photo or not?" in page.js(SAID) and page.js(f"{CHOICES}.length"))  # later too
    page.find("#bar .main").click()
    until(lambda: page.find("#news").text.startswith("Saved."))
    assert setting(study, "texts", "question_untimed") == "Photo or not?"
    page.find("#news button").click()
    until(lambda: page.find("#news").text.startswith("Undone."))
    assert setting(study, "texts", "question_untimed") is None

    replace(page, question, "Is it {real}?")
    page.find("#bar .main").click()
    until(
        lambda: "{real} is not known here" in page.find("#set-texts-question_untimed-mistake").text
    )
    assert [said for said in page.messages() if "422" not in said] == []


def test_a_study_that_cannot_be_shown_says_why(go_to, folder):
    study = whole_study(folder / "mine")
    (study.stimuli_folder / "manifest.csv").unlink()
    page = go_to("look")
    page.find("#own").click()
    until(lambda: "manifest.csv" in page.find("#news").text)
    assert not page.find("#look").is_displayed()


@pytest.mark.long
def test_the_preview_in_firefox(firefox, way_in, folder):
    study = whole_study(folder / "mine", study={"methods": ["infinity"]})
    firefox.visit(way_in, (1366, 900))
    until(lambda: firefox.find("#name"))
    firefox.go(way_in.partition("/enter/")[0] + "/look?at=mine")
    until(lambda: firefox.find("#own"))
    firefox.find("#own").click()
    until(lambda: "Welcome" in firefox.js(SAID))
    write(firefox, '[name="texts.welcome"]', "Hello")
    assert "Hello" in firefox.js(SAID)
    firefox.js("document.querySelector('#bar .main').click()")
    until(lambda: firefox.js("document.querySelector('#news').innerText").startswith("Saved."))
    assert setting(study, "texts", "welcome") == "Hello"
    firefox.js(f"{CHOICES}[0].click()")
    until(lambda: "Before we begin" in firefox.js(SAID))
    assert firefox.messages() == []
