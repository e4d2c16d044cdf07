"""Texts about scores: methods for a paper, with references, and notes.

The texts are templates in each protocol's folder. ``design.txt`` describes a study, and
``statistics.txt`` describes the statistics of its scores. Lines of a paragraph are joined with
spaces. A work is cited by its name: ``({{ Efron1979 }})``; ``works.toml`` lists the works, here and
in the folders of protocols. ``notes.txt`` has sentences about scores. Each block is printed in one
place; in a block that is a list, each sentence is in a call of ``note``. The block ``notes`` has
warnings for readers of scores, each with its weight (`hype.tables.reasons.Weight`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context
from markupsafe import Markup

from hype.errors import few
from hype.files import tomllib
from hype.report import wording
from hype.report.parts import Background, Paragraph, Work
from hype.study import phrases
from hype.tables.reasons import Note, Weight

if TYPE_CHECKING:
    from hype.session.participation import Participation


@cache
def works_in(folder: Path) -> Mapping[str, Work]:
    """Read the works of a folder by their keys; empty if it has no ``works.toml``.

    Raises TypeError: a work lacks an entry, or has an unknown entry.
    """
    file = folder / "works.toml"
    if not file.exists():
        return {}
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    return {key: Work(key=key, **entry) for key, entry in entries.items()}


def list_works(works: Iterable[Work]) -> tuple[Work, ...]:
    """Sort works as in a list of references, without duplicates."""
    once = dict.fromkeys(works)
    return tuple(sorted(once, key=lambda work: (work.authors.casefold(), work.year)))


def reference(work: Work) -> Markup:
    """Write one entry of a list of references, with its venue in italics."""
    stop = "" if work.title.endswith((".", "?", "!")) else "."
    place = f" {work.place}" if work.place else ""
    doi = f" doi:{work.doi}" if work.doi else ""
    return Markup("{} ({}). {}{} <i>{}</i>{}.{}").format(
        work.authors, work.year, work.title, stop, work.venue, place, doi
    )


SHARED: Final = Path(__file__).parent / "templates"
_LINE: Final = "\x1f"
"""Marks the end of a template's line. These marks become spaces; line ends in values are kept."""


@dataclass(frozen=True, kw_only=True)
class Methods:
    """The methods of a report, as a section of a paper."""

    paragraphs: tuple[str, ...]  # The design, then the statistics, as in a paper.
    works: tuple[Work, ...]  # Cited works, in the order of a list of references.


def methods_of(
    statistics: Sequence[Paragraph],
    *,
    background: Background | None = None,
    programs: Mapping[str, str] | None = None,
) -> Methods:
    """Join the methods: first the design, then the statistics, then the programs."""
    design, works = (background.design, background.works) if background else ((), ())
    software = []
    if programs and "hype" in programs:
        under = f" under Python {programs['python']}" if "python" in programs else ""
        software = [f"Analysed with hype {programs['hype']}{under}."]
    return Methods(
        paragraphs=(*design, *(each.text for each in statistics), *software),
        works=list_works(chain(works, works_of(statistics))),
    )


def works_of(paragraphs: Sequence[Paragraph]) -> tuple[Work, ...]:
    """Return all cited works without duplicates, in the order of their first mention."""
    return tuple(dict.fromkeys(work for each in paragraphs for work in each.works))


def choose_paragraphs(
    paragraphs: Sequence[Paragraph], modes: Iterable[str], *, simulated: bool
) -> tuple[Paragraph, ...]:
    """Drop paragraphs on pay and unused displays if evaluators are simulated."""
    untrue = {"pay"} if simulated else set()
    if simulated and set(modes) <= {"simulated"}:
        untrue.add("display")
    return tuple(each for each in paragraphs if each.topic not in untrue)


def paragraphs_of(template: Path, **names: object) -> tuple[Paragraph, ...]:
    """Write the paragraphs of a template, without empty ones.

    ``template``: a file in a protocol's folder; it may cite the works of that folder.
    ``names``: the template's other variables.
    Raises jinja2.UndefinedError: a variable does not exist.
    """
    paragraphs: list[Paragraph] = []
    cited: list[Work] = []

    def paragraph(topic: str, caller: Callable[[], str]) -> str:
        text = join_lines(caller())
        works = tuple(dict.fromkeys(cited))
        cited.clear()
        if text:
            paragraphs.append(Paragraph(topic=topic, text=text, works=works))
        return ""

    file = environment_of(template.parent).get_template(f"{template.parent.name}/{template.name}")
    file.render(**names, paragraph=paragraph, cited=cited)
    return tuple(paragraphs)


def describe_people(people: Participation, drawn: str, *, simulated: bool) -> tuple[str, ...]:
    """Describe who took part in a study; ``drawn``: the source of simulated answers."""
    facts = {"people": people, "drawn": drawn, "simulated": simulated}
    return tuple(each.text for each in paragraphs_of(SHARED / "people.txt", **facts))


def join_lines(rendered: str) -> str:
    """Join the lines of a template with spaces."""
    return " ".join(filter(None, map(str.strip, rendered.split(_LINE))))


@cache
def environment_of(folder: Path) -> Environment:
    """Make the environment for the templates of a protocol's folder."""
    environment = Environment(
        autoescape=False,  # noqa: S701  plain text, which the page escapes
        extensions=[_Lines],
        finalize=_write,
        loader=FileSystemLoader([folder.parent, SHARED]),
        undefined=StrictUndefined,
    )
    environment.globals.update(works_in(Path(__file__).parent), **works_in(folder))
    environment.filters.update(
        alpha=wording.alpha_in_words,
        counted=phrases.spell_count,
        estimate=wording.write_estimate,
        few=few,
        interval=wording.interval,
        listed=phrases.join_names,
        money=phrases.money,
        number=wording.number,
        numbered=phrases.write_count,
        p_value=wording.probability,
        percent=phrases.percent,
        plain="{:g}".format,
        share=wording.share,
        textual=_textual,
        thousands="{:,}".format,
        worded=phrases.spell,
    )
    return environment


@pass_context
def _write(context: Context, value: object) -> object:
    """Write a work as a citation; write everything else unchanged."""
    if not isinstance(value, Work):
        return value
    context["cited"].append(value)
    return value.cited


@pass_context
def _textual(context: Context, work: Work, names: str = "") -> str:
    """Cite a work within a sentence: "Efron (1979)"; ``names``: other names of the authors."""
    context["cited"].append(work)
    return f"{names or work.short} ({work.year})"


class _Lines(Extension):
    """Marks the line ends of a template, but not those inside values."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type == "data":
                text = re.sub(r"\s*\n\s*", _LINE, token.value)
                yield Token(token.lineno, token.type, text)
            else:
                yield token


def render_block(folder: Path, block: str, **facts: object) -> str:
    """Write the sentences of a block; the result may be empty.

    Raises jinja2.UndefinedError: the block uses an unknown fact.
    """
    template = environment_of(folder).get_template(f"{folder.name}/notes.txt")
    return join_lines("".join(template.blocks[block](template.new_context(facts))))


def notes_of(folder: Path, block: str = "notes", /, **facts: object) -> tuple[Note, ...]:
    """Write the notes of a block, in the order of the file, without empty ones."""
    notes: list[Note] = []

    def note(weight: str = "detail", *, caller: Callable[[], str]) -> str:
        notes.append(Note(join_lines(caller()), Weight[weight.upper()]))
        return ""

    render_block(folder, block, note=note, **facts)
    return tuple(filter(None, notes))
