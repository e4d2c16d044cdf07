"""A reward model's card: what it was trained on, what it gets right, and what it may not claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hype.judges.results import CountedEstimate
from hype.reward.model import ModelSettings
from hype.reward.train import Evaluation
from hype.statistics.resampling import FEWEST_CLUSTERS

SIMULATED: Final = (
    "TRAINED ON SIMULATED EVALUATORS: nobody real was asked, and its scores say nothing of people."
)
FOR: Final = {"train": "training", "validation": "validation", "test": "the test"}
NOT_CLAIMED: Final = (
    "It stands for what most of these people answered to this question about such images, and for "
    "nobody in particular. It may be right more often than another single person, since it "
    "learnt from many; it knows no more than they said, and is no second opinion.",
    "Scores are comparable between images of one prompt. Their zero is the mean image that it was "
    "trained on.",
    "Held against the same people on prompts that it was trained on, its accuracy flatters: the "
    "column part of hype reward score says which these are.",
    "Images of models that it never saw may differ in ways that it never learnt about.",
    "A generator that is tuned towards its scores, or the best of many images by them, finds what "
    "the model likes and people do not. hype reward pick makes the study that tells.",
)


def percent(figure: CountedEstimate | None) -> str:
    if figure is None or figure.value is None:
        return "not known"
    value = f"{100 * figure.value:.1f} %"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"


def points(figure: CountedEstimate) -> str:
    value, low, high = (100 * (x or 0.0) for x in (figure.value, figure.low, figure.high))
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f})"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a table in Markdown; all columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(c).replace('|', '/') for c in line)} |" for line in lines)


def card_of(name: str, settings: ModelSettings, evaluation: Evaluation) -> str:
    """Write the card in Markdown."""
    return "\n\n".join(filter(None, paragraphs(name, settings, evaluation))) + "\n"


def paragraphs(name: str, settings: ModelSettings, evaluation: Evaluation) -> Iterator[str]:
    yield f"# {name}"
    if settings.data.simulated:
        yield f"**{SIMULATED}**"
    yield what_it_is(settings)
    yield "## On the test prompts"
    yield "\n".join(f"- {line}" for line in scores_in_words(evaluation))
    yield few_prompts(settings)
    yield "## Between conditions"
    yield table(
        ("conditions", "right", "choices"),
        [
            (f"{pair['a']}, {pair['b']}", percent(pair["accuracy"]), pair["accuracy"].n)
            for pair in evaluation.agreement.pairs
        ],
    )
    yield "## Shortcuts"
    yield "What is right by less than a look at the image, and the model's lead in points."
    yield table(
        ("by", "right", "the model's lead"),
        [(one.name, percent(one.accuracy), points(one.gain)) for one in evaluation.shortcuts],
    )
    if evaluation.unseen:
        yield "## Models never seen"
        yield "Trained without the images of a condition; right in choices between them and others."
        yield table(
            ("condition", "never seen", "seen"),
            [(u.condition, percent(u.unseen), percent(u.seen)) for u in evaluation.unseen],
        )
    if evaluation.benchmark:
        yield "## Conditions by its scores"
        rows = [
            (r.condition, f"{r.mean:.3f}", "" if r.sd is None else f"{r.sd:.3f}", r.prompts)
            for r in evaluation.benchmark.rows
        ]
        spread = f"SD over {evaluation.benchmark.groups} groups"
        yield table(("condition", "mean score", spread, "prompts"), rows)
    yield "## What it may not claim"
    yield "\n".join(f"- {sentence}" for sentence in NOT_CLAIMED)


def what_it_is(settings: ModelSettings) -> str:
    data = settings.data
    parts = data.prompts.by_part
    prompts = ", ".join(f"{len(some):,} for {FOR[part.value]}" for part, some in parts.items())
    return (
        f"A linear head on {settings.features.source}, trained on {data.votes:,} "
        f"votes of {data.evaluators:,} {'simulated evaluators' if data.simulated else 'people'} on "
        f"{data.images:,} images of the study {data.study} ({data.study_checksum[:12]}). They were "
        f"asked: {' '.join(data.question.split())} Prompts: {prompts}; none is in two parts. "
        f"Seed {settings.seed}."
    )


def scores_in_words(evaluation: Evaluation) -> Iterator[str]:
    agreement = evaluation.agreement
    yield f"right in people's choices: {percent(agreement.accuracy)}"
    yield f"another person would be: {percent(agreement.person)}"
    yield f"a person beside most others: {percent(evaluation.single_averaged)}"
    if agreement.difference is not None and agreement.difference.low is not None:
        yield f"the model less another person: {points(agreement.difference)}"
    if evaluation.train_accuracy is not None:
        yield f"on the prompts that it was trained on: {100 * evaluation.train_accuracy:.1f} %"
    if calibration := evaluation.calibration:
        yield (
            f"calibration: its probabilities are off by {100 * calibration.error:.1f} points "
            f"(expected calibration error, by chance {100 * calibration.error_of_chance:.1f}; "
            f"{100 * calibration.error_before:.1f} before dividing by the temperature "
            f"{calibration.temperature:.2f})"
        )


def few_prompts(settings: ModelSettings) -> str:
    """State what intervals are about if too few prompts are left for the test."""
    tests = len(settings.data.prompts.test)
    if tests >= FEWEST_CLUSTERS:
        return ""
    return (
        f"Intervals are for other people only: prompts vary too, and {tests} for the test are too "
        f"few to know by how much; {FEWEST_CLUSTERS} or more would tell."
    )


def shortcut_in_words(evaluation: Evaluation) -> Iterator[str]:
    """Name the shortcut that gets most right, and the model that is hardest where never seen."""
    best = max(evaluation.shortcuts, key=lambda one: one.accuracy.value or 0.0)
    yield (
        f"by no more than {best.name}: {percent(best.accuracy)}; the model's lead in points: "
        f"{points(best.gain)}"
    )
    if evaluation.unseen:
        hardest = min(evaluation.unseen, key=lambda one: one.unseen.value or 0.0)
        yield (
            f"in choices with {hardest.condition}, had it never seen images of it: "
            f"{percent(hardest.unseen)}; as it is: {percent(hardest.seen)}"
        )
