"""`hype leaderboard`: how models stand today, and how they stood on earlier days."""

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
    WrittenMethods,
    add_today,
    distinctly_named,
    list_standings,
    page_text,
    read_history,
    write_history,
)
from hype.protocols.opening import is_study, open_answers, score_sources
from hype.report.methods import methods_of


def leaderboard(
    sources: Sources,
    destination: Annotated[
        Path, shell_option("-o --out FOLDER", "where the page and its history go")
    ],
    title: Annotated[
        str, shell_option("--title TEXT", "what the page is called")
    ] = "How real they look",
    apart: Apart = False,
    simulated: Simulated = False,
    fixed_images: Annotated[
        bool, shell_option("--fixed-images", "speak of these images, and not of the models")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a page of how models stand today, and add the day to its history.

    What fits is scored together; other questions, axes and protocols have boards of their own.
    """
    there = [path.name for path in destination.iterdir()] if destination.is_dir() else []
    if set(there) - {".git"} and HISTORY not in there:
        allowed = "a leaderboard's folder, or one that is new or empty"
        raise InputError(destination, "is a folder of something else", allowed)
    day = datetime.now(timezone.utc).date().isoformat()
    history = read_history(destination)
    choices = Choices(simulated=simulated, images="fixed" if fixed_images else "sample")
    boards: list[Board] = []
    methods: list[WrittenMethods] = []
    for together in those_that_fit(sources, choices):
        found = score_sources(together, replace(choices, apart=apart and len(together) > 1))
        protocol, answers, scores = found.protocol, found.answers, found.scored
        measured = protocol.scoring.measured(answers, scores, choices)
        own = [board.rank(answers.title) for board in measured]
        models = list(dict.fromkeys(entry.model for board in own for entry in board.entries))
        # The design too, where the answers are of one study.
        words = protocol.reporting.design_in_words(answers.study, models) if answers.study else ()
        every = scores if isinstance(scores, tuple) else (scores,)
        methods.append(
            WrittenMethods(
                source=answers.title,
                methods=methods_of((*words, *protocol.reporting.statistics_in_words(scores))),
                notes=tuple(dict.fromkeys(note for score in every for note in score.notes)),
            )
        )
        boards += own
    named = distinctly_named(boards)
    made = BoardsPage(
        title=title,
        day=day,
        boards=named,
        history=add_today(history, list_standings(named, day)),
        methods=tuple(methods),
    )
    make_folder(destination)
    write_bytes(destination / HISTORY, write_history(made.history).encode(), private=False)
    write_bytes(destination / INDEX, page_text(made).encode(), private=False)
    if as_json:
        print_json(made.to_json())
    else:
        out.print(f"leaderboard: {destination / INDEX}", markup=False)


def those_that_fit(sources: Sequence[str], choices: Choices) -> list[list[str]]:
    """Put sources together that are scored together, in their order."""
    groups: dict[str, list[str]] = {}
    for source in sources:
        protocol, opened = open_answers(source, choices)
        fit = protocol.name
        if is_study(opened):
            try:
                fit += json.dumps(protocol.scoring.alike(opened), sort_keys=True, default=str)
            except InputError:  # it is scored alone
                fit = source
        groups.setdefault(fit, []).append(source)
    return list(groups.values())
