"""Imports point one way, and the inner layers load nothing heavy."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hype

ROOT = Path(hype.__file__).parent
SHARED = {"errors"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "__main__": {"cli"},
    "central_url": set(),
    "waits": set(),
    "confine": SHARED,
    "aside": set(),
    "crew": SHARED,
    "files": SHARED,
    "printable": set(),
    "keyfile": {"confine", "files"} | SHARED,
    "protocol": SHARED,
    "observers": {"protocol"},
    "study": {"protocol", "files", "confine", "central_url", "printable"} | SHARED,
    "stimuli": {"protocol", "files", "confine"} | SHARED,
    "masks": {"stimuli", "files", "confine", "crew"} | SHARED,
    "store": {"protocol", "files", "confine", "central_url", "aside", "waits"} | SHARED,
    "station": {"protocol", "files", "confine"} | SHARED,
    "analysis": {"protocol"} | SHARED,
    "report": {"analysis", "files"} | SHARED,
    "sessions": {
        *("protocol", "observers", "study", "stimuli", "masks", "store", "station", "files"),
        *("confine", "crew", "central_url"),
    }
    | SHARED,
    "export": {
        *("protocol", "study", "stimuli", "store", "sessions", "analysis", "files", "confine"),
        "aside",
    }
    | SHARED,
    "cli": {
        *("protocol", "observers", "study", "stimuli", "masks", "store", "station", "files"),
        *("analysis", "report", "sessions", "export", "confine", "keyfile", "crew"),
        *("central_url", "printable", "aside", "waits"),
    }
    | SHARED,
}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def package_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def imported_packages(path: Path) -> Iterator[str]:
    """Yield the packages of hype that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [node.module or ""]
            if node.module == "hype":
                names = [f"hype.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("hype."):
                yield name.split(".")[1]


def test_every_package_has_its_place_among_the_layers() -> None:
    assert set(map(package_of, MODULES)) == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_point_one_way(package: str) -> None:
    own = (path for path in MODULES if package_of(path) == package)
    imported = {path: set(imported_packages(path)) for path in own}
    wrong = {path: some - ALLOWED[package] - {package} for path, some in imported.items()}

    assert {path: some for path, some in wrong.items() if some} == {}


def test_the_session_loop_knows_no_protocol() -> None:
    """What is asked is the scripts' business: a new protocol does not touch the loop."""
    tree = ast.parse((ROOT / "protocol" / "loop.py").read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules = {node.module for node in froms}
    names = {alias.name for node in froms for alias in node.names}

    assert {m for m in modules if m and m.startswith("hype.")} == {
        *("hype.errors", "hype.protocol.steps", "hype.protocol.timing"),
    }
    protocols = ("Judgement", "Comparison", "Rating", "Ranking", "Stimulus")
    assert not any(name.startswith(protocols) for name in names)


def test_the_layers_have_no_circle() -> None:
    done: set[str] = set()
    while len(done) < len(ALLOWED):
        free = {name for name, needs in ALLOWED.items() if needs <= done} - done
        assert free, f"in a circle: {set(ALLOWED) - done}"
        done |= free


def test_only_the_station_imports_psychopy() -> None:
    for path in MODULES:
        names = {
            (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        if any(name.split(".")[0] in ("psychopy", "pyglet", "psychtoolbox") for name in names):
            assert package_of(path) == "station", path


@pytest.mark.parametrize(
    ("modules", "forbidden"),
    [
        (
            "hype.protocol.script, hype.observers.observer, hype.study.load, hype.store.record",
            "psychopy pyglet matplotlib pandas scipy",
        ),
        (
            "hype.cli",
            "psychopy pyglet matplotlib pandas scipy statsmodels numpy sqlalchemy pydantic PIL",
        ),
        ("hype.cli.run, hype.cli.score, hype.cli.simulate, hype.sessions.records", "psycopg"),
    ],
    ids=["inner layers", "the program before it knows its command", "one station alone"],
)
def test_a_clean_interpreter_loads_nothing_heavy(modules: str, forbidden: str) -> None:
    code = f"import sys, {modules}; print(*sorted(set({forbidden.split()!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == []
