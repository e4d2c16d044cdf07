"""Published shapes of answers, as tables of ours.

Each reader takes what others publish or record and gives the columns that `hype score` knows; what
it leaves out, it says. Shapes are those of the papers, data sets and programs named beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import listed
from hype.tables.table_files import (
    FrameTable,
    is_parquet,
    read_parquet_table,
    read_text_table,
    read_utf8,
)

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
ANNOTATORS: Final = ("user_hash", "user_id")
"""How HPD v2 calls who answers."""
RAW: Final = frozenset(("raw_annotations", "raw_annotation"))
"""What its test file, and its description, call the rankings of single people."""
VOTERS: Final = ("judge", "user_id", "evaluation_session_id")
WINNERS: Final[Mapping[str, str]] = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    "tie (bothbad)": "tie",
    "both_bad": "tie",
    "bothbad": "tie",
}
NO_SIDES: Final = "Sides are the order in the file: where images stood on the screen is not told."
BOTH_BAD: Final = ("tie (bothbad)", "both_bad", "bothbad")
FLAGGED: Final = ("model_a", "model_b", "tie")
"""Winners that may have a column each."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape in which answers are published."""

    title: str  # what it is, in a message
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
        raise InputError(path, f"holds no answers of {SHAPES[name].title}", left_out)
    return FrameTable(frame, str(path), note=left_out)


def require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(path, "is a folder" if path.is_dir() else "is not there", "a file")


def _cells(path: Path, shape: str, needed: tuple[str, ...], also: tuple[str, ...]) -> pd.DataFrame:
    """Read a table of text or JSON, or columns of a Parquet file, which may hold images too."""
    require_file(path)
    if path.suffix.lower() in (".json", ".jsonl"):
        table = pd.DataFrame(_items(path, shape), dtype=object)
        table = table.where(table.notna(), "")
        table.index = pd.RangeIndex(1, len(table) + 1, name="item")
    elif is_parquet(path):
        table = read_parquet_table(path, only=(*needed, *also))
    else:
        table = read_text_table(path)
    missing = [name for name in needed if name not in table]
    if missing:
        problem = f"lacks {listed(missing)}, which {shape} has"
        raise InputError(path, problem, f"found are {listed(list(map(str, table.columns)))}")
    return table


def _items(path: Path, shape: str) -> list[dict[str, Any]]:
    """Read JSON objects: a list of them, or on each line one or a list of one session's."""
    data = read_utf8(path)
    try:
        lines = data.splitlines() if path.suffix.lower() == ".jsonl" else []
        read = [json.loads(line) for line in lines if line.strip()] if lines else json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", f"the file of {shape}") from None
    if isinstance(read, list):
        read = [item for line in read for item in (line if isinstance(line, list) else [line])]
    if not isinstance(read, list) or not all(isinstance(item, dict) for item in read):
        raise InputError(path, "is no list of objects", f"the file of {shape}")
    return read


def _numbers(path: Path, table: pd.DataFrame, name: str) -> pd.Series:
    """Take a column for numbers; NaN where it is empty."""
    texts = table[name].astype(object).where(table[name].notna(), "")
    values = pd.to_numeric(texts.replace("", np.nan), errors="coerce")
    wrong = values.isna() & texts.astype(str).str.strip().ne("")
    if wrong.any():
        row, text = next(iter(texts[wrong].items()))
        raise InputError(_where(path, table, row), f"{name}: {text!r} is no number", "a number")
    return values.astype(float)


def _where(path: Path, table: pd.DataFrame, row: object) -> str:
    return f"{path}, {table.index.name or 'row'} {row}"


def _counts(path: Path, table: pd.DataFrame, name: str) -> pd.Series:
    """Take a column for numbers of votes; 0 where it is empty."""
    values = _numbers(path, table, name).fillna(0)
    wrong = values.lt(0) | values.ne(values.round())
    if wrong.any():
        row, value = next(iter(values[wrong].items()))
        raise InputError(
            _where(path, table, row), f"{name}: {value:g} is no number of votes", "0, 1, 2, …"
        )
    return values.astype(int)


def _first(path: Path, table: pd.DataFrame, names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in table:
            return name
    raise InputError(path, f"has no column that says {what}", f"one of {listed(list(names))}")


def _left_out(number: int, why: str) -> str:
    rows = "1 row was" if number == 1 else f"{number:,} rows were"
    return f"{rows} left out: {why}." if number else ""


def _dgm_eval(path: Path) -> tuple[pd.DataFrame, str]:
    """Read people's error rates of dgm-eval, and give the judgements that they are made of."""
    needed = ("id", "model", "num_correct", "err_rt", "f_err_rt", "r_err_rt")
    table = _cells(path, SHAPES["dgm-eval"].title, needed, ("resp_time",))
    right, wrong, fakes, reals = (_numbers(path, table, name) for name in needed[2:])
    each = (right / (1 - wrong) / JUDGED).round()
    unknown = ~np.isfinite(each)
    if unknown.any():
        row, rate = next(iter(wrong[unknown].items()))
        problem = f"err_rt: {rate:g} and num_correct do not say how many images there were"
        raise InputError(_where(path, table, row), problem, "a rate below 1")
    parts = []
    for truth, rate in (("fake", fakes), ("real", reals)):
        number = rate * each
        is_whole = np.isclose(number, number.round(), atol=1e-6) & rate.between(0, 1)
        if not is_whole.all():
            row, odd = next(iter(rate[~is_whole].items()))
            problem = f"an error rate of {odd:g} is none of {each[~is_whole].iloc[0]:g} images"
            raise InputError(_where(path, table, row), problem, "whole numbers of errors")
        sizes = each.astype(int).to_numpy()
        place = np.repeat(np.arange(len(table)), sizes)
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        is_wrong = np.arange(len(place)) - first < number.round().to_numpy()[place]
        other = {"fake": "real", "real": "fake"}[truth]
        own = table.iloc[place]
        columns = {"evaluator": own["id"].astype(str), "condition": own["model"].astype(str)}
        answer = np.where(is_wrong, other, truth)
        parts.append(pd.DataFrame({**columns, "truth": truth, "answer": answer}))
    return pd.concat(parts).sort_index(kind="stable"), _rebuilt(path, table, each)


def _rebuilt(path: Path, table: pd.DataFrame, each: pd.Series) -> str:
    """Say what the judgements are made of, and how long people looked, if the file tells that."""
    said = (
        "The judgements are rebuilt from each person's counts: which image was judged, in what "
        "order and how is not known."
    )
    if "resp_time" not in table:
        return said
    seconds = (_numbers(path, table, "resp_time") / (JUDGED * each)).median()
    return f"{said} The median person spent {seconds:.1f} s on an image."


def _hpdv2(path: Path) -> tuple[pd.DataFrame, str]:
    """Read HPD v2: rankings of its test file, or choices of its training file."""
    shape = SHAPES["hpdv2"].title
    require_file(path)
    items = _items(path, shape)
    ranked = bool(items) and not RAW.isdisjoint(items[0])
    rows: list[dict[str, object]] = []
    for number, item in enumerate(items, start=1):
        where = f"{path}, item {number}"
        images = item.get("image_path", item.get("file_path"))
        if not isinstance(images, list) or not all(isinstance(name, str) for name in images):
            raise InputError(where, "has no list image_path or file_path", f"the file of {shape}")
        models = [_folder(where, image) for image in images]
        if len(images) > 1 and len(set(models)) == 1:  # as in its archive: test/00001.jpg
            problem = f"does not say which model made its images: all are in {models[0]}/"
            raise InputError(where, problem, "paths such as MODEL/00001.jpg")
        read = _hpdv2_ranking if ranked else _hpdv2_choice
        rows += ({"row": number} | row for row in read(where, item, images, models))
    frame = pd.DataFrame(rows).set_index("row") if rows else pd.DataFrame()
    if ranked or frame.empty:
        return frame, ""
    frame, left_out = _of_two_models(frame)
    return frame, f"{left_out} {NO_SIDES}".strip()


def _folder(where: str, image: str) -> str:
    """Tell which model made an image, which the file says by folders alone."""
    folder = PurePosixPath(image).parent.name
    if not folder:
        problem = f"does not say which model made {image}"
        raise InputError(where, problem, "paths such as MODEL/00001.jpg")
    return folder


def _annotator(where: str, item: Mapping[str, Any]) -> str:
    name = next((item[key] for key in ANNOTATORS if item.get(key) not in (None, "")), None)
    if name is None:
        raise InputError(where, "does not say whose answer it is", listed(list(ANNOTATORS)))
    return str(name)


def _hpdv2_ranking(
    where: str, item: Mapping[str, Any], images: list[str], models: list[str]
) -> Iterator[dict[str, object]]:
    for answer in next((item[name] for name in RAW if name in item), ()):
        own = answer if isinstance(answer, dict) else {}
        ranks = own.get("annotation", own.get("rank"))
        if not isinstance(ranks, list) or len(ranks) != len(images):
            raise InputError(where, "has a ranking of other images", "a rank for each image")
        if not all(isinstance(rank, int) for rank in ranks):
            raise InputError(where, "has a rank that is no whole number", "0, 1, 2, …")
        person, first = _annotator(where, own), min(ranks, default=1)  # the best has 0 or 1
        prompt = str(item.get("prompt", ""))
        for image, model, rank in zip(images, models, ranks, strict=True):
            yield {
                "evaluator": person,
                "group": f"{prompt} {where.rsplit(' ', 1)[-1]}".strip(),
                "prompt": prompt,
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
    yield {
        "evaluator": _annotator(where, item),
        "prompt": str(item.get("prompt", "")),
        "left": models[0],
        "right": models[1],
        "left_image": images[0],
        "right_image": images[1],
        "answer": "left" if chosen == [1, 0] else "right",
    }


def _pick_a_pic(path: Path) -> tuple[pd.DataFrame, str]:
    """Read Pick-a-Pic: a label is 1 for the image that was preferred, and 0.5 for both."""
    named = ("caption", "user_id", "model_0", "model_1", "image_0_uid", "image_1_uid")
    also = ("has_label", "label_1", "ranking_id")
    table = _cells(path, SHAPES["pick-a-pic"].title, (*named, "label_0"), also)
    _refuse_unnamed(path, table, ("model_0", "model_1"))
    label = _numbers(path, table, "label_0")
    if "has_label" in table:
        label = label.where(~table["has_label"].astype(str).str.lower().isin(("false", "0")))
    odd = label.notna() & ~label.isin((0, 0.5, 1))
    if odd.any():
        row, value = next(iter(label[odd].items()))
        raise InputError(_where(path, table, row), f"label_0: {value:g} is no label", "0, 0.5 or 1")
    ours = ("prompt", "evaluator", "left", "right", "left_image", "right_image")
    columns = {name: table[theirs].astype(str) for name, theirs in zip(ours, named, strict=True)}
    answer = np.select([label == 1, label == 0, label == 0.5], ["left", "right", "tie"], "")
    frame = pd.DataFrame({**columns, "answer": answer})
    doubtful = {
        "the same image is on both sides": frame["left_image"].eq(frame["right_image"]),
        "a ranking_id is there again": _comes_again(table, "ranking_id"),
    }
    if "label_1" in table:
        other = _numbers(path, table, "label_1")
        doubtful["the labels contradict each other"] = (
            label.notna() & other.notna() & label.add(other).ne(1)
        )
    return _of_two_models(*_without(frame, doubtful))


def _rapidata(path: Path, criterion: str) -> tuple[pd.DataFrame, str]:
    """Read Rapidata's pairs: a row for each vote, of which nothing is known but whom it went to."""
    named = ("prompt", "model1", "model2")
    counted = ("votes_image1", "votes_image2")
    listing = (f"detailed_results_{criterion}", "detailed_results")
    files = ("image1_path", "image2_path")
    table = _cells(path, SHAPES["rapidata"].title, named, (*counted, *listing, *files))
    detailed = next((name for name in listing if name in table), "")
    if criterion == PREFERENCE and set(counted) <= set(table):
        votes = [_counts(path, table, name) for name in counted]
    elif detailed and (criterion == PREFERENCE or detailed == listing[0]):
        votes = _listed_votes(path, table, detailed)
    else:
        problem = f"does not say how many votes each image had for {criterion}"
        raise InputError(path, problem, f"{listed(list(counted))}, or {listing[0]}")
    images = {
        ours: table[theirs].astype(str)
        for ours, theirs in zip(("left_image", "right_image"), files, strict=True)
        if theirs in table
    }
    pairs = pd.DataFrame(
        {
            "prompt": table["prompt"].astype(str),
            "left": table["model1"].astype(str),
            "right": table["model2"].astype(str),
            **images,
        }
    )
    places = [np.repeat(np.arange(len(table)), number) for number in votes]
    parts = [
        pairs.iloc[place].assign(answer=answer)
        for place, answer in zip(places, ("left", "right"), strict=True)
    ]
    each_vote = pd.concat(parts).sort_index(kind="stable")
    each_vote["trial"] = np.arange(1, len(each_vote) + 1)  # else votes that are alike repeat
    frame, left_out = _of_two_models(each_vote)
    each = "Each vote counts as one: how far Rapidata trusts who gave it (userScore) is not used."
    return frame, " ".join(filter(None, (left_out, each if detailed else "", NO_SIDES)))


def _listed_votes(path: Path, table: pd.DataFrame, name: str) -> list[pd.Series]:
    """Count the votes for either image in JSON: a list of votes, or an object that has one."""
    files = [c for c in ("image1_path", "image2_path") if c in table]
    numbers = np.zeros((len(table), 2), dtype=int)
    columns = [table[c].astype(str) for c in (name, "model1", "model2", *files)]
    for place, (row, text, *names) in enumerate(zip(table.index, *columns, strict=True)):
        try:
            read = json.loads(text or "[]")
            listed_votes = read["votes"] if isinstance(read, dict) else read
            votes = [vote["votedFor"] for vote in listed_votes]
        except (ValueError, KeyError, TypeError, RecursionError):
            problem = f"{name}: {text[:40]!r} is no list of votes"
            raise InputError(_where(path, table, row), problem, "objects with votedFor") from None
        for vote in votes:
            side = _voted(str(vote), names[:2], names[2:])
            if side is None:
                problem = f"{name}: a vote for {vote!r}, which is neither image"
                raise InputError(_where(path, table, row), problem, listed(names))
            numbers[place, side] += 1
    return [pd.Series(numbers[:, side], table.index) for side in (0, 1)]


def _voted(vote: str, models: list[str], images: list[str]) -> int | None:
    """Tell which of two images is meant: by path, file, model, or a file called after its model."""
    path = PurePosixPath(vote)
    for matches in (
        [image == vote for image in images],
        [PurePosixPath(image).name == path.name for image in images],
        [model == vote for model in models],
        [path.parent.name == model or path.name.startswith(f"{model}_") for model in models],
    ):
        if sum(matches) == 1:
            return matches.index(True)
    return None


def _lmarena(path: Path) -> tuple[pd.DataFrame, str]:
    """Read battles of LMArena; "both bad" is a tie."""
    sides, flags = ("model_a", "model_b"), tuple(f"winner_{name}" for name in FLAGGED)
    also = ("winner", *flags, *VOTERS, "anony", "dedup_tag", "question_id")
    table = _cells(path, SHAPES["lmarena"].title, sides, also)
    if "winner" in table:
        winner = table["winner"].astype(str)
    elif set(flags) <= set(table):  # of 55,000 battles, as a competition had them
        set_flags = np.array([_counts(path, table, name) for name in flags])
        winner = pd.Series(np.array([*FLAGGED])[set_flags.argmax(axis=0)], table.index)
        winner = winner.where(set_flags.sum(axis=0) == 1, "more or less than one")
    else:
        raise InputError(path, "lacks 'winner', which battles of LMArena have", listed(list(flags)))
    odd = ~winner.isin([*WINNERS, *NOTHING])
    if odd.any():
        row, value = next(iter(winner[odd].items()))
        raise InputError(
            _where(path, table, row), f"winner: {value!r} is not known", listed(list(WINNERS))
        )
    _refuse_unnamed(path, table, sides)
    voter = next((name for name in VOTERS if name in table), "")
    frame = pd.DataFrame(
        {
            **({"evaluator": table[voter].astype(str)} if voter else {}),
            "left": table["model_a"].astype(str),
            "right": table["model_b"].astype(str),
            "answer": winner.map(WINNERS).fillna(""),
        }
    )
    doubtful = {
        "the vote was not blind (anony)": _says_no(table, "anony"),
        "the battle was not sampled (dedup_tag)": _says_no(table, "dedup_tag"),
        "a question_id is there again": _comes_again(table, "question_id"),
    }
    scored, left_out = _of_two_models(*_without(frame, doubtful))
    bad, ties = int(winner.isin(BOTH_BAD).sum()), int(frame["answer"].eq("tie").sum())
    both = f"Of {ties:,} ties {bad:,} say that both are bad; --ties says what becomes of ties."
    return scored, " ".join(filter(None, (left_out, both if bad else "")))


def _refuse_unnamed(path: Path, table: pd.DataFrame, names: tuple[str, ...]) -> None:
    """Refuse a row that does not say which model made an image."""
    for name in names:
        empty = table[name].astype(str).str.strip().isin(NOTHING)
        if empty.any():
            where = _where(path, table, table.index[empty][0])
            raise InputError(where, f"{name} is empty", "the model that made the image")


def _comes_again(table: pd.DataFrame, name: str) -> pd.Series:
    """Tell which rows have an identifier that an earlier row has."""
    if name not in table:
        return pd.Series(data=False, index=table.index)
    cells = table[name].astype(str)
    return cells.duplicated() & ~cells.isin(NOTHING)


def _says_no(table: pd.DataFrame, name: str) -> pd.Series:
    """Tell which rows say false in a column, or in the ``sampled`` of an object in it."""
    if name not in table:
        return pd.Series(data=False, index=table.index)
    texts = table[name].astype(str).str.lower().str.replace(r"['\"\s]", "", regex=True)
    return texts.eq("false") | texts.str.contains("sampled:false", regex=False)


def _without(
    frame: pd.DataFrame, doubtful: Mapping[str, pd.Series]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out rows, and count them by why; a row counts once."""
    out = np.zeros(len(frame), dtype=bool)
    notes = []
    for why, rows in doubtful.items():
        new = rows.to_numpy() & ~out
        out |= new
        notes.append(_left_out(int(new.sum()), why))
    return frame[~out], tuple(notes)


def _of_two_models(frame: pd.DataFrame, before: tuple[str, ...] = ()) -> tuple[pd.DataFrame, str]:
    """Leave out what says nothing about conditions; ``before`` says what was left out already."""
    same, none = frame["left"].eq(frame["right"]), frame["answer"].eq("")
    notes = (
        *before,
        _left_out(int(same.sum()), "both images are by one model"),
        _left_out(int((none & ~same).sum()), "they have no answer"),
    )
    return frame[~same & ~none], " ".join(filter(None, notes))


def _jspsych(path: Path) -> tuple[pd.DataFrame, str]:
    """Read trials of jsPsych: those with a truth and a response; ``rt`` is in ms."""
    also = (*TRUTHS, *CONDITIONS, *PEOPLE, *IMAGES)
    table = _cells(path, SHAPES["jspsych"].title, ("response", "rt"), also)
    return _judged(path, table, "response", "rt", 1)


def _psychopy(path: Path) -> tuple[pd.DataFrame, str]:
    """Read trials of PsychoPy: keys and times (in s) of the keyboard that judged images.

    Levels of a staircase (NAME.intensity) are exposures: the trials are of HYPE_time then.
    """
    table = read_text_table(path)
    truth = _first(path, table, TRUTHS, "what an image is")
    trials = table[~table[truth].astype(str).isin(NOTHING)]
    keys = [str(name) for name in table if str(name).endswith(".keys")]
    used = [name for name in keys if not trials[name].astype(str).isin(NOTHING).all()]
    if len(used) != 1:
        named = f"answers to images in {listed(used)}" if used else "no keys beside images"
        raise InputError(path, f"has {named}", "NAME.keys of one keyboard")
    frame, left_out = _judged(path, table, used[0], used[0].removesuffix("keys") + "rt", 1000)
    levels = next((str(name) for name in table if str(name).endswith(".intensity")), "")
    if not levels:
        return frame, left_out
    exposures = _numbers(path, table, levels)[frame.index]
    in_seconds = exposures.max() <= LONGEST_S
    frame["task"] = "time"
    frame["exposure_ms"] = (exposures * (1000 if in_seconds else 1)).round(3)
    frame["block"] = table["block"][frame.index] if "block" in table else 1
    frame["trial"] = frame.groupby(["evaluator", "condition", "block"]).cumcount() + 1
    unit = "seconds" if in_seconds else "milliseconds"
    said = f"Levels of the staircase ({levels}) were read as exposures in {unit}."
    return frame, " ".join(filter(None, (left_out, said)))


LONGEST_S: Final = 10
"""Exposures up to this are in seconds; no image is shown for so few milliseconds."""
NOTHING: Final = ("", "null", "None", "nan", "undefined")
"""What programs write where nobody answered."""
SOURCE: Final = re.compile(r"""<img[^>]*\bsrc\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)


def _judged(
    path: Path, table: pd.DataFrame, answer: str, rt: str, per_ms: int
) -> tuple[pd.DataFrame, str]:
    """Give the judgements among the trials of an experiment.

    ``per_ms``: by how much its response times are multiplied to be in ms.
    """
    truth = _first(path, table, TRUTHS, "what an image is")
    condition = _first(path, table, CONDITIONS, "which model made it")
    person = _first(path, table, PEOPLE, "who answered")
    image = next((name for name in IMAGES if name in table), "")
    columns = dict.fromkeys(filter(None, (person, condition, truth, answer, rt, image)))
    texts = table[[name for name in columns if name in table]].astype(str)
    is_trial = ~texts[truth].isin(NOTHING) & ~texts[answer].isin(NOTHING)
    trials = texts[is_trial]
    frame = pd.DataFrame(
        {
            "evaluator": trials[person],
            "condition": trials[condition],
            "truth": trials[truth],
            "answer": _single(path, table, trials[answer]),
        }
    )
    if image:  # which may stand in HTML
        frame["image"] = trials[image].str.extract(SOURCE, expand=False).fillna(trials[image])
    if rt in table:
        times = _single(path, table, trials[rt].where(~trials[rt].isin(NOTHING), ""))
        frame["rt_ms"] = per_ms * _numbers(path, times.to_frame(), rt)
    return frame, _left_out(int((~is_trial).sum()), "they have no truth or no response")


def _single(path: Path, table: pd.DataFrame, cells: pd.Series) -> pd.Series:
    """Take the one answer out of an object, as surveys of jsPsych have it, or of a list of keys."""
    nested = cells[cells.str.startswith(("{", "["))]
    plain = {}
    for row, text in nested.items():
        if text in plain:
            continue
        try:
            read = json.loads(text.replace("'", '"'))
        except (ValueError, RecursionError):
            read = ()
        values = list(read.values() if isinstance(read, dict) else read)
        if len(values) != 1:
            problem = f"{cells.name}: {text!r} holds {len(values)} answers"
            raise InputError(_where(path, table, row), problem, "one answer to an image")
        plain[text] = str(values[0])
    return cells.replace(plain) if plain else cells


PREFERENCE: Final = "preference"
SHAPES: Final[Mapping[str, Shape]] = {
    "dgm-eval": Shape("people's error rates of dgm-eval (Stein et al. 2023)", _dgm_eval),
    "hpdv2": Shape("HPD v2 (Wu et al. 2023)", _hpdv2),
    "pick-a-pic": Shape("Pick-a-Pic (Kirstain et al. 2023)", _pick_a_pic),
    "rapidata": Shape(
        "Rapidata's preference data sets (Christodoulou and Kuhlmann-Jørgensen 2024)",
        partial(_rapidata, criterion=PREFERENCE),
    ),
    "rapidata-coherence": Shape("Rapidata's coherence", partial(_rapidata, criterion="coherence")),
    "rapidata-alignment": Shape("Rapidata's alignment", partial(_rapidata, criterion="alignment")),
    "lmarena": Shape("LMArena's battles (Chiang et al. 2024)", _lmarena),
    "jspsych": Shape("trials of jsPsych (de Leeuw et al. 2023)", _jspsych),
    "psychopy": Shape("trials of PsychoPy (Peirce et al. 2019)", _psychopy),
}
