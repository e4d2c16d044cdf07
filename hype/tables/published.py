"""Published shapes of answers, as tables of ours.

Each reader takes what others publish or record and gives the columns that `hype score` knows; what
it leaves out, it says. Shapes are those of the papers, data sets and programs named beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import listed
from hype.tables.table_files import FrameTable, is_parquet, read_file, read_table, read_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

JUDGED: Final = 2
"""Kinds of image that a person of dgm-eval judged equally many of: fakes and reals."""
PEOPLE: Final = (
    *("evaluator", "participant", "participant_id", "subject", "subject_id", "PROLIFIC_PID"),
    *("prolific_pid", "workerId", "run_id"),
)
"""How programs call who answers; the first that is there is taken."""
IMAGES: Final = ("image", "stimulus", "image_file", "stim", "picture")
CONDITIONS: Final = ("condition", "model", "source")
TRUTHS: Final = ("truth", "kind", "correct_response", "corrAns", "correctAnswer")
VOTERS: Final = ("judge", "user_id", "evaluation_session_id")
WINNERS: Final[Mapping[str, str]] = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    "tie (bothbad)": "tie",
    "both_bad": "tie",
    "bothbad": "tie",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape in which answers are published."""

    said: str  # what it is, in a message
    read: Callable[[Path], tuple[pd.DataFrame, str]]  # a table of ours; what was left out, or ""


def published(path: Path, name: str) -> FrameTable:
    """Read answers in a published shape.

    ``name``: of the shape, as `SHAPES` has them. Messages name rows as the file has them.

    Raises InputError: there is no such shape, or the file is not of it.
    """
    if name not in SHAPES:
        raise InputError("--from", f"{name!r} is no shape that is known", listed(list(SHAPES)))
    frame, left_out = SHAPES[name].read(path)
    if frame.empty:
        raise InputError(path, f"holds no answers of {SHAPES[name].said}", left_out)
    return FrameTable(frame, str(path), note=left_out)


def _cells(path: Path, shape: str, *needed: str) -> pd.DataFrame:
    """Read a table of text, or a Parquet file, that has some columns."""
    if not path.is_file():
        raise InputError(path, "is not there", "a file")
    if path.suffix.lower() in (".json", ".jsonl"):
        table = pd.DataFrame(_items(path, shape))
        table.index = pd.RangeIndex(1, len(table) + 1, name="row")
    else:
        table, _ = read_table(path)
    missing = [name for name in needed if name not in table]
    if missing:
        problem = f"lacks {listed(missing)}, which {shape} has"
        raise InputError(path, problem, f"found are {listed(list(map(str, table.columns)))}")
    return table


def _items(path: Path, shape: str) -> list[dict[str, Any]]:
    """Read a list of JSON objects; one on each line of a .jsonl file."""
    data = read_file(path) if is_parquet(path) else read_utf8(path)
    try:
        lines = data.splitlines() if path.suffix.lower() == ".jsonl" else []
        found = [json.loads(line) for line in lines if line.strip()] if lines else json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", f"the file of {shape}") from None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InputError(path, "is no list of objects", f"the file of {shape}")
    return found


def _numbers(path: Path, table: pd.DataFrame, name: str) -> pd.Series:
    """Take a column for numbers; NaN where it is empty."""
    texts = table[name].astype(object).where(table[name].notna(), "")
    values = pd.to_numeric(texts.replace("", np.nan), errors="coerce")
    wrong = values.isna() & texts.astype(str).str.strip().ne("")
    if wrong.any():
        row, text = next(iter(texts[wrong].items()))
        raise InputError(f"{path}, row {row}", f"{name}: {text!r} is no number", "a number")
    return values.astype(float)


def _first(path: Path, table: pd.DataFrame, names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in table:
            return name
    raise InputError(path, f"has no column that says {what}", f"one of {listed(list(names))}")


def _left_out(number: int, why: str) -> str:
    return f"{number:,} rows were left out: {why}." if number else ""


def _dgm_eval(path: Path) -> tuple[pd.DataFrame, str]:
    """Read people's error rates of dgm-eval, and give the judgements that they are made of."""
    shape = SHAPES["dgm-eval"].said
    table = _cells(path, shape, "id", "model", "num_correct", "err_rt", "f_err_rt", "r_err_rt")
    right, wrong, fakes, reals = (
        _numbers(path, table, name) for name in ("num_correct", "err_rt", "f_err_rt", "r_err_rt")
    )
    each = (right / (1 - wrong) / JUDGED).round()
    parts = []
    for truth, rate in (("fake", fakes), ("real", reals)):
        number = rate * each
        is_whole = np.isclose(number, number.round(), atol=1e-6) & rate.between(0, 1)
        if not is_whole.all():
            row, odd = next(iter(rate[~is_whole].items()))
            problem = f"an error rate of {odd:g} is none of {each[~is_whole].iloc[0]:g} images"
            raise InputError(f"{path}, row {row}", problem, "whole numbers of errors")
        sizes = each.astype(int).to_numpy()
        place = np.repeat(np.arange(len(table)), sizes)
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        is_wrong = np.arange(len(place)) - first < number.round().to_numpy()[place]
        other = {"fake": "real", "real": "fake"}[truth]
        own = table.iloc[place]
        parts.append(
            pd.DataFrame(
                {
                    "evaluator": own["id"].astype(str),
                    "condition": own["model"].astype(str),
                    "truth": truth,
                    "answer": np.where(is_wrong, other, truth),
                }
            )
        )
    return pd.concat(parts).sort_index(kind="stable"), ""


def _hpdv2(path: Path) -> tuple[pd.DataFrame, str]:
    """Read HPD v2: rankings of its test file, or choices of its training file."""
    shape = SHAPES["hpdv2"].said
    items = _items(path, shape)
    ranked = bool(items) and "raw_annotations" in items[0]
    rows: list[dict[str, object]] = []
    for number, item in enumerate(items, start=1):
        where = f"{path}, item {number}"
        images = item.get("image_path", item.get("file_path"))
        if not isinstance(images, list) or not all(isinstance(one, str) for one in images):
            raise InputError(where, "has no list image_path or file_path", f"the file of {shape}")
        models = [_folder(where, one) for one in images]
        read = _hpdv2_ranking if ranked else _hpdv2_choice
        rows += ({"row": number} | row for row in read(where, item, images, models))
    return pd.DataFrame(rows).set_index("row") if rows else pd.DataFrame(), ""


def _folder(where: str, image: str) -> str:
    """Tell which model made an image, which the file says by folders alone."""
    folder = PurePosixPath(image).parent.name
    if not folder:
        problem = f"does not say which model made {image}"
        raise InputError(where, problem, "paths such as MODEL/00001.jpg")
    return folder


def _hpdv2_ranking(
    where: str, item: Mapping[str, Any], images: list[str], models: list[str]
) -> Iterator[dict[str, object]]:
    for one in item.get("raw_annotations", []):
        ranks = one.get("rank") if isinstance(one, dict) else None
        if not isinstance(ranks, list) or len(ranks) != len(images):
            raise InputError(where, "has a ranking of other images", "a rank for each image")
        if not all(isinstance(rank, int) for rank in ranks):
            raise InputError(where, "has a rank that is no whole number", "0, 1, 2, …")
        first = min(ranks, default=1)  # the best has 0 or 1
        for image, model, rank in zip(images, models, ranks, strict=True):
            yield {
                "evaluator": str(one.get("user_hash", "")),
                "group": f"{item.get('prompt', '')} {where.rsplit(' ', 1)[-1]}".strip(),
                "prompt": str(item.get("prompt", "")),
                "condition": model,
                "image": image,
                "rank": rank + (first == 0),
            }


def _hpdv2_choice(
    where: str, item: Mapping[str, Any], images: list[str], models: list[str]
) -> Iterator[dict[str, object]]:
    chosen = item.get("human_preference")
    if len(images) != 2 or chosen not in ([1, 0], [0, 1]):
        raise InputError(where, "is no choice of one of two images", "[1, 0] or [0, 1]")
    if models[0] != models[1]:
        yield {
            "evaluator": str(item.get("user_hash", "")),
            "prompt": str(item.get("prompt", "")),
            "left": models[0],
            "right": models[1],
            "left_image": images[0],
            "right_image": images[1],
            "answer": "left" if chosen == [1, 0] else "right",
        }


def _pick_a_pic(path: Path) -> tuple[pd.DataFrame, str]:
    """Read Pick-a-Pic: a label is 1 for the image that was preferred, and 0.5 for both."""
    shape = SHAPES["pick-a-pic"].said
    needed = ("caption", "image_0_uid", "image_1_uid", "label_0", "label_1", "model_0", "model_1")
    table = _cells(path, shape, *needed, "user_id")
    label = _numbers(path, table, "label_0")
    answer = np.select([label == 1, label == 0, label == 0.5], ["left", "right", "tie"], "")
    frame = pd.DataFrame(
        {
            "evaluator": table["user_id"].astype(str),
            "prompt": table["caption"].astype(str),
            "left": table["model_0"].astype(str),
            "right": table["model_1"].astype(str),
            "left_image": table["image_0_uid"].astype(str),
            "right_image": table["image_1_uid"].astype(str),
            "answer": answer,
        }
    )
    return _of_two_models(frame)


def _rapidata(path: Path) -> tuple[pd.DataFrame, str]:
    """Read Rapidata's pairs, of which only the numbers of votes are told: a row for each vote."""
    shape = SHAPES["rapidata"].said
    votes = ("votes_image1", "votes_image2")
    table = _cells(path, shape, "prompt", "model1", "model2", *votes)
    counts = [_numbers(path, table, name).fillna(0) for name in votes]
    parts = []
    for answer, count in zip(("left", "right"), counts, strict=True):
        own = table.iloc[np.repeat(np.arange(len(table)), count.astype(int))]
        parts.append(
            pd.DataFrame(
                {
                    "prompt": own["prompt"].astype(str),
                    "left": own["model1"].astype(str),
                    "right": own["model2"].astype(str),
                    **{
                        ours: own[theirs].astype(str)
                        for ours, theirs in (
                            ("left_image", "image1_path"),
                            ("right_image", "image2_path"),
                        )
                        if theirs in own
                    },
                    "answer": answer,
                }
            )
        )
    return _of_two_models(pd.concat(parts).sort_index(kind="stable"))


def _lmarena(path: Path) -> tuple[pd.DataFrame, str]:
    """Read battles of LMArena; "both bad" is a tie."""
    shape = SHAPES["lmarena"].said
    table = _cells(path, shape, "model_a", "model_b", "winner")
    winner = table["winner"].astype(str)
    odd = ~winner.isin(list(WINNERS))
    if odd.any():
        row, value = next(iter(winner[odd].items()))
        problem = f"winner: {value!r} is not known"
        raise InputError(f"{path}, row {row}", problem, listed(list(WINNERS)))
    who = next((name for name in VOTERS if name in table), "")
    frame = pd.DataFrame(
        {
            **({"evaluator": table[who].astype(str)} if who else {}),
            "left": table["model_a"].astype(str),
            "right": table["model_b"].astype(str),
            "answer": winner.map(WINNERS),
        }
    )
    return _of_two_models(frame)


def _of_two_models(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Leave out what says nothing about conditions."""
    same, none = frame["left"].eq(frame["right"]), frame["answer"].eq("")
    notes = (
        _left_out(int(same.sum()), "both images are by one model"),
        _left_out(int((none & ~same).sum()), "they have no answer"),
    )
    return frame[~same & ~none], " ".join(filter(None, notes))


def _jspsych(path: Path) -> tuple[pd.DataFrame, str]:
    """Read trials of jsPsych: those with a truth and a response; ``rt`` is in ms."""
    table = _cells(path, SHAPES["jspsych"].said, "response", "rt")
    return _judged(path, table, "response", _numbers(path, _no_null(table), "rt"))


def _psychopy(path: Path) -> tuple[pd.DataFrame, str]:
    """Read trials of PsychoPy: the keys and times (in s) of its one keyboard component."""
    shape = SHAPES["psychopy"].said
    table = _cells(path, shape)
    keys = [str(name) for name in table if str(name).endswith(".keys")]
    if len(keys) != 1:
        found = listed(keys) if keys else "none"
        raise InputError(path, f"has not one column of keys: {found}", "NAME.keys, once")
    times = keys[0].removesuffix("keys") + "rt"
    seconds = _numbers(path, _no_null(table), times) if times in table else None
    return _judged(path, table, keys[0], None if seconds is None else 1000 * seconds)


NOTHING: Final = ("", "null", "None", "nan", "undefined")
"""What programs write where nobody answered."""


def _no_null(table: pd.DataFrame) -> pd.DataFrame:
    return table.astype(object).replace(dict.fromkeys(NOTHING[1:], ""))


def _judged(
    path: Path, table: pd.DataFrame, answer: str, rt_ms: pd.Series | None
) -> tuple[pd.DataFrame, str]:
    """Give the judgements among the trials of an experiment."""
    truth = _first(path, table, TRUTHS, "what an image is")
    condition = _first(path, table, CONDITIONS, "which model made it")
    who = _first(path, table, PEOPLE, "who answered")
    image = next((name for name in IMAGES if name in table), "")
    texts = table.astype(str)
    kept = ~texts[truth].isin(NOTHING) & ~texts[answer].isin(NOTHING)
    frame = pd.DataFrame(
        {
            "evaluator": texts[who],
            "condition": texts[condition],
            "truth": texts[truth],
            "answer": texts[answer],
            **({"image": texts[image]} if image else {}),
            **({} if rt_ms is None else {"rt_ms": rt_ms}),
        }
    )
    return frame[kept], _left_out(int((~kept).sum()), "they have no truth or no response")


SHAPES: Final[Mapping[str, Shape]] = {
    "dgm-eval": Shape("people's error rates of dgm-eval (Stein et al. 2023)", _dgm_eval),
    "hpdv2": Shape("HPD v2 (Wu et al. 2023)", _hpdv2),
    "pick-a-pic": Shape("Pick-a-Pic (Kirstain et al. 2023)", _pick_a_pic),
    "rapidata": Shape("Rapidata's preference data sets", _rapidata),
    "lmarena": Shape("LMArena's battles (Chiang et al. 2024)", _lmarena),
    "jspsych": Shape("trials of jsPsych (de Leeuw et al. 2023)", _jspsych),
    "psychopy": Shape("trials of PsychoPy (Peirce et al. 2019)", _psychopy),
}
