"""Take the pictures of sessions in a browser for docs/screens, in real Chromium.

    .venv/bin/python docs/pictures/web_screens.py [FOLDER]

It serves the demonstration's studies, answers with the first key of each page, and puts pages of
computers and phones side by side. It also takes pictures of the experimenter's page and the page of
owners of models. It uses helpers of the tests.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/made")]

from browser import headless_chromium  # noqa: E402
from served import HOST, KEY, listening  # noqa: E402
from visitor import LAPTOP, PHONE, Visitor  # noqa: E402

from hype.cli.demo import SHIPPED, lay_out, place  # noqa: E402
from hype.files import STUDIES  # noqa: E402
from hype.web.experimenter import watch_path  # noqa: E402
from hype.web.owners import owners_path  # noqa: E402

HEIGHT = 520
GAP = 16
STUDIES_SHOWN = (
    ("short-ratings-at-a-window", PHONE),
    ("short-study-at-a-window", LAPTOP),
    ("short-rankings-at-a-window", PHONE),
)


def picture(visitor: Visitor) -> Image.Image:
    """Take a picture of the screen."""
    return Image.open(BytesIO(visitor.browser.driver.get_screenshot_as_png())).convert("RGB")


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Put pictures of one height side by side."""
    scaled = [one.resize((round(one.width * HEIGHT / one.height), HEIGHT)) for one in pictures]
    width = sum(one.width for one in scaled) + GAP * (len(scaled) - 1)
    sheet = Image.new("RGB", (width, HEIGHT), "white")
    left = 0
    for one in scaled:
        sheet.paste(one, (left, 0))
        left += one.width + GAP
    return sheet


def watched(visitor: Visitor, port: int) -> Image.Image:
    """Take a picture of the experimenter's whole page."""
    visitor.browser.driver.get(f"http://{HOST}:{port}{watch_path(KEY)}")
    visitor.until(lambda: visitor.browser.js("document.querySelector('.people .facts')"))
    visitor.browser.look(width_px=1100, height_px=1400)
    return picture(visitor)


def refused(visitor: Visitor, port: int, path: Path) -> Image.Image:
    """Take a picture of the owners' page when it says what is wrong with a zip."""
    with zipfile.ZipFile(path, "w") as packed:
        for name, side_px in (("sneaker/0001.png", 20), ("unicorn/0001.png", 128)):
            content = BytesIO()
            Image.new("L", (side_px, side_px)).save(content, "PNG")
            packed.writestr(name, content.getvalue())
    driver = visitor.browser.driver
    driver.get(f"http://{HOST}:{port}{owners_path(KEY)}")
    visitor.browser.look(width_px=1100, height_px=1000)
    visitor.browser.find("#name").send_keys("newest")
    visitor.browser.find("#zip").send_keys(str(path))
    visitor.browser.find("#send").click()
    visitor.until(lambda: visitor.browser.js("document.querySelector('#problems tbody tr')"))
    return picture(visitor)


def main() -> None:
    """Take the pictures, and write them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screens"
    pages = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        tempfile.TemporaryDirectory() as profile,
        headless_chromium(profile) as browser,
    ):
        os.environ["XDG_STATE_HOME"] = profile
        workspace = Path(scratch)
        lay_out(workspace)
        for name, size in STUDIES_SHOWN:
            study = place(workspace / STUDIES / name, SHIPPED[name])
            with listening(study) as port:
                visitor = Visitor(browser, port, size).come()
                visitor.go_to("trial")
                pages.append(picture(visitor))
                if "ratings" in name:
                    path = workspace / "newest.zip"
                    refused(visitor, port, path).save(folder / "web_add.png", optimize=True)
                if size == LAPTOP:
                    watched(visitor, port).save(folder / "web_watch.png", optimize=True)
    beside(pages).save(folder / "web.png", optimize=True)


if __name__ == "__main__":
    main()
