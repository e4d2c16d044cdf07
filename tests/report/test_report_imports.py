import subprocess
import sys


def test_a_table_does_not_wait_for_matplotlib():
    code = "import sys, hype.report; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
