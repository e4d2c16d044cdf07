"""`hype report` with the images that were judged."""

from builders import noise, stimulus_set

from hype.stimuli.images import pictures_in

NAME = "fake/good/000.png"


def test_only_the_images_of_a_manifest_are_pictured_as_they_were(tmp_path):
    folder = stimulus_set(tmp_path / "stimuli", {"": 2, "good": 2})
    noise(7).save(folder / "fake/good/new.png")
    pictured = pictures_in(folder, [NAME, "fake/good/new.png"])
    uri, width_px, height_px = pictured(NAME)

    assert uri.startswith("data:image/png;base64,")
    assert (width_px, height_px) == (16, 16)
    assert pictured("fake/good/new.png") is pictured("fake/good/001.png") is None
    noise(99).save(folder / NAME)
    assert pictures_in(folder, [NAME])(NAME) is None
    (folder / "manifest.csv").unlink()
    assert pictures_in(folder, [NAME])(NAME)
