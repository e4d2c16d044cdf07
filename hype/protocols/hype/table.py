"""The tidy table of judgements: its checks, and which of its judgements are scored.

`hype.protocols.hype.rows` lists the reasons why a judgement is not scored. In a table made from a
study's record, the column ``excluded`` has these reasons. In a table without it, the reasons follow
from statuses, tasks and verdicts.

A trial of HYPE_time is spoiled if its image or a mask was shown too long or too briefly, or if the
image had been shown before without an answer. `hype.session.timing` gives the verdict; `late`,
`dropped` and `seen` mean spoiled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.rows import REASONS, ROW, SPOILED
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.report.tabular import Row
from hype.session.steps import CARELESS, NO_ANSWER
from hype.session.timing import Verdict
from hype.tables.answers import CheckedTable, TableReader
from hype.tables.cells import (
    constant,
    distinct,
    fix_categories,
    make_categories,
    only_used,
    plain,
    refuse_cell,
)
from hype.tables.codebook import Codebook
from hype.tables.columns import list_columns
from hype.tables.reasons import (
    COMPLETE,
    OF_PEOPLE,
    SCORED,
    LeftOut,
    Note,
    Weight,
    count_by_reason,
    reasons_of,
)

MOST_REALS: Final = 20
"""With at most this many answers, a condition may have only real images by chance."""


def complete_judgements(table: pd.DataFrame, where: object, *, shared: str = "") -> pd.DataFrame:
    """Give each judgement a task and a block.

    ``shared``: the condition of real images that count for every condition; empty if none do.
    Without the column task, all judgements are HYPE_time if any has an exposure, else
    HYPE_infinity. Without the column block, all trials form one block. If an evaluator judges an
    image more than once, the column trial distinguishes the judgements. An evaluator may have
    trials with the same number in two conditions: they are not duplicates, but a note under the
    scores names the evaluator.

    InputError: only some rows of a task have a block or trial; an exposure is missing in HYPE_time;
    a condition has only real images, but others have fakes.
    """
    if "task" not in table:
        timed = "exposure_ms" in table and bool(table["exposure_ms"].notna().any())
        task = Task.TIME.value if timed else Task.INFINITY.value
        codes, levels = np.zeros(len(table), dtype=np.int8), [*ROW["task"].levels]
        table["task"] = fix_categories(codes, [task], levels, table.index)
    for task in SCORED_TASKS:
        rows = table["task"].eq(task)
        for name in ("block", "trial", "exposure_ms"):
            if rows.any():
                refuse_gaps(table, rows, name, task, where)
    if "block" not in table:
        table["block"] = constant("1", table.index)
    elif "" in table["block"].cat.categories:
        blocks = distinct(table["block"])
        texts = [text or "1" for text in blocks.texts]
        table["block"] = make_categories(blocks.codes, texts, table.index)
    refuse_real_conditions(table, where, shared)
    return table


def refuse_gaps(table: pd.DataFrame, rows: pd.Series, name: str, task: str, where: object) -> None:
    needed = name == "exposure_ms" and task == Task.TIME.value
    if needed and name not in table:
        problem = "the column 'exposure_ms' is missing"
        raise InputError(where, problem, "every trial of the task 'time' needs an exposure")
    if name not in table or (name == "exposure_ms" and not needed):
        return
    cells = table[name]
    empty = rows & (cells.eq("") if name == "block" else cells.isna())
    if empty.any() and (needed or not empty.equals(rows)):
        allowed = f"a value in every row of the task {task!r}" + ("" if needed else ", or in none")
        refuse_cell(cells, empty.to_numpy(), where, name, allowed)


def refuse_real_conditions(table: pd.DataFrame, where: object, shared: str) -> None:
    """Refuse a condition that has only real images if others have fakes."""
    fakes = (
        table["truth"].eq("fake").groupby(table["condition"], observed=True).agg(["sum", "size"])
    )
    alone = fakes[(fakes["sum"] == 0) & (fakes["size"] > MOST_REALS) & (fakes.index != shared)]
    if len(alone) and fakes["sum"].any():
        problem = (
            f"the condition {alone.index[0]!r} contains only real images, so it is not a model"
        )
        allowed = f"--real-condition {alone.index[0]!r} counts them for every model; or set the "
        allowed += "condition of each real image to the model whose fakes were shown with it"
        raise InputError(where, problem, allowed)


RIGHT: Final = "correct"
"""The column that says whether answers are correct; with it, truth or answer may be missing."""
_TRUE: Final = ("true", "1", "1.0", "yes", "correct", "right")
_FALSE: Final = ("false", "0", "0.0", "no", "incorrect", "wrong")
REALS: Final = "(real images)"
"""The condition that real images get if they have none in the table."""


def complete_answers(table: pd.DataFrame) -> pd.DataFrame:
    """Compute truths from answers, or answers from truths, if the table says which are correct."""
    missing = [name for name in ("truth", "answer") if name not in table]
    if RIGHT not in table or len(missing) != 1:
        return table
    (known,) = {"truth", "answer"} - {*missing}
    cells, right = distinct(table[known]), distinct(table[RIGHT])
    words = [plain(text) for text in right.texts]
    is_right = right.rows(np.array([word in {*map(plain, _TRUE)} for word in words]), missing=False)
    is_known = is_right | right.rows(
        np.array([word in {*map(plain, _FALSE)} for word in words]), missing=False
    )
    other = {"real": "fake", "fake": "real"}
    texts = [*cells.texts, *(other.get(text, text) for text in cells.texts), ""]
    codes = np.where(is_right, cells.codes, cells.codes + len(cells.texts))
    codes = np.where(is_known.astype(bool) & (cells.codes >= 0), codes, len(texts) - 1)
    return table.assign(**{missing[0]: make_categories(codes, texts, table.index)})


def name_reals(table: pd.DataFrame, name: str | None, where: object) -> tuple[pd.DataFrame, str]:
    """Give real images that have no condition a common one; they then count for all conditions.

    ``name``: the condition that real images have in the table, if any. Raises InputError: there is
    no such condition, or it has fakes.
    """
    if not {"condition", "truth"} <= set(table):
        return table, name or ""
    conditions, truth = distinct(table["condition"]), distinct(table["truth"])
    is_real = truth.rows(np.array([text == "real" for text in truth.texts]), missing=False)
    blank = conditions.rows(conditions.blank(), missing=True).astype(bool)
    if name is not None:
        named = conditions.rows(np.array([t == name for t in conditions.texts]), missing=False)
        if not named.any():
            found = list_columns(sorted(conditions.texts))
            problem = f"{where} has no condition {name!r}"
            allowed = f"its conditions are {found}; if none has only real images, omit the option"
            raise InputError("--real-condition", problem, allowed)
        if (wrong := named.astype(bool) & ~is_real.astype(bool)).any():
            row = table.index[wrong][0]
            problem = f"row {row} has the condition {name!r}, but is not a real image"
            raise InputError("--real-condition", problem, "a condition with only real images")
    unnamed = blank & is_real.astype(bool)
    elsewhere = is_real.astype(bool) & ~blank
    if name is None and elsewhere.any():  # real images without a condition stay as they are
        return table, ""
    if not unnamed.any():
        return table, name or ""
    texts = [*conditions.texts, name or REALS]
    codes = np.where(unnamed, len(texts) - 1, conditions.codes)
    return table.assign(condition=make_categories(codes, texts, table.index)), name or REALS


def share_reals(checked: CheckedTable, *, shared: str) -> CheckedTable:
    """Copy the answers to shared real images to every condition that the evaluator judged.

    Column `copied` marks all copies but the first. ``shared``: these images' condition, or empty.
    """
    frame = checked.frame
    is_shared = frame["condition"].eq(shared).to_numpy()
    if not shared or not is_shared.any():
        return checked
    judged = frame.loc[~is_shared, ["evaluator", "condition"]].drop_duplicates()
    numbered = frame[is_shared].drop(columns="condition").assign(copied=range(is_shared.sum()))
    reals = numbered.merge(judged, on="evaluator")
    reals["copied"] = reals["copied"].duplicated()
    alone = int((~frame["evaluator"][is_shared].isin(judged["evaluator"])).sum())
    fakes = frame[~is_shared].assign(copied=False)
    rows = pd.concat([fakes, reals[fakes.columns]], ignore_index=True)
    for column in frame.columns:
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            categories = frame[column].cat.categories
            rows[column] = only_used(rows[column].astype(pd.CategoricalDtype(categories)))
    rows["truth"] = rows["truth"].cat.set_categories(frame["truth"].cat.categories)
    rows["answer"] = rows["answer"].cat.set_categories(frame["answer"].cat.categories)
    note = (
        f"{int(is_shared.sum()):,} answers to real images count for each condition that their "
        "evaluators judged, so these conditions share errors on real images."
    )
    if alone:
        note += f" {alone:,} such answers are left out, since their evaluators judged no fakes."
    return replace(checked, frame=rows, doubts=(Note(note, Weight.SCOPE), *checked.doubts))


def prepare_judgements(
    table: pd.DataFrame, codebook: Codebook, where: object
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Add missing truths and answers, and name the real images that all conditions share."""
    table, shared = name_reals(complete_answers(table), codebook.real_condition, where)
    return table, {"shared": shared}


TABLE: Final = TableReader(
    row=ROW,
    own_checks=complete_judgements,
    key=("evaluator", "condition", "task", "block", "trial"),
    further=(RIGHT,),
    prepare=prepare_judgements,
    finish=share_reals,
)
check_judgements: Final = TABLE.check

Treatment = Literal["keep", "leave-out"]
"""What to do with spoiled trials."""
TREATMENTS: Final[tuple[Treatment, ...]] = ("keep", "leave-out")
_OF_TRIALS: Final = {reason.name for reason in REASONS} - {each.name for each in OF_PEOPLE}


def are_unfinished(judgements: pd.DataFrame) -> pd.Series:
    """Mark the rows of evaluators whose status says that they did not finish."""
    if "status" not in judgements:
        return pd.Series(False, index=judgements.index)
    return judgements["status"].ne(COMPLETE)


def are_unanswered(judgements: pd.DataFrame) -> pd.Series:
    """Mark the trials that were not answered in time."""
    return judgements["answer"].eq(NO_ANSWER)


def are_finished(judgements: pd.DataFrame) -> pd.Series:
    """Mark the answered trials of evaluators who finished; without a status, all finished.

    Rows that the table excludes because of the evaluator are not marked. Careless evaluators' rows
    are marked, so that scores can be computed with and without them. InputError if no row is left.
    """
    done = ~are_unfinished(judgements) & ~are_unanswered(judgements)
    if "excluded" in judgements:
        done &= judgements["excluded"].isin([SCORED, CARELESS, *_OF_TRIALS])
    if not done.any():
        unfinished = are_unfinished(judgements).all()
        problem = "no evaluator has finished yet" if unfinished else "the table excludes all rows"
        raise InputError("judgements", problem, "scores need an evaluator who finished")
    return done


def are_left_out(judgements: pd.DataFrame) -> pd.Series:
    """Mark the rows of careless evaluators who are left out."""
    if "excluded" not in judgements:
        return pd.Series(False, index=judgements.index)
    return judgements["excluded"].eq(CARELESS)


def are_counted(judgements: pd.DataFrame) -> pd.Series:
    """Mark the rows of evaluators who finished, except careless ones who are left out.

    InputError if there is no such evaluator.
    """
    kept = are_finished(judgements) & ~are_left_out(judgements)
    if not kept.any():
        problem = "all evaluators who finished are left out as careless by the study's rules"
        allowed = "set exclusion.leave_out = false to score them"
        raise InputError("judgements", problem, allowed)
    return kept


def treatment_in(frame: pd.DataFrame) -> Treatment:
    """Infer from the column ``excluded`` whether the study leaves spoiled trials out.

    A study that repeats spoiled trials also leaves them out, since the repeats replace them.
    """
    marked = "excluded" in frame and frame["excluded"].eq(SPOILED).any()
    return "leave-out" if marked else "keep"


def are_measured(judgements: pd.DataFrame) -> pd.Series:
    if "verdict" not in judgements:
        return pd.Series(False, index=judgements.index)
    return judgements["task"].eq(Task.TIME.value) & judgements["verdict"].ne("")


def are_spoiled(judgements: pd.DataFrame) -> pd.Series:
    measured = are_measured(judgements)
    return measured & judgements["verdict"].ne(Verdict.OK.value) if measured.any() else measured


def drop_spoiled(judgements: pd.DataFrame) -> pd.DataFrame:
    """Leave the spoiled trials out; InputError if nothing is left."""
    left = judgements[~are_spoiled(judgements)]
    if left.empty:
        problem = f"all {len(judgements):,} verdicts are late, dropped or seen: no trial is scored"
        raise InputError("judgements, task time", problem, "--spoiled keep scores them")
    return left


def sum_up_verdicts(judgements: pd.DataFrame, *, left_out: bool) -> Row | None:
    """Count measured trials of HYPE_time by verdict; None if nothing was measured.

    ``spoiled``: the number of trials that are not ok; ``left_out``: whether scores omit them.
    """
    measured = are_measured(judgements)
    if not measured.any():
        return None
    verdicts = judgements.loc[measured, "verdict"]
    counts = {verdict.value: int(verdicts.eq(verdict.value).sum()) for verdict in Verdict}
    total = sum(counts.values())
    spoiled = total - counts[Verdict.OK.value]
    return {**counts, "measured": total, "spoiled": spoiled, "left_out": left_out}


def count_left_out(judgements: pd.DataFrame, treatment: Treatment) -> tuple[LeftOut, ...]:
    """Count the judgements that are not scored, by reason.

    Judgements without a reason are scored. Spoiled trials are scored unless ``treatment`` is
    "leave-out", whatever the table says.
    """
    facts = {"is_spoiled": are_spoiled(judgements)} if treatment == "leave-out" else {}
    if "excluded" in judgements:
        marks = judgements["excluded"].astype(str)
        facts["excluded"] = marks.where(marks.ne(SPOILED), SCORED)
    return count_by_reason(judgements, reasons_of(judgements, REASONS, **facts), REASONS)
