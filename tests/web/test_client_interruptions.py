"""Interruptions of a session in a real browser: pauses, reloads, other tabs, networks, servers."""

from contextlib import ExitStack

import pytest
from builders import whole_study
from rated_studies import rated_study
from selenium.webdriver.common.keys import Keys
from served import listening
from small_studies import TABLES
from sqlalchemy import select
from visitor import Visitor

from hype.store.schema import events
from hype.store.sqlite_record import reading_record

CANVAS = """(() => {
  const {left, right, top, bottom} = document.querySelector('canvas').getBoundingClientRect();
  return [(left + right) / 2 / innerWidth, (top + bottom) / 2 / innerHeight];
})()"""
"""Returns the centre of the images' area, as shares of the window's size."""
NOTICE = "document.getElementById('notice').textContent"
ARABIC = {"study": {"language": "ar"}}


@pytest.fixture
def study(tmp_path):
    return rated_study(tmp_path, files=True)


@pytest.fixture
def visitor(study, browser):
    with listening(study) as port:
        yield Visitor(browser, port, looks=False).come()


def names_of(study):
    table = TABLES["rating"]
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return connection.execute(select(table.c.task, table.c.block, table.c.trial)).all()


def test_a_pause_is_asked_for_by_key_or_button_and_gone_on_from(visitor):
    visitor.go_to("trial")
    visitor.browser.press(Keys.ESCAPE)
    pause = visitor.until_seen("pause")
    visitor.look_closely(pause)
    pause["buttons"][0].click()
    visitor.until_seen("trial")
    visitor.browser.find(".pause").click()
    visitor.until_seen("pause")["buttons"][0].click()
    visitor.until_seen("trial")


@pytest.mark.long
def test_the_button_that_goes_back_pauses_and_stops_where_that_is_chosen(visitor):
    visitor.go_to("trial")
    visitor.browser.driver.back()
    visitor.until_seen("pause")["buttons"][1].click()
    stopped = visitor.until_seen("page", "Stopped")
    visitor.look_closely(stopped)
    stopped["buttons"][0].click()
    visitor.go_to("trial")


@pytest.mark.long
def test_a_hidden_tab_pauses(visitor):
    visitor.go_to("trial")
    before = visitor.browser.driver.current_window_handle
    visitor.browser.driver.switch_to.new_window("tab")
    visitor.browser.driver.close()
    visitor.browser.driver.switch_to.window(before)
    visitor.until_seen("pause")["buttons"][0].click()
    visitor.until_seen("trial")


def test_a_page_that_was_loaded_again_goes_on_where_it_was(visitor, study):
    visitor.go_to("page", "Part 1")
    visitor.browser.driver.refresh()
    visitor.go_to("trial")
    names = names_of(study)
    assert len(names) == len(set(names))


@pytest.mark.long
def test_a_second_tab_takes_the_session_and_the_first_one_says_so(visitor):
    visitor.go_to("page", "Part 1")
    visitor.go_to("trial")
    first = visitor.browser.driver.current_window_handle
    visitor.browser.driver.switch_to.new_window("tab")
    second = visitor.browser.driver.current_window_handle
    visitor.browser.driver.get(visitor.address)
    visitor.go_to("page", "Welcome back")
    visitor.browser.driver.switch_to.window(first)
    visitor.until_seen("pause")["buttons"][0].click()
    moved = visitor.until_seen("page", "elsewhere")
    visitor.look_closely(moved)
    visitor.browser.driver.switch_to.window(second)
    visitor.browser.driver.close()
    visitor.browser.driver.switch_to.window(first)
    moved["buttons"][0].click()
    visitor.go_to("trial")


def test_without_a_network_it_says_so_and_goes_on_by_itself(visitor, study):
    visitor.go_to("trial")
    online = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    visitor.browser.command("Network.enable")
    visitor.browser.command("Network.emulateNetworkConditions", offline=True, **online)
    visitor.answer_one()
    visitor.until(lambda: "connection is lost" in visitor.browser.js(NOTICE))
    visitor.browser.command("Network.emulateNetworkConditions", offline=False, **online)
    visitor.go_to("page", "Part 1")
    names = names_of(study)
    assert len(names) == len(set(names)) > 0


@pytest.mark.long
def test_a_server_that_was_started_again_is_gone_on_with(study, browser):
    with ExitStack() as first:
        port = first.enter_context(listening(study))
        visitor = Visitor(browser, port, looks=False).come()
        visitor.go_to("trial")
    visitor.answer_one()
    visitor.until(lambda: "connection is lost" in browser.js(NOTICE))
    with listening(study, port):
        visitor.go_to("page", "Part 1")
    names = names_of(study)
    assert len(names) == len(set(names)) > 0


@pytest.mark.long
def test_images_are_as_large_as_the_window_in_which_they_flash(browser, tmp_path):
    study = whole_study(tmp_path, study={"methods": ["time"]}, qualification={"enabled": False})
    with listening(study) as port:
        visitor = Visitor(browser, port, looks=False).come()
        visitor.go_to("page", "Welcome")
        browser.look(width_px=1600, height_px=1000)
        visitor.until(lambda: resized(study) or visitor.answer(visitor.now()))
        assert resized(study) == ["500"]
        assert browser.js(CANVAS) == [0.5, 0.5]


def resized(study):
    """List the recorded side lengths of images after they were resized."""
    if not (study.folder / "data.sqlite").exists():
        return []
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        sizes = select(events.c.answer).where(events.c.event == "images-resized")
        return list(connection.execute(sizes).scalars())


@pytest.mark.long
def test_arabic_is_read_from_right_to_left_and_left_stays_left(browser, tmp_path):
    with listening(rated_study(tmp_path, files=True, **ARABIC)) as port:
        visitor = Visitor(browser, port, looks=False).come()
        visitor.go_to("trial")
        assert browser.js("document.documentElement.dir") == "rtl"
        places = [button.location["x"] for button in visitor.now()["buttons"][:5]]
    assert places == sorted(places)
