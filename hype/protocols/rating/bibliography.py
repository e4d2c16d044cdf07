"""The works that reports on ratings, and on judges, cite beside those of other reports."""

from __future__ import annotations

from typing import Final

from hype.report.work import Work

RATING_WORKS: Final[dict[str, Work]] = {
    "BonettWright2000": Work(
        authors="Bonett, D. G., Wright, T. A.",
        short="Bonett & Wright",
        year=2000,
        title="Sample size requirements for estimating Pearson, Kendall and Spearman correlations",
        venue="Psychometrika",
        place="65, 23–28",
        doi="10.1007/BF02294183",
    ),
    "Cameron2011": Work(
        authors="Cameron, A. C., Gelbach, J. B., Miller, D. L.",
        short="Cameron et al.",
        year=2011,
        title="Robust inference with multiway clustering",
        venue="Journal of Business & Economic Statistics",
        place="29, 238–249",
        doi="10.1198/jbes.2010.07136",
    ),
    "Cohen1968": Work(
        authors="Cohen, J.",
        short="Cohen",
        year=1968,
        title="Weighted kappa: nominal scale agreement with provision for scaled disagreement or "
        "partial credit",
        venue="Psychological Bulletin",
        place="70, 213–220",
        doi="10.1037/h0026256",
    ),
    "Fisher1921": Work(
        authors="Fisher, R. A.",
        short="Fisher",
        year=1921,
        title="On the probable error of a coefficient of correlation deduced from a small sample",
        venue="Metron",
        place="1, 3–32",
    ),
    "Krippendorff2011": Work(
        authors="Krippendorff, K.",
        short="Krippendorff",
        year=2011,
        title="Computing Krippendorff's alpha-reliability",
        venue="University of Pennsylvania, Annenberg School for Communication",
    ),
    "McNemar1947": Work(
        authors="McNemar, Q.",
        short="McNemar",
        year=1947,
        title="Note on the sampling error of the difference between correlated proportions or "
        "percentages",
        venue="Psychometrika",
        place="12, 153–157",
        doi="10.1007/BF02295996",
    ),
    "Miller1974": Work(
        authors="Miller, R. G.",
        short="Miller",
        year=1974,
        title="The jackknife: a review",
        venue="Biometrika",
        place="61, 1–15",
        doi="10.1093/biomet/61.1.1",
    ),
    "Parthasarathy2025": Work(
        authors="Parthasarathy, R., Collins, J., Stephenson, C.",
        short="Parthasarathy et al.",
        year=2025,
        title="What makes a good generated image? Investigating human and multimodal LLM image "
        "preference alignment",
        venue="arXiv",
        place="2509.12750",
        doi="10.48550/arXiv.2509.12750",
    ),
}
