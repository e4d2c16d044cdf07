"""A station at which one evaluator after the other asks for a place: a process of its own.

Called with the folder of its study and the codes of those who ask; says of each what they got.
"""

import sys
from pathlib import Path

from admitted import admit

from hype.errors import SessionProblem
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import writing_record


def main() -> None:
    folder, *codes = sys.argv[1:]
    study = load_any(Path(folder))
    protocol = course_of(study)
    print("ready", flush=True)
    sys.stdin.readline()
    with writing_record(study.folder / RECORD_FILE) as engine:
        for code in codes:
            try:
                came = admit(engine, protocol, code, simulated=False)
                print(code, came.assignment.cell.condition, flush=True)
            except SessionProblem as problem:
                print(code, "refused:", problem, flush=True)


if __name__ == "__main__":
    main()
