"""Take pictures of a report as a browser shows it: light, dark, on a phone, printed.

    .venv/bin/python docs/pictures/report_screens.py REPORT.html [FOLDER]

It needs Debian's chromium and chromium-driver, and pdftoppm for the printed pages.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDE_PX: Final = 1280
NARROW_PX: Final = 360
SLICE_PX: Final = 1600
"""Height of one picture of a long page."""
SHARPNESS: Final = {WIDE_PX: 1, NARROW_PX: 2}
PRINT_DPI: Final = "60"
SHEET_PX: Final = 800
GAP_PX: Final = 12
EDGE_PX: Final = 20
SHEETS: Final = (
    (
        ("body", WIDE_PX, "light", 0.86),
        ("#time-staircases", WIDE_PX, "dark", 0.72),
        ("#time-images", NARROW_PX, "light", 0.44),
    ),
    (
        ("body", WIDE_PX, "light", 0.74),
        ("#comparison-conditions", WIDE_PX, "light", 0.62),
        ("#comparison-pairs", WIDE_PX, "dark", 0.62),
        ("#comparison-images", NARROW_PX, "light", 0.4),
    ),
    (
        ("body", WIDE_PX, "light", 0.74),
        ("#rating-strengths", WIDE_PX, "light", 0.62),
        ("#rating-correlations", WIDE_PX, "dark", 0.62),
        ("#rating-judges", NARROW_PX, "light", 0.4),
    ),
    (
        ("body", WIDE_PX, "light", 0.74),
        ("#ranking-conditions", WIDE_PX, "light", 0.62),
        ("#ranking-agreement", WIDE_PX, "dark", 0.62),
        ("#ranking-images", NARROW_PX, "light", 0.4),
    ),
)
"""For each picture: its first element, width, colours, and ratio of width to height. The first
entry whose elements are all in the report is used."""


def main(report: Path, folder: Path) -> None:
    """Write ``light-01.png``, ``dark-01.png``, ``narrow-01.png``, ``print-01.png`` and so on.

    ``sheet.png`` is the picture of the README.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as driver:
        for name, width_px, scheme in (
            ("light", WIDE_PX, "light"),
            ("dark", WIDE_PX, "dark"),
            ("narrow", NARROW_PX, "light"),
            ("narrow-dark", NARROW_PX, "dark"),
        ):
            show(driver, report, width_px, scheme)
            for place, shot in enumerate(slices(driver, width_px), start=1):
                (folder / f"{name}-{place:02}.png").write_bytes(shot)
        sheet(driver, report).save(folder / "sheet.png", optimize=True)
        driver.get(report.resolve().as_uri())
        pdf = folder / "print.pdf"
        pdf.write_bytes(base64.b64decode(driver.print_page()))
    if pdftoppm := shutil.which("pdftoppm"):
        pages = [pdftoppm, "-r", PRINT_DPI, "-png", str(pdf), str(folder / "print")]
        subprocess.run(pages, check=True)


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """Start Chromium without a window, with its own profile."""
    chromium, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not chromium or not driver:
        sys.exit("chromium and chromedriver are missing: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars"):
            options.add_argument(f"--{flag}")
        options.add_argument("--disable-dev-shm-usage")
        options.add_argument(f"--user-data-dir={profile}")
        home = {**os.environ, "HOME": profile}
        started = webdriver.Chrome(options, service=Service(driver, env=home))
        try:
            yield started
        finally:
            started.quit()


def show(driver: webdriver.Chrome, report: Path, width_px: int, scheme: str) -> None:
    """Open the report at a width, in dark or in light."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width_px,
            "height": 900,
            "deviceScaleFactor": SHARPNESS[width_px],
            "mobile": False,
        },
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get(report.resolve().as_uri())


def slices(driver: webdriver.Chrome, width_px: int) -> Iterator[bytes]:
    """Yield the page from top to bottom, as PNG files."""
    height_px = driver.execute_script("return document.documentElement.scrollHeight")
    for top_px in range(0, height_px, SLICE_PX):
        yield picture(driver, 0, top_px, width_px, min(SLICE_PX, height_px - top_px))


def picture(
    driver: webdriver.Chrome, left_px: float, top_px: float, width_px: float, height_px: float
) -> bytes:
    """Take a picture of a part of the page, as a PNG file."""
    clip = {"x": left_px, "y": top_px, "width": width_px, "height": height_px, "scale": 1}
    shot = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True}
    )
    return base64.b64decode(shot["data"])


def sheet(driver: webdriver.Chrome, report: Path) -> Image.Image:
    """Put parts of the page side by side."""
    show(driver, report, WIDE_PX, "light")
    parts = next(some for some in SHEETS if all(has(driver, where) for where, *_ in some))
    shots = [
        part(driver, report, where, width_px, scheme, round(SHEET_PX * shape))
        for where, width_px, scheme, shape in parts
    ]
    whole_px = sum(shot.width for shot in shots) + GAP_PX * (len(shots) - 1)
    joined = Image.new("RGB", (whole_px, SHEET_PX), "#c4ccd4")
    left_px = 0
    for shot in shots:
        joined.paste(shot, (left_px, 0))
        left_px += shot.width + GAP_PX
    return joined.quantize(192, dither=Image.Dither.NONE)


def has(driver: webdriver.Chrome, where: str) -> bool:
    """Return whether the page has an element."""
    return bool(driver.find_elements("css selector", where))


def part(
    driver: webdriver.Chrome, report: Path, where: str, width_px: int, scheme: str, out_px: int
) -> Image.Image:
    """Take a picture of an element and what is below it, and scale it to the sheet."""
    show(driver, report, width_px, scheme)
    script = """const shown = document.querySelector(arguments[0]);
        for (const folded of shown.querySelectorAll(':scope > details')) folded.open = true;
        const found = shown.getBoundingClientRect();
        return [found.left, scrollY + found.top, found.width]"""
    left_px, top_px, wide_px = driver.execute_script(script, where)
    edge_px = min(EDGE_PX, left_px)  # the page ends there
    wide_px += 2 * edge_px
    shot = picture(
        driver, left_px - edge_px, top_px - edge_px, wide_px, wide_px * SHEET_PX / out_px
    )
    return Image.open(io.BytesIO(shot)).convert("RGB").resize((out_px, SHEET_PX))


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    if not arguments:
        sys.exit(__doc__)
    main(*(*arguments, arguments[0].parent / "report-screens")[:2])
