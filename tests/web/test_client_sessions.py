"""Each protocol in real browsers, from its link to the end, at windows of three sizes."""

import json

import pytest
from builders import rewrite_rows
from known import verify_record
from long import long_but
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from served import listening
from small_studies import SMALLER, STUDIES, TABLES
from sqlalchemy import func, select
from visitor import LAPTOP, LARGE, PHONE, Visitor

from hype.protocols.comparison.record import comparisons
from hype.store.schema import events, sessions
from hype.store.sqlite_record import reading_record

CUES = {"before_flash": "both", "countdown_ms": 60, "cross_ms": 60}
PICTURED = {"instructions_timed": {"file": "how.png", "alt": "how it goes"}}
QUICK = {"hype": {"time": SMALLER["hype"]["time"] | CUES | {"wait_ms": 500}, "pictures": PICTURED}}


def study_of(protocol, folder, **changes):
    return STUDIES[protocol](folder, **SMALLER[protocol] | QUICK.get(protocol, {}) | changes)


def rows_of(study, table, *columns):
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return connection.execute(select(*(columns or (table,)))).all()


COMPLETION = "https://127.0.0.1:44444/complete?cc=DONE"
SIZES = {"hype": LAPTOP, "ranking": PHONE, "comparison": PHONE, "rating": LARGE}


@pytest.mark.parametrize("protocol", long_but(("hype",), SIZES))
def test_a_session_from_link_to_end(protocol, browser, tmp_path):
    size = SIZES[protocol]
    study = study_of(protocol, tmp_path)
    Image.new("RGB", (300, 200)).save(tmp_path / "how.png")
    with listening(study) as port:
        visitor = Visitor(browser, port, size).come()
        if protocol == "hype":
            visitor.go_to("page", "Images that flash up")
            assert browser.js("document.querySelector('.page > img').naturalWidth") == 300
        end = visitor.go_to("page", "Thank you")
        visitor.look_closely(end)
        asked = {address for address in browser.requests() if address.startswith("http")}
        messages = browser.messages()
    kinds = {kind for kind, _ in visitor.seen}
    assert {"page", "trial"} <= kinds
    assert ("page", "Welcome") in visitor.seen
    assert all(address.startswith(visitor.address) for address in asked)
    assert messages == []
    assert [ended for (ended,) in rows_of(study, sessions, sessions.c.ended)] == ["complete"]
    ((answers,),) = rows_of(study, TABLES[protocol], func.count())
    assert answers > 0
    ((display,),) = rows_of(study, sessions, sessions.c.display)
    assert json.loads(display)["webdriver"]  # Selenium reveals itself
    assert "untrusted" not in {event for (event,) in rows_of(study, events, events.c.event)}
    if protocol == "hype":
        see_exposures(study)


SEVERAL = {
    "comparison": (
        {"criterion": ["preference", "coherence"], "prompt": "shown", "min_ms": 0},
        ("Which image do you prefer?", "Which image is more plausible"),
    ),
    "rating": (
        {"axes": ["overall", "artifacts", "style"]},
        ("Which image is better overall?", "Which image better shows the style"),
    ),
}


@pytest.mark.parametrize("protocol", long_but(["comparison"], SEVERAL))
def test_images_stay_while_the_questions_on_them_change(browser, tmp_path, protocol):
    """This is true even if a question has more lines or more answers than the one before."""
    asked, questions = SEVERAL[protocol]
    study = study_of(protocol, tmp_path, **{protocol: asked})
    places = []
    with listening(study) as port:
        visitor = Visitor(browser, port, PHONE, looks=False).come()
        for question in questions:
            visitor.go_to("trial", question)
            places.append([place[:4] for place in browser.js(PLACES)])
    one, other = places

    assert len(one) == 2
    assert one == other


@pytest.mark.long
@pytest.mark.parametrize("protocol", SIZES)
def test_a_session_in_firefox_from_link_to_completion(protocol, firefox, tmp_path):
    study = study_of(protocol, tmp_path, web={"completion": COMPLETION})
    with listening(study) as port:
        visitor = Visitor(firefox, port)
        visitor.come().go_to("page", "Thank you")
        messages = firefox.messages()
        firefox.find("a.choice").click()
        visitor.until(lambda: firefox.js("location.href") == COMPLETION)
    assert messages == []
    ((ended, display),) = rows_of(study, sessions, sessions.c.ended, sessions.c.display)
    assert ended == "complete"
    assert "Firefox" in json.loads(display)["agent"]
    assert json.loads(display).get("sync") == ("callbacks" if protocol == "hype" else None)
    ((answers,),) = rows_of(study, TABLES[protocol], func.count())
    assert answers > 0
    if protocol == "hype":
        see_exposures(study)


PLACES = """[...document.querySelectorAll('section:not(.unseen) canvas')].map((canvas) => {
  const { x, y, width, height } = canvas.getBoundingClientRect();
  return [x, y, width, height, canvas.ariaLabel].map((each) => Math.round(each) || each);
})"""


@pytest.mark.parametrize("size", long_but([PHONE], [LAPTOP, PHONE]))
def test_an_original_stands_between_or_above_and_both_can_be_bad(browser, tmp_path, size, soak):
    asked = {"show_reference": "beside", "both_bad": True, "practice": 0, "min_ms": 0, "trials": 3}
    study = study_of("comparison", tmp_path, comparison=asked, display={"enlarge": True})
    manifest = study.stimuli_folder / "manifest.csv"
    rewrite_rows(manifest, lambda _, row: row | {"reference": "real/000.png"})
    with listening(study) as port:
        visitor = Visitor(browser, port, size, looks=soak).come()
        view = visitor.go_to("trial")
        visitor.look_closely(view)
        images = {name: place for *place, name in browser.js(PLACES)}
        view["buttons"][view["labels"].index("Bboth are bad")].click()
        visitor.go_to("page", "Thank you")
    left, original, right = (images[name] for name in ("Image 1", "Original", "Image 2"))

    assert left[2:] == right[2:] == original[2:]
    assert left[1] == right[1]
    assert left[0] < original[0] < right[0]
    assert original[1] + original[3] < left[1] if size == PHONE else original[1] == left[1]
    answers = [answer for (answer,) in rows_of(study, TABLES["comparison"], comparisons.c.answer)]
    assert answers[0] == "both-bad"


HEADING = "document.querySelector('.trial:not(.unseen) h1')"
TALL = "Math.max(...[...document.querySelectorAll('canvas')].map((e) => e.offsetHeight))"
ENDS_OF_LEVELS = """[...document.querySelectorAll('.trial:not(.unseen) .scale .answers .choice')]
.map((e) => e.getBoundingClientRect().right)"""


@pytest.mark.parametrize(
    ("of", "levels"), [("pairs", 7), pytest.param("images", 5, marks=pytest.mark.long)]
)
def test_levels_on_a_phone_fill_their_rows_and_leave_room(browser, tmp_path, of, levels, soak):
    """The images (of a pair: with the original above it) take two fifths of the height."""
    words = ["not at all", "very little", "a little", "so so", "quite", "very", "completely"]
    asked = {"of": of, "axes": ["artifacts", "style"], "levels": 7, "practice": 0}
    asked |= {"show_reference": "above"} if of == "pairs" else {"axes": ["aesthetics"]}
    scale = {"kind": "scale", "highest": levels, "words": words[:levels], "truth_column": ""}
    axes = {"anatomy": None, "aesthetics": scale} if of == "images" else {}
    display = {"enlarge": True, "size_px": 600}
    study = study_of("rating", tmp_path, rating=asked, axes=axes, display=display)
    manifest = study.stimuli_folder / "manifest.csv"
    rewrite_rows(manifest, lambda _, row: row | {"reference": "real/000.png"})
    with listening(study) as port:
        visitor = Visitor(browser, port, (390, 844), looks=soak).come()
        visitor.look_closely(visitor.go_to("trial"))
        rows = 2 if of == "pairs" else 1
        assert rows * browser.js(TALL) + 16 > 0.4 * 844
        assert browser.js(ENDS_OF_LEVELS)[-1] == max(browser.js(ENDS_OF_LEVELS))
        assert browser.js(f"{HEADING}.ariaDescribedByElements[0].className") == "prompt"


MARKED = "document.querySelector('.slider input').ariaValueText"
ENDS = "[...document.querySelectorAll('section:not(.unseen) .slider span')].map((e) => e.innerText)"
UNMARKED = "document.querySelector('.slider .unmarked')"


@pytest.mark.parametrize(
    ("language", "size", "keys", "marked"),
    [
        pytest.param("en", LAPTOP, (Keys.END, Keys.PAGE_DOWN), "9.1", marks=pytest.mark.long),
        ("ar", LAPTOP, (Keys.ARROW_RIGHT,), "5.4"),
        pytest.param("de", PHONE, (), "5.5", marks=pytest.mark.long),
    ],
)
def test_a_slider_is_empty_until_it_is_touched(
    language, size, keys, marked, browser, tmp_path, soak
):
    asked = {"of": "images", "axes": ["aesthetics"], "practice": 0}
    slider = {"kind": "slider", "highest": 10, "step": 0.1, "words": ["{dull}", "bright"]}
    axes = {"anatomy": None, "aesthetics": slider}
    study = study_of("rating", tmp_path, study={"language": language}, rating=asked, axes=axes)
    with listening(study) as port:
        visitor = Visitor(browser, port, size, looks=soak).come()
        empty = visitor.go_to("trial")
        assert browser.js(MARKED) == study.settings.web.texts.unmarked
        assert browser.js(ENDS) == ["1: {dull}", "10: bright"]
        browser.press(Keys.SPACE)
        assert len(empty["buttons"]) == 1, "only not relevant is left"
        for key in keys:
            browser.press(key)
        if not keys:  # a tap on the middle, the value of an unmarked slider
            at = browser.find(".slider input").rect
            point = {"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}
            browser.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
            browser.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        visitor.until(lambda: browser.js(MARKED) == marked)
        visitor.look_closely(visitor.now())
        browser.press(Keys.SPACE)
        visitor.until(lambda: browser.js(UNMARKED))
    ((answer,),) = rows_of(study, TABLES["rating"], TABLES["rating"].c.answer)
    assert answer == marked


def see_exposures(study):
    """Check that all timed trials were counted in frames, even on a busy machine."""
    judgements = TABLES["hype"]
    columns = judgements.c.exposure_frames, judgements.c.masks, judgements.c.flips_s
    timed = [row for row in rows_of(study, judgements, *columns) if row.exposure_frames]
    assert timed
    for row in timed:
        flips = [float(flip) for flip in row.flips_s.split()]
        assert flips == sorted(flips)
        assert len(flips) == len(row.masks.split()) + 2


ORDER = "[...document.querySelectorAll('.order > button')].map((place) => place.textContent)"


def test_the_order_of_a_ranking_changes_by_key_tap_and_drag(browser, tmp_path, soak):
    """Only the order changes, and a person who returns finds the same order."""
    study = study_of("ranking", tmp_path, ranking={"practice": 0}, screening={"test": 0})
    with listening(study) as port:
        visitor = Visitor(browser, port, LAPTOP, looks=soak).come()
        visitor.go_to("trial")
        images = browser.js(PLACES)

        def becomes(*order):
            visitor.until(lambda: visitor.now() and browser.js(ORDER) == list(order))
            assert [place[:4] for place in browser.js(PLACES)] == [place[:4] for place in images]

        for number, key in enumerate("abc", start=1):
            browser.press(key)
            becomes(*(f"{rank}{letter}" for rank, letter in enumerate("ABC"[:number], start=1)))
        browser.press("c")
        becomes("1A", "2C", "3B")
        browser.find(".order > button:nth-child(3)").click()
        becomes("1A", "2B", "3C")
        first, last = (browser.find(f".order > :nth-child({n})") for n in (1, 4))
        ActionChains(browser.driver).drag_and_drop(first, last).perform()
        becomes("1B", "2C", "3A")
        last = browser.find(".order > :nth-child(3)")
        ActionChains(browser.driver).drag_and_drop(last, visitor.browser.find("h1")).perform()
        browser.driver.refresh()
        assert visitor.now()["title"] == "Welcome back"
        browser.press(Keys.SPACE)
        visitor.until_seen("page", "How it works")
        browser.press(Keys.SPACE)
        becomes("1B", "2C", "3A")
        visitor.go_to("page", "Thank you")
    acts = [act.answer for act in rows_of(study, TABLES["ranking"])]
    assert acts[:6] == ["A", "B", "C", "C2", "B2", "A3"]
    assert verify_record(study).faults == []
