"""Picks: their columns, each declared once, and why one is not scored."""

from __future__ import annotations

from hype.tables.columns import Column, Kind, Read, Row, answered, block, excluded, owners
from hype.tables.reasons import of_people, rule_of
from picking.course import PickingTask

REASONS = of_people()
why_excluded = rule_of(REASONS)
TASKS = {PickingTask.PICK.value: "the best of a row"}
ROW = Row(
    "pick",
    *owners("who answered"),
    Column("task", Kind.WORD, "what it is for", most=16, levels=TASKS),
    block("1: there is one block"),
    Column("trial", Kind.WHOLE, "trial within the block, from 1", read=Read.OPTIONAL),
    Column("prompt", Kind.TEXT, "what the images are to show", read=Read.OPTIONAL),
    Column("images", Kind.TEXT, "path and SHA-256 of each image, as JSON"),
    Column("answer", Kind.NAME, "place of the image that was picked, from 1", most=8),
    Column("picked", Kind.NAME, "condition that was picked", most=64, read=Read.NEEDED),
    *answered(since="the images came on", onset="onset of the images"),
    excluded("pick", REASONS),
    scored=(PickingTask.PICK.value,),
    reasons=REASONS,
)
"""A pick: in the record, going out, and in a table that is read."""
