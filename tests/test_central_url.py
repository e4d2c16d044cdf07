"""URLs of central stores: what they may hold, and what no message repeats."""

import pytest

from hype.central_url import (
    Server,
    as_analyst,
    checked_url,
    holds_password,
    is_url,
    parsed_url,
    server_named,
)

GOOD = {
    "postgresql+psycopg://hype_station@lab.example.org/fashion": "",
    "postgresql://hype_station@lab.example.org:5433/fashion": "",
    "postgres://lab.example.org/fashion?sslmode=verify-full": "",
    "postgresql+psycopg://hype_station@/fashion?host=/run/postgresql&port=5433": "",
    "postgresql+psycopg:///?dbname=fashion&host=lab": "",
}
WORD = "h0rse-battery"
BAD = {
    f"postgresql+psycopg://me:{WORD}@lab/fashion": "holds a password",
    "postgresql+psycopg://me:@lab/fashion": "holds a password",
    f"postgresql+psycopg://me@lab/fashion?password={WORD}": "holds a password",
    f"postgresql+psycopg://me@lab/fashion?sslpassword={WORD}": "holds a password",
    f"sqlite:///{WORD}": "is no URL of a PostgreSQL database",
    f"mysql://me:{WORD}@lab/fashion": "holds a password",
    "postgresql+psycopg://me@lab": "names no database",
    "postgresql+psycopg://me@lab/": "names no database",
    "postgresql+psycopg://me@lab:port/fashion": "is no URL",
    "postgresql+psycopg://me@lab/fashion?options=-csearch_path=x": "sets options, and may set",
    "postgresql+psycopg://me@lab/fashion?passfile=/etc/shadow": "sets passfile, and may set",
    "postgresql+psycopg://me@lab/fashion?service=x": "sets service, and may set",
    "postgresql+psycopg://me@lab/fash\nion": "is no URL",
    "postgresql+psycopg://me@[::1/fashion": "is no URL",
    f"postgresql+psycopg://me@lab/fashion?{WORD}": "is no URL",
    f"postgresql+psycopg://me:2024/{WORD}@lab/fashion": "holds a password",
    f"postgresql+psycopg://me:/{WORD}@lab/fashion": "holds a password",
    f"postgresql+psycopg://me@lab/fashion?p%61ssword={WORD}": "holds a password",
    "postgresql://me@/fashion": "names no server",
    "postgresql:///fashion": "names no server",
    "postgresql:///fashion?host=": "names no server",
    "postgresql://one,other/fashion": "names a server that cannot be",
    "postgresql:///fashion?host=one,other": "names a server that cannot be",
    "postgresql:///fashion?host=one:5432&host=other:5432": "sets something twice",
    "postgresql://lab/fashion?host=other": "names the host twice",
    "postgresql://lab:1/fashion?port=2": "names the port twice",
    "postgresql://lab/fashion?dbname=other": "names the dbname twice",
    "postgresql://me@lab/fashion?user=other": "names the user twice",
    "postgresql://lab/fashion?hostaddr=192.0.2.1": "sets hostaddr, and may set",
    "postgresql://lab/fashion?h%6fstaddr=192.0.2.1": "sets hostaddr, and may set",
    "postgresql://lab/fashion?require_auth=password": "sets require_auth, and may set",
    "postgresql://lab/fashion?channel_binding=disable": "sets channel_binding, and may set",
    "postgresql://lab/fashion?sslrootcert=theirs.crt": "sets sslrootcert, and may set",
    "postgresql://lab/fashion?sslmode=none": "sets an sslmode that is none of disable, allow",
    "postgresql://lab/host=other%20x=": "names no database",
    "postgresql://x/postgresql%3A%2F%2Fother%2Fx": "names no database",
    "postgresql://lab/a/b": "is no URL",
    "postgresql://lab/x#y": "is no URL",
    "postgresql://lab/x%00": "is no URL",
    "postgresql://a%0a@lab/x": "is no URL",
    "postgresql://lab@other@third/x": "is no URL",
    "postgresql://lab\\@other/x": "is no URL",
    "postgresql://lab:1:2/x": "is no URL",
    "postgresql://lab.:5432/x": "names a server that cannot be",
    "postgresql://-lab/x": "names a server that cannot be",
    "postgresql://l%61b/x": "names a server that cannot be",
    "postgresql://läb/x": "names a server that cannot be",
    "postgresql://[::1%251,other]/x": "is no URL",
    "postgresql:///x?host=::1%251,other": "names a server that cannot be",
    "postgresql:///x?host=fe80::1%25eth0": "names a server that cannot be",
    "postgresql:///x?host=@abstract": "names a server that cannot be",
    "postgresql:///x?host=/run/$(true)": "names a server that cannot be",
    "postgresql:///x?host=/run/a,/run/b": "names a server that cannot be",
    "postgresql://lab:0/x": "names a port that cannot be",
    "postgresql://lab:65536/x": "names a port that cannot be",
    "postgresql:///x?host=lab&port=1,2": "names a port that cannot be",
    "": "",
}


@pytest.mark.parametrize("url", GOOD)
def test_urls_of_databases_are_taken_by_any_of_their_names(url: str) -> None:
    checked = checked_url(url)

    assert checked.startswith("postgresql+psycopg://")
    assert checked.split("://", 1)[1] == url.split("://", 1)[1]
    assert checked_url(checked) == checked


@pytest.mark.parametrize("url", BAD)
def test_others_are_refused_in_words_that_repeat_nothing(url: str) -> None:
    with pytest.raises(ValueError, match=BAD[url] or "is no URL") as refused:
        checked_url(url)

    assert WORD not in str(refused.value)
    assert "battery" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        *(("fashion", False), ("./postgresql:/x", False), ("a.csv", False), ("C:\\study", False)),
        *(("postgresql://x/y", True), ("sqlite:///x", True)),
    ],
)
def test_urls_are_told_from_paths(text: str, url: bool) -> None:
    assert is_url(text) is url


@pytest.mark.parametrize(
    ("added_to", "read"),
    [
        ("postgresql+psycopg://hype_station@lab/x", "postgresql+psycopg://hype_analyst@lab/x"),
        ("postgresql+psycopg://hype_station_b-1@lab/x", "postgresql+psycopg://hype_analyst@lab/x"),
        ("postgresql+psycopg://owner@lab/x", "postgresql+psycopg://owner@lab/x"),
        ("postgresql+psycopg://lab/x", "postgresql+psycopg://lab/x"),
    ],
)
def test_what_a_station_adds_to_is_read_as_analysts_may(added_to: str, read: str) -> None:
    assert as_analyst(added_to) == read


@pytest.mark.parametrize(
    "text",
    [url for url, why in BAD.items() if why == "holds a password"]
    + [f"mysql://me:{WORD}@lab/x", f"postgresql:/me:{WORD}@lab/x", f"postgres://me: {WORD} @lab"],
)
def test_passwords_are_seen_wherever_they_stand(text: str) -> None:
    assert holds_password(text)


@pytest.mark.parametrize("text", [*GOOD, "studies/a:b@c", "p01", "--to", "C:/x", "a=b&password"])
def test_other_words_of_a_command_line_are_no_passwords(text: str) -> None:
    assert not holds_password(text)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://me@lab.example.org/x", "lab.example.org", 5432),
        ("postgresql://me@LAB.Example.org:5433/x", "lab.example.org", 5433),
        ("postgresql://trusted.example.org@lab/x", "lab", 5432),
        ("postgresql://trusted.example.org%2F@lab/x", "lab", 5432),
        ("postgresql:///x?host=LAB&port=05433", "lab", 5433),
        ("postgresql://lab/x?port=1", "lab", 1),
        ("postgresql://[2001:DB8:0:0::1]:7/x", "2001:db8::1", 7),
        ("postgresql:///x?host=0:0:0:0:0:0:0:1", "::1", 5432),
        ("postgresql:///x?host=/run/postgresql", "/run/postgresql", 5432),
        ("postgresql:///x?host=%2frun%2fpostgresql&port=1", "/run/postgresql", 1),
        ("postgresql://192.0.2.1/x", "192.0.2.1", 5432),
        ("postgresql://127.1/x", "127.1", 5432),
    ],
)
def test_a_url_names_one_server_and_one_alone(url: str, host: str, port: int) -> None:
    server = parsed_url(url).server

    assert server == Server(host, port)
    assert server_named(str(server)) == server


def test_what_a_url_says_is_read_once() -> None:
    found = parsed_url("postgresql://l%C3%A4b%2Ba@lab/d%40b?sslmode=verify-full")

    assert (found.user, found.dbname, found.sslmode) == ("läb+a", "d@b", "verify-full")
    assert parsed_url("postgresql:///?host=lab&dbname=x&user=me").user == "me"


@pytest.mark.parametrize(
    ("typed", "server"),
    [
        ("lab.example.org", "lab.example.org:5432"),
        ("Lab.Example.org:5433", "lab.example.org:5433"),
        ("::1", "[::1]:5432"),
        ("[::1]", "[::1]:5432"),
        ("[2001:db8::1]:7", "[2001:db8::1]:7"),
        ("/run/postgresql", "/run/postgresql:5432"),
        ("/run/postgresql:1", "/run/postgresql:1"),
        ("192.0.2.1:5432", "192.0.2.1:5432"),
    ],
)
def test_a_server_may_be_typed_in_the_usual_ways(typed: str, server: str) -> None:
    assert str(server_named(typed)) == server


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            ":5432",
            "[]",
            "lab:",
            "lab:x",
            "lab:0",
            "lab:99999",
            "a,b",
            "a b",
            "*",
            "-x",
            "lab.",
        ),
        *(
            "postgresql://lab/x",
            "me@lab",
            "lab/x",
            "run/postgresql",
            "/",
            "[::1",
            "::1%1",
            "[::1%1]",
        ),
    ],
)
def test_what_is_no_server_is_refused(typed: str) -> None:
    with pytest.raises(
        ValueError, match=r"names (no server|a server that cannot|a port that cannot)"
    ):
        server_named(typed)


@pytest.mark.parametrize(
    ("typed", "here"),
    [
        *((text, True) for text in ("localhost", "LOCALHOST:1", "127.0.0.1", "127.255.0.9")),
        *((text, True) for text in ("::1", "0:0:0:0:0:0:0:1", "/run/postgresql")),
        *((text, False) for text in ("localhost.example.org", "127.0.0.1.example.org", "127.1")),
        *((text, False) for text in ("0", "::", "2130706433", "0x7f000001", "127.0.0.01", "vm")),
        *((text, False) for text in ("128.0.0.1", "2001:db8::1")),
    ],
)
def test_only_what_cannot_be_elsewhere_is_here(typed: str, here: bool) -> None:
    assert server_named(typed).is_here is here
