import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("protocols.hype.tables", {"matplotlib"}),
        ("report.terminal", {"matplotlib", "pandas", "numpy"}),
    ],
)
def test_a_table_waits_for_nothing_that_it_does_not_need(module, forbidden):
    code = f"import sys, hype.{module}; print(*{forbidden} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
