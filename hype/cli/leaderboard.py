"""`hype leaderboard`: the ranking of models today and on earlier days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

from hype.answers.choices import Apart, Choices, Simulated, shell_option
from hype.cli.options import Json, Sources
from hype.console import out, print_json
from hype.errors import InputError
from hype.files import make_folder, write_bytes
from hype.leaderboard import (
    HISTORY,
    INDEX,
    Board,
    BoardsPage,
    add_today,
    distinctly_named,
    list_standings,
    page_text,
    read_history,
    write_history,
)
from hype.protocols.opening import open_answers, score_sources
from hype.report.methods import Methods, methods_of
from hype.tables.table_files import FrameTable


def leaderboard(
    sources: Sources,
    destination: Annotated[
        Path, shell_option("-o --out FOLDER", "folder for the page and its history")
    ],
    title: Annotated[str, shell_option("--title TEXT", "title of the page")] = "Ranking of models",
    apart: Apart = False,
    simulated: Simulated = False,
    fixed_images: Annotated[
        bool, shell_option("--fixed-images", "results apply only to these images")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a page with today's ranking of models, and add the day to its history.

    Sources with the same settings share tables: one for each question, axis and protocol.
    """
    there = [path.name for path in destination.iterdir()] if destination.is_dir() else []
    if set(there) - {".git"} and HISTORY not in there:
        allowed = "the folder of a leaderboard, or a new or empty folder"
        raise InputError(destination, "is not the folder of a leaderboard", allowed)
    day = datetime.now(timezone.utc).date().isoformat()
    history = read_history(destination)
    choices = Choices(simulated=simulated, images="fixed" if fixed_images else "sample")
    boards: list[Board] = []
    methods: list[tuple[str, Methods, Sequence[str]]] = []
    for together in group_sources(sources, choices):
        found = score_sources(together, replace(choices, apart=apart and len(together) > 1))
        protocol, answers, scores = found.protocol, found.answers, found.scored
        measured = protocol.scoring.measured(answers, scores, choices)
        own = [board.rank(answers.title) for board in measured]
        models = list(dict.fromkeys(entry.model for board in own for entry in board.entries))
        # If the answers are from one study, its design is described too.
        words = protocol.reporting.design_in_words(answers.study, models) if answers.study else ()
        every = scores if isinstance(scores, tuple) else (scores,)
        notes = list(dict.fromkeys(note for score in every for note in score.notes))
        written = methods_of((*words, *protocol.reporting.statistics_in_words(scores)))
        methods.append((answers.title, written, notes))
        boards += own
    named = distinctly_named(boards)
    made = BoardsPage(
        title=title,
        day=day,
        boards=named,
        history=add_today(history, list_standings(named, day)),
        methods=methods,
    )
    make_folder(destination)
    write_bytes(destination / HISTORY, write_history(made.history).encode(), private=False)
    write_bytes(destination / INDEX, page_text(made).encode(), private=False)
    if as_json:
        print_json(made.to_json())
    else:
        out.print(f"leaderboard: {destination / INDEX}", markup=False)


def group_sources(sources: Sequence[str], choices: Choices) -> list[list[str]]:
    """Group the sources that can be scored together; keep their order."""
    groups: dict[str, list[str]] = {}
    for source in sources:
        protocol, opened = open_answers(source, choices)
        fit = protocol.name
        if not isinstance(opened, FrameTable):
            try:
                fit += json.dumps(
                    protocol.scoring.common_settings(opened), sort_keys=True, default=str
                )
            except InputError:  # this source is scored separately
                fit = source
        groups.setdefault(fit, []).append(source)
    return list(groups.values())
