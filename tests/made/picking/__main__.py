"""Run the program with this protocol in its registry, which is loaded first.

The input is a JSON list of commands, each a list of arguments; a list of their outputs is printed.
"""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO

from hype.protocols import registry

PICKING = registry.StudyProtocol(
    name="picking",
    answers="picks",
    asks="which of several is the best (picking)",
    is_table=lambda names: "picked" in names,
    needed=("evaluator", "picked"),
    package="picking",
)
vars(registry)["PROTOCOLS"] = (*registry.PROTOCOLS, PICKING)

from hype.cli.main import main  # noqa: E402

texts = []
for arguments in json.load(sys.stdin):
    sys.argv = ["hype", *arguments]
    with redirect_stdout(StringIO()) as text:
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
    texts.append(text.getvalue())
print(json.dumps(texts))
