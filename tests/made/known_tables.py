"""Tables of judgements with known scores."""

from collections.abc import Mapping

import pandas as pd

ErrorsOf = Mapping[str, Mapping[str, tuple[int, int]]]


def untimed_table(errors: ErrorsOf, images: int = 50) -> pd.DataFrame:
    """Make a table from condition -> evaluator -> (fakes wrong, reals wrong), of `images` each."""
    rows = [
        (evaluator, condition, truth, other if image < wrong else truth, trial)
        for condition, evaluators in errors.items()
        for evaluator, wrongs in evaluators.items()
        for part, (truth, other) in enumerate([("fake", "real"), ("real", "fake")])
        for image in range(images)
        for wrong, trial in [(wrongs[part], part * images + image + 1)]
    ]
    return pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer", "trial"])


def timed_table(modes_ms: Mapping[str, Mapping[str, list[float]]]) -> pd.DataFrame:
    """Make blocks of 5 trials, 3 at the block's mode, from condition -> evaluator -> modes."""
    rows = [
        (evaluator, condition, truth, truth, block, trial, exposure_ms)
        for condition, evaluators in modes_ms.items()
        for evaluator, modes in evaluators.items()
        for block, mode_ms in enumerate(modes, start=1)
        for trial, (truth, exposure_ms) in enumerate(
            [
                ("real", 1000),
                ("fake", mode_ms),
                ("fake", mode_ms),
                ("real", mode_ms),
                ("fake", 100),
            ],
            start=1,
        )
    ]
    names = ["evaluator", "condition", "truth", "answer", "block", "trial", "exposure_ms"]
    return pd.DataFrame(rows, columns=names)
