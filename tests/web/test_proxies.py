"""`hype serve` behind Caddy and nginx, with the configurations in docs/web.md, over TLS.

The tests are skipped if neither is installed; no other test needs them.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from getpass import getuser
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from textwrap import indent

import pytest
from browser import headless_chromium
from from_outside import HYPE
from known import verify_record
from postgres_server import run_postgres
from public import NAME, Certificate, Secured, flags_for, free_port, visitor_of
from served import HOST
from test_addition import images_for, study_of, zipped
from test_owners_page import news, send
from visitor import Visitor

from hype.cli.serve import ANYWHERE, public_name
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.web.desk import FileDesk, TableDesk
from hype.web.experimenter import watch_path
from hype.web.owners import owners_path
from hype.web.simulated import visit
from hype.web.tokens import ServerKey

pytestmark = pytest.mark.long

DOCUMENT = Path(__file__).parents[2] / "docs" / "web.md"
PUBLIC = f"https://{NAME}"
PATIENCE_S = 60
PASSING = re.compile(r" 425 |/picture/.* 404 ")
"""Requests that the page repeats, or pictures that it fetched early and no longer needs."""


def study_in(folder: Path):
    web = {"address": PUBLIC, "codes": 3, "open": True}
    return study_of("hype", folder / "study", web=web)


def configuration(language: str) -> tuple[str, str]:
    """Return a proxy's two configurations in docs/web.md: for one machine and for several."""
    one, several = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return one, several


def with_ports(text: str, server_ports: Sequence[int]) -> str:
    """Replace the servers in a configuration by servers on this machine."""
    first, last = f"{HOST}:{server_ports[0]}", f"{HOST}:{server_ports[-1]}"
    places = {"127.0.0.1:8000": first, "10.0.0.11:8000": first, "10.0.0.12:8000": last}
    for there, here in places.items():
        text = text.replace(there, here)
    return text


@dataclass(frozen=True)
class Behind:
    """A study's server behind a proxy."""

    port: int
    plain_port: int
    server_port: int
    authority: Path
    key: ServerKey
    said: str

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[HTTPResponse, bytes]:
        return asked(Secured(self.port, self.authority), method, path, body, headers)


def asked(connection, method, path, body=None, headers=None):
    named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
    connection.request(method, path, body, named)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


@contextmanager
def served_at(study, *options: str) -> Iterator[tuple[int, str]]:
    """Run `hype serve`, and yield its port and its output."""
    command = [HYPE, "serve", study.folder, "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            said = server.stdout.readline() + server.stdout.readline()
            yield int(re.findall(r"http://[\d.]+:(\d+)", said)[0]), said
        finally:
            server.terminate()


@contextmanager
def nginx(folder: Path, *server_ports: int) -> Iterator[tuple[int, int, Path]]:
    """Run nginx; only ports and the certificate's path differ from those on a server."""
    certificate = Certificate.of(folder, NAME)
    port, plain_port = free_port(), free_port()
    text, several = configuration("nginx")
    if len(server_ports) > 1:
        (tried_again,) = re.findall(r"`(proxy_next_upstream [^`]*)`", DOCUMENT.read_text("utf-8"))
        instead = f"proxy_pass http://hype; {tried_again}"
        text = several + text.replace("proxy_pass http://127.0.0.1:8000;", instead)
    for there, here in {
        "listen 80;": f"listen {plain_port};",
        "listen 443 ": f"listen {port} ",
        f"/etc/letsencrypt/live/{NAME}": str(folder),
    }.items():
        assert there in text
        text = text.replace(there, here)
    whole = folder / "nginx.conf"
    places = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole.write_text(
        f"user {getuser()}; pid {folder}/pid; daemon off; events {{}}\n"
        f"http {{\naccess_log off;\n{places}\n{indent(with_ports(text, server_ports), '  ')}\n}}\n"
    )
    with running(["nginx", "-e", f"{folder}/errors", "-p", str(folder), "-c", str(whole)], port):
        yield port, plain_port, certificate.chain


@contextmanager
def caddy(folder: Path, *server_ports: int) -> Iterator[tuple[int, int, Path]]:
    """Run Caddy; only ports and the certificate's signer differ from those on a server."""
    port, plain_port = free_port(), free_port()
    text = configuration("Caddyfile")[len(server_ports) > 1]
    whole = folder / "Caddyfile"
    ours = f"local_certs\nskip_install_trust\nadmin off\nstorage file_system {folder}"
    whole.write_text(
        f"{{\n{ours}\nhttp_port {plain_port}\nhttps_port {port}\n}}\n"
        + with_ports(text, server_ports)
    )
    with running(["caddy", "run", "--adapter", "caddyfile", "--config", str(whole)], port):
        authority = folder / "pki/authorities/local/root.crt"
        until(lambda: authority.exists() and opens(Secured(port, authority)))
        yield port, plain_port, authority


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Run a proxy until it is no longer needed."""
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as proxy:
        try:
            until(lambda: opens(HTTPConnection(HOST, port)))
            yield
        finally:
            proxy.terminate()


def opens(connection: HTTPConnection) -> bool:
    """Return True if a server answers; otherwise raise OSError."""
    with closing(connection):
        connection.connect()
    return True


def until(holds) -> None:
    """Wait until a function returns true without OSError."""
    end_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            if holds():
                return
        except OSError:
            pass
        assert time.monotonic() < end_s
        time.sleep(0.1)


PROXIES = {"caddy": caddy, "nginx": nginx}


@pytest.fixture(scope="module", params=PROXIES)
def behind(request, tmp_path_factory) -> Iterator[Behind]:
    """A study of flashed images behind a proxy."""
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        study = study_in(folder)
        links = folder / "links.csv"
        with (
            served_at(study, "--invitations", str(links)) as (server_port, said),
            PROXIES[request.param](folder, server_port) as (port, plain_port, authority),
        ):
            until(lambda: opens(HTTPConnection(HOST, server_port)))
            key = FileDesk.of(study).key()
            yield Behind(port, plain_port, server_port, authority, key, said), study, links


@pytest.mark.parametrize("proxy", PROXIES)
def test_several_machines_behind_a_proxy_stand_in_for_each_other(proxy, tmp_path):
    if not shutil.which(proxy):
        pytest.skip(f"{proxy} is not installed")
    with run_postgres() as store, ExitStack() as stack:
        make_record(url := store.database("several"))
        study = replace(study_in(tmp_path), store=url)
        with record_of(study).writing() as engine:
            key = TableDesk(engine).key()
        one, _ = stack.enter_context(served_at(study, "--store", url))
        with served_at(study, "--store", url) as (other, _):
            port, _, authority = stack.enter_context(PROXIES[proxy](tmp_path, one, other))
            assert came_through(study, key, port, authority, "sim-1").ended == "complete"
        assert came_through(study, key, port, authority, "sim-2").ended == "complete"
        assert verify_record(study).sound


def came_through(study, key, port, authority, code):
    client = visitor_of(port, authority)
    with closing(client):
        door = f"/simulated/{code}/{key.name('simulated', code)}"
        return visit(client, door, code, course_of(study), seed=1)


def test_a_simulated_session_goes_through(behind):
    there, study, _ = behind
    visited = came_through(study, there.key, there.port, there.authority, "sim-1")

    assert visited.ended == "complete"
    assert visited.answers > 0


def test_a_session_in_chromium_goes_through(behind, tmp_path):
    there, _, _ = behind
    with headless_chromium(tmp_path, *flags_for(**{NAME: there.port})) as browser:
        visitor = Visitor(browser, there.port)
        visitor.address = f"{PUBLIC}/"
        visitor.come()
        visitor.go_to("trial")
        assert browser.js("isSecureContext && crossOriginIsolated")
        assert browser.js("location.origin") == PUBLIC
        (cookie,) = visitor.browser.driver.get_cookies()
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Lax")
        visitor.go_to("page", "Thank you")
        messages = [one for one in browser.messages() if not PASSING.search(one)]
    assert messages == []


def test_addresses_are_those_of_the_public_name(behind):
    there, _, links = behind
    plain, _ = asked(
        HTTPConnection(HOST, there.plain_port), "GET", "/join/abc?x=1", None, {"Host": NAME}
    )
    assert plain.status in (301, 308)
    assert plain.headers["Location"] == f"{PUBLIC}/join/abc?x=1"

    arrived, _ = there.ask("GET", "/")
    assert (arrived.status, arrived.headers["Location"]) == (303, "/session")
    slashed, _ = there.ask("GET", "/session/")
    assert slashed.headers["Location"] == f"{PUBLIC}/session"
    assert f"Open to participants at {PUBLIC}/, which leads to http://127.0.0.1" in there.said
    assert f"{PUBLIC}{watch_path(there.key)}" in there.said
    for line in links.read_text().splitlines()[1:]:
        _, link = line.split(",")
        assert link.startswith(f"{PUBLIC}/join/")
        invited, _ = there.ask("GET", link.removeprefix(PUBLIC))
        assert invited.status == 303


def test_cookies_are_secure_whatever_somebody_says_of_the_way(behind):
    there, _, _ = behind
    lies = {"X_Forwarded_Proto": "http", "X_Forwarded_For": "1.2.3.4", "Forwarded": "proto=http"}
    for said in ({}, lies):
        arrived, _ = there.ask("GET", "/", **said)
        assert "; Secure" in arrived.headers["Set-Cookie"]
        watched, _ = there.ask("GET", watch_path(there.key), **said)
        assert "; Secure" in watched.headers["Set-Cookie"]


def test_a_zip_of_an_owner_goes_through(behind, tmp_path):
    """The zip is larger than nginx's limit for other addresses."""
    there, study, _ = behind
    path = zipped(images_for(study, tmp_path / "new", side_px=256), tmp_path / "new.zip")
    assert path.stat().st_size > 1 << 20
    with headless_chromium(tmp_path, *flags_for(**{NAME: there.port})) as browser:
        browser.driver.get(f"{PUBLIC}{owners_path(there.key)}")
        send(browser, "newest", path)
        news(browser, "images and 2 masks, and who comes next may meet it.")
        assert browser.messages() == []
    assert list(load_any(study.path).added) == ["newest"]


def test_nobody_else_is_believed_about_the_way(tmp_path):
    """A client that connects without the proxy cannot claim that it used TLS."""
    study = study_in(tmp_path)
    own = public_name(ANYWHERE)
    with served_at(study, "--host", ANYWHERE) as (port, _):
        until(lambda: opens(HTTPConnection(HOST, port)))
        lie = {"X_Forwarded_Proto": "https"}
        near, _ = asked(HTTPConnection(HOST, port), "GET", "/", None, lie)
        far, _ = asked(HTTPConnection(own, port), "GET", "/", None, lie)
    assert "; Secure" in near.headers["Set-Cookie"]
    assert "; Secure" not in far.headers["Set-Cookie"]
