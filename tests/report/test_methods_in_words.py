import re

import pytest

from hype.protocols.hype.methods import methods
from hype.protocols.hype.scoring import score
from hype.report.bibliography import WORKS, cite, listed, reference, said
from hype.report.parts import Background
from hype.study import phrases as paragraphs

YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def text_of(found):
    return "\n".join(found.paragraphs)


def keys_of(found):
    return {key for key, work in WORKS.items() if work in found.works}


@pytest.fixture
def infinity(make_study):
    frame = make_study("infinity")
    return frame.assign(image=frame["truth"] + frame["trial"].astype(str))


def test_every_work_that_is_named_is_listed_and_no_other(scores):
    found = methods(scores, curves=True)
    named = {key for key in WORKS if cite(key) in text_of(found)}
    assert keys_of(found) == named
    assert len(YEAR.findall(text_of(found))) >= len(named)


def test_only_what_was_computed_is_said(make_study):
    (alone,) = score(make_study("infinity", names={"only": 0.2}), draws=50, two_way=False)
    text = text_of(methods([alone]))
    for absent in ("HYPE_time", "analysis of variance", "Owen", "psignifit", "Wilson", "Student t"):
        assert absent not in text
    assert "HYPE_∞" in text
    assert "50 bootstrap draws" in text


def test_each_option_adds_its_sentence(infinity):
    def words(**options):
        return text_of(methods(score(infinity, draws=50, **options)))

    plain = words()
    assert "Jonckheere" in words(order=["wgan", "progan", "stylegan"])
    assert "crossed normal effects" in words(mixed=True)
    assert "within each value of “block”" in words(by="block")
    assert "Owen & Eckles, 2012" in plain
    assert "Owen" not in words(two_way=False)
    for absent in ("Jonckheere", "crossed normal", "within each value"):
        assert absent not in plain


def test_two_conditions_are_compared_by_student(make_study):
    two = score(make_study("infinity", names={"a": 0.4, "b": 0.1}), draws=50)
    assert "Student, 1908" in text_of(methods(two))
    assert "Tukey" not in text_of(methods(two))


def test_kramer_only_where_numbers_of_evaluators_differ(make_study):
    frame = make_study("infinity")
    assert "Kramer" not in text_of(methods(score(frame, draws=50)))
    fewer = frame[frame["evaluator"].ne("wgan-0")]
    assert "Kramer, 1956" in text_of(methods(score(fewer, draws=50)))


def test_curves_are_described_where_they_are_drawn(scores):
    assert "psignifit" in text_of(methods(scores, curves=True))
    assert "psignifit" not in text_of(methods(scores, curves=False))


def test_what_became_of_spoiled_trials(make_study):
    frame = make_study("time").assign(verdict="ok")
    frame.loc[7, "verdict"] = "late"
    for spoiled, words in (("keep", "scored like the others"), ("leave-out", "left out")):
        text = text_of(methods(score(frame, draws=50, spoiled=spoiled)))
        assert "Of 480 flashed trials" in text
        assert "requested (1) were" in text
        assert words in text


def test_the_design_comes_first_and_brings_its_works(scores):
    found = methods(
        scores,
        background=Background(
            design=("Images were masked (Portilla & Simoncelli, 2000).",),
            works=("PortillaSimoncelli2000",),
            people=(),
            flow=(),
            flow_columns=(),
            facts=(),
        ),
        programs={"hype": "0.1.0", "python": "3.11.2"},
    )
    assert found.paragraphs[0].startswith("Images were masked")
    assert found.paragraphs[-1] == "Analysed with hype 0.1.0 under Python 3.11.2."
    assert "PortillaSimoncelli2000" in keys_of(found)


def test_a_sentence_knows_what_it_cites():
    sentence = said("By {Efron1979} and {Zhou2019}, {n} {{draws}}.", n="{Levitt1971}")
    assert sentence.text == "By Efron, 1979 and Zhou et al., 2019, {Levitt1971} {draws}."
    assert sentence.works == ("Efron1979", "Zhou2019")
    with pytest.raises(KeyError, match="Nobody1900"):
        said("By {Nobody1900}.")


def test_references_are_in_order_and_once():
    works = listed(["Zhou2019", "Efron1987", "Efron1979", "Zhou2019"])
    assert [work.year for work in works] == [1979, 1987, 2019]
    assert reference(WORKS["Efron1979"]) == (
        "Efron, B. (1979). Bootstrap methods: another look at the jackknife. "
        "<i>The Annals of Statistics</i> 7, 1–26. doi:10.1214/aos/1176344552"
    )


def test_the_register_is_sound():
    for key, work in WORKS.items():
        assert key.endswith(str(work.year))
        assert work.authors.startswith(work.short.split(" ")[0])
        assert re.fullmatch(r"(10\.\d{4,}/\S+)?", work.doi)
    assert len({work.doi for work in WORKS.values() if work.doi}) == sum(
        bool(work.doi) for work in WORKS.values()
    )


def test_whatever_a_study_cites_is_in_it():
    cited = [value for value in vars(paragraphs).values() if isinstance(value, str)]
    keys = [value for value in cited if re.fullmatch(r"[A-Z][A-Za-z]+(19|20)\d\d", value)]
    assert len(keys) >= 5
    assert set(keys) <= set(WORKS)
