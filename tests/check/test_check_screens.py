"""The size of images on the screen: they are enlarged only if the study allows it."""

from pathlib import Path

import pytest
from builders import named_study, whole_study
from known import check_sizes
from PIL import Image

from hype.check.findings import Preflight
from hype.cli.check import line_of_size
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.session.stage import Seating, appearance_of, load_picture
from hype.session.steps import PictureRequest
from hype.station.config import image_side_px
from hype.station.pictures import fit_picture

WINDOW = {"window_px": (1920, 1080), "screen_px": (1920, 1080)}
OWN_PX = 16
"""Side length of the test images."""


def study_with(folder: Path, display: str) -> Study:
    study = whole_study(folder)
    with study.path.open("a") as file:
        file.write(f"\n[display]\nfullscreen = false\n{display}\n")
    return load_study(folder)


@pytest.mark.parametrize(
    ("display", "side_px"),
    [
        ("", OWN_PX),
        ("size_px = 200", OWN_PX),
        ("size_px = 12", 12),
        ("size_px = 200\nenlarge = true", 200),
        ("enlarge = true", 540),
    ],
)
def test_images_are_enlarged_only_where_the_study_says_so(tmp_path, display, side_px):
    study = study_with(tmp_path, display)
    look = appearance_of(study, Seating(simulated=True))
    path = next((tmp_path / "stimuli").rglob("*.png")).relative_to(tmp_path / "stimuli")
    shown = load_picture(study, side_px, PictureRequest(path.as_posix(), mask=False))

    assert image_side_px(look, **WINDOW) == side_px
    assert max(shown.size) == side_px


@pytest.mark.parametrize(
    ("size", "enlarge", "becomes"),
    [((64, 32), False, (64, 32)), ((64, 32), True, (100, 50)), ((400, 200), False, (100, 50))],
)
def test_an_image_that_is_smaller_than_the_others_keeps_its_pixels(size, enlarge, becomes):
    assert fit_picture(Image.new("RGB", size), 100, cover=False, enlarge=enlarge).size == becomes


@pytest.mark.parametrize(
    ("display", "codes", "said"),
    [
        ("", [], "16 px, shown at their own size; there is room for 384 px"),
        ("size_px = 12", [], "16 px, shown at 12 px at most"),
        ("size_px = 200", ["images-small"], "16 px, shown at their own size; there is room for"),
        (
            "size_px = 123\nenlarge = true",
            ["images-enlarged"],
            "16 px, shown at 123 px: enlarged 7.7 times",
        ),
    ],
)
def test_check_says_how_large_images_are_shown(tmp_path, display, codes, said):
    flight = Preflight()
    check_sizes(flight, study_with(tmp_path, display), None)

    assert [(one.code, one.severity) for one in flight.findings] == [
        (code, "warning") for code in codes
    ]
    assert said in line_of_size(flight.facts["image_size"])
    assert all("7.7 times" in one.message for one in flight.findings if "enlarged" in one.code)


def test_nothing_is_said_of_what_depends_on_a_display_that_is_not_there(tmp_path):
    study, flight = named_study(tmp_path), Preflight()
    check_sizes(flight, study, None)
    assert line_of_size(flight.facts["image_size"]).endswith(" or smaller")

    study.path.write_text(f"{study.path.read_text()}\n[display]\nenlarge = true\n")
    flight = Preflight()
    check_sizes(flight, load_study(tmp_path), None)
    assert (flight.facts, flight.findings) == ({}, [])
