"""Simulate and score everything in Zhou et al. 2019, as a regression test.

    make paper
    python experiments/hype2019/paper.py --seeds 20   how often the checks hold with other people

The exit code is 0 if every score is within its published interval, every verdict and rank order is
as published, and the degrees of freedom are right; otherwise it is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

import correlations
import numpy as np
import tables
from outcomes import Outcome, all_outcomes
from published import BEYOND, HERE
from runs import SEED, write_names

ABOUT: Final = """\
# The paper's runs, simulated

**A regression test.** Simulated observers were fitted to the published scores. A match shows that
the program still computes scores and verdicts from a study file as before. It shows nothing about
people or the paper. The next section says how much other observers of the same kind reproduce.

**SIMULATED EVALUATORS: no people were asked.** {runs} runs of 30, {people} people, {judgements}
scored judgements; and {beyond} runs of StyleGAN's training, which are not among the paper's 31.
Each study has its own seed, {first} to {last}.

**Fitted** to the published scores and Stds: each model's ceiling, bias and ceiling_spread (HYPE_∞),
threshold_ms and threshold_spread (HYPE_time). They were changed until the people of these seeds
give the published figures. So scores within their intervals only show that such a fit exists.
**Not fitted:** verdicts, t, intervals, rank orders, correlations, and F, except the two F
(CelebA-64's HYPE_time, training) that gave the Stds. All these follow from scores and Stds.
Assumptions, and what the paper contradicts: experiments/hype2019/README.md.

**Chance**, in parentheses: how often thirty other people would give the same result, if the
published means and Stds were true. This is expected of a repetition of the paper.
**~** marks figures that the paper does not print but implies, **?** figures that it does not imply.
"""
OTHERS: Final = """\
Measured with 20 other seeds, by `python experiments/hype2019/paper.py --seeds 20`, and observers
that are right on average (on_average.csv): **88.7 % of the verdicts** are the published ones (by
the paper's own tests, as below), 95.0 % of the scores are within their intervals, and 76.4 % of the
rank orders are the same. In 3 of 20 repetitions all scores with published intervals are within
them; in none are all verdicts the same.
"""
VERDICTS: Final = """\
Section 5.1 says about lemons, samoyeds and libraries: "this difference is only significant between
SN-GAN and the two BigGAN variants". Read as "both pairs of each class", this contradicts Table 4
for the two pairs in brackets, which are not counted: Tukey's p is 0.083 and 0.400 there. Read as
"never between the two BigGANs", it is true. The paper says nothing about CIFAR-10's other pairs.
"""
TOGETHER: Final = """\
The paper prints 29 degrees of freedom within; 30 evaluators of each of k models have 29 k. Its F
agree with its own Stds, except for rounding; its t(58) = 2.3 and 8.3 do not.
"""
CORRELATIONS: Final = """\
These are not counted. Some differ from the paper's own tables: CIFAR-10's for FID and precision
seem to be exchanged, and SN-GAN's for precision lacks its sign. One KID and one FID of ImageNet-5
are not legible in our copy, so our correlations over 14 and 4 runs must differ from the paper's.
"""


def report(outcomes: Sequence[Outcome], others: str = OTHERS) -> str:
    """Write ``others`` (the results with other seeds), and all tables."""
    timed = [o for o in outcomes if o.method == "time"]
    untimed = [o for o in outcomes if o.method == "infinity"]
    time_rows = [row for o in timed for row in tables.time_rows(o)]
    infinity_rows = [row for o in untimed for row in tables.infinity_rows(o)]
    pair_rows = [row for o in outcomes for row in tables.pair_rows(o)]
    parts = [
        about(outcomes),
        "## With other people",
        others,
        prospects(outcomes),
        "## HYPE_time: ours / theirs",
        tables.table(tables.TIME_HEADER, time_rows),
        "## HYPE_∞: ours / theirs",
        tables.table(tables.INFINITY_HEADER, infinity_rows),
        "## All conditions together",
        tables.table(tables.TOGETHER_HEADER, map(tables.together_row, outcomes)),
        TOGETHER,
        "## Pairs: Tukey's HSD",
        tables.table(tables.PAIRS_HEADER, pair_rows),
        VERDICTS,
        "## Rank orders",
        tables.table(tables.ORDER_HEADER, map(tables.order_row, outcomes)),
        "## Spearman's ρ with automated metrics",
        tables.table(correlations.HEADER, correlations.rows(outcomes)),
        CORRELATIONS,
        "## Count: the match with the observers that were fitted to it",
        count(outcomes),
    ]
    return "\n\n".join(part.strip("\n") for part in parts)


def about(outcomes: Sequence[Outcome]) -> str:
    """Write the introduction, with the numbers of runs, people and judgements."""
    papers = [o for o in outcomes if o.study not in BEYOND]
    conditions = [c for o in papers for c in o.ours.rows("conditions")]
    seeds = [o.seed for o in outcomes]
    return ABOUT.format(
        runs=len(conditions),
        people=sum(c["evaluators"] for c in conditions),
        judgements=f"{sum(c['judgements'] for c in conditions):,}",
        beyond=sum(len(o.runs) for o in outcomes if o.study in BEYOND),
        first=min(seeds),
        last=max(seeds),
    )


def tally(outcomes: Sequence[Outcome]) -> dict[str, list[bool]]:
    """Collect all checks, by kind."""
    found: dict[str, list[bool]] = {}
    for outcome in outcomes:
        for kind, flags in outcome.checks().items():
            found.setdefault(kind, []).extend(flags)
    return found


def count(outcomes: Sequence[Outcome]) -> str:
    """Count the checks that pass."""
    return "\n".join(f"- {kind}: {sum(f)} of {len(f)}" for kind, f in tally(outcomes).items())


def prospects(outcomes: Sequence[Outcome]) -> str:
    """Write how many results thirty other people in each run would reproduce on average."""
    inside, verdicts, orders = [], [], []
    everything = 1.0
    for outcome in outcomes:
        repeats = outcome.repeats()
        scores = repeats.inside()
        same = [repeats.same(verdict) for verdict in outcome.counted()]
        order = repeats.same_order()
        inside += scores.mean(axis=0).tolist()
        verdicts += [flags.mean() for flags in same]
        orders.append(order.mean())
        everything *= np.all([*scores.T, *same, order], axis=0).mean()
    return (
        "If the published figures were the truth, thirty other people in each run would give\n"
        f"about {sum(inside):.1f} of {len(inside)} scores within their intervals, "
        f"{sum(verdicts):.1f} of {len(verdicts)} verdicts the same and\n{sum(orders):.1f} of "
        f"{len(orders)} rank orders. All of this at once would happen in one of "
        f"{1 / everything:,.0f} repetitions of the paper."
    )


def other_seeds(number: int) -> str:
    """Simulate observers that are right on average, and count the checks that pass."""
    lines = ["Observers that are right on average (on_average.csv).\n"]
    found: dict[str, list[list[bool]]] = {}
    for repetition in range(1, number + 1):
        for kind, flags in tally(list(all_outcomes(1000 * repetition, average=True))).items():
            found.setdefault(kind, []).append(flags)
        print(f"{repetition} of {number} repetitions", file=sys.stderr)
    for kind, repetitions in found.items():
        share, whole = np.mean(repetitions), sum(all(flags) for flags in repetitions)
        lines.append(f"- {kind}: {100 * share:.1f} %; all of them in {whole} of {number}")
    return "\n".join(lines)


def main() -> int:
    """Simulate, score and print; the exit code is 0 if all checks pass."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=0, metavar="N", help="use N other seeds")
    options = parser.parse_args()
    write_names(HERE)
    outcomes = list(all_outcomes(SEED))
    print(report(outcomes, other_seeds(options.seeds) if options.seeds else OTHERS))
    return int(not all(all(flags) for flags in tally(outcomes).values()))


if __name__ == "__main__":
    sys.exit(main())
