"""What people said of themselves, against what their studies ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hype.protocols.prompted.settings import DemographicSettings
from hype.protocols.studies import PromptedStudy
from hype.verify.case import Case
from hype.verify.findings import Found, shown
from hype.verify.kept import KeptStudy

CODE = "demographics-unlike-study"
Questions = Mapping[str, DemographicSettings]


def check_said(case: Case, kept: Mapping[str, KeptStudy]) -> Iterator[Found]:
    """Check that answers are of the questions of the studies that sessions used, and are all there.

    A study may be changed between two sessions; whoever had answered no trial is asked anew.
    """
    asked = [asked_by(kept.get(session.study)) for session in case.sessions]
    if any(one is None for one in asked):
        return  # whose study cannot be read may have been asked anything
    known = [one for one in asked if one is not None]
    for row in case.said:
        yield from check_one(row.question, row.answer, known)
    first = case.rows[0].session_id if case.rows else None
    said = {row.question for row in case.said}
    for session, questions in zip(case.sessions, known, strict=True):
        if session.id == first:
            for name in questions:
                if name not in said:
                    yield Found(CODE, f"{name} is not answered, and what comes after it is")


def asked_by(kept: KeptStudy | None) -> Questions | None:
    """Give the questions of a study by their names; None where it cannot be read."""
    if kept is None:
        return None
    study = kept.study
    return study.settings.demographics if isinstance(study, PromptedStudy) else {}


def check_one(question: str, answer: str, asked: Sequence[Questions]) -> Iterator[Found]:
    """Check one answer; it is empty where it was withheld."""
    found = [questions[question] for questions in asked if question in questions]
    if not found:
        yield Found(CODE, f"{shown(question)} is answered, and no study asked that")
    elif answer and not any(answer in one.options for one in found):
        options = ", ".join(found[-1].options)
        yield Found(CODE, f"{question}: {shown(answer)}, and the study's options are {options}")
