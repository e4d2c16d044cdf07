"""URLs of central stores: what they may hold, and what no message repeats."""

import pytest

from hype.central_url import as_analyst, checked_url, holds_password, is_url

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
