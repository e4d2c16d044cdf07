"""How questions are worded: a template for each kind, which a folder may replace.

The usual ones are of Parthasarathy, Collins and Stephenson (2025), "What makes a good generated
image?", sections 4.1 and 5: the images, the prompt, and the question that people read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from jinja2 import FileSystemLoader, StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from hype.asking.questions import ImageQuestion
from hype.errors import InputError
from hype.files import require_regular

USUAL: Final = Path(__file__).parent / "templates"
SUFFIX: Final = ".txt"
MOST_BYTES: Final = 64 << 10


@dataclass(frozen=True)
class Wording:
    """The templates, those of a folder before the usual ones."""

    folder: Path | None = None

    @cached_property
    def _environment(self) -> SandboxedEnvironment:
        folders = [self.folder, USUAL] if self.folder else [USUAL]
        return SandboxedEnvironment(
            loader=FileSystemLoader(folders),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # it is text and not HTML
        )

    def text_of(self, question: ImageQuestion) -> str:
        """Word a question.

        Raises InputError: its template is wrong, or needs a word that there is not.
        """
        name = f"{question.kind}{SUFFIX}"
        try:
            template: Template = self._environment.get_template(name)
            return template.render(question.words).strip()
        except TemplateError as error:
            line = f"line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            allowed = f"a template with the words {', '.join(question.words)}"
            where = (self.folder or USUAL) / name
            raise InputError(where, f"{line}{error.message or error}", allowed) from None


def read_wording(folder: Path | None) -> Wording:
    """Take the templates of a folder.

    Raises InputError: there is no such folder, or it has a text that is no template of a question,
    which would pass unnoticed.
    """
    if folder is None:
        return Wording()
    known = sorted(path.name for path in USUAL.glob(f"*{SUFFIX}"))
    names = sorted(path.name for path in folder.glob(f"*{SUFFIX}"))
    if not names or set(names) - set(known):
        wrong = next((name for name in names if name not in known), None)
        problem = f"{wrong!r} is no template" if wrong else "the folder holds no template"
        raise InputError(folder, problem, f"one or more of {', '.join(known)}")
    for name in names:
        require_regular(folder / name, most_bytes=MOST_BYTES)
    return Wording(folder)
