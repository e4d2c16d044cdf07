"""`hype new` for comparisons: a file to start from, and whole studies from folders of images."""

from pathlib import Path

from builders import contents, noise

from hype.protocols.load import load_any


def samples(folder: Path, *names: str, first: int = 0, side_px: int = 64) -> Path:
    """Write a picture of each of these names, all different."""
    for number, name in enumerate(names, start=first):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        noise(number, side_px).save(path)
    return folder


def both(folder: Path) -> tuple[str, ...]:
    """Give options that name two models' images of two prompts, each named in its own way."""
    one = samples(
        folder / "one", *(f"{p}_{n:02d}.png" for p in ("a bag", "a coat") for n in (1, 2))
    )
    names = [f"{p}/{n}.png" for p in ("a_bag", "a coat") for n in (7, 8, 9)]
    other = samples(folder / "other", *names, first=50, side_px=80)
    return ("--fake", f"one={one}", "--fake", f"other={other}")


def test_one_prompt_has_no_other_to_mismatch_it(tmp_path, hype):
    one = samples(tmp_path / "one", "a bag_1.png")
    other = samples(tmp_path / "other", "a bag_1.png", first=5)
    folders = ("--fake", f"one={one}", "--fake", f"other={other}")
    done = hype("new", tmp_path / "mine", "--template", "comparison", *folders)

    assert "comparisons with an obvious answer are off" in done.out
    assert load_any(tmp_path / "mine").settings.validation.kind == "off"
    assert hype("simulate", tmp_path / "mine", "--evaluators", 1).code == 0


def refused(hype, folder: Path, *options: object, template: str = "comparison") -> str:
    """Give what is said of options that are refused; nothing is left behind."""
    before = set(contents(folder))
    said = hype("new", folder / "mine", "--template", template, *options).refused()
    assert set(contents(folder)) == before
    assert not (folder / "mine").exists()
    return said


def test_wrong_options_get_one_message(tmp_path, hype):
    folders = both(tmp_path)
    bag = samples(tmp_path / "bag", "a bag_1.png", first=70)

    for options, message in (
        (folders[:2], "--fake: names one condition (one); two at the least, or one and --real"),
        (("--real", bag), "--fake: is missing; NAME=FOLDER"),
        (("--fake", "one"), "--fake: 'one' does not name a folder"),
        ((*folders, "--masks", 5), "--masks: is for --template hype, not for comparison"),
        ((*folders, "--method", "time"), "--method: is for --template hype, not for comp"),
        ((*folders, "--fake", f"real={bag}"), "'real' cannot name a condition"),
    ):
        assert message in refused(hype, tmp_path, *options)
    said = refused(hype, tmp_path, template="votes")
    templates = "hype, qualification, comparison, arena, rating, ranking"
    assert said.endswith(f"'votes' is not known; one of {templates}")
    said = refused(hype, tmp_path, *folders, "--fake", f"bag={bag}", template="arena")
    assert "--fake bag: has no image of the prompt 'a coat'; an arena needs" in said


def test_images_that_do_not_fit_get_one_message(tmp_path, hype):
    folders = both(tmp_path)
    numbered = samples(tmp_path / "numbered", "0001.png", first=80)
    hat = samples(tmp_path / "hat", "a bag_1.png", "a hat_1.png", first=90)

    said = refused(hype, tmp_path, *folders, "--fake", f"x={numbered}")
    assert said.startswith(f"hype: {numbered / '0001.png'}: has no prompt in its name; a sub-folde")
    said = refused(hype, tmp_path, *folders, "--fake", f"x={hat}")
    assert said.startswith(f"hype: {hat}: has the only images of the prompt 'a hat'; images of two")
