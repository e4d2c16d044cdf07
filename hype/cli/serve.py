"""`hype serve`: run a study in browsers."""

from __future__ import annotations

import socket
from contextlib import nullcontext, suppress
from itertools import zip_longest
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer
from rich.text import Text

from hype.answers.choices import shell_option
from hype.cli.options import NewVersion, StudyPath, check_seed
from hype.cli.run import ENDINGS
from hype.console import err, out
from hype.errors import InputError, quote_path
from hype.files import forgotten_state
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.admitting import people_elsewhere
from hype.session.enrol import require_newcomers
from hype.study.studies import AnyStudy
from hype.web.arrivals import check_path, invitations, write_links

if TYPE_CHECKING:  # these libraries come with an extra
    from hype.web.serving import Doors

ANYWHERE: Final = "0.0.0.0"  # noqa: S104  all addresses of this machine
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address that nobody has: it is reserved for examples (RFC 5737)."""


def serve(
    study: StudyPath,
    host: Annotated[str, shell_option("--host ADDRESS", "the address to listen on")] = "127.0.0.1",
    port: Annotated[int, shell_option("--port N", "0: any free port", min=0, max=65_535)] = 8000,
    key: Annotated[
        Path | None,
        shell_option(
            "--key FILE",
            "the file that links codes to people; keep it outside the study's folder "
            "(default: in your home folder; with --store: in the database)",
        ),
    ] = None,
    links: Annotated[
        Path | None,
        shell_option(
            "--invitations CSV", "write the codes and links of invited people to this table"
        ),
    ] = None,
    new_links: Annotated[
        bool,
        typer.Option(
            "--new-links",
            help="replace all secret addresses except those of participants",
        ),
    ] = False,
    simulate: Annotated[
        int, shell_option("--simulate N", "serve N simulated evaluators over HTTP", min=0)
    ] = 0,
    seed: Annotated[int, shell_option("--seed S", "seed of the simulated answers")] = 0,
    pilot: Annotated[
        bool,
        shell_option("--pilot", "five trials of each kind, to try the study: nothing is recorded"),
    ] = False,
    new_version: NewVersion = False,
) -> None:
    """Let people take part in a browser; answers go into the study's record."""
    from hype.web import serving
    from hype.web.experimenter import watch_path
    from hype.web.owners import owners_path

    check_seed(seed)
    if pilot and (key or new_links or simulate or new_version):
        options = "--key, --new-links, --new-version or --simulate"
        problem = f"cannot be used with {options}: a pilot records nothing"
        raise InputError("--pilot", problem)
    loaded = load_any(study)
    dict(people_elsewhere(loaded))  # report missing libraries before people come
    state = forgotten_state() if simulate else nullcontext()
    opened = serving.doors_of(loaded, host, port, new_links=new_links, people=key, pilot=pilot)
    with state, opened as doors:
        with doors.engine.connect() as connection:  # stop here if invited people could not start
            how = {"simulated": simulate > 0, "new_version": new_version}
            require_newcomers(connection, course_of(loaded), **how)
        here = f"http://{public_name(host)}:{doors.port}"
        address = loaded.settings.web.address or here
        if not simulate:
            print_link(loaded, address, here, pilot=pilot)
        if not pilot:
            secret = {"Only for you, to watch the study": watch_path(doors.key)}
            secret["For owners of models, to add a model"] = owners_path(doors.key)
            if loaded.settings.name_checker("any"):
                secret["For checkers, to rank groups again"] = check_path(doors.key)
            for who, path in secret.items():
                out.print(f"{who}: {address}{path}", soft_wrap=True, markup=False)
        if doors.desk.closing_time() is not None:
            out.print("The study is closed: no new person can start before you reopen it.")
        invited = invitations(loaded, doors.key.name)
        if simulate:
            err.print("[bold yellow]SIMULATED: no person takes part in these sessions[/]")
            serving.serve(
                loaded,
                doors,
                new_version=new_version,
                visitors=lambda: simulate_evaluators(loaded, host, doors, simulate, seed),
            )
        else:
            if loaded.settings.web.platform:
                out.print(f"People's codes: {doors.desk.where}", markup=False, soft_wrap=True)
            if links:
                write_links(links, invited, address)
                out.print(f"{links}: {len(invited)} invitations", markup=False)
            serving.serve(loaded, doors, new_version=new_version)


def print_link(study: AnyStudy, address: str, here: str, *, pilot: bool) -> None:
    """Print the link for participants; at a terminal, also as a QR code for phones."""
    is_local = urlsplit(address).hostname in LOOPBACK
    behind = f", which leads to {here}" if address != here else ""
    whom = "a pilot (nothing is recorded)" if pilot else "participants"
    where = " on this machine only" if is_local else ""
    line = f"Open to {whom}{where} at {address}/{behind} (Ctrl-C ends it)."
    out.print(line, soft_wrap=True, markup=False)
    if is_local:
        out.print(f"--host {ANYWHERE} also opens it to your network.", markup=False)
    elif out.is_terminal and study.settings.web.is_open:
        out.print(draw_code(f"{address}/"))


def draw_code(address: str) -> Text:
    """Draw the QR code of an address with half blocks: two rows of the code in a line."""
    import segno  # comes with the extra `web`

    rows = [*segno.make(address, micro=False).matrix_iter(border=2)]
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=bytes(len(rows)))
    lines = ("".join(" ▀▄█"[up + 2 * low] for up, low in zip(*pair, strict=True)) for pair in pairs)
    return Text("\n".join(lines), style="black on white")


def public_name(host: str) -> str:
    """Return a name by which others can reach ``host``, as far as this machine knows."""
    if host != ANYWHERE:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking, suppress(OSError):
        asking.connect(ELSEWHERE)  # this sends nothing, but shows which address is used
        return str(asking.getsockname()[0])
    return socket.gethostname()


def simulate_evaluators(study: AnyStudy, host: str, doors: Doors, number: int, seed: int) -> None:
    """Run simulated evaluators over HTTP, and report the result."""
    from hype.web.simulated import crowd

    visits = []
    for visit in crowd(
        course_of(study), host, doors.port, doors.key, number, seed=seed, pause_s=0.0
    ):
        visits.append(visit)
        ended = ENDINGS.get(visit.ended, "").format(quote_path(study.path))
        said = f"Turned away: {visit.turned_away}" if visit.turned_away else ended
        out.print(f"{visit.evaluator}  {said}", markup=False)
    took_ms = [1000 * took_s for visit in visits for took_s in visit.took_s]
    answers = sum(visit.answers for visit in visits)
    if answers:
        slow_ms = quantiles(took_ms, n=20)[-1]
        out.print(f"{answers} answers; 95 % of messages were confirmed within {slow_ms:.0f} ms.")
