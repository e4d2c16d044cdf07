"""The tables of `timing.py`, in markdown. All durations are in ms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from seen import BLIND_MS, Part, SeenPicture, SeenRow, SeenTrials, row_of


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a markdown table whose first column is text, and the others numbers."""
    print(f"\n**{title}**\n")
    print(f"| {' | '.join(header)} |")
    print(f"| --- |{' ---: |' * (len(header) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def number(value: float | None, sign: str = "") -> str:
    """Write milliseconds; empty for None."""
    return "" if value is None else f"{value:{sign}.2f}".replace("-", "−")


def deviations(pictures: Sequence[SeenPicture]) -> list[str]:
    """Write the bias, standard deviation and worst deviation of some pictures."""
    if not pictures:
        return ["", "", ""]
    row = row_of(pictures)
    return [number(row.mean_ms, "+"), number(row.sd_ms), number(row.worst_ms, "+")]


def of_kind(found: SeenTrials, kind: str, requested_ms: float | None = None) -> list[SeenPicture]:
    """Return the pictures of one kind and duration."""
    return [
        picture
        for picture in found.pictures
        if picture.kind == kind and requested_ms in (None, picture.requested_ms)
    ]


def print_blocks(blocks: Sequence[Part]) -> None:
    """Print the results of the blocks."""
    print_table(
        "A block of HYPE_time, seen minus nominal (ms)",
        (
            *("Hz", "trials", "seen once", "blind", "images: bias", "SD", "worst"),
            *("masks: bias", "SD", "worst", "log − witness, largest", "trials within 1 ms"),
            "false ok",
        ),
        (
            [
                f"{part.hz:g}",
                str(len(part.whole.trials)),
                str(part.whole.seen_once),
                str(len(part.blind)),
                *deviations(of_kind(part.clear, "image")),
                *deviations(of_kind(part.clear, "mask")),
                number(part.clear.disagreement_ms),
                str(agreeing(part.clear)),
                str(part.clear.falsely_ok),
            ]
            for part in blocks
        ),
    )


def agreeing(found: SeenTrials) -> int:
    """Count the trials in which the log and the witness agree within 1 ms on every picture."""
    return sum(
        all(abs(picture.disagreement_ms) <= 1 for picture in pictures)
        for pictures in found.by_trial
        if pictures
    )


def print_durations(exposures: Sequence[Part], plain: Mapping[float, Part]) -> None:
    """Print the results for each duration, beside the plain loop's."""
    print_table(
        "By duration, seen minus nominal (ms), next to a plain loop",
        (
            *("Hz", "picture", "requested", "nominal", "n", "bias", "SD", "worst"),
            *("plain: n", "bias", "SD", "worst", "ratio of biases"),
        ),
        (
            [
                *(f"{part.hz:g}", row.kind, f"{row.requested_ms:g}", number(row.nominal_ms)),
                *(str(row.n), *deviations(of_kind(part.clear, row.kind, row.requested_ms))),
                *beside(row, plain.get(part.hz)),
            ]
            for part in exposures
            for row in part.clear.rows
        ),
    )


def beside(row: SeenRow, plain: Part | None) -> list[str]:
    """Write the plain loop's result for the same duration, and the ratio of the biases."""
    theirs = of_kind(plain.clear, "image", row.requested_ms) if plain else []
    ratio = bias_ratio(row, theirs)
    return [str(len(theirs)), *deviations(theirs), "" if ratio is None else f"{ratio:.2f}"]


def bias_ratio(row: SeenRow, theirs: Sequence[SeenPicture]) -> float | None:
    """Return our bias divided by the plain loop's, both as absolute values."""
    return abs(row.mean_ms / row_of(theirs).mean_ms) if theirs else None


def print_busy(parts: Sequence[Part]) -> None:
    """Print the durations and verdicts of the block that ran beside busy programs."""
    print_table(
        "The block with busy loops, seen minus nominal (ms)",
        (
            *("trials", "n", "seen once", "images: bias", "SD", "worst", "ok", "late", "dropped"),
            *("off by more than a frame", "flagged", "false ok", "log − witness, largest"),
        ),
        (
            busy_row(name, found)
            for part in parts
            for name, found in (
                ("all", part.whole),
                ("the witness looked", part.clear),
                ("the witness was blind", part.hide_picture),
            )
        ),
    )


def busy_row(name: str, found: SeenTrials) -> list[str]:
    """Write the durations and verdicts of some trials."""
    said = Counter(trial.verdict.value for trial in found.trials)
    return [
        *(name, str(len(found.trials)), str(found.seen_once)),
        *deviations(of_kind(found, "image")),
        *(str(said[verdict]) for verdict in ("ok", "late", "dropped")),
        *(str(found.off), str(found.off - found.falsely_ok), str(found.falsely_ok)),
        number(found.disagreement_ms),
    ]


def print_blind(parts: Sequence[tuple[str, Part]]) -> None:
    """Print the results of trials that the witness could not time."""
    rows = [
        [
            f"{part.hz:g} Hz, {name}",
            str(len(part.whole.trials)),
            str(len(part.blind)),
            str(part.hide_picture.seen_once),
            number(part.hide_picture.disagreement_ms),
            "" if name == "plain" else str(part.hide_picture.falsely_ok),  # it has no verdicts
        ]
        for name, part in parts
        if part.blind
    ]
    if rows:
        print_table(
            f"Trials in which a change fell into a gap of more than {BLIND_MS} ms in the witness's"
            " watch; left out above",
            ("part", "trials", "blind", "seen once", "log − witness, largest", "false ok"),
            rows,
        )


def print_aims(named: Mapping[str, Sequence[Part]]) -> None:
    """Print the targets, and the results of the trials that the witness could time."""
    quiet = [*named["block"], *named["exposures"]]
    plain = {part.hz: part.clear for part in named["plain"]}
    rows = [(part.hz, row) for part in named["exposures"] for row in part.clear.rows]
    ratios = [
        bias_ratio(row, of_kind(plain[hz], "image", row.requested_ms))
        for hz, row in rows
        if hz in plain
    ]
    aims: list[tuple[str, float, list[float | None]]] = [
        (
            "images not seen exactly once",
            0,
            [len(p.whole.trials) - p.whole.seen_once + p.unplayed for p in quiet],
        ),
        ("largest bias of a duration, ms", 0.5, [abs(row.mean_ms) for _, row in rows]),
        ("largest SD of a duration, ms", 0.7, [row.sd_ms for _, row in rows]),
        ("largest bias divided by the plain loop's", 1 / 3, ratios),
        ("log − witness, largest, ms", 1, [part.clear.disagreement_ms for part in quiet]),
        ("false ok", 0, [p.clear.falsely_ok for p in (*quiet, *named["busy"])]),
    ]
    print_table(
        "What was aimed at",
        ("aim", "at most", "found", "met"),
        (aim_row(name, most, found) for name, most, found in aims),
    )


def aim_row(name: str, most: float, found: Iterable[float | None]) -> list[str]:
    """Write one target, and its result if there is one."""
    known = [value for value in found if value is not None]
    if not known:
        return [name, f"{most:.3g}", "", ""]
    return [name, f"{most:.3g}", f"{max(known):.3g}", "yes" if max(known) <= most else "no"]
