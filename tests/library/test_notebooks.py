"""The code in the notebooks and on the library's page works as shown."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from long import long_but

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def show(value: Any) -> None:
    """Print the value of a cell's last expression, as a notebook does."""
    ways = [getattr(value, name, None) for name in ("_repr_html_", "_repr_png_", "__repr__")]
    assert any(way() for way in ways if way)


def run_cell(source: str, names: dict[str, Any]) -> None:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - what users would run
    if isinstance(last, ast.Expr):
        show(eval(compile(ast.Expression(last.value), "<cell>", "eval"), names))  # noqa: S307


@pytest.mark.parametrize(
    "path",
    long_but([DOCS / "notebooks" / "first-score.ipynb"], NOTEBOOKS),
    ids=lambda path: path.stem,
)
def test_a_notebook_runs_from_its_beginning_to_its_end(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "notebooks are kept without their outputs"
            run_cell("".join(cell["source"]), names)


def test_the_page_does_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "library.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 5
    for block in blocks:
        run_cell(block, names)


def test_the_page_names_every_name_and_notebook():
    import hype

    page = (DOCS / "library.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`hype\.(\w+)", page))

    assert named >= set(hype.__all__)
    assert {path.name for path in NOTEBOOKS} == set(re.findall(r"notebooks/([\w-]+\.ipynb)", page))
