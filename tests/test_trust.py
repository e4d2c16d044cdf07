"""No input from outside is ever executed, even in ways that ruff's rules (S) do not know."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hype

ROOT = Path(hype.__file__).parent
CALLS = {
    *("eval", "query", "__import__", "import_module", "from_string", "from_formula", "read_hdf"),
    *("enable_load_extension", "serial_for_url"),
}
"""Functions and methods that run a text as code, or load objects."""
LOADS = {"np.load", "numpy.load", "torch.load", "np.fromregex"}
PACKAGES = {"joblib", "cloudpickle", "patsy", "numexpr", "runpy", "code", "codeop"}
EXCEPTIONS = {
    ("__init__.py", "import_module"): "by names of the library's own table of rooms",
    ("check/machine.py", "import_module"): "the packages that the installed program declares",
    ("cli/main.py", "import_module"): "by names of the program's own table of commands",
    ("cli/export.py", "import_module"): "by names of the program's own table of formats",
    ("protocols/registry.py", "import_module"): "by names of the registry's own protocols",
    ("tables/shapes.py", "eval"): "formulas of the program's own TOML files",
    ("features.py", "np.load"): "arrays alone: allow_pickle is False",
    ("station/display.py", "import_module"): "two modules of PsychoPy, named there",
}
"""Calls that are not dangerous in their file, with the reason."""


def find_dangers(tree: ast.AST) -> Iterator[str]:
    """Yield the names in a module that could run a stranger's code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            yield from {name.partition(".")[0] for name in names} & PACKAGES
        elif isinstance(node, ast.Call):
            function = ast.unparse(node.func)
            name = function.rpartition(".")[2]
            if name in CALLS or function in {"compile", *LOADS}:
                yield function if function in LOADS else name
            yield from (
                "allow_pickle"
                for keyword in node.keywords
                if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False"
            )


def test_nothing_from_outside_is_run_and_every_exception_is_still_needed():
    found = {
        (path.relative_to(ROOT).as_posix(), what)
        for path in sorted(ROOT.rglob("*.py"))
        for what in find_dangers(ast.parse(path.read_text(encoding="utf-8")))
    }

    assert found == {*EXCEPTIONS}


@pytest.mark.parametrize(
    "code",
    [
        *("compile(text, '', 'exec')", "__import__(name)", "from patsy import dmatrices"),
        *("import joblib", "np.load(path)", "np.fromfile(path, allow_pickle=choice)"),
        *("frame.eval(text)", "frame.query(text)", "smf.from_formula(x)", "torch.load(path)"),
        *("serial.serial_for_url(text)", "importlib.import_module(name)", "import_module(name)"),
        *("environment.from_string(text)", "connection.enable_load_extension(True)"),
    ],
)
def test_what_would_be_found(code):
    assert [*find_dangers(ast.parse(code))]
