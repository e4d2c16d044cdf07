"""The local page in Chromium and in Firefox: from an empty folder and images to a report."""

import json
import re
from base64 import b64encode

import pytest
from browser import looked_at, until
from builders import image_folder
from selenium.webdriver.common.keys import Keys
from served import HOST, answering

from hype.local_page.app import LocalPage

CHOSEN = """{
  const given = new DataTransfer();
  for (const [path, bytes] of IMAGES) {
    const file = new File([Uint8Array.fromBase64(bytes)], path.split('/').at(-1));
    Object.defineProperty(file, 'webkitRelativePath', { value: path });
    given.items.add(file);
  }
  const choose = document.querySelector('#choose');
  choose.files = given.files;
  choose.dispatchEvent(new Event('change'));
}"""
"""Chooses a folder: the driver of Firefox can only choose files."""
FOLDERS = ("photos", "gan-a", "gan-b")


@pytest.fixture
def way_in(tmp_path, monkeypatch):
    """Yield the address of the page of an empty folder, next to folders of images."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for number, name in enumerate(FOLDERS):
        image_folder(tmp_path / name, 24, first=1000 * number)
    (tmp_path / "local_page").mkdir()
    local_page = LocalPage(tmp_path / "local_page", 1)
    with answering(local_page.app()) as port:
        yield f"http://{HOST}:{port}{local_page.draw_link()}"


@pytest.fixture
def page(browser, way_in):
    browser.visit(way_in, (1366, 900))
    until(lambda: all_of(browser, "#name") and browser.js("document.readyState") == "complete")
    browser.messages()
    yield browser
    browser.driver.get("about:blank")


def all_of(browser, selector):
    return browser.driver.find_elements("css selector", selector)


def step(browser, label):
    """Open another page of the study through its navigation bar."""
    browser.driver.find_element("link text", label).click()
    until(lambda: browser.find("nav [aria-current]").text == label)


def done(browser, task):
    """Press the button of a command, and wait until it has ended."""
    browser.driver.execute_script(
        "document.querySelector(arguments[0]).click()", f"[data-task={task}] .main"
    )
    return until(lambda: all_of(browser, f"[data-task={task}] + .output [role=status]"))


def test_a_study_is_made_of_dropped_images_and_simulated(page, tmp_path):
    page.drop("#zone", *(tmp_path / name for name in FOLDERS))
    until(lambda: len(all_of(page, "#sources > div")) == len(FOLDERS))
    until(lambda: "Flashed images: with 24 images" in page.find("#scan").text)
    page.find("[value='hype time']").send_keys(Keys.ARROW_RIGHT)  # by keyboard
    until(lambda: page.find("#scan").text == "All images become 64 x 64 px.")
    assert len(all_of(page, "#sources img")) == 6 * len(FOLDERS)
    looked_at(page)
    page.find("#name").send_keys("mine\n")
    until(lambda: all_of(page, '[name="study.evaluators"]'))
    assert "The study is made." in page.find("[data-task=new] + .output").text
    assert page.find("#unit").text == "In percentage points."
    looked_at(page)
    step(page, "Check")
    assert re.search(r"(?s)^images\n.* an hour\n.*Ready\.$", done(page, "check")[-1].text)
    done(page, "simulate")
    assert "simulated evaluators" in page.find("[data-task=simulate] + .output").text
    assert page.messages() == []


@pytest.mark.long
def test_from_dropped_images_to_a_report_of_simulated_evaluators(page, tmp_path):
    test_a_study_is_made_of_dropped_images_and_simulated(page, tmp_path)
    step(page, "Run")
    page.driver.execute_script("document.querySelector('#port').value = '0'")
    page.find("[data-task=serve] .main").click()
    link = until(lambda: all_of(page, "[data-task=serve] + .output .good a"))[0]
    assert link.text.startswith(f"http://{HOST}:")
    assert "Only this machine can open it" in page.find("[data-task=serve] + .output").text
    step(page, "Watch")  # this page shows the link too
    shown = until(lambda: all_of(page, "[data-task=serve] + .output .good a"))[0]
    assert shown.text.startswith(f"http://{HOST}:")
    until(lambda: page.find("#sign").text == "The doors are open to newcomers.")
    until(lambda: all_of(page, "[data-task=serve] + .output p button"))[-1].click()
    until(lambda: "Stopped." in page.find("[data-task=serve] + .output").text)
    until(lambda: page.find("#sign").text.startswith("No server runs now."))
    titles = [one.text for one in until(lambda: all_of(page, ".simulated h3"))]
    assert titles == ["On now", "Places", "Drop-outs"]  # nothing was flashed
    step(page, "Results")
    page.driver.execute_script("document.querySelector('[data-task=report] input').click()")
    done(page, "report")
    page.driver.execute_script("document.querySelector('[data-task=export] input').click()")
    done(page, "export")
    done(page, "backup")
    assert list((tmp_path / "local_page" / "mine" / "exports").glob("*-csv/judgements.csv"))
    assert list((tmp_path / "local_page" / "mine" / "backups").glob("*.sqlite"))
    looked_at(page, scheme="dark")
    assert page.messages() == []
    link = until(lambda: all_of(page, "[data-task=report] + .output a"))[0]
    page.driver.get(link.get_attribute("href"))
    assert "mine" in page.find("h1").text


@pytest.mark.long
def test_a_flashed_study_asks_for_the_real_images_and_says_that_masks_are_made(page, tmp_path):
    for number, name in enumerate(("one", "two")):
        image_folder(tmp_path / name, 36, first=1000 * number)
    page.find("#name").send_keys("mine\n")
    until(lambda: "Drop the folders of images first" in page.find("#news").text)
    page.load("scrollTo(0, 0)")  # the focused name field is further down
    page.drop("#zone", tmp_path / "one", tmp_path / "two")
    until(lambda: len(all_of(page, "#sources img")) == 12)
    page.find("#new .main").send_keys("\n")
    until(lambda: "Which folder has the real images?" in page.find("#news").text)
    page.find("#sources [type=checkbox]").click()
    page.find("#new .main").send_keys("\n")
    until(lambda: all_of(page, "[data-task=new] + .output"))
    for label in ("Look", "Run"):
        step(page, label)
        said = until(lambda: all_of(page, "[data-task=new] + .output"))[0]
        assert "nobody can look or take part" in said.text
    page.find("[data-task=new] + .output p button").click()
    until(lambda: "Stopped." in page.find("[data-task=new] + .output").text)
    page.find("[data-task=new] button").click()  # make the remaining masks
    until(lambda: "nobody can look" in page.find("[data-task=new] + .output").text)
    page.find("[data-task=new] + .output p button").click()
    until(lambda: "Stopped." in page.find("[data-task=new] + .output").text)


@pytest.mark.long
def test_the_same_in_firefox(firefox, way_in, tmp_path):
    firefox.visit(way_in, (1366, 900))
    until(lambda: firefox.find("#name"))
    write(firefox, "#name", "mine")
    firefox.js("document.querySelector('[value=\"hype infinity\"]').click()")
    given = [
        [f"{name}/{each.name}", b64encode(each.read_bytes()).decode()]
        for name in FOLDERS[:2]
        for each in sorted((tmp_path / name).iterdir())
    ]
    firefox.js(CHOSEN.replace("IMAGES", json.dumps(given)))
    until(lambda: firefox.js("document.querySelectorAll('#sources > div').length") == 2)
    firefox.js("document.querySelector('#new .main').scrollIntoView()")
    firefox.find("#new .main").click()
    until(lambda: firefox.find('[name="study.evaluators"]'))
    write(firefox, '[name="study.evaluators"]', "2\n")
    until(lambda: firefox.js("document.querySelector('#news').innerText").startswith("Saved."))
    firefox.go(firefox.js("document.querySelector('nav [href^=\"/check\"]').href"))
    assert "Ready." in result(firefox, "check")
    assert "Done." in result(firefox, "simulate")
    firefox.go(firefox.js("document.querySelector('nav [href^=\"/results\"]').href"))
    firefox.js("document.querySelector('[data-task=report] input').click()")
    assert "Open the report" in result(firefox, "report")
    assert firefox.messages() == []
    firefox.go(firefox.js("document.querySelector('[data-task=report] + .output a').href"))
    assert "mine" in firefox.js("document.querySelector('h1').innerText")


def write(firefox, selector, text):
    """Type into a field and replace its content."""
    firefox.js(f"document.querySelector({json.dumps(selector)}).select()")
    firefox.js(f"document.querySelector({json.dumps(selector)}).scrollIntoView()")
    for key in text:
        firefox.press(key.replace("\n", "\ue007"))


def result(firefox, task):
    """Press the button of a command and return its message when it has ended."""
    firefox.js(f"document.querySelector('[data-task={task}] .main').click()")
    output = f"document.querySelector('[data-task={task}] + .output [role=status]')?.innerText"
    return until(lambda: firefox.js(output))
