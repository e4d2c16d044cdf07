"""Make pages with the output of code: notebooks, and every figure of a report."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import hype

EXAMPLES = {
    "time": "HYPE_time",
    "infinity": "HYPE_∞",
    "comparisons": "Comparisons",
    "ratings": "Ratings",
    "rankings": "Rankings",
}


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """Work in a temporary folder, so that written files are deleted."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Run a cell; return its printed text and its last value."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - our own notebooks
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    return printed.getvalue(), value


def shown(value: Any, picture: Path) -> str:
    """Return a value as a notebook shows it."""
    if hasattr(value, "savefig"):
        value.savefig(picture, dpi=110)
        return f"![what this draws]({picture.name})"
    if (html := getattr(value, "_repr_html_", None)) and (text := html()):
        return f'```{{raw}} html\n<div class="output">\n{text}\n</div>\n```'
    return f"```text\n{value!r}\n```"


def notebook_page(notebook: Path, folder: Path, *, run: bool = True) -> str:
    """Return a notebook as Markdown; if ``run``, run its cells and add their output."""
    parts: list[str] = []
    names: dict[str, Any] = {}
    for number, part in enumerate(json.loads(notebook.read_text("utf-8"))["cells"]):
        source = "".join(part["source"])
        if part["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        if not run:
            continue
        with elsewhere():
            printed, value = run_cell(source, names)
        if printed:
            parts.append(f"```text\n{printed}```")
        if value is not None:
            parts.append(shown(value, folder / f"{notebook.stem}-{number}.png"))
    parts.append(f"This page is the notebook `docs/notebooks/{notebook.name}`, as it was run.")
    return "\n\n".join(parts)


def figures_page(folder: Path, *, run: bool = True) -> str:
    """Return the code of every figure of a score; if ``run``, run it and add the pictures."""
    parts = [
        "# Gallery of figures",
        "Each is a matplotlib figure: change it, and save it with `savefig`. With your own answers "
        "instead of `hype.example(…)` it shows your data; `hype report STUDY --figures DIR` writes "
        "all of them without a line of code. The data here are simulated, and the figures say so.",
    ]
    for example, title in EXAMPLES.items() if run else ():
        scores = hype.score(hype.example(example), seed=1)
        code = f'import hype\n\nscores = hype.score(hype.example("{example}"), seed=1)'
        parts.append(f"## {title}\n\n```python\n{code}\n```")
        for name in scores.figures:
            picture = folder / f"{name}.png"
            scores.plot(name).savefig(picture, dpi=110)
            heading = escape(name.replace("-", " "))
            parts.append(
                f'### {heading.capitalize()}\n\n```python\nscores.plot("{name}")\n```\n\n'
                f"![{heading}]({picture.name})"
            )
    return "\n\n".join(parts)
