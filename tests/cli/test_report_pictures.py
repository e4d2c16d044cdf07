"""The pictures of a report: from a stimulus set to what a page needs."""

from builders import noise, stimulus_set

from hype.stimuli.images import pictures_in

NAME = "fake/good/000.png"


def test_images_of_a_stimulus_set_are_pictured(tmp_path):
    folder = stimulus_set(tmp_path / "stimuli", {"": 2, "good": 2})
    pictured = pictures_in(folder, [NAME])
    found = pictured(NAME)

    assert found is not None
    uri, width_px, height_px = found
    assert uri.startswith("data:image/png;base64,")
    assert (width_px, height_px) == (16, 16)
    assert pictured("fake/good/001.png") is None  # nobody asked for it


def test_an_image_that_was_exchanged_is_not(tmp_path):
    folder = stimulus_set(tmp_path / "stimuli", {"": 2, "good": 2})
    noise(99).save(folder / NAME)

    assert pictures_in(folder, [NAME])(NAME) is None


def test_a_folder_without_a_manifest_will_do(tmp_path):
    folder = stimulus_set(tmp_path / "stimuli", {"": 2, "good": 2})
    (folder / "manifest.csv").unlink()

    assert pictures_in(folder, [NAME])(NAME)


def test_an_image_beyond_the_manifest_is_not_pictured(tmp_path):
    folder = stimulus_set(tmp_path / "stimuli", {"": 2, "good": 2})
    noise(7).save(folder / "fake/good/new.png")

    assert pictures_in(folder, ["fake/good/new.png"])("fake/good/new.png") is None
