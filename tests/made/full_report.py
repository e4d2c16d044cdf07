"""A report with every part that a report can have, on a study that is scored quickly."""

import base64
import io

import numpy as np
import pandas as pd
from page_structure import works_known
from PIL import Image

from hype.answers.sources import LoadedAnswers
from hype.protocols.hype.report import JudgementReport
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements
from hype.report.parts import Background, no_picture

LONG = "a-generator-whose-name-is-longer-than-any-column-can-be-wide " * 2 + "模型"
MARKUP = "<b>x</b> & =cmd()"
LEVELS = {"stylegan": 0.45, "progan": 0.30, MARKUP: 0.12, LONG: 0.05}
TRIALS = 20

FIGURES = (
    *("time-intervals", "time-errors", "time-staircases", "time-psychometric"),
    *(f"time-evaluators-{place}" for place in range(1, 5)),
    *("time-response-times", "time-exposures"),
    *("infinity-intervals", "infinity-errors", "infinity-response-times"),
)

BACKGROUND = Background(
    design=(
        "The study followed the HYPE protocol (Zhou et al., 2019) and evaluated 4 conditions.",
        "Each block of HYPE_time began at 500 ms.",
    ),
    people=("17 evaluators came; 16 finished.",),
    flow=tuple((name, 4, 4) for name in LEVELS),
    flow_columns=("Condition", "Came", "Finished"),
    works=tuple(works_known("hype")[key] for key in ("Zhou2019", "Kaernbach1991")),
    facts=(("Protocols", "HYPE_time, HYPE_∞"), ("Evaluators", "16"), ("Seed", "7")),
)


def judgements(*, simulated: bool = True) -> pd.DataFrame:
    """Return judgements of both methods, with timing and images; one evaluator did not finish."""
    rng = np.random.default_rng(7)
    done = pd.concat([_task(task, rng) for task in ("time", "infinity")], ignore_index=True)
    done = done.assign(simulated=simulated, status="complete")
    broken_off = done[done["evaluator"].eq("0-0")].iloc[:9].assign(evaluator="x", status="active")
    return pd.concat([done, broken_off], ignore_index=True)


def _task(task: str, rng: np.random.Generator) -> pd.DataFrame:
    rows = []
    for place, (condition, level) in enumerate(LEVELS.items()):
        for evaluator, block, trial in np.ndindex(4, 2, TRIALS):
            truth = ("real", "fake")[trial % 2]
            wrong = rng.random() < level
            rows.append(
                {
                    "evaluator": f"{place}-{evaluator}",
                    "condition": condition,
                    "task": task,
                    "block": block + 1,
                    "trial": trial + 1,
                    "truth": truth,
                    "answer": truth if not wrong else {"real": "fake", "fake": "real"}[truth],
                    "image": f"{truth}/{place if truth == 'fake' else ''}/{trial}.png",
                    "rt_ms": 400 + 900 * rng.random(),
                    "exposure_ms": 500.0 - 10 * round(trial * (1 - level) + evaluator),
                }
            )
    table = pd.DataFrame(rows)
    return _flashed(table) if task == "time" else table.drop(columns="exposure_ms")


def _flashed(table: pd.DataFrame) -> pd.DataFrame:
    exposures_ms = table["exposure_ms"]
    late = table.index == 3
    return table.assign(
        verdict=np.where(late, "late", "ok"),
        exposure_frames=(exposures_ms / 10).astype(int),
        exposure_nominal_ms=exposures_ms,
        exposure_measured_ms=exposures_ms + np.where(late, 8, 0.05),
        mask_ms=30.0,
        mask_frames=3,
        mask_nominal_ms=30.0,
        mask_measured_ms="30.1 30.0",
    )


def pictured(image: str) -> tuple[str, int, int] | None:
    """Return a small picture for any image."""
    file = io.BytesIO()
    Image.new("L", (28, 28), color=sum(image.encode()) % 256).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}", 28, 28


def report_of(frame, *, scores=None, title="Four generators", background=None, pictured=no_picture):
    """Make the report on a table."""
    checked = check_judgements(frame)
    return JudgementReport(
        judgements=LoadedAnswers(
            frame=checked,
            title=title,
            provenance={"study": "generators", "study seed": "7", "hype": "0.1.0 <dev>"},
            check=check_judgements,
        ),
        scores=scores or score(checked, draws=50),
        background=background,
        spoiled="keep",
        pictured=pictured,
        since={},
    )


def write_full_report(out, *, simulated=True, title="Four generators"):
    """Write the report."""
    report = report_of(
        judgements(simulated=simulated), title=title, background=BACKGROUND, pictured=pictured
    )
    return report.write_page(out)
