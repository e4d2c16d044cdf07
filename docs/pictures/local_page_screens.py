"""Take the picture of the local page (hype open) in docs/screens, in real Chromium.

    .venv/bin/python docs/pictures/local_page_screens.py [FOLDER]

It drops the demonstration's folders of images, makes a study of them, and checks it. It uses
helpers of the tests.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/made")]

from browser import Browser, headless_chromium  # noqa: E402
from served import HOST, answering  # noqa: E402

from hype.local_page.app import LocalPage  # noqa: E402

STIMULI = ROOT / "stimuli/fashion"
SHOWN = (STIMULI / "real", STIMULI / "fake/vae", STIMULI / "fake/flow")
WIDTH_PX, HEIGHT_PX = 1000, 1040
GAP = 16


def until(holds: Callable[[], object]) -> None:
    while not holds():
        time.sleep(0.2)


def picture(browser: Browser) -> Image.Image:
    browser.look(width_px=WIDTH_PX, height_px=HEIGHT_PX)
    taken = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    return taken.resize((taken.width * 7 // 10, taken.height * 7 // 10), Image.Resampling.LANCZOS)


def taken(browser: Browser, local_page: LocalPage, port: int) -> list[Image.Image]:
    """Go from dropped images to a checked study; return two pictures."""
    browser.visit(f"http://{HOST}:{port}{local_page.draw_link()}", (WIDTH_PX, HEIGHT_PX))
    until(lambda: browser.js("document.querySelector('#name')"))
    browser.drop("#zone", *SHOWN)
    until(lambda: browser.js("document.querySelectorAll('#sources > div').length") == len(SHOWN))
    browser.find("[value='hype infinity']").click()
    until(lambda: "All images" in browser.find("#scan").text)
    pictures = [picture(browser)]
    browser.find("#name").send_keys("my-study\n")
    until(lambda: browser.js("document.querySelector('#people .field')"))
    browser.driver.get(f"http://{HOST}:{port}/settings?at=my-study")
    until(lambda: browser.js("document.querySelector('#groups details')"))
    wanted = browser.find('[name="study.evaluators"]')
    wanted.clear()
    wanted.send_keys("many\n")
    until(lambda: browser.find("#set-study-evaluators-mistake").text)
    browser.load("scrollTo(0, 0)")
    return [*pictures, picture(browser)]


def main() -> None:
    """Take the pictures, and write them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screens"
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_STATE_HOME"] = f"{scratch}/state"
        for name in ("chromium", "studies"):
            (Path(scratch) / name).mkdir()
        local_page = LocalPage(Path(scratch) / "studies", 1)
        with (
            headless_chromium(f"{scratch}/chromium") as browser,
            answering(local_page.app()) as port,
        ):
            pictures = taken(browser, local_page, port)
    width_px = sum(one.width for one in pictures) + GAP
    sheet = Image.new("RGB", (width_px, pictures[0].height), "white")
    sheet.paste(pictures[0], (0, 0))
    sheet.paste(pictures[1], (pictures[0].width + GAP, 0))
    sheet.quantize(200).save(folder / "local_page.png", optimize=True)


if __name__ == "__main__":
    main()
