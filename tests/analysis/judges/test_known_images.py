from pathlib import Path

from hype.analysis.judges.judge_files import read_judges
from hype.analysis.judges.known_images import KnownImage, with_known_images

KNOWN = {
    "a/1.png": KnownImage(condition="a", prompt="a hat", style="photo"),
    "b/1.png": KnownImage(condition="b", prompt="a hat"),
}


def test_a_study_says_what_a_file_does_not(tmp_path: Path) -> None:
    path = tmp_path / "judge.csv"
    path.write_text("image,score\na/1.png,1\nb/1.png,2\nelse.png,3\n")
    scores = with_known_images(read_judges([path]), KNOWN).scores

    assert scores["condition"].tolist() == ["a", "b", ""]
    assert scores["prompt"].tolist() == ["a hat", "a hat", ""]
    assert scores["style"].tolist() == ["photo", "", ""]
    assert scores["score"].tolist() == [1, 2, 3]


def test_what_a_file_says_of_a_prompt_stays(tmp_path: Path) -> None:
    path = tmp_path / "judge.csv"
    path.write_text("image,score,prompt,condition\na/1.png,1,a cap,c\nb/1.png,2,,\n")
    scores = with_known_images(read_judges([path]), KNOWN).scores

    assert scores["prompt"].tolist() == ["a cap", "a hat"]
    assert scores["condition"].tolist() == ["c", "b"]
