"""The works that reports cite: one entry each, whatever cites it."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from hype.protocols.comparison.bibliography import COMPARISON_WORKS
from hype.protocols.ranking.bibliography import RANKING_WORKS
from hype.protocols.rating.bibliography import RATING_WORKS
from hype.report.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterable


WORKS: Final[dict[str, Work]] = {
    "BrownForsythe1974": Work(
        authors="Brown, M. B., Forsythe, A. B.",
        short="Brown & Forsythe",
        year=1974,
        title="Robust tests for the equality of variances",
        venue="Journal of the American Statistical Association",
        place="69, 364–367",
        doi="10.1080/01621459.1974.10482955",
    ),
    "Efron1979": Work(
        authors="Efron, B.",
        short="Efron",
        year=1979,
        title="Bootstrap methods: another look at the jackknife",
        venue="The Annals of Statistics",
        place="7, 1–26",
        doi="10.1214/aos/1176344552",
    ),
    "Efron1987": Work(
        authors="Efron, B.",
        short="Efron",
        year=1987,
        title="Better bootstrap confidence intervals",
        venue="Journal of the American Statistical Association",
        place="82, 171–185",
        doi="10.1080/01621459.1987.10478410",
    ),
    "Fisher1925": Work(
        authors="Fisher, R. A.",
        short="Fisher",
        year=1925,
        title="Statistical Methods for Research Workers",
        venue="Oliver and Boyd",
    ),
    "GamesHowell1976": Work(
        authors="Games, P. A., Howell, J. F.",
        short="Games & Howell",
        year=1976,
        title="Pairwise multiple comparison procedures with unequal n's and/or variances",
        venue="Journal of Educational Statistics",
        place="1, 113–125",
        doi="10.3102/10769986001002113",
    ),
    "GarciaPerez1998": Work(
        authors="García-Pérez, M. A.",
        short="García-Pérez",
        year=1998,
        title="Forced-choice staircases with fixed step sizes: asymptotic and small-sample "
        "properties",
        venue="Vision Research",
        place="38, 1861–1881",
        doi="10.1016/S0042-6989(97)00340-4",
    ),
    "GreeneOliva2009": Work(
        authors="Greene, M. R., Oliva, A.",
        short="Greene & Oliva",
        year=2009,
        title="The briefest of glances: the time course of natural scene understanding",
        venue="Psychological Science",
        place="20, 464–472",
        doi="10.1111/j.1467-9280.2009.02316.x",
    ),
    "Hautus1995": Work(
        authors="Hautus, M. J.",
        short="Hautus",
        year=1995,
        title="Corrections for extreme proportions and their biasing effects on estimated values "
        "of d′",
        venue="Behavior Research Methods, Instruments, & Computers",
        place="27, 46–51",
        doi="10.3758/BF03203619",
    ),
    "Hedges1981": Work(
        authors="Hedges, L. V.",
        short="Hedges",
        year=1981,
        title="Distribution theory for Glass's estimator of effect size and related estimators",
        venue="Journal of Educational Statistics",
        place="6, 107–128",
        doi="10.3102/10769986006002107",
    ),
    "Jonckheere1954": Work(
        authors="Jonckheere, A. R.",
        short="Jonckheere",
        year=1954,
        title="A distribution-free k-sample test against ordered alternatives",
        venue="Biometrika",
        place="41, 133–145",
        doi="10.1093/biomet/41.1-2.133",
    ),
    "Kaernbach1991": Work(
        authors="Kaernbach, C.",
        short="Kaernbach",
        year=1991,
        title="Simple adaptive testing with the weighted up-down method",
        venue="Perception & Psychophysics",
        place="49, 227–229",
        doi="10.3758/BF03214307",
    ),
    "Kendall1938": Work(
        authors="Kendall, M. G.",
        short="Kendall",
        year=1938,
        title="A new measure of rank correlation",
        venue="Biometrika",
        place="30, 81–93",
        doi="10.1093/biomet/30.1-2.81",
    ),
    "Kramer1956": Work(
        authors="Kramer, C. Y.",
        short="Kramer",
        year=1956,
        title="Extension of multiple range tests to group means with unequal numbers of "
        "replications",
        venue="Biometrics",
        place="12, 307–310",
        doi="10.2307/3001469",
    ),
    "Krippendorff2004": Work(
        authors="Krippendorff, K.",
        short="Krippendorff",
        year=2004,
        title="Content Analysis: An Introduction to Its Methodology, 2nd edition",
        venue="Sage",
    ),
    "Levitt1971": Work(
        authors="Levitt, H.",
        short="Levitt",
        year=1971,
        title="Transformed up-down methods in psychoacoustics",
        venue="The Journal of the Acoustical Society of America",
        place="49, 467–477",
        doi="10.1121/1.1912375",
    ),
    "MacmillanKaplan1985": Work(
        authors="Macmillan, N. A., Kaplan, H. L.",
        short="Macmillan & Kaplan",
        year=1985,
        title="Detection theory analysis of group data: estimating sensitivity from average hit "
        "and false-alarm rates",
        venue="Psychological Bulletin",
        place="98, 185–199",
        doi="10.1037/0033-2909.98.1.185",
    ),
    "OrmerodWand2012": Work(
        authors="Ormerod, J. T., Wand, M. P.",
        short="Ormerod & Wand",
        year=2012,
        title="Gaussian variational approximate inference for generalized linear mixed models",
        venue="Journal of Computational and Graphical Statistics",
        place="21, 2–17",
        doi="10.1198/jcgs.2011.09118",
    ),
    "OwenEckles2012": Work(
        authors="Owen, A. B., Eckles, D.",
        short="Owen & Eckles",
        year=2012,
        title="Bootstrapping data arrays of arbitrary order",
        venue="The Annals of Applied Statistics",
        place="6, 895–927",
        doi="10.1214/12-AOAS547",
    ),
    "Piepho2004": Work(
        authors="Piepho, H.-P.",
        short="Piepho",
        year=2004,
        title="An algorithm for a letter-based representation of all-pairwise comparisons",
        venue="Journal of Computational and Graphical Statistics",
        place="13, 456–466",
        doi="10.1198/1061860043515",
    ),
    "PortillaSimoncelli2000": Work(
        authors="Portilla, J., Simoncelli, E. P.",
        short="Portilla & Simoncelli",
        year=2000,
        title="A parametric texture model based on joint statistics of complex wavelet "
        "coefficients",
        venue="International Journal of Computer Vision",
        place="40, 49–71",
        doi="10.1023/A:1026553619983",
    ),
    "Schutt2016": Work(
        authors="Schütt, H. H., Harmeling, S., Macke, J. H., Wichmann, F. A.",
        short="Schütt et al.",
        year=2016,
        title="Painfree and accurate Bayesian estimation of psychometric functions for "
        "(potentially) overdispersed data",
        venue="Vision Research",
        place="122, 105–123",
        doi="10.1016/j.visres.2016.02.002",
    ),
    "Spearman1904": Work(
        authors="Spearman, C.",
        short="Spearman",
        year=1904,
        title="The proof and measurement of association between two things",
        venue="The American Journal of Psychology",
        place="15, 72–101",
        doi="10.2307/1412159",
    ),
    "Student1908": Work(
        authors="Student",
        short="Student",
        year=1908,
        title="The probable error of a mean",
        venue="Biometrika",
        place="6, 1–25",
        doi="10.1093/biomet/6.1.1",
    ),
    "Tukey1953": Work(
        authors="Tukey, J. W.",
        short="Tukey",
        year=1953,
        title="The Problem of Multiple Comparisons",
        venue="Princeton University",
    ),
    "Welch1947": Work(
        authors="Welch, B. L.",
        short="Welch",
        year=1947,
        title="The generalization of “Student's” problem when several different population "
        "variances are involved",
        venue="Biometrika",
        place="34, 28–35",
        doi="10.1093/biomet/34.1-2.28",
    ),
    "Welch1951": Work(
        authors="Welch, B. L.",
        short="Welch",
        year=1951,
        title="On the comparison of several mean values: an alternative approach",
        venue="Biometrika",
        place="38, 330–336",
        doi="10.1093/biomet/38.3-4.330",
    ),
    "Wilson1927": Work(
        authors="Wilson, E. B.",
        short="Wilson",
        year=1927,
        title="Probable inference, the law of succession, and statistical inference",
        venue="Journal of the American Statistical Association",
        place="22, 209–212",
        doi="10.1080/01621459.1927.10502953",
    ),
    "Zapf2016": Work(
        authors="Zapf, A., Castell, S., Morawietz, L., Karch, A.",
        short="Zapf et al.",
        year=2016,
        title="Measuring inter-rater reliability for nominal data: which coefficients and "
        "confidence intervals are appropriate?",
        venue="BMC Medical Research Methodology",
        place="16, 93",
        doi="10.1186/s12874-016-0200-9",
    ),
    "Zhou2019": Work(
        authors="Zhou, S., Gordon, M. L., Krishna, R., Narcomey, A., Li, F.-F., Bernstein, M. S.",
        short="Zhou et al.",
        year=2019,
        title="HYPE: a benchmark for Human eYe Perceptual Evaluation of generative models",
        venue="Advances in Neural Information Processing Systems",
        place="32",
    ),
    **COMPARISON_WORKS,
    **RATING_WORKS,
    **RANKING_WORKS,
}


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence, or several, and the keys of the works that it cites."""

    text: str
    works: tuple[str, ...] = ()


def said(template: str, **values: object) -> Said:
    """Write a sentence: ``{Efron1979}`` cites that work, other fields are values.

    Raises
    ------
    KeyError
        A field is neither a work nor a value.
    """
    fields = (field for _, field, _, _ in Formatter().parse(template) if field)
    works = tuple(dict.fromkeys(field for field in fields if field not in values))
    return Said(text=template.format(**{key: cite(key) for key in works}, **values), works=works)


def cite(key: str) -> str:
    """Name a work as in the text: "Efron, 1979".

    Raises
    ------
    KeyError
        There is no such work.
    """
    work = WORKS[key]
    return f"{work.short}, {work.year}"


def listed(keys: Iterable[str]) -> tuple[Work, ...]:
    """Give works in the order of a list of references, each once.

    Raises
    ------
    KeyError
        There is no such work.
    """
    works = [WORKS[key] for key in dict.fromkeys(keys)]
    return tuple(sorted(works, key=lambda work: (work.authors.casefold(), work.year)))


def reference(work: Work) -> Markup:
    """Write the entry of a list of references, its venue in italics."""
    stop = "" if work.title.endswith((".", "?", "!")) else "."
    place = f" {work.place}" if work.place else ""
    doi = f" doi:{work.doi}" if work.doi else ""
    return Markup("{} ({}). {}{} <i>{}</i>{}.{}").format(
        work.authors, work.year, work.title, stop, work.venue, place, doi
    )
