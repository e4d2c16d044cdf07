"""Files of judges, and their comparison with a study."""

import pytest
from made_judges import judges

from hype.errors import InputError
from hype.judges.files import add_image_facts, drop_items, margin_of, read_judges
from hype.protocols.prompted.settings import StrengthAnalysis

ANSWERS = "item,axis,answer\n"
SCORES = "image,score\n"


def test_files_of_both_shapes_and_several_judges(tmp_path):
    found = judges(
        tmp_path,
        one="judge,item,axis,answer\nB,1,overall,2\nA,1,overall,3\n",
        two="judge,item,axis,answer\nA,2,overall,not-relevant\nA,3,overall,\n",
        scorer=SCORES + "a.png,-1.5\nb.png,2e1\n",
    )

    of_answers, of_scores = (
        table["judge"].cat.categories.tolist() for table in (found.answers, found.scores)
    )
    assert (of_answers, of_scores) == (["A", "B"], ["scorer"])
    of_a = found.answers[found.answers["judge"].eq("A").to_numpy()]
    assert list(zip(of_a["item"], of_a["answer"], of_a["row"], strict=True)) == [
        ("1", "3", 3),
        ("2", "not-relevant", 2),
        ("3", "", 3),
    ]
    assert found.scores["score"].tolist() == [-1.5, 20.0]
    assert found.scores["axis"].tolist() == ["", ""]


def test_a_file_given_twice_counts_once(tmp_path):
    judges(tmp_path, one=ANSWERS + "1,overall,2\n")
    found = read_judges([tmp_path, tmp_path / "one.csv"])
    assert len(found.answers) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "one.csv: the file is empty"),
        (ANSWERS, "one.csv: has no answers"),
        (SCORES, "one.csv: has no scores"),
        ("item,answer\n1,2\n", "the column 'axis' is missing; required: item, axis, answer, or"),
        ("image,axis\na,b\n", "the column 'score' is missing"),
        ("name,value\n1,2\n", "the column 'item' is missing.*found: 'name', 'value'"),
        ("item,axis,answer,score\n1,a,2,3\n", "has a column 'answer' and a column 'score'"),
        (ANSWERS + "1,overall,2\n1,overall,3\n", "one.csv, row 3: the judge 'one' answers the sa"),
        (SCORES + "a,1\nb,2\na,1\n", r"row 4: the judge 'one' scores .*image a.*one.csv, row 2"),
        (SCORES + "a,1\nb,good\n", "row 3, column score: 'good' is not allowed"),
        (SCORES + "a,inf\n", "row 2, column score: 'inf' is not allowed; it must be a number"),
        (SCORES + "a,NaN\n", "row 2, column score: 'NaN' is not allowed"),
        (ANSWERS + ",overall,2\n", "row 2, column item: is empty"),
        (ANSWERS + "NA,overall,2\n", "row 2, column item: 'NA' is not allowed"),
    ],
)
def test_bad_files(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        judges(tmp_path, one=text)


def test_two_answers_to_one_in_two_files(tmp_path):
    rows = "judge,item,axis,answer\nA,7,overall,2\n"
    with pytest.raises(InputError, match=r"two.csv, row 2: .*item 7, axis overall.*one.csv, row 2"):
        judges(tmp_path, one=rows, two=rows)


def test_a_judge_with_both_shapes(tmp_path):
    with pytest.raises(InputError, match=r"two.csv, row 2: the judge 'A' scores images here, but"):
        judges(
            tmp_path,
            one="judge,item,axis,answer\nA,7,overall,2\n",
            two="judge,image,score\nA,a.png,2\n",
        )


def test_no_file_at_all(tmp_path):
    with pytest.raises(InputError, match="the folder has no CSV file"):
        read_judges([tmp_path])
    with pytest.raises(InputError, match="no file is given"):
        read_judges([])
    with pytest.raises(InputError, match=r"gone.csv: cannot be read"):
        read_judges([tmp_path / "gone.csv"])


KNOWN = {
    "a/1.png": {"condition": "a", "prompt": "a hat", "style": "photo"},
    "b/1.png": {"condition": "b", "prompt": "a hat", "style": ""},
}


def test_a_study_says_what_a_file_does_not(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("image,score\na/1.png,1\nb/1.png,2\nelse.png,3\n")
    scores = add_image_facts(read_judges([path]), KNOWN).scores

    assert scores["condition"].tolist() == ["a", "b", ""]
    assert scores["prompt"].tolist() == ["a hat", "a hat", ""]
    assert scores["style"].tolist() == ["photo", "", ""]
    assert scores["score"].tolist() == [1, 2, 3]


def test_what_a_file_says_of_a_prompt_stays(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("image,score,prompt,condition\na/1.png,1,a cap,c\nb/1.png,2,,\n")
    scores = add_image_facts(read_judges([path]), KNOWN).scores

    assert scores["prompt"].tolist() == ["a cap", "a hat"]
    assert scores["condition"].tolist() == ["c", "b"]


def test_items_that_nobody_rated_yet_are_passed_over(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("item,axis,answer\ni1,overall,1\ni2,overall,2\ni3,overall,3\n")
    judges = read_judges([path])
    answers = drop_items(judges, {"i2"}).answers

    assert answers["item"].tolist() == ["i1", "i3"]
    assert answers["item"].cat.categories.tolist() == ["i1", "i3"]
    assert drop_items(judges, {"i4"}) is judges


def test_the_margin_is_given_or_the_study_s():
    planned = StrengthAnalysis(judge_margin=0.1)
    assert (margin_of(0.05, planned), margin_of(None, planned)) == (0.05, 0.1)
    assert (margin_of(0.05, None), margin_of(None, None)) == (0.05, None)
