"""Evaluators: demographics, confidence, preferred sides and attention.

Demographics are compared with a population by Pearson's chi-squared test of goodness of fit (1900),
with Cohen's effect size w (Cohen 1988, "Statistical power analysis for the behavioral sciences",
2nd ed., section 7.2) and standardised residuals (Agresti 2013, "Categorical data analysis", 3rd
ed., section 3.3). If expected counts are small, p comes from random samples of the reference
population.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from scipy import special

from hype.errors import InputError
from hype.protocols.comparison.record import is_enough
from hype.report import tabular
from hype.report.methods import render_block
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate, value_of
from hype.statistics.proportions import estimate_shares, even_chance_p, holm, shares, sign_flip_p
from hype.study.scales import band_confidence
from hype.tables.cells import codes_of

FOLDER: Final = Path(__file__).parent
SMALL: Final = 5.0
"""Expected counts below this are too small for the chi-squared distribution (Cochran 1954)."""
CHI_SQUARE: Final = "chi-square"
MONTE_CARLO: Final = "monte-carlo"
_DRAWS: Final = 9_999
_ROUNDING: Final = 1e-9
_SUM: Final = 0.01
"""The sum of reference shares may differ from 1 by this much, because of rounding."""


def demographic(
    question: str,
    answers: Mapping[str, str],
    *,
    reference: Mapping[str, float] | None = None,
    rng: np.random.Generator,
    alpha: float = 0.05,
) -> Row:
    """Count the answers to a question, and compare them with a reference.

    Returns the ``question``, how many people ``answered``, and how many ``withheld`` their answer
    or were not asked. The result's ``answers`` begin with those of the reference. Each has the
    ``answer``, the number of ``evaluators``, their ``share``, the ``reference_share``, the
    ``expected`` number, and the ``residual`` in standard errors.

    ``chi_square``, ``df`` and ``p`` test the goodness of fit over the answers of the reference;
    ``cohens_w`` is the effect size: .1 is small, .3 medium, .5 large; ``method`` is `CHI_SQUARE`,
    or `MONTE_CARLO` if an expected number is below 5. Unknown values are None.

    ``answers``: one per evaluator; empty if withheld. ``reference``: the population's shares by
    answer, as proportions or percentages. ``rng``: for `MONTE_CARLO`. ``alpha``: the test's level.

    Raises InputError: a share is not above 0, there is only one share, or the sum is not 1 or 100.
    """
    counts = Counter(answer.strip() for answer in answers.values())
    withheld = counts.pop("", 0)
    shares = _shares(question, reference) if reference else {}
    answered = counts.total()
    known = sum(counts[answer] for answer in shares)  # people whose answer is in the reference
    others = sorted(answer for answer in counts if answer not in shares)
    tested: Row = dict.fromkeys(("chi_square", "df", "p", "cohens_w", "method"))
    if known:
        tested = _fit(np.array([counts[answer] for answer in shares], dtype=float), shares, rng)
    found: Row = {"question": question, "answered": answered, "withheld": withheld, **tested}
    unknown = answered - known if shares else 0
    return found | {
        "answers": tuple(
            _count(answer, counts[answer], answered, known, shares.get(answer))
            for answer in (*shares, *others)
        ),
        "said": render_block(FOLDER, "demographic", **found, unknown=unknown, alpha=alpha),
    }


def demographic_tables(questions: Rows) -> tuple[Table, Table]:
    """List the answers to each question, and the tests of questions that have a reference."""
    answers = tabulate(
        [row for question in questions for row in _answers_to(question)],
        name="comparison-demographics",
        title="Demographics of the evaluators",
        columns=(
            tabular.name("Question", "question"),
            tabular.words("Answer", "answer"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.share("Share", "share"),
            tabular.share("Refer-\nence", "reference_share"),
            tabular.number("Standard\nerrors off", "residual"),
            *tabular.further(tabular.number("Expected", "expected")),
        ),
    )
    tests = tabulate(
        questions,
        name="comparison-demographic-tests",
        title="Do evaluators differ from the population?",
        columns=(
            tabular.name("Question", "question"),
            tabular.whole("Answered", "answered"),
            tabular.whole("Withheld", "withheld"),
            tabular.number("χ²", "chi_square", 2),
            tabular.whole("Degrees of freedom", "df"),
            tabular.probability("p", "p"),
            tabular.number("Cohen's w", "cohens_w", 2),
            tabular.words("Method", "method"),
        ),
    )
    return answers, tests


def _answers_to(question: Row) -> Iterator[Row]:
    answers, known = question["answers"], {"question": question["question"]}
    if all(answer["reference_share"] is None for answer in answers):
        answers = sorted(answers, key=itemgetter("answer"))
    yield from (known | answer for answer in answers)
    if question["withheld"]:
        unknown = dict.fromkeys(("share", "reference_share", "residual", "expected"))
        yield known | unknown | {"answer": "withheld", "evaluators": question["withheld"]}


def _shares(question: str, reference: Mapping[str, float]) -> dict[str, float]:
    where = f"reference shares of {question}"
    for answer, share in reference.items():
        if not (share > 0 and math.isfinite(share)):
            raise InputError(where, f"{answer}: {share:g}", "it must be a number above 0")
    total = sum(reference.values())
    whole = next((w for w in (1, 100) if abs(total / w - 1) <= _SUM), None)
    if whole is None or len(reference) < 2:
        problem = f"sum to {total:g}" if whole is None else "have a single answer"
        raise InputError(where, problem, "two answers or more, whose shares sum to 1 or to 100")
    return {answer: share / total for answer, share in reference.items()}


def _count(answer: str, count: int, answered: int, known: int, share: float | None) -> Row:
    """Make the row of an answer; ``known``: how many people's answers are in the reference."""
    expected = None if share is None else share * known
    residual = None
    if share is not None and expected:
        residual = (count - expected) / math.sqrt(expected * (1 - share))
    return {
        "answer": answer,
        "evaluators": count,
        "share": count / answered if answered else None,
        "reference_share": share,
        "expected": expected,
        "residual": residual,
    }


def _fit(observed: FloatArray, reference: Mapping[str, float], rng: np.random.Generator) -> Row:
    shares = np.array(list(reference.values()))
    chi_square, df = float(_chi_squares(observed, shares)), len(shares) - 1
    p, small = float(special.chdtrc(df, chi_square)), (shares * observed.sum()).min() < SMALL
    if small:
        drawn = rng.multinomial(int(observed.sum()), shares, size=_DRAWS).astype(float)
        as_far = _chi_squares(drawn, shares) >= chi_square * (1 - _ROUNDING)
        p = float((1 + as_far.sum()) / (_DRAWS + 1))
    return {
        "chi_square": chi_square,
        "df": df,
        "p": p,
        "cohens_w": math.sqrt(chi_square / observed.sum()),
        "method": MONTE_CARLO if small else CHI_SQUARE,
    }


def _chi_squares(counts: FloatArray, shares: FloatArray) -> FloatArray:
    expected = counts.sum(axis=-1, keepdims=True) * shares
    statistic: FloatArray = (np.square(counts - expected) / expected).sum(axis=-1)
    return statistic


def sides(votes: pd.DataFrame, *, alpha: float = 0.05, confidence: float = 0.95) -> Row:
    """Count the choices of each side, and test whether one was chosen more often.

    Returns `left` and `right`, and `left_share`, a proportion with Wilson's interval; None without
    any choice. ``p``: from the exact binomial test against one half, as if comparisons were
    independent. ``p_clustered``: from the sign-flip test with evaluators as independent units; None
    with fewer than two. ``evaluators``: the number of evaluators; None if unknown. ``flagged``:
    evaluators who choose one side more often, or more times in a row, than chance predicts (p by
    Holm's rule below alpha), the most extreme first.

    ``votes``: from `check_comparisons`, in the order of answers. ``alpha``: the significance level
    for flagged evaluators and a side bias.
    """
    chosen = votes["answer"].cat.codes.to_numpy()
    rows = np.flatnonzero(chosen <= 1)  # left is 0, right is 1
    rights = chosen[rows].astype(np.int64)
    left, right = int((rights == 0).sum()), int(rights.sum())
    people = _people(votes, rows, rights) if "evaluator" in votes else None
    p = float(even_chance_p(left, left + right)) if left + right else None
    clustered = None
    if people is not None and len(people) > 1:
        clustered = sign_flip_p((people["left"] - people["right"]).to_numpy())
    flagged = () if people is None else _flag(people, alpha)
    found: Row = {"left": left, "right": right, "flagged": flagged}
    shown = p if clustered is None else clustered
    return found | {
        "left_share": shares(left, left + right, confidence=confidence)[0],
        "p": p,
        "p_clustered": clustered,
        "evaluators": None if people is None else len(people),
        "said": render_block(FOLDER, "sides", **found, p=shown, alpha=alpha),
    }


def side_tables(found: Row, confidence: float) -> tuple[Table, Table]:
    """Lay out the choices of all evaluators, and of evaluators who prefer one side."""
    every = tabulate(
        [found],
        name="comparison-sides",
        title="Was one side chosen more often?",
        columns=(
            tabular.name("Choices of", "of", of=lambda _sides: "all"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.percent("Share of\nthe left", "left_share"),
            tabular.percents(f"{confidence:.0%} CI", "left_share"),
            tabular.probability("p", "p"),
            tabular.probability("p, by\nevaluator", "p_clustered"),
            tabular.whole("Evaluators", "evaluators"),
        ),
        note="p treats all answers as independent, but the answers of one person are not. So "
        "report “p, by evaluator”.",
    )
    leaning = tabulate(
        found["flagged"],
        name="comparison-leaning",
        title="Evaluators who prefer one side",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.whole("Longest\nrun", "longest_run"),
            tabular.probability("p", "p"),
            tabular.probability("p of\nthe run", "p_run"),
            tabular.probability("Holm", "p_holm"),
            *tabular.further(
                tabular.percent("Share of the left", "left_share"),
                tabular.words("Always", "always"),
            ),
        ),
    )
    return every, leaning


def _people(votes: pd.DataFrame, rows: IntArray, rights: IntArray) -> pd.DataFrame:
    """Count the choices of each evaluator who chose a side."""
    cells = votes["evaluator"].cat
    codes = cells.codes.to_numpy()[rows].astype(np.int64)
    size = len(cells.categories)
    total = np.bincount(codes, minlength=size)
    right = np.bincount(codes, weights=rights, minlength=size).astype(np.int64)
    longest = np.zeros(size, dtype=np.int64)  # longest run of one side
    if len(codes):
        order = np.argsort(codes, kind="stable")
        who, side = codes[order], rights[order]
        begins = np.flatnonzero(np.r_[True, (who[1:] != who[:-1]) | (side[1:] != side[:-1])])
        np.maximum.at(longest, who[begins], np.diff(np.r_[begins, len(who)]))
    counted = {"left": total - right, "right": right, "run": longest}
    return pd.DataFrame(counted, index=cells.categories.astype(str))[total > 0]


def _flag(people: pd.DataFrame, alpha: float) -> Rows:
    """Find evaluators who prefer one side.

    ``longest_run``: the length of the longest run of one side, in the order of the table, without
    ties. ``p``: exact binomial test of the share against one half. ``p_run``: upper bound of the
    probability of such a long run by chance. ``p_holm``: the smaller p, corrected by Holm's
    rule for both tests of all evaluators. ``always``: the side that was always chosen, or empty.
    """
    left, right, run = (people[name].to_numpy() for name in ("left", "right", "run"))
    choices, names = left + right, people.index.tolist()
    # The bound of p is the expected number of runs of this length. A run can start at the first
    # choice, or at a later choice that differs from the previous one and leaves room for the run.
    places = 1 + np.maximum(choices - run, 0) / 2
    run_p = np.minimum(1.0, places * 0.5 ** (run - 1.0))
    tests = np.array([even_chance_p(left, choices), run_p])
    corrected = holm(tests.ravel()).reshape(tests.shape).min(axis=0)
    flagged = np.flatnonzero(corrected < alpha)
    extreme = sorted(flagged, key=lambda i: (tests[:, i].min(), names[i]))
    return tuple(
        {
            "evaluator": names[i],
            "left": int(left[i]),
            "right": int(right[i]),
            "left_share": float(left[i] / choices[i]),
            "longest_run": int(run[i]),
            "p": float(tests[0, i]),
            "p_run": float(tests[1, i]),
            "p_holm": float(corrected[i]),
            "always": "" if left[i] and right[i] else "left" if left[i] else "right",
        }
        for i in extreme
    )


def validation(
    votes: pd.DataFrame, *, min_correct: float | None = None, confidence: float = 0.95
) -> Rows:
    """Count each evaluator's correct answers on obvious comparisons, the lowest share first.

    ``votes``: from `check_comparisons`, with all tasks. ``min_correct``: the share of validation
    comparisons that an evaluator must get right; None if there is no rule. Returns no rows if
    evaluators are unknown, or the table has neither validation comparisons nor a column ``hasty``.
    """
    is_known = votes["task"].eq("validation").any() or "hasty" in votes
    if "evaluator" not in votes or not is_known:
        return ()
    return tuple(sorted(_rows(votes, min_correct, confidence), key=_lowest_first))


def validation_table(rows: Rows, confidence: float) -> Table:
    columns = (
        tabular.whole("Shown", "shown"),
        tabular.whole("Right", "right"),
        tabular.percent("Share", "right_share", of="share"),
        tabular.percents(f"{confidence:.0%} CI", "right_share", of="share"),
        tabular.yes_or_no("Passed", "passed"),
    )
    shown = any(row["shown"] for row in rows)
    return tabulate(
        rows,
        name="comparison-validation",
        title="Comparisons with an obvious answer" if shown else "Hasty answers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            *(columns if shown else tabular.further(*columns)),
            tabular.whole("Answers", "answers", of="comparisons"),
            tabular.whole("Hasty", "hasty"),
            *tabular.further(tabular.share("Share of hasty answers", "hasty_share")),
        ),
    )


def _rows(votes: pd.DataFrame, min_correct: float | None, confidence: float) -> list[Row]:
    """Count each evaluator's answers, and the correct answers to obvious comparisons.

    ``shown`` includes missed comparisons; a tie is not ``right``. ``share``: with Wilson's
    interval. ``passed``: whether the share is high enough; None without a required share, or
    without validation. ``comparisons``: the number of answered comparisons, including validation
    but not practice; ``hasty``: the number of hasty answers.
    """
    asked = votes["task"].eq("validation").to_numpy()
    answer = votes["answer"].astype(object).to_numpy()
    obvious = votes["obvious"].astype(object).to_numpy() if asked.any() else np.array([])
    right = asked & (answer == obvious) if asked.any() else asked
    answered = ~votes["task"].eq("practice").to_numpy() & (answer != "none")
    hasty = answered & votes["hasty"].to_numpy() if "hasty" in votes else None
    shown, correct, given = (_count_flags(votes, f) for f in (asked, right, answered))
    fast = None if hasty is None else _count_flags(votes, hasty)
    share = shares(correct, shown, confidence=confidence)
    return [
        {
            "evaluator": str(name),
            "shown": int(shown[i]),
            "right": int(correct[i]),
            "share": share[i],
            "passed": is_enough(int(correct[i]), int(shown[i]), min_correct)
            if min_correct is not None and shown[i]
            else None,
            "comparisons": int(given[i]),
            "hasty": None if fast is None else int(fast[i]),
            "hasty_share": float(fast[i] / given[i]) if fast is not None and given[i] else None,
        }
        for i, name in enumerate(votes["evaluator"].cat.categories)
        if shown[i] or given[i]
    ]


def _count_flags(votes: pd.DataFrame, flags: BoolArray) -> IntArray:
    cells = votes["evaluator"].cat
    return np.bincount(cells.codes.to_numpy()[flags], minlength=len(cells.categories))


def _lowest_first(row: Row) -> tuple[bool, float, str]:
    return row["share"] is None, value_of(row["share"]) or 0.0, row["evaluator"]


def confidence_table(scored: pd.DataFrame, ranking: Rows, confidence: float) -> Table:
    """Show how often the higher-ranked condition is chosen at each step of confidence."""
    place = {row["condition"]: at for at, row in enumerate(ranking)}
    votes = scored[scored["confidence"].notna() & scored["answer"].isin(["left", "right"])]
    left, right = (votes[side].astype(str).map(place) for side in ("left", "right"))
    is_higher = left.lt(right).eq(votes["answer"].eq("left"))
    banded = band_confidence(votes["confidence"].to_numpy(np.int64))
    steps, step = np.unique(banded, return_inverse=True)
    higher, people = np.where(is_higher, 1.0, 0.0), codes_of(votes["evaluator"])
    rows = [
        {
            "confidence": at,
            "higher": share.estimate(confidence) if share else Estimate(value=alone / number),
            "comparisons": number,
        }
        for at, share, alone, number in zip(
            steps.tolist(),
            estimate_shares(step, higher, people, None, groups=len(steps)),
            np.bincount(step, higher).tolist(),
            np.bincount(step).tolist(),
            strict=True,
        )
    ]
    return tabulate(
        rows,
        name="comparison-confidence-steps",
        title="How confident people are",
        columns=(
            tabular.name("Confidence", "confidence"),
            tabular.percent("Higher-ranked\nchosen", "higher"),
            tabular.percents(f"{confidence:.0%} CI", "higher"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
        note="Step 1 is the least confident. A slider's marks form ten steps, each named after "
        "its lowest mark. If people are surer when they agree with the ranking, the share of "
        "choices for the higher condition rises from step to step.",
    )
