"""The works that reports on rankings cite beside those of every report."""

from __future__ import annotations

from typing import Final

from hype.report.work import Work

RANKING_WORKS: Final[dict[str, Work]] = {
    "Breslow1974": Work(
        authors="Breslow, N.",
        short="Breslow",
        year=1974,
        title="Covariance analysis of censored survival data",
        venue="Biometrics",
        place="30, 89–99",
        doi="10.2307/2529620",
    ),
    "Cochran1977": Work(
        authors="Cochran, W. G.",
        short="Cochran",
        year=1977,
        title="Sampling Techniques, 3rd edition",
        venue="Wiley",
    ),
    "Efron1982": Work(
        authors="Efron, B.",
        short="Efron",
        year=1982,
        title="The Jackknife, the Bootstrap and Other Resampling Plans",
        venue="Society for Industrial and Applied Mathematics",
        doi="10.1137/1.9781611970319",
    ),
    "Hunter2004": Work(
        authors="Hunter, D. R.",
        short="Hunter",
        year=2004,
        title="MM algorithms for generalized Bradley–Terry models",
        venue="The Annals of Statistics",
        place="32, 384–406",
        doi="10.1214/aos/1079120141",
    ),
    "Luce1959": Work(
        authors="Luce, R. D.",
        short="Luce",
        year=1959,
        title="Individual Choice Behavior: A Theoretical Analysis",
        venue="Wiley",
    ),
    "Plackett1975": Work(
        authors="Plackett, R. L.",
        short="Plackett",
        year=1975,
        title="The analysis of permutations",
        venue="Journal of the Royal Statistical Society: Series C",
        place="24, 193–202",
        doi="10.2307/2346567",
    ),
    "Wu2023": Work(
        authors="Wu, X., Hao, Y., Sun, K., Chen, Y., Zhu, F., Zhao, R., Li, H.",
        short="Wu et al.",
        year=2023,
        title="Human Preference Score v2: a solid benchmark for evaluating human preferences of "
        "text-to-image synthesis",
        venue="arXiv",
        place="2306.09341",
        doi="10.48550/arXiv.2306.09341",
    ),
}
