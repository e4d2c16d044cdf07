"""`hype leaderboard`: how models stand, on a site that is kept from one day to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Final

import typer

from hype.answers.choices import Choices, Simulated
from hype.answers.joined import Scored, scored_by_fit
from hype.answers.pictures import checksums_in, thumbnails
from hype.cli.options import Apart, Json, Sources
from hype.console import out, print_json
from hype.errors import InputError
from hype.leaderboard.boards import Board, board_of, distinctly_named
from hype.leaderboard.history import (
    Days,
    Withdrawal,
    read_history,
    read_withdrawn,
    with_today,
)
from hype.leaderboard.site import (
    INDEX,
    Pictured,
    Site,
    WrittenMethods,
    held_site,
    object_of,
    write_site,
)

Destination = Annotated[
    Path, typer.Option("-o", "--out", metavar="FOLDER", help="where the site is, or is to be")
]
Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="what the site is called")]
Withdrawn = Annotated[
    list[str] | None,
    typer.Option(
        "--withdraw",
        metavar="MODEL=REASON",
        help="no longer rank a model; how it stood, and why it went, stays on the site",
    ),
]
Restored = Annotated[
    list[str] | None,
    typer.Option("--restore", metavar="MODEL", help="rank a model again that was withdrawn"),
]
Fixed = Annotated[
    bool,
    typer.Option("--fixed-images", metavar="", help="speak of these images, and not of the models"),
]
SIDE_PX: Final = 96
MOST_CHARACTERS: Final = 1_500_000
"""Of all pictures together, so that a site of a hundred models stays below 3 MB."""


def leaderboard(
    sources: Sources,
    destination: Destination,
    title: Title = "How real they look",
    withdraw: Withdrawn = None,
    restore: Restored = None,
    apart: Apart = False,
    simulated: Simulated = False,
    fixed_images: Fixed = False,
    as_json: Json = False,
) -> None:
    """Write a site of how models stand, which is kept from one day to the next.

    What fits is scored together; other questions, axes and protocols have boards of their own.
    """
    with held_site(destination):
        day = datetime.now(timezone.utc).date().isoformat()
        days = read_history(destination)
        withdrawn = with_changes(read_withdrawn(destination), withdraw or (), restore or (), day)
        choices = Choices(simulated=simulated, images_given=["fixed"] if fixed_images else None)
        scored = list(scored_by_fit(sources, choices, apart=apart))
        boards = boards_of(scored, choices, withdrawn)
        require_one_kind(boards, days)
        days = with_today(days, boards, day)
        require_known(withdrawn, days)
        site = Site(
            title=title,
            day=day,
            boards=boards,
            days=days,
            withdrawn=withdrawn,
            methods=tuple(written_methods(group, boards) for group in scored),
            pictured=pictures_of(scored, boards),
        )
        written = write_site(site, destination)
    if as_json:
        print_json(object_of(site))
    else:
        out.print(f"leaderboard: {destination / INDEX} ({written} files)", markup=False)


def with_changes(
    withdrawn: Mapping[str, Withdrawal], more: Sequence[str], fewer: Sequence[str], day: str
) -> dict[str, Withdrawal]:
    """Withdraw some models, and rank others again."""
    changed = dict(withdrawn)
    for text in more:
        model, _, reason = (part.strip() for part in text.partition("="))
        if not model or not reason:
            problem = f"{text!r} is not understood"
            raise InputError("--withdraw", problem, "MODEL=REASON, such as gan=trained on the test")
        changed.setdefault(model, Withdrawal(day=day, reason=reason))
    for model in fewer:
        if model not in changed:
            known = ", ".join(changed) or "none"
            raise InputError("--restore", f"{model!r} is not withdrawn", f"withdrawn are: {known}")
        del changed[model]
    return changed


def boards_of(
    scored: Sequence[Scored], choices: Choices, withdrawn: Mapping[str, Withdrawal]
) -> tuple[Board, ...]:
    return distinctly_named(
        [
            board_of(measured, group.names, without=withdrawn)
            for group in scored
            for measured in group.protocol.measured(group.answers, group.scores, choices)
        ]
    )


def written_methods(group: Scored, boards: Sequence[Board]) -> WrittenMethods:
    from hype.report.methods import methods_of

    protocol, study = group.protocol, group.study
    conditions = dict.fromkeys(m for b in boards if b.sources == group.names for m in b.models)
    design = protocol.design_in_words(study, tuple(conditions)) if study else ()
    methods = methods_of((*design, *protocol.statistics_in_words(group.scores)))
    designed = group.study.settings.study.name if group.study and len(group.names) > 1 else ""
    return WrittenMethods(
        sources=group.names, designed=designed, methods=methods, notes=group.notes
    )


def require_one_kind(boards: tuple[Board, ...], days: Days) -> None:
    """Refuse to put people and simulated evaluators on one site."""
    kinds = {board.simulated for board in boards}
    kinds |= {day.simulated for day in days.values()}
    if len(kinds) > 1:
        problem = "has people, or simulated evaluators, and these are the other kind"
        raise InputError("--out", problem, "a folder for each")


def require_known(withdrawn: Mapping[str, Withdrawal], days: Days) -> None:
    known = {model for day in days.values() for rows in day.boards.values() for model in rows}
    for model in withdrawn:
        if model not in known:
            listed = ", ".join(sorted(known))
            raise InputError("--withdraw", f"{model!r} was never on the board", f"one of {listed}")


def pictures_of(scored: Sequence[Scored], boards: Sequence[Board]) -> Pictured:
    """Give small copies of the images at either end, where they are here."""
    names = [
        name
        for board in boards
        for entry in board.entries
        for name in (*entry.ends.most, *entry.ends.least)
    ]
    copies: dict[str, tuple[str, int, int]] = {}
    for folder in dict.fromkeys(group.stimuli for group in scored if group.stimuli):
        left = [name for name in names if name not in copies]
        sums = checksums_in(folder)
        made = thumbnails(
            folder, left, checksums=sums, side_px=SIDE_PX, most_characters=MOST_CHARACTERS
        )
        copies |= {n: (copy.uri, copy.width_px, copy.height_px) for n, copy in made.items()}
    return copies.get
