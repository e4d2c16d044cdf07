"""`hype sync`: pushing a station's record to a central store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from hype.cli.options import Json, StudyPath
from hype.console import drawn_on, out, print_json, progress, warn
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.session.pushing import own_url, push_record, settle_contradictions
from hype.session.records import central_of, url_of
from hype.store.backup import no_record
from hype.store.central.problems import Progress, Pushed
from hype.store.record import RECORD_FILE
from hype.store.sqlite_files import is_record_at

if TYPE_CHECKING:
    from hype.protocols.studies import AnyStudy


def sync(
    study: StudyPath,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="of the central store, if not the study's own"),
    ] = None,
    settle: Annotated[
        str | None,
        typer.Option(
            "--settle",
            metavar="ID",
            help="let the store's answers of this evaluator stand where they contradict it",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Push what is recorded at this station to the study's central store.

    The store is a PostgreSQL database (hype central makes one) and is
    named by `store.central` in the study file or by --to:
    postgresql+psycopg://hype_station@server/fashion. A password comes from
    PGPASSWORD or from a password file (~/.pgpass), never from here.

    Whatever the store has already is left as it is, so this can be run
    again and again, from any number of stations, in any order. Simulated
    evaluators go too, and stay marked. Answers that the store does not
    take, since it has others to the same trials, are named each time, until
    --settle.
    """
    loaded = load_any(study)
    url = own_url(destination(loaded, to))
    if not is_record_at(loaded.folder / RECORD_FILE):
        raise no_record(loaded.folder / RECORD_FILE)
    if settle is not None:
        settle_contradictions(loaded, settle)
    begun = time.monotonic()
    with ExitStack() as stack:
        pushed = push_record(loaded, url, progress=drawn_once_begun(stack))
    seconds = time.monotonic() - begun
    if as_json:
        print_json(as_object(loaded, url, pushed, seconds))
    else:
        out.print(push_in_words(loaded, url, pushed, seconds), markup=False)
    for line in not_taken(pushed):
        warn(line)
    if pushed.contradicted:
        raise typer.Exit(1)


def drawn_once_begun(stack: ExitStack) -> Progress:
    """Give what draws how far a push is, and nothing where nothing is pushed."""
    drawing: list[Progress] = []

    def draw(done: int, of: int) -> None:
        if not drawing:
            drawing.append(drawn_on(stack.enter_context(progress()), "Pushing answers"))
        drawing[0](done, of)

    return draw


def destination(study: AnyStudy, to: str | None) -> str:
    """Give the URL of the store to push to.

    Raises InputError: None was given and the study has none, or one that is not trusted; or it is
    no URL.
    """
    if to is not None:
        return url_of(to, "--to")
    if url := central_of(study):
        return url
    problem = "store.central: is missing, and no --to was given"
    raise InputError(study.path, problem, "one of them says which central store to push to")


def push_in_words(study: AnyStudy, url: str, pushed: Pushed, seconds: float) -> str:
    if not pushed.rows:
        everything = "everything else" if pushed.contradicted else "everything"
        return f"{url} has {everything} of this station."
    return f"New to {url}: {amount(study, pushed)} ({seconds:.1f} s)."


def amount(study: AnyStudy, pushed: Pushed) -> str:
    rows = pushed.rows.get
    numbers = {
        study.trials.removesuffix("s"): pushed.trials,
        **{name: rows(f"{name}s", 0) for name in ("evaluator", "session", "removal")},
    }
    some = [f"{n:,} {name}{'' if n == 1 else 's'}" for name, n in numbers.items() if n]
    return ", ".join(some) or "how sessions ended"


def as_object(study: AnyStudy, url: str, pushed: Pushed, seconds: float) -> dict[str, object]:
    return {
        "study": str(study.path),
        "to": url,
        "pushed": dict(pushed.rows),
        "trials": pushed.trials,
        "evaluators": pushed.rows.get("evaluators", 0),
        "contradicted": dict(pushed.contradicted),
        "seconds": round(seconds, 3),
    }


def not_taken(pushed: Pushed) -> Iterator[str]:
    """Say which answers, and which removals, the store did not take."""
    for evaluator, trials in pushed.contradicted.items():
        yield (
            f"{evaluator}: {trials:,} answers were not taken: the store has others to the same "
            "trials, from a copy of this record that was gone on with elsewhere; if those are to "
            f"stand: hype sync STUDY --settle {evaluator}"
        )
    if number := pushed.removed_elsewhere:
        yield (
            f"{number:,} removed here came to another station by what the store knows: have them "
            "removed there too"
        )
