import pytest
from page_structure import works_known

from hype.protocols.hype.scoring import score
from hype.protocols.hype.wording import statistics_in_words
from hype.report.methods import methods_of
from hype.report.parts import Background


def methods(scores, *, curves=False, **more):
    return methods_of(statistics_in_words(scores, curves=curves), **more)


def text_of(found):
    return "\n".join(found.paragraphs)


@pytest.fixture
def infinity(make_study):
    frame = make_study("infinity")
    return frame.assign(image=frame["truth"] + frame["trial"].astype(str))


def test_only_what_was_computed_is_said(make_study):
    (alone,) = score(make_study("infinity", names={"only": 0.2}), draws=50)
    text = text_of(methods([alone]))
    for absent in ("HYPE_time", "analysis of variance", "Owen", "psignifit", "Student t"):
        assert absent not in text
    assert "HYPE_∞" in text
    assert "50 bootstrap draws" in text


def test_each_option_adds_its_sentence(infinity):
    def words(**options):
        return text_of(methods(score(infinity, draws=50, **options)))

    plain = words()
    assert "a linear contrast" in words(order=["wgan", "progan", "stylegan"])
    assert "Owen & Eckles, 2012" in words(two_way=True)
    for absent in ("linear contrast", "Owen"):
        assert absent not in plain


def test_the_design_comes_first_and_brings_its_works(scores):
    found = methods(
        scores,
        background=Background(
            design=("Images were masked (Portilla & Simoncelli, 2000).",),
            works=(works_known("hype")["PortillaSimoncelli2000"],),
            people=(),
            flow=(),
            flow_columns=(),
            facts=(),
        ),
        programs={"hype": "0.1.0", "python": "3.11.2"},
    )
    assert found.paragraphs[0].startswith("Images were masked")
    assert found.paragraphs[-1] == "Analysed with hype 0.1.0 under Python 3.11.2."
    assert works_known("hype")["PortillaSimoncelli2000"] in found.works
