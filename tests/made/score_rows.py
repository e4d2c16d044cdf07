"""Rows of scores, by their names."""


def row_of(scores, condition):
    """The row of a condition."""
    return {row["condition"]: row for row in scores.rows("conditions")}[condition]


def axis_of(scores, name):
    """The row of an axis of ratings."""
    return {row["axis"]: row for row in scores.rows("axes")}[name]


def on_axis(axis, condition):
    """What an axis says of a condition."""
    return {row["condition"]: row for row in axis["conditions"]}[condition]
