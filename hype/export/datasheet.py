"""A datasheet: what a study knows of its data set, and which questions its owner has to answer.

Gebru, Morgenstern, Vecchione, Vaughan, Wallach, Daumé III and Crawford (2021), "Datasheets for
Datasets", Communications of the ACM 64(12), 86-92. The questions are in ``datasheet.toml`` beside
this file; owners answer in the table ``[datasheet]`` of the study's ``dataset.toml``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.errors import InputError
from hype.export.data_set import (
    ABOUT_FILE,
    MARK,
    on_whom,
    quoted,
    read_about,
    read_data_set,
    summary,
)
from hype.export.pieces import Tally, pieces
from hype.files import write_bytes
from hype.protocols.registry import protocol_of
from hype.session.facts import versions
from hype.session.participation import participation, people_sentences, statements_in_words

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from hype.export.data_set import DataSet
    from hype.protocols.studies import AnyStudy
    from hype.session.participation import Participation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE: Final = "datasheet.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """How many questions have an answer."""

    questions: int
    open: int

    def __str__(self) -> str:
        answered = self.questions - self.open
        left = f"; {self.open} are open, see its end" if self.open else ""
        return f"{answered} of {self.questions} questions answered{left}"


@cache
def questions() -> Mapping[str, Mapping[str, str]]:
    """Give the questions: by section, and by key."""
    text = (files(__package__) / "datasheet.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def write_datasheet(
    engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool
) -> Completeness:
    """Write the datasheet of people's data, or of that of simulated evaluators.

    Raises InputError: ``dataset.toml`` is wrong; the folder cannot be written.
    """
    kind = protocol_of(study).exported(study)
    about = read_about(study)
    every = {key: question for asked in questions().values() for key, question in asked.items()}
    for key in about.datasheet:
        if key not in every:
            where = study.folder / ABOUT_FILE
            raise InputError(
                where, f"datasheet.{key}: is no question", f"one of {', '.join(every)}"
            )
    tally, excluded = Tally(), Counter[str]()
    exported = kind.outgoing.read(engine, study, simulated=simulated)
    column = exported.columns.index("excluded")
    for piece in pieces(exported, tally, kind.labels):
        excluded.update(str(row[column]) for row in piece.rows if row[column])
    with engine.connect() as connection:
        data_set = read_data_set(connection, study, kind, about, simulated=simulated)
        people = participation(connection, simulated=simulated)
        asked = statements_in_words(connection, study.demographics, simulated=simulated)
    known = {
        **by_owner(data_set),
        **by_record(data_set, tally, excluded),
        **by_design(data_set),
        **by_people(data_set, people, asked),
    }
    answers = {
        key: [*filter(None, known.get(key, ())), *filter(None, [about.datasheet.get(key)])]
        for key in every
    }
    write_bytes(folder / FILE, "\n\n".join(sheet(data_set, answers)).encode() + b"\n")
    return Completeness(questions=len(every), open=sum(not given for given in answers.values()))


def sheet(data_set: DataSet, answers: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the paragraphs of the sheet."""
    yield f"# Datasheet: {quoted(data_set.study.settings.study.name)}"
    if data_set.simulated:
        yield f"**{MARK}**"
    yield (
        "After Gebru et al. (2021), Datasheets for Datasets, *Communications of the ACM* 64(12). "
        f"Filled by hype {versions().get('hype', '')} from what the study knows; what its owner "
        f"answers in `{ABOUT_FILE}` beside the study file is kept when it is made anew."
    )
    for section, asked in questions().items():
        yield f"## {section}"
        for key, question in asked.items():
            yield f"**{question}**"
            yield from answers[key] or (f"*Open: a question for the owner of the data (`{key}`).*",)
    if left := [key for key, given in answers.items() if not given]:
        yield "## Open questions"
        yield f"Answers go into `{ABOUT_FILE}`:"
        lines = "\n".join(f'{key} = ""' for key in left)
        yield f"```toml\n[datasheet]\n{lines}\n```"


Answers = dict[str, list[str]]
"""By question: paragraphs, none of which may be empty where there is one."""


def by_owner(data_set: DataSet) -> Answers:
    """Give what ``dataset.toml`` says for other formats too."""
    about = data_set.about
    host = (about.institution_department, about.institution, about.institution_address)
    return {
        "creators": [", ".join(filter(None, (*about.authors, about.institution)))],
        "funding": list(about.funding),
        "review": list(about.ethics_approvals),
        "used": list(about.references),
        "how": [f"DOI: {about.doi}"] if about.doi else [],
        "license": [about.license or ""],
        "host": [", ".join(filter(None, host))],
    }


def by_record(data_set: DataSet, tally: Tally, excluded: Mapping[str, int]) -> Answers:
    """Give what the record and the declared columns say."""
    kind, columns = data_set.kind, data_set.kind.columns
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in sorted(excluded.items()))
    empty = ", ".join(f"`{column.name}`" for column in columns if column.gaps)
    scored = f"Of these, {tally.scored.total():,} are scored."
    removed = f"Data of {data_set.removed:,} more persons were removed on their request."
    return {
        "instances": [summary(data_set)],
        "number": [
            f"{tally.answers:,} {kind.name}. {scored}",
            "\n".join(f"- {line}" for line in on_whom(data_set, tally)),
        ],
        "sample": [
            "All answers that were recorded, of everybody who came, whether they finished or not. "
            "They are a sample of people and of images; of which people, the study does not know."
        ],
        "fields": ["\n".join(f"- `{column.name}`: {column.meaning}" for column in columns)],
        "labels": [
            "\n".join(f"- `{c.name}`: {c.meaning}" for c in columns if c.name in LABELS),
        ],
        "missing": [f"Cells may be empty in {empty}.", removed if data_set.removed else ""],
        "relationships": [
            "Answers of one person have the same `evaluator`, those of one start of the program "
            "the same `session`; an image has the same path and SHA-256 wherever it is shown."
        ],
        "splits": ["There are none. Rows whose `excluded` is empty are scored."],
        "errors": [f"Rows that are not scored, by reason: {reasons}." if reasons else ""],
        "external": [
            "Images are named by path and SHA-256 and lie beside the study; `hype export --format "
            "bids` copies them into the data set."
        ],
        "cleaning": [
            "No answer was changed, and none was taken out: the column `excluded` says which are "
            "not scored, and why."
        ],
        "raw": ["Yes: the study's record, which `--format bids` and `psych-ds` hold row by row."],
        "software": [f"hype {versions().get('hype', '')}: `hype score` computes every score."],
        "timeframe": [f"{' to '.join(data_set.days)} (UTC)." if data_set.days else ""],
    }


LABELS: Final = ("truth", "answer", "rank")
"""Columns that say what somebody answered, and what would have been right."""
ELSEWHERE: Final = ("design", "pay", "display", "demographics", "exclusion")
"""Topics of a design that have a question of their own."""


def by_design(data_set: DataSet) -> Answers:
    """Give what the study file says, in the words of the methods of a report."""
    study = data_set.study
    paragraphs = protocol_of(study).design_in_words(study, ())
    texts = {each.topic: each.text for each in paragraphs}
    asked = [text for topic, text in texts.items() if topic not in ELSEWHERE]
    return {
        "acquired": asked or [texts.get("design", "")],
        "mechanisms": [texts.get("display", "")],
        "sampling": [texts.get("design", "")],
    }


def by_people(
    data_set: DataSet, people: Participation, asked: Sequence[tuple[str | int, ...]]
) -> Answers:
    """Give what is known of who answered, and how they were treated."""
    sentences = " ".join(people_sentences(people, simulated=data_set.simulated))
    if data_set.simulated:
        nobody = ("identifiable", "sensitive", "source", "notice", "consent", "revocation")
        return {"people": [sentences], **{key: ["Nobody real was asked."] for key in nobody}}
    study = data_set.study
    design = protocol_of(study).design_in_words(study, ())
    consent = str(getattr(study.settings.texts, "consent", ""))
    said = [
        f"- {question} {answered} answered, {withheld} withheld: {what}"
        for question, answered, withheld, what in asked
    ]
    consented = study.settings.study.consent and [
        f"Yes, each before anything was recorded; {people.whole.declined:,} declined. They read:",
        "\n".join(f"> {line}" for line in consent.splitlines()),
    ]
    return {
        "people": [sentences, *(each.text for each in design if each.topic == "pay")],
        "subpopulations": ["\n".join(said)],
        "identifiable": [
            "They go by codes, and no names are kept; the name of the machine is left out."
        ],
        "sensitive": [
            f"They were asked: {'; '.join(str(row[0]) for row in asked)}."
            if asked
            else "They were asked nothing about themselves."
        ],
        "source": ["From the persons directly, who gave every answer themselves."],
        "notice": consented or [],
        "consent": consented or [],
        "revocation": [
            f"Yes: data of a person are removed on request; so far, of {people.removed:,}."
        ],
    }
