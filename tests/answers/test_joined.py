"""Several studies and tables are scored as one, or refused with the reason."""

import numpy as np
import pandas as pd
import pytest
from builders import merged
from small_studies import SMALLER, STUDIES

from hype.answers.choices import Choices
from hype.errors import InputError
from hype.library.scores import example
from hype.protocols.opening import score_sources
from hype.tables.table_files import FrameTable


def together(frames, **choices):
    """Score several frames as one study and return what `--json` prints."""
    given = [FrameTable(frame) for frame in frames]
    return score_sources(given, Choices(**choices)).to_object()


def judged(rng, part="a", *, people=12, conditions=("gan", "vae"), wrong=0.3, images=40):
    """Simulate judgements without a time limit; every person judges the same images."""
    rows = []
    for name in conditions:
        for person in range(people):
            for trial in range(images):
                truth = "fake" if trial % 2 else "real"
                other = {"fake": "real", "real": "fake"}[truth]
                answer = other if rng.random() < wrong else truth
                image = f"{name if truth == 'fake' else 'real'}/{trial}.png"
                rows.append((f"{part}{name}{person}", name, 1, trial + 1, truth, image, answer))
    columns = ["evaluator", "condition", "block", "trial", "truth", "image", "answer"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(rt_ms=rng.integers(300, 3000, len(frame)))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_studies_that_share_nothing_are_joined_with_a_warning(rng):
    frames = [judged(rng, "a", conditions=("gan",)), judged(rng, "b", conditions=("vae",))]
    printed = together(frames)

    assert sum("shares no condition" in note for note in printed["notes"]) == 2


def test_a_person_goes_on_in_another_study_or_is_another(rng):
    first, second = judged(rng, "a"), judged(rng, "a", conditions=("gan",))
    same = together([first, second])
    others = together([first, second], apart=True)

    several = "12 codes of evaluators occur in several of these sources and count as"
    assert f"{several} the same people." in same["notes"]
    assert f"{several} other people." in others["notes"]
    number = {row["condition"]: row["evaluators"] for row in same["conditions"]}
    assert number == {"gan": 12, "vae": 12}
    assert {r["condition"]: r["evaluators"] for r in others["conditions"]} == number | {"gan": 24}


def test_answers_that_were_read_before_are_refused(rng):
    frame = judged(rng)

    with pytest.raises(InputError, match=r"contains 40 answers that were already read: eval"):
        together([frame, frame[frame["evaluator"] == "agan3"]])
    untimed = frame.drop(columns=["trial", "rt_ms"])
    with pytest.raises(InputError, match=r"frame 2: contains \d+ answers that were already"):
        together([untimed, untimed])
    other = untimed.copy()
    other.loc[0, "answer"] = "real" if other.loc[0, "answer"] == "fake" else "fake"
    together([untimed, other])


def test_who_ranks_a_group_again_in_another_study_goes_on(rng):
    first = example("rankings").assign(session=1)
    second = first.assign(rank=first.groupby(["evaluator", "group"])["rank"].transform("max") + 1)
    second["rank"] -= first["rank"]
    assert "count as the same people" in " ".join(together([first, second])["notes"])
    with pytest.raises(InputError, match=r"frame 2: contains \d+ answers that were already read"):
        together([first, first[first["evaluator"] == first["evaluator"].iloc[0]]])


def test_images_of_one_name_with_other_checksums_are_other_images(rng):
    first, second = judged(rng, "a"), judged(rng, "b")
    sums = [
        frame.assign(image_sha256=[f"{name}-{image}" for image in frame["image"]])
        for frame, name in ((first, "x"), (second, "y"))
    ]
    given = [FrameTable(frame) for frame in sums]
    answers = score_sources(given, Choices()).answers
    alike = score_sources([FrameTable(first), FrameTable(second)], Choices()).answers

    assert answers.frame["image"].nunique() == 2 * alike.frame["image"].nunique()
    assert "real/0.png (y-real/0)" in set(answers.frame["image"])


def test_studies_asked_alike_are_joined_and_others_refused(tmp_path, hype):
    make, less = STUDIES["comparison"], SMALLER["comparison"]
    for name in ("one", "two", "bright"):
        (tmp_path / name).mkdir()
        other = {"display": {"background": [0, 0, 0]}} if name == "bright" else {}
        make(tmp_path / name, **merged(less, {"study": {"name": name}, **other}))
        done = hype("simulate", tmp_path / name, "--evaluators", 4)
        assert done.code == 0, done.err
    done = hype("score", tmp_path / "one", tmp_path / "two", "--simulated", "--json")
    refused = hype("score", tmp_path / "one", tmp_path / "bright", "--simulated", "--json")

    assert done.code == 0, done.err
    one = done.json[0] if isinstance(done.json, list) else done.json
    assert one["notes"][0] == "Scored together: one, two."
    assert "count as other people" in " ".join(one["notes"])
    assert refused.code == 2
    assert "display.background is [0, 0, 0] instead of" in refused.err
    assert "cannot be scored together with" in refused.err


def test_what_cannot_be_joined_is_refused(tmp_path, hype):
    for name in ("time", "ratings"):
        example(name).to_csv(tmp_path / f"{name}.csv", index=False)
    time, ratings = tmp_path / "time.csv", tmp_path / "ratings.csv"

    for arguments, message in (
        ((time, ratings), "ratings.csv: contains ratings, but "),
        ((time, time), "time.csv: is given twice"),
        ((time, "--apart"), "--apart: is only for several studies or tables"),
        ((time, "--margin", 20), "--margin: is for judges only; the margin of conditions is in "),
        ((time, ratings, "--version", 1), "--version: is only for a single study"),
        ((time, ratings, "--image-table", "x.csv"), "--image-table: is only for one study"),
    ):
        refused = hype("score", *arguments)
        assert refused.code == 2
        assert message in refused.err


def test_a_setting_that_only_one_study_has_is_a_difference(tmp_path, hype):
    for name, rule in (("open", {}), ("strict", {"exclusion": {"fast_share": 0.5}})):
        (tmp_path / name).mkdir()
        STUDIES["hype"](
            tmp_path / name, **merged(SMALLER["hype"], {"study": {"name": name}, **rule})
        )
        assert hype("simulate", tmp_path / name, "--evaluators", 2).code == 0
    refused = hype("score", tmp_path / "open", tmp_path / "strict", "--simulated")

    assert refused.code == 2
    assert "exclusion.fast_share is 0.5 instead of nothing" in refused.err


def test_what_is_left_out_of_several_files_is_counted_in_one_note(tmp_path):
    rows = "p{n},gan,real,real\np{n},gan,,next\np{n},gan,fake,fake\np{n},gan,fake,\n"
    for n in range(3):
        text = "evaluator,condition,truth,response\n" + rows.format(n=n)
        (tmp_path / f"{n}.csv").write_text(text)
    files = [str(tmp_path / f"{n}.csv") for n in range(3)]
    notes = score_sources(files, Choices(shape="jspsych")).every[0].notes

    assert "3 rows were left out: truth is empty." in notes
    assert any(note.startswith("3 rows have no answer, and they are left out") for note in notes)
