"""What is read of a central store is what is read of the records that were pushed to it."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from builders import contents
from compared_studies import compared_study, simulate
from export_comparing_studies import comparing_study, with_comparing_people
from export_rated_studies import HELD_OUT, strange_rankings, strange_ratings
from export_studies import strange_study, with_everybody
from long import long_but
from postgres import ANALYST_PASSWORD, STATION_PASSWORD

from hype.session.records import NO_FOLDER
from hype.store.central.push import push
from hype.store.record import RECORD_FILE, reading_record

if TYPE_CHECKING:
    from postgres import Database, Server
    from running import Program

    from hype.protocols.studies import AnyStudy

KINDS: dict[str, Callable[[Path], AnyStudy]] = {
    "judgements": lambda folder: with_everybody(strange_study(folder), rounds=1),
    "comparisons": lambda folder: with_comparing_people(comparing_study(folder)),
    "ratings": strange_ratings,
    "rankings": strange_rankings,
}
"""People who finish, who leave and come back, who decline; and simulated evaluators."""
EVERY_KIND = pytest.mark.parametrize("kind", long_but(["judgements"], KINDS))


@dataclass(frozen=True)
class Shared:
    """A study, and the central store that has all of its record."""

    folder: Path
    store: Database

    @property
    def url(self) -> str:
        return self.store.analyst_url


def send(folder: Path, store: Database) -> None:
    with reading_record(folder / RECORD_FILE) as engine:
        push(engine, store.station_url)


@pytest.fixture(scope="module")
def sharing(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Shared]]:
    """Make a study of a kind that says where its central store is, and push its record: once."""
    home = tmp_path_factory.mktemp("shared")
    postgres.start()
    databases = []

    @cache
    def share(kind: str) -> Shared:
        store = postgres.database(f"{kind}_{uuid4().hex}")
        databases.append(store)
        folder = KINDS[kind](home / kind).folder
        with (folder / "study.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[store]\ncentral = "{store.analyst_url}"\n')
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSFILE", str(store.passwords(home)))
            send(folder, store)
        return Shared(folder, store)

    yield share
    for store in databases:
        postgres.drop(store)


@pytest.fixture
def shared(
    kind: str,
    sharing: Callable[[str], Shared],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Shared:
    """A study of a kind, and where its record was pushed to."""
    found = sharing(kind)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(found.store.passwords(tmp_path)))
    return found


@EVERY_KIND
@pytest.mark.parametrize(
    "who",
    [
        pytest.param((), id="people"),
        pytest.param(("--simulated",), id="simulated", marks=pytest.mark.long),
    ],
)
def test_scores_are_those_of_the_record(
    shared: Shared, who: tuple[str, ...], hype: Program
) -> None:
    arguments = ("--json", *who)
    of_record = hype("score", shared.folder, *arguments)
    assert of_record.code == 0
    for source in ((shared.url,), (shared.folder, "--central")):
        done = hype("score", *source, *arguments)
        assert (done.json, done.err) == (of_record.json, of_record.err)


@EVERY_KIND
def test_a_store_is_one_of_several_sources(
    shared: Shared, kind: str, hype: Program, tmp_path: Path
) -> None:
    """With a record and a table beside it, the store scores as the record that was pushed to it."""
    other = KINDS[kind](tmp_path / "other").folder
    with (other / "study.toml").open("r+", encoding="utf-8") as file:
        text = file.read().replace('name = "', 'name = "other ', 1)
        file.seek(0)
        file.write(text)
    assert hype("export", other, "-o", tmp_path / "out").code == 0
    beside = (other, tmp_path / "out" / f"{kind}.csv", "--apart", "--json")
    of_record, of_store = (hype("score", source, *beside) for source in (shared.folder, shared.url))

    assert (of_store.code, of_store.err) == (0, of_record.err)
    assert of_store.json == of_record.json
    scored = of_store.json[0] if isinstance(of_store.json, list) else of_store.json
    assert len(scored["joined"]["parts"]) == 3
    again = hype("score", shared.folder, shared.url, "--json").refused()
    assert "answers that were read before" in again


def rows_in(table: Path) -> list[tuple[tuple[str, str], ...]]:
    """Read a table, sorted; sessions are counted anew for each evaluator, in their order.

    The record numbers sessions as they began at its station, the store as they came in.
    """
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    held = sorted({(row["evaluator"], int(row["session"])) for row in rows if row["session"]})
    counted: dict[str, list[int]] = {}
    for evaluator, session in held:
        counted.setdefault(evaluator, []).append(session)
    for row in rows:
        row["session"] = str(counted[row["evaluator"]].index(int(row["session"])))
    return sorted(tuple(row.items()) for row in rows)


@EVERY_KIND
def test_an_exported_table_has_the_rows_of_the_record(
    shared: Shared, kind: str, hype: Program, tmp_path: Path
) -> None:
    tables = []
    for number, source in enumerate(
        ((shared.folder,), (shared.url,), (shared.folder, "--central"))
    ):
        folder = tmp_path / f"out-{number}"
        done = hype("export", *source, "-o", folder)
        assert (done.code, done.err) == (0, "")
        tables.append(rows_in(folder / f"{kind}.csv"))

    assert tables[0]
    assert tables[0] == tables[1] == tables[2]


@EVERY_KIND
def test_what_needs_no_image_goes_out_of_a_store_in_every_format(
    shared: Shared, kind: str, hype: Program, tmp_path: Path
) -> None:
    formats = ["parquet", "psych-ds", *(["preferences"] if kind != "judgements" else [])]
    for name in formats:
        done = hype("export", shared.url, "--format", name, "-o", tmp_path / name)
        assert (done.code, done.err) == (0, "")
        of_record = hype("export", shared.folder, "--format", name, "-o", tmp_path / f"{name} here")
        assert done.out.split(": ", 1)[1] == of_record.out.split(": ", 1)[1]
        assert list(contents(tmp_path / name)) == list(contents(tmp_path / f"{name} here"))


@pytest.mark.parametrize("kind", long_but(["rankings"], ["comparisons", "ratings", "rankings"]))
def test_a_dataset_with_its_images_is_made_of_a_store_and_the_study_at_hand(
    shared: Shared, hype: Program, tmp_path: Path
) -> None:
    said = hype("export", shared.url, "--format", "bids", "-o", tmp_path / "no").refused()
    assert said == (
        f"hype: {shared.url}: has no folder of the study, which --format bids needs; where that "
        "folder is, give it: STUDY --central instead of the URL"
    )
    assert not (tmp_path / "no").exists()
    written = []
    for number, option in enumerate(((), ("--central",))):
        folder = tmp_path / f"bids-{number}"
        done = hype("export", shared.folder, *option, "--format", "bids", "-o", folder)
        assert (done.code, done.err) == (0, "")
        written.append(contents(folder))

    assert list(written[0]) == list(written[1])
    assert written[0]["participants.tsv"] == written[1]["participants.tsv"]


@pytest.mark.parametrize("kind", long_but(["rankings"], ["ratings", "rankings"]))
def test_items_are_of_a_study_at_hand(shared: Shared, hype: Program, tmp_path: Path) -> None:
    said = hype("export", shared.url, "--format", "items", "-o", tmp_path / "out").refused()

    assert "has no folder of the study, which --format items needs" in said
    assert hype("export", shared.folder, "--central", "--format", "items", "-o", tmp_path).code == 0


@pytest.mark.parametrize("kind", ["rankings"])
def test_judges_are_held_against_a_store_by_the_study_at_hand(
    shared: Shared, hype: Program, tmp_path: Path
) -> None:
    (tmp_path / "judges.csv").write_text("judge,image,score\none,fake/good/000.png,1\n")
    options = ("--judges", tmp_path / "judges.csv")
    said = hype("score", shared.url, *options).refused()

    assert "has no folder of the study, which --judges needs" in said
    done = hype("score", shared.folder, "--central", *options)
    assert done.code == 0
    assert done.out == hype("score", shared.folder, *options).out


def test_what_is_held_out_is_known_to_the_study_at_hand_alone(
    central: Database, hype: Program, tmp_path: Path
) -> None:
    study = strange_rankings(tmp_path / "study", **HELD_OUT)
    send(study.folder, central)
    scores = [hype("score", s, "--json") for s in (study.folder, central.analyst_url)]

    assert scores[0].json == scores[1].json
    said = hype("export", central.analyst_url, "-o", tmp_path / "out").refused()
    assert "the column of prompts that are held out (ranking.held_out)" in said


@pytest.mark.parametrize("kind", ["judgements"])
def test_a_column_of_the_manifest_is_known_to_the_study_at_hand_alone(
    shared: Shared, hype: Program
) -> None:
    said = hype("score", shared.url, "--by", "width_px").refused()
    assert "has no folder of the study, which --by width_px" in said
    arguments = ("--by", "source", "--json")
    assert (
        hype("score", shared.url, *arguments).json == hype("score", shared.folder, *arguments).json
    )


@EVERY_KIND
def test_the_report_of_a_store_says_where_it_is_from_and_why_it_pictures_nothing(
    shared: Shared,
    kind: str,
    hype: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is not there is not looked for: a folder of that name is another study's."""
    shutil.copytree(shared.folder, tmp_path / "elsewhere" / NO_FOLDER)
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = hype("report", shared.url)
    page = Path("report.html").read_text(encoding="utf-8")

    assert (done.code, done.out, done.err) == (0, "report: report.html\n", "")
    assert f"{shared.store.name} at 127.0.0.1" in page
    assert "hype_analyst" not in page
    assert 'src="data:image/png' not in page
    assert ("none is pictured here" in page) == (kind != "ratings")
    assert {path.name for path in Path().iterdir()} == {"report.html", str(NO_FOLDER)}


@pytest.mark.parametrize("kind", ["comparisons"])  # no image of the rankings is shown five times
def test_a_report_pictures_the_images_of_the_study_at_hand_or_of_a_folder(
    shared: Shared, hype: Program, tmp_path: Path
) -> None:
    for source in (
        (shared.folder, "--central"),
        (shared.url, "--stimuli", shared.folder / "stimuli"),
    ):
        assert hype("report", *source, "-o", tmp_path / "page.html").code == 0
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert 'src="data:image/png' in page
        assert "none is pictured here" not in page
        assert f"{shared.store.name} at 127.0.0.1" in page


def test_evaluators_of_two_stations_who_have_the_same_codes_are_all_scored(
    central: Database, hype: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("north", "south"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("HYPE_STATION", name)
        simulate(compared_study(tmp_path / name), 3)
        send(tmp_path / name, central)
    who = ("--simulated",)
    alone, both = (
        hype("score", source, "--json", *who).json
        for source in (tmp_path / "north", central.analyst_url)
    )

    for number in ("evaluators", "comparisons"):
        assert both[number] == 2 * alone[number] > 0
    assert hype("report", central.analyst_url, *who, "-o", tmp_path / "report.html").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.search(r"stations</\w+>\s*<\w+[^>]*>2<", page)


@pytest.mark.parametrize("kind", ["comparisons"])
def test_no_output_tells_a_password(shared: Shared, hype: Program, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    runs = [
        hype("score", shared.url),
        hype("report", shared.url, "-o", out / "report.html"),
        hype("export", shared.url, "-o", out / "csv"),
        hype("export", shared.url, "--format", "psych-ds", "-o", out / "psych-ds"),
        hype("export", shared.folder, "--central", "--format", "bids", "-o", out / "bids"),
    ]
    assert [done.code for done in runs] == [0] * len(runs)
    told = [*contents(out).values(), *((done.out + done.err).encode() for done in runs)]
    for word in (STATION_PASSWORD, ANALYST_PASSWORD):
        assert not any(word.encode() in one for one in told)
