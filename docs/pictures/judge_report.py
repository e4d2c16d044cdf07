"""Take the picture of judges and people in docs/screens; `hype judge` asks the judges.

    .venv/bin/python docs/pictures/judge_report.py docs/screens/judges.png

People are simulated, and judges answer through the chat server of the tests. It needs Debian's
chromium and chromium-driver.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from report_screens import SHEET_PX, WIDE_PX, browser, part

from hype.stimuli.images import decode, png_bytes

ROOT = Path(__file__).resolve().parents[2]
HYPE = Path(sys.executable).parent / "hype"
STUDY = ROOT / "experiments" / "fashion-comparisons" / "study.toml"
STRENGTHS = {"gaussian": -1.1, "pca": -0.3, "vae": 0.5, "flow": 0.9}
"""How simulated people rate the models; images of one model do not differ."""
CUTS_PX = ((0, 404), (20, 260))
"""Top and bottom of the table and of the figure in their screenshots."""
PEOPLE = "24"
SHORTER = {
    "../../stimuli/fashion": "stimuli",
    "images = 4": "images = 1",
    "trials = 48": "trials = 30",
}
"""One image of each model and prompt: 60 pairs, and everybody sees all of them."""


def main(shot: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests" / "made"))
    from model_server import ModelServer, by_worth, dice, left_lover

    stimuli = ROOT / "stimuli" / "fashion"
    judges = {
        "true": by_worth(worth(stimuli, images=1e-6)),
        "own-taste": by_worth(worth(stimuli, images=4.0)),
        "first-lover": left_lover,
        "dice": dice(),
    }
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(stimuli, Path(folder) / "stimuli")
        text = STUDY.read_text()
        for old, new in SHORTER.items():
            text = text.replace(old, new)
        (Path(folder) / "study.toml").write_text(text)
        run("simulate", folder, "--evaluators", PEOPLE)
        for name, judge in judges.items():
            with ModelServer(judge) as server:
                run("judge", folder, "--endpoint", server.url, "--model", name)
        run("report", folder, "--simulated", "--judges", f"{folder}/judges", "--margin", "0.05")
        with browser() as driver:
            parts = ("#comparison-judges", "#comparison-judge-agreement")
            report = Path(folder) / "report.html"
            shots = [part(driver, report, each, WIDE_PX, "light", SHEET_PX) for each in parts]
    joined = Image.new("RGB", (2 * SHEET_PX, CUTS_PX[0][1]), "white")
    for place, (each, (top_px, end_px)) in enumerate(zip(shots, CUTS_PX, strict=True)):
        joined.paste(each.crop((0, top_px, SHEET_PX, end_px)), (place * SHEET_PX, 0))
    joined.quantize(192, dither=Image.Dither.NONE).save(shot, optimize=True)


def worth(stimuli: Path, *, images: float) -> dict[str, float]:
    """Return each image's worth: its model's, plus ``images`` times a number from its checksum."""
    found = {}
    for path in stimuli.rglob("*.png"):
        sha256 = hashlib.sha256(png_bytes(decode(path))).hexdigest()  # the bytes that judges get
        own = int(sha256[:8], 16) / 2**32 - 0.5
        found[sha256] = STRENGTHS.get(path.parent.name, 0.0) + images * own
    return found


def run(*arguments: str) -> None:
    subprocess.run([HYPE, *arguments], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
