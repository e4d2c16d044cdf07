"""A reward model's card: its training data, its accuracy, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hype.judges.results import CountedEstimate
from hype.reward.model import ModelSettings
from hype.reward.train import Evaluation
from hype.statistics.resampling import FEWEST_CLUSTERS

SIMULATED: Final = (
    "TRAINED ON SIMULATED EVALUATORS: no people were asked, so the scores say nothing about people."
)
FOR: Final = {"train": "training", "validation": "validation", "test": "the test"}
NOT_CLAIMED: Final = (
    "The model predicts what most of these people answered to this question about such images, "
    "not what a particular person would answer. The model may be right more often than a single "
    "person, since it learnt from many people. But it is not an independent judge, since it "
    "learnt only from the answers of these people.",
    "Scores are comparable between images of one prompt. The mean score of the training "
    "images is zero.",
    "The model is more accurate on its training prompts than on new ones; hype reward score marks "
    "the training prompts in the column “part”.",
    "Images of other generators may differ in ways that the model did not learn.",
    "If the scores are used to tune a generator, or to pick the best of many images, the result "
    "may have high scores although people do not prefer it. hype reward pick makes a study to "
    "check this.",
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
    return "\n\n".join(filter(None, paragraphs(name, settings, evaluation))) + "\n"


def paragraphs(name: str, settings: ModelSettings, evaluation: Evaluation) -> Iterator[str]:
    yield f"# {name}"
    if settings.data.simulated:
        yield f"**{SIMULATED}**"
    yield describe_model(settings)
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
    yield (
        "The accuracy of simple rules, and the model's accuracy minus theirs in percentage points."
    )
    yield table(
        ("rule", "right", "model minus rule"),
        [(r["name"], percent(r["accuracy"]), points(r["gain"])) for r in evaluation.shortcuts],
    )
    if evaluation.unseen:
        yield "## Models never seen"
        yield (
            "Accuracy in choices with images of a condition, if the model was trained "
            "without and with these images."
        )
        yield table(
            ("condition", "never seen", "seen"),
            [(r["condition"], percent(r["unseen"]), percent(r["seen"])) for r in evaluation.unseen],
        )
    if evaluation.benchmark:
        yield "## Conditions by the model's scores"
        rows = [
            (
                row["condition"],
                f"{row['mean']:.3f}",
                "" if row["sd"] is None else f"{row['sd']:.3f}",
                row["prompts"],
            )
            for row in evaluation.benchmark.rows
        ]
        spread = f"SD over {evaluation.benchmark.groups} groups"
        yield table(("condition", "mean score", spread, "prompts"), rows)
    yield "## Limits"
    yield "\n".join(f"- {sentence}" for sentence in NOT_CLAIMED)


def describe_model(settings: ModelSettings) -> str:
    data = settings.data
    parts = data.prompts.parts
    prompts = ", ".join(f"{len(some):,} for {FOR[part.value]}" for part, some in parts.items())
    return (
        f"A linear head on {settings.features.source}, trained on {data.votes:,} "
        f"votes of {data.evaluators:,} {'simulated evaluators' if data.simulated else 'people'} on "
        f"{data.images:,} images of the study {data.study} ({data.study_checksum[:12]}). The "
        f"question: {' '.join(data.question.split())} Prompts: {prompts}. "
        f"Seed {settings.seed}."
    )


def scores_in_words(evaluation: Evaluation) -> Iterator[str]:
    agreement = evaluation.agreement
    yield f"the model predicts a person's choice: {percent(agreement.accuracy)}"
    yield f"another person predicts a person's choice: {percent(agreement.person)}"
    yield f"the others' majority predicts a person's choice: {percent(evaluation.single_averaged)}"
    if agreement.difference is not None and agreement.difference.low is not None:
        yield f"the model minus another person, in points: {points(agreement.difference)}"
    if evaluation.train_accuracy is not None:
        yield f"accuracy on the training prompts: {100 * evaluation.train_accuracy:.1f} %"
    if calibration := evaluation.calibration:
        yield (
            f"calibration: the model's probabilities are off by {100 * calibration['error']:.1f} "
            "points (expected calibration error). Chance gives "
            f"{100 * calibration['error_of_chance']:.1f} if people choose as predicted. Before "
            f"scores were divided by the temperature {calibration['temperature']:.2f}, the error "
            f"was {100 * calibration['error_before']:.1f}."
        )


def few_prompts(settings: ModelSettings) -> str:
    """Describe what intervals leave out if there are too few test prompts; else return ""."""
    tests = len(settings.data.prompts.test)
    if tests >= FEWEST_CLUSTERS:
        return ""
    return (
        f"Intervals generalise to other people, but not to other prompts: there are {tests} test "
        f"prompts, and {FEWEST_CLUSTERS} are needed."
    )


def shortcut_in_words(evaluation: Evaluation) -> Iterator[str]:
    """Describe the best simple rule, and the condition that is hardest to predict if it is new."""
    best = max(evaluation.shortcuts, key=lambda one: one["accuracy"].value or 0.0)
    yield (
        f"the best simple rule ({best['name']}): {percent(best['accuracy'])}; the model minus "
        f"the rule, in points: {points(best['gain'])}"
    )
    if evaluation.unseen:
        hardest = min(evaluation.unseen, key=lambda one: one["unseen"].value or 0.0)
        yield (
            f"accuracy in choices with {hardest['condition']}: {percent(hardest['unseen'])} if the "
            f"model is trained without its images, {percent(hardest['seen'])} with them"
        )
