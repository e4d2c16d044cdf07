"""Find rows of scores by name."""


def row_of(scores, condition):
    """Return the row of a condition."""
    return {row["condition"]: row for row in scores.rows("conditions")}[condition]


def axis_of(scores, name):
    """Return the row of an axis of ratings."""
    return {row["axis"]: row for row in scores.rows("axes")}[name]


def on_axis(axis, condition):
    """Return the row of a condition on an axis."""
    return {row["condition"]: row for row in axis["conditions"]}[condition]
