"""The columns of a table of judgements: what their cells mean and may hold.

`COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from hype.tables.columns import Column, Kind

COLUMNS = (
    Column(
        name="evaluator",
        kind=Kind.LABEL,
        required=True,
        meaning="who judged",
    ),
    Column(
        name="condition",
        kind=Kind.LABEL,
        required=True,
        meaning="what the evaluator was judging, usually a generative model; rows of real images "
        "carry it too",
    ),
    Column(
        name="truth",
        kind=Kind.KIND,
        required=True,
        meaning="what the image was",
    ),
    Column(
        name="answer",
        kind=Kind.KIND,
        required=True,
        gaps=True,
        meaning="what the evaluator called it; a row that says nothing is left out, and named",
    ),
    Column(
        name="task",
        kind=Kind.TASK,
        meaning="which protocol the trial belongs to; where the column is missing, time if any "
        "exposure is given, else infinity",
    ),
    Column(
        name="block",
        kind=Kind.LABEL,
        gaps=True,
        meaning="which staircase of the evaluator; where missing, all trials form one block",
    ),
    Column(
        name="trial",
        kind=Kind.WHOLE,
        gaps=True,
        meaning="position of the trial in its block",
    ),
    Column(
        name="image",
        kind=Kind.LABEL,
        gaps=True,
        meaning="path or name of the image; a name that stands for real images of two conditions "
        "is one image, and fakes of two conditions are never the same",
    ),
    Column(
        name="exposure_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="requested exposure (the level of the staircase) in ms",
    ),
    Column(
        name="floor_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="the shortest exposure that the staircase allows, in ms",
    ),
    Column(
        name="ceiling_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="the longest exposure that the staircase allows, in ms",
    ),
    Column(
        name="rt_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="response time in ms",
    ),
    Column(
        name="verdict",
        kind=Kind.VERDICT,
        gaps=True,
        meaning="whether image and masks lasted as long as they should: ok, late (off by less than "
        "a frame) or dropped (by a frame or more); or seen, where they did and the trial had been "
        "shown before; empty where nothing was measured",
    ),
    Column(
        name="repeats",
        kind=Kind.WHOLE,
        gaps=True,
        meaning="the trial of the block, spoiled by the screen, that is shown again here",
    ),
    Column(
        name="exposure_frames",
        kind=Kind.COUNT,
        gaps=True,
        meaning="frames for which the image was to be shown",
    ),
    Column(
        name="exposure_nominal_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="what those frames last, in ms",
    ),
    Column(
        name="exposure_measured_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="how long the image was shown, in ms",
    ),
    Column(
        name="mask_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="duration requested of each mask, in ms",
    ),
    Column(
        name="mask_frames",
        kind=Kind.COUNT,
        gaps=True,
        meaning="frames for which each mask was to be shown",
    ),
    Column(
        name="mask_nominal_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="what those frames last, in ms",
    ),
    Column(
        name="mask_measured_ms",
        kind=Kind.NUMBERS,
        gaps=True,
        meaning="how long each mask was shown, in ms",
    ),
    Column(
        name="status",
        kind=Kind.LABEL,
        meaning="how far the evaluator came; where the column is there, only complete ones are "
        "scored",
    ),
    Column(
        name="excluded",
        kind=Kind.LABEL,
        gaps=True,
        meaning="why the judgement is not scored under its study's rules; where any says spoiled, "
        "the program leaves out what the screen spoiled unless it is told not to; what says "
        "careless is left out; nothing else in the column is read",
    ),
    Column(
        name="careless",
        kind=Kind.LABEL,
        gaps=True,
        meaning="the study's rules of exclusion that the evaluator's answers break, separated by "
        "spaces (speed, one-key, catch, run); such evaluators are named, and scores are given with "
        "and without them",
    ),
    Column(
        name="simulated",
        kind=Kind.FLAG,
        meaning="whether the evaluator is a simulated one; false where the column is missing",
    ),
)
"""The columns that scoring looks at; `session`, `source` and any others pass through unread."""
