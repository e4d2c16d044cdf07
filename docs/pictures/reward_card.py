"""Take the picture of a reward model's card in docs/screens as a browser shows it.

make demo-reward OUT=FOLDER
.venv/bin/python docs/pictures/reward_card.py FOLDER/model/card.svg docs/screens/reward.png
"""

from __future__ import annotations

import sys
from pathlib import Path

from report_screens import browser, picture

if __name__ == "__main__":
    card, shot = map(Path, sys.argv[1:])
    with browser() as driver:
        driver.get(card.resolve().as_uri())
        size = "const box = document.documentElement.getBoundingClientRect();"
        width_px, height_px = driver.execute_script(f"{size} return [box.width, box.height]")
        shot.write_bytes(picture(driver, 0, 0, width_px, height_px))
