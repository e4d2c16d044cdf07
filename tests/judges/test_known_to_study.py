from hype.judges.files import KnownImage, margin_of, read_judges, with_known_images, without_items
from hype.protocols.prompted.settings import StrengthAnalysis

KNOWN = {
    "a/1.png": KnownImage(condition="a", prompt="a hat", style="photo"),
    "b/1.png": KnownImage(condition="b", prompt="a hat"),
}


def test_a_study_says_what_a_file_does_not(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("image,score\na/1.png,1\nb/1.png,2\nelse.png,3\n")
    scores = with_known_images(read_judges([path]), KNOWN).scores

    assert scores["condition"].tolist() == ["a", "b", ""]
    assert scores["prompt"].tolist() == ["a hat", "a hat", ""]
    assert scores["style"].tolist() == ["photo", "", ""]
    assert scores["score"].tolist() == [1, 2, 3]


def test_what_a_file_says_of_a_prompt_stays(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("image,score,prompt,condition\na/1.png,1,a cap,c\nb/1.png,2,,\n")
    scores = with_known_images(read_judges([path]), KNOWN).scores

    assert scores["prompt"].tolist() == ["a cap", "a hat"]
    assert scores["condition"].tolist() == ["c", "b"]


def test_items_that_nobody_rated_yet_are_passed_over(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("item,axis,answer\ni1,overall,1\ni2,overall,2\ni3,overall,3\n")
    judges = read_judges([path])
    answers = without_items(judges, {"i2"}).answers

    assert answers["item"].tolist() == ["i1", "i3"]
    assert answers["item"].cat.categories.tolist() == ["i1", "i3"]
    assert without_items(judges, {"i4"}) is judges


def test_the_margin_is_given_or_the_study_s():
    planned = StrengthAnalysis(judge_margin=0.1)
    assert (margin_of(0.05, planned), margin_of(None, planned)) == (0.05, 0.1)
    assert (margin_of(0.05, None), margin_of(None, None)) == (0.05, None)
