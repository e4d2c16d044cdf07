"""Nothing that comes from outside is ever run: no code, no pickles, no shell."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hype

ROOT = Path(hype.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
BUILTINS = {"eval", "exec", "compile", "__import__"}
PACKAGES = {
    *("pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"),
    *("yaml", "code", "codeop", "runpy", "patsy", "statsmodels.formula", "numexpr"),
}
"""They load objects, or run what text says; patsy runs Python in formulas."""
CALLS = {
    "os": {"system", "popen", "execl", "execv", "execve", "execvp", "spawnl", "spawnv"},
    "subprocess": {"getoutput", "getstatusoutput"},
    "np": {"load", "fromregex"},
    "numpy": {"load"},
    "torch": {"load"},
    "importlib": {"import_module"},
}
METHODS = {
    *("read_pickle", "to_pickle", "read_hdf", "from_formula", "enable_load_extension"),
    *("serial_for_url", "from_string", "import_module"),
}
FRAMES = {"eval", "query"}
"""Of pandas: they run what text says."""
KEYWORDS = {"shell", "allow_pickle"}
EXCEPTIONS = {
    ("__init__.py", "import_module"): "by names of the library's own table of rooms",
    ("check/machine.py", "import_module"): "the packages that the installed program declares",
    ("cli/main.py", "import_module"): "by names of the program's own table of commands",
    ("cli/export.py", "import_module"): "by names of the program's own table of formats",
    ("protocols/registry.py", "import_module"): "by names of the registry's own protocols",
    ("tables/shapes.py", "eval"): "formulas of the program's own TOML files",
    ("features.py", "load"): "arrays alone: allow_pickle is False",
    ("station/display.py", "import_module"): "two modules of PsychoPy, named there",
}
"""Calls that are no danger where they stand, and why."""


def dangers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield what a module does that could run what somebody else wrote: line, and its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)
        elif isinstance(node, ast.Name) and node.id in BUILTINS:
            yield node.lineno, node.id
        elif isinstance(node, ast.Call):
            yield from called(node)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, str]]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        names = [module, *(f"{module}.{name}" for name in names)]
        for alias in node.names:
            if alias.name in CALLS.get(module, set()) - {"import_module"}:
                yield node.lineno, f"{module}.{alias.name}"
    for name in names:
        if any(name == package or name.startswith(f"{package}.") for package in PACKAGES):
            yield node.lineno, name


def called(node: ast.Call) -> Iterator[tuple[int, str]]:
    for keyword in node.keywords:
        harmless = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        if keyword.arg in KEYWORDS and not harmless:
            yield node.lineno, keyword.arg or ""
    if isinstance(node.func, ast.Name) and node.func.id == "import_module":
        yield node.lineno, "import_module"
    elif isinstance(node.func, ast.Attribute):
        owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        name = node.func.attr
        if name in METHODS | FRAMES or name in CALLS.get(owner, set()):
            yield node.lineno, name


def test_nothing_from_outside_is_run_and_every_exception_is_still_needed():
    found = {
        (path.relative_to(ROOT).as_posix(), what): line
        for path in MODULES
        for line, what in dangers(ast.parse(path.read_text(encoding="utf-8")))
    }

    assert {where: line for where, line in found.items() if where not in EXCEPTIONS} == {}
    assert set(found) == set(EXCEPTIONS)


@pytest.mark.parametrize(
    "code",
    [
        *(
            "eval(text)",
            "exec(text)",
            "compile(text, '', 'exec')",
            "run = eval",
            "__import__(name)",
        ),
        *("import pickle", "import pickle as p", "from pickle import loads", "import yaml"),
        *("import marshal", "import shelve", "import joblib", "import dill", "import cloudpickle"),
        *("from statsmodels.formula import api", "import statsmodels.formula.api as smf"),
        *("from statsmodels import formula", "import patsy"),
        *("np.load(path)", "np.fromfile(path, allow_pickle=True)", "f(allow_pickle=choice)"),
        *("pd.read_pickle(path)", "frame.eval(text)", "frame.query(text)", "smf.from_formula(x)"),
        *("os.system(text)", "os.popen(text)", "from os import system", "from os import popen"),
        *("subprocess.run(text, shell=True)", "subprocess.run(text, shell=choice)"),
        *("subprocess.getoutput(text)", "torch.load(path)", "serial.serial_for_url(text)"),
        *("importlib.import_module(name)", "import_module(name)", "environment.from_string(text)"),
    ],
)
def test_what_would_be_found(code):
    assert list(dangers(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        *("re.compile(text)", "statement.compile()", "json.loads(text)", "tomllib.loads(text)"),
        *("subprocess.run(words)", "subprocess.run(words, shell=False)", "import codecs"),
        *("window.load()", "model.evaluate()", "connection.execute(query)", "import statsmodels"),
    ],
)
def test_what_is_no_danger(code):
    assert not list(dangers(ast.parse(code)))
