"""The experimenter's page in Chromium: its content, its accessibility, and its doors."""

import pytest
from browser import looked_at, until
from builders import whole_study
from served import HOST, KEY, served

from hype.web.desk import FileDesk
from hype.web.experimenter import watch_path


@pytest.fixture
def page(browser, tmp_path):
    """Open the page of a study with a person and a simulated evaluator."""
    study = whole_study(tmp_path, qualification={"enabled": False})
    with served(study) as open_tab:
        person, simulated = open_tab("p1", simulated=False), open_tab("sim-1")
        person.sit()
        simulated.sit()
        simulated.go_to("end")
        address = f"http://{HOST}:{person.client._connection.port}{watch_path(KEY)}"
        browser.messages()
        browser.driver.get(address)
        until(lambda: browser.driver.find_elements("css selector", ".simulated .facts"))
        yield study
        browser.driver.get("about:blank")


def facts(browser, side):
    found = browser.driver.find_elements("css selector", f".{side} .facts > div")
    return dict(fact.text.split("\n") for fact in found)


def test_it_shows_who_is_there_to_everybody_and_has_doors(browser, page, soak):
    assert browser.driver.current_url.endswith("/watch")
    assert facts(browser, "people")["On now"] == "1"
    assert facts(browser, "simulated")["Places filled"].startswith("1 of")
    assert "no people were asked" in browser.find(".simulated h2").text
    assert browser.find("header a").text == f"{browser.driver.current_url.rpartition('/')[0]}/"
    assert browser.messages() == []

    sign, button = browser.find("#sign"), browser.find("#doors")
    assert sign.text == "The doors are open to newcomers."
    button.click()
    until(lambda: sign.text.startswith("The doors are closed since"))
    assert FileDesk.of(page).closing_time() is not None
    until(button.is_enabled)
    button.click()
    until(lambda: sign.text == "The doors are open to newcomers.")
    assert FileDesk.of(page).closing_time() is None
    FileDesk.of(page).set_doors(is_open=False)  # later changes are shown too
    until(lambda: sign.text.startswith("The doors are closed"))

    if soak:
        looked_at(browser)
    looked_at(browser, width_px=1366, scheme="dark")
