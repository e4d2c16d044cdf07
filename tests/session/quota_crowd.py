"""Run a station in a process; all its evaluators give the same answer about themselves.

The arguments are the study's folder and the evaluators' codes; each session's end is printed.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from paper_station import PaperStation, record_of, sit

from hype.protocols.load import load_any
from hype.session.steps import Question, Response, Step


@dataclass
class SayingStation(PaperStation):
    """A paper station whose evaluator answers ``statement`` to questions about themselves."""

    statement: str = "yes"

    def respond(self, step: Step) -> Response:
        """Answer."""
        if isinstance(step, Question):
            self.log.append(("respond", step))
            return Response(self.statement)
        return super().respond(step)


def main() -> None:
    folder, *codes = sys.argv[1:]
    study = load_any(Path(folder))
    print("ready", flush=True)
    sys.stdin.readline()
    with record_of(study) as engine:
        for code in codes:
            print(sit(engine, study, code, SayingStation(stops_at=1)), flush=True)


if __name__ == "__main__":
    main()
