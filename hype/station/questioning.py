"""Questions about the evaluator: a numbered answer, by key or by mouse."""

from __future__ import annotations

from functools import partial

from hype.protocol.loop import Presentation
from hype.protocol.steps import Question, Response
from hype.station.desk import Desk
from hype.station.offers import Offer
from hype.station.question_layout import QuestionLayout


class Questioning:
    """Shows questions and waits for an answer; the last one withholds it."""

    def __init__(self, desk: Desk, layout: QuestionLayout) -> None:
        self._desk = desk
        self._layout = layout

    def present(self, question: Question) -> Presentation:
        """Show a question with its answers."""
        return self._desk.show(partial(self._layout.draw, question))

    def respond(self, question: Question) -> Response:
        """Wait for a number, on either part of the keyboard, or a click on an answer."""
        answers = (*question.options[:-1], "")
        rows = zip(answers, self._layout.rows(question), strict=True)
        offers = [
            Offer(answer=answer, keys=(f"{number}", f"num_{number}"), areas=(row,))
            for number, (answer, row) in enumerate(rows, start=1)
        ]
        return self._desk.ask(question, offers)
