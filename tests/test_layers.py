"""Imports: no circles, only declared ones between packages, large libraries only if needed."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hype

ROOT = Path(hype.__file__).parent
ALLOWED: dict[str, str] = {
    "__main__": "cli",
    "addition": "errors files masks session stimuli store study system workers",
    "answers": "console errors files registration session statistics stimuli store study tables",
    "asking": "errors files stimuli system tables",
    "check": "errors files session station stimuli store study system web",
    "cli": (
        "addition answers asking check console errors export features files leaderboard "
        "local_page masks planning protocols protocols.comparison protocols.hype "
        "protocols.prompted registration report reward session station statistics status "
        "stimuli store study system tables verify web witness workers"
    ),
    "console": "",
    "local_page": "console errors files protocols protocols.hype session stimuli study system web",
    "errors": "",
    "export": "asking errors files session stimuli store study system tables",
    "features": "errors files report statistics stimuli system",
    "files": "errors system",
    "judges": "asking errors report session statistics stimuli study tables",
    "planning": "errors report session statistics store study workers",
    "leaderboard": "errors files report statistics tables",
    "library": (
        "answers console errors judges masks planning protocols protocols.comparison "
        "protocols.hype report session statistics stimuli study tables workers"
    ),
    "masks": "errors files stimuli workers",
    "protocols": (
        "answers asking check console errors export files leaderboard planning "
        "protocols.hype registration report session statistics status stimuli store study "
        "tables"
    ),
    "protocols.comparison": (
        "answers asking check errors export files judges leaderboard planning protocols "
        "protocols.prompted registration report session station statistics status stimuli "
        "store study tables"
    ),
    "protocols.hype": (
        "answers asking check console errors export files judges leaderboard masks planning "
        "protocols report session station statistics status stimuli store study tables "
        "workers"
    ),
    "protocols.prompted": (
        "answers asking check errors export judges leaderboard planning protocols "
        "registration report session station statistics status stimuli store study tables"
    ),
    "protocols.ranking": (
        "answers asking check errors export judges leaderboard planning protocols "
        "protocols.prompted registration report session station statistics status store "
        "study tables"
    ),
    "protocols.rating": (
        "answers asking check errors export judges leaderboard planning protocols "
        "protocols.prompted registration report session station statistics status store "
        "study tables"
    ),
    "registration": "errors files masks session stimuli store study",
    "report": "errors files session statistics study tables",
    "reward": (
        "errors export features files judges report session statistics stimuli study system tables"
    ),
    "session": "check errors files masks station stimuli store study",
    "station": "errors files session study",
    "statistics": "errors",
    "status": "console errors report session statistics store study",
    "stimuli": "errors files system",
    "store": "errors files session study system tables",
    "study": "errors files masks stimuli",
    "system": "",
    "tables": "errors files session",
    "verify": "errors files session stimuli store study",
    "web": (
        "addition console errors files masks protocols report session station status stimuli "
        "store study system workers"
    ),
    "witness": "errors session tables",
    "workers": "console errors system",
}
"""For each room (a package of `hype`), the rooms that its modules may import anywhere."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    """Read all modules when a test needs them, and not in every process that collects tests."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def room_of(module: str) -> str:
    """Return the room (package) of a module; each folder of `hype.protocols` is a room."""
    _, *parts = module.split(".")
    slice_of = MODULES.get(".".join(["hype", *parts[:2]]))
    if parts[0] == "protocols" and len(parts) > 1 and slice_of:
        return ".".join(parts[:2]) if slice_of.name == "__init__.py" else "protocols"
    return parts[0]


def modules_named(node: ast.stmt) -> Iterator[str]:
    """Yield the modules of hype that an import names."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in MODULES else node.module or ""
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def imported(nodes: Iterator[ast.AST]) -> set[str]:
    names = (name for node in nodes if isinstance(node, ast.stmt) for name in modules_named(node))
    return {name for name in names if name in MODULES and name != "hype"}


def test_every_room_is_declared():
    rooms = {room_of(name) for name in MODULES if name.count(".")} - {"__init__"}

    assert rooms == set(ALLOWED)


@pytest.mark.parametrize("room", ALLOWED)
def test_imports_are_as_declared(room):
    allowed = {room, *ALLOWED[room].split()}
    wrong = {
        name: {other for other in imported(ast.walk(tree)) if room_of(other) not in allowed}
        for name, tree in trees().items()
        if name.count(".") and room_of(name) == room
    }

    assert {name: some for name, some in wrong.items() if some} == {}


FRONT_ENDS = ("cli", "library", "local_page", "web")
"""Rooms that know all protocols, and pass the protocols' functions to other rooms."""


def test_rooms_know_no_protocol_and_protocols_no_other():
    for room, arrows in ALLOWED.items():
        known = {other for other in arrows.split() if other.startswith("protocols")}
        if room.startswith("protocols."):
            known -= {"protocols", "protocols.prompted"}
        elif room == "protocols":
            known = {other for other in known if other != "protocols.hype"}
        assert not known or room in FRONT_ENDS, room
    asking = {
        room_of(name)
        for name, tree in trees().items()
        if "hype.protocols.registry" in imported(ast.walk(tree))
    }
    assert asking <= {*FRONT_ENDS, "protocols"}
    assert not {m for m in imported(ast.walk(trees()["hype.web"])) if "protocols" in m}


MOST_IN_A_CIRCLE = 8


def test_circles_are_small():
    """Imports inside functions and for types count too."""
    names = [*trees()]
    arrows = [imported(ast.walk(tree)) for tree in trees().values()]
    reached = np.array([[name in own for name in names] for own in arrows])
    for _ in range(len(names).bit_length()):
        reached |= reached @ reached
    together = (reached & reached.T).sum(axis=1)

    assert together.max() <= MOST_IN_A_CIRCLE


def test_the_package_itself_names_the_library_alone():
    rooms = {room_of(name) for name in imported(ast.walk(trees()["hype"]))}

    assert rooms == {"library", "errors"}


def test_no_modules_wait_for_each_other():
    """Imports at the top of modules have no circle."""
    waits = {name: imported(iter(tree.body)) - {name} for name, tree in trees().items()}
    while free := {name for name, needs in waits.items() if not needs & set(waits)}:
        waits = {name: needs for name, needs in waits.items() if name not in free}

    assert waits == {}


def test_a_class_has_a_name_of_its_own():
    """Only columns, and names that the library gives to users unchanged, may occur twice."""
    classes = Counter(
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )

    twice = {name for name, n in classes.items() if n > 1}
    assert twice <= {"Column", "Scores", "Staircase", "Study"}


def test_only_the_station_imports_psychopy():
    for name, tree in trees().items():
        names = {
            (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        if any(other.split(".")[0] in ("psychopy", "pyglet", "psychtoolbox") for other in names):
            assert room_of(name) == "station", name


@pytest.mark.parametrize(
    ("modules", "forbidden"),
    [
        (
            "hype.protocols.hype.trial, hype.protocols.hype.observer, hype.protocols.load, "
            "hype.store.record, hype.protocols.hype.course",
            "psychopy pyglet matplotlib pandas scipy",
        ),
        (
            "hype.cli",
            "psychopy pyglet matplotlib pandas scipy statsmodels numpy sqlalchemy pydantic PIL",
        ),
        ("hype.protocols.hype.tables", "matplotlib"),
        ("hype.report.terminal", "matplotlib pandas numpy"),
    ],
    ids=[
        *("inner layers", "the program before it knows its command"),
        *("what lays out a table", "what prints one"),
    ],
)
def test_a_clean_interpreter_loads_nothing_heavy(modules, forbidden):
    code = f"import sys, {modules}; print(*sorted(set({forbidden.split()!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == []


def test_only_protocols_tell_kinds_of_studies_apart():
    """All other modules use the registry, so a new protocol does not change them."""
    kinds = re.compile(r"(Hype|Comparison|Rating|Ranking|Prompted)?(Study|File|Course|Score)")
    for name, tree in trees().items():
        if name.startswith("hype.protocols."):
            continue
        asked = {
            part.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call | ast.match_case)
            and (isinstance(node, ast.match_case) or ast.unparse(node.func) == "isinstance")
            for part in ast.walk(node.pattern if isinstance(node, ast.match_case) else node)
            if isinstance(part, ast.Name)
        }
        assert not {one for one in asked if kinds.fullmatch(one)}, name


def test_no_message_names_a_document_which_the_wheel_lacks():
    """Docstrings may name them, since they are read in a clone or on the site."""
    for name, tree in trees().items():
        nodes = list(ast.walk(tree))
        notes = {node.value for node in nodes if isinstance(node, ast.Expr)}
        said = [
            node.value for node in nodes if isinstance(node, ast.Constant) and node not in notes
        ]
        assert not [text for text in said if re.search("(docs|setup|benchmarks)/", str(text))], name


def test_scripts_import_what_there_is():
    """Benchmarks, and scripts for the documents' pictures, do not run with each change."""
    scripts = [
        path
        for folder in ("benchmarks", "docs/pictures", "experiments")
        for path in (ROOT.parent / folder).rglob("*.py")
    ]
    assert len(scripts) > 20
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("hype."):
                continue
            there = {name for each in trees()[node.module].body for name in names_made(each)}
            missing = {alias.name for alias in node.names} - there
            assert {f"{node.module}.{name}" for name in missing} <= set(trees()), script


def names_made(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    names = {alias.asname or alias.name for alias in getattr(statement, "names", ())}
    if isinstance(statement, ast.If | ast.Try):
        names |= {name for inner in statement.body for name in names_made(inner)}
    nodes = [statement, *getattr(statement, "targets", ()), getattr(statement, "target", None)]
    return names | {getattr(one, "name", getattr(one, "id", "")) for one in nodes}
