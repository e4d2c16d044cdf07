import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [("table", {"matplotlib"}), ("timing", {"matplotlib", "pandas", "numpy"})],
)
def test_a_table_waits_for_nothing_that_it_does_not_need(module, forbidden):
    code = f"import sys, hype.report.{module}; print(*{forbidden} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
