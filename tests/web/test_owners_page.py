"""The owners' page in Chromium: sending a zip, its progress, and names of wrong files."""

import pytest
from browser import looked_at, until
from builders import noise
from served import HOST, KEY, listening
from test_addition import images_for, study_of, zipped

from hype.protocols.load import load_any
from hype.web.owners import owners_path

SIZES_PX = (390, 820, 1366)


@pytest.fixture
def study(tmp_path):
    return study_of("comparison", tmp_path / "s")


@pytest.fixture
def page(browser, study):
    with listening(study) as port:
        browser.messages()
        browser.driver.get(f"http://{HOST}:{port}{owners_path(KEY)}")
        until(lambda: browser.driver.find_elements("css selector", "#needs li"))
        yield browser
        browser.driver.get("about:blank")


def send(page, name, path):
    page.find("#name").send_keys(name)
    page.find("#zip").send_keys(str(path))
    page.find("#send").click()


def news(page, end):
    """Wait until the page shows a message with this end, and return it."""
    until(lambda: page.find("#news").text.endswith(end))
    return page.find("#news").text


def assert_readable(page):
    for width_px in SIZES_PX:
        for scheme in ("light", "dark"):
            looked_at(page, width_px=width_px, scheme=scheme)


@pytest.mark.long
def test_wrong_files_are_named_and_a_mended_zip_is_added(page, study, tmp_path):
    page.find("#prompts summary").click()
    assert_readable(page)
    folder = images_for(study, tmp_path / "new")
    wrong = folder / "a_unicorn_01.png"
    noise(9).save(wrong)
    noise(9, 8).save(folder / "a_bag_90.png")
    send(page, "newest", zipped(folder, tmp_path / "wrong.zip"))
    assert news(page, "wrong.") == "newest was not added: 2 files are wrong."
    named = [row.text for row in page.driver.find_elements("css selector", "#problems tbody th")]
    assert named == ["a_bag_90.png", "a_unicorn_01.png"]
    assert_readable(page)
    wrong.unlink()
    (folder / "a_bag_90.png").unlink()
    send(page, "newest", zipped(folder, tmp_path / "new.zip"))
    assert "has joined the study, with" in news(page, "images, and who comes next may meet it.")
    assert list(load_any(study.path).added) == ["newest"]
    assert not page.driver.find_elements("css selector", "#problems tbody tr")
    assert_readable(page)
    send(page, "newest", tmp_path / "new.zip")
    assert "newest was not added. 'newest' joined on" in news(page, "; give another name")
    assert all("409" in message for message in page.messages())
