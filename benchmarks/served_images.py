"""Measure what an image's size and loading time reveal about whether it is real.

    python benchmarks/served_images.py [--evaluators 10]

`hype serve` serves a study of 100 artificial photographs, saved as JPEGs, and 100 smooth pictures
as fakes. Evaluators go through the study over HTTP, one after the other, and fetch each image when
the server names it. It prints the AUC of sizes and of loading times, for the first evaluator (who
is the first to get each image) and for all; 0.5 reveals nothing. For comparison it prints the AUC
of the encoded files' own sizes, and the largest AUC by chance (95 %).
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from machine import Load, description
from PIL import Image, ImageFilter
from scipy.stats import rankdata

from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.enrol import welcome_back
from hype.session.loop import advance
from hype.session.steps import Ending, Outcome, Response, Screen, Trial
from hype.stimuli.collection import scan
from hype.store import people
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy
from hype.web.desk import FileDesk
from hype.web.simulated import DISPLAY, Client, await_server

HYPE: Final = Path(sys.executable).with_name("hype")
SIDE_PX: Final = 512
EACH: Final = 100
STUDY: Final = """
[study]
name = "served images"
methods = ["infinity"]
evaluators = 1000
consent = false
breaks = false
[stimuli]
folder = "stimuli"
[infinity]
trials = 200
[qualification]
enabled = false
[practice]
trials = 0
"""


class Arrival(NamedTuple):
    """A received image: whether it is fake, its bytes with and without padding, loading time."""

    fake: bool
    sent: int
    own: int
    took_ms: float


def make_images(folder: Path) -> None:
    """Make photographs of pink noise, saved once as JPEG, and smooth pictures."""
    rng = np.random.default_rng(0)
    frequency = np.hypot(*np.meshgrid(*[np.fft.fftfreq(SIDE_PX)] * 2)) + 1 / SIDE_PX
    for number in range(2 * EACH):
        white = np.fft.fft2(rng.normal(size=(SIDE_PX, SIDE_PX, 3)), axes=(0, 1))
        pink = np.fft.ifft2(white / frequency[..., None], axes=(0, 1)).real
        image = Image.fromarray(np.uint8(np.clip(128 + 45 * pink / pink.std(), 0, 255)))
        if number < EACH:
            buffer = io.BytesIO()
            image.save(buffer, "JPEG", quality=int(rng.integers(75, 96)))
            image, place = Image.open(buffer), folder / "real"
        else:
            image, place = image.filter(ImageFilter.GaussianBlur(3)), folder / "fake" / "smooth"
        place.mkdir(parents=True, exist_ok=True)
        image.save(place / f"{number:03}.png")
    scan(folder)


def arrivals(study: AnyStudy, port: int, code: str) -> Iterator[Arrival]:
    """Go through a session, and fetch each image of a trial when it is shown."""
    key, course = FileDesk.of(study).key(), course_of(study)
    with closing(Client("127.0.0.1", port)) as client:
        client.get(f"/simulated/{code}/{key.name('simulated', code)}")
        sat = client.post("/api/sit", {"display": DISPLAY})
        with reading_record(study.folder / RECORD_FILE) as record, record.connect() as connection:
            (who,) = (
                w for w in people.list_evaluators(connection, simulated=True) if w.evaluator == code
            )
            plan = welcome_back(connection, course, who).plan
        observer, script = course.observer(plan, seed=0), course.script(plan)
        step, shown = advance(script, None), sat["step"]
        while not isinstance(step, Ending):
            if isinstance(step, Trial):
                for wanted, picture in zip(step.pictures, shown["pictures"], strict=True):
                    begun = time.perf_counter()
                    _, content = client.get(f"/picture/{picture['id']}")
                    took_ms = 1000 * (time.perf_counter() - begun)
                    own = len(content.rstrip(b"\0"))
                    yield Arrival(wanted.path.startswith("fake"), len(content), own, took_ms)
            response = Response() if isinstance(step, Screen) else observer.respond_to(step)
            report = {"seat": sat["seat"], "step": shown["id"], "answer": response.answer}
            shown = client.post("/api/step", report | {"rt_ms": response.rt_ms})["step"]
            step = advance(script, Outcome(response))


def auc(fake: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> float:
    """Return how often a fake's value exceeds a real image's, or is below it (the larger share)."""
    ranks, fakes, reals = rankdata(values), fake.sum(), (~fake).sum()
    share = (ranks[fake].sum() - fakes * (fakes + 1) / 2) / (fakes * reals)
    return float(max(share, 1 - share))


def print_auc(who: str, came: list[Arrival]) -> None:
    fake, sent, own, took_ms = (np.array(column) for column in zip(*came, strict=True))
    chance = 0.5 + 1.96 * np.sqrt((len(came) + 1) / (12 * fake.sum() * (~fake).sum()))
    half, most = np.percentile(took_ms, [50, 95])
    print(
        f"{who}: {len(came)} images, AUC of sizes {auc(fake, sent):.3f} (of the files themselves "
        f"{auc(fake, own):.3f}), of times {auc(fake, took_ms):.3f} (by chance up to {chance:.3f}); "
        f"{half:.1f} ms (50 %), {most:.1f} ms (95 %), {sent.max():,} bytes each"
    )


def main() -> None:
    """Make the study, serve it, fetch its images, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--evaluators", type=int, default=10)
    options = parser.parse_args()
    load = Load()
    with tempfile.TemporaryDirectory() as scratch:
        for what in ("STATE", "CACHE"):
            os.environ[f"XDG_{what}_HOME"] = str(Path(scratch) / what)
        folder = Path(scratch) / "study"
        make_images(folder / "stimuli")
        (folder / "study.toml").write_text(STUDY)
        study = load_any(folder)
        command = [HYPE, "serve", folder, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                said = server.stdout.readline() if server.stdout else ""
                port = int(said.partition("127.0.0.1:")[2].partition("/")[0])
                await_server("127.0.0.1", port)
                codes = [f"sim-{number:04}" for number in range(1, options.evaluators + 1)]
                came = [list(arrivals(study, port, code)) for code in codes]
            finally:
                server.terminate()
    print(description(["starlette", "uvicorn", "pillow"]))
    print_auc("the first evaluator", came[0])
    print_auc("all evaluators", [one for theirs in came for one in theirs])
    print(f"other programs, the evaluators among them, took {load.of_others():.2f} cores")


if __name__ == "__main__":
    main()
