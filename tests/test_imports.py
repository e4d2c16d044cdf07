import subprocess
import sys


def test_analysis_loads_neither_plots_nor_psychopy_nor_other_parts_of_the_program():
    code = (
        "import sys, hype.analysis\n"
        "own = ('analysis', 'errors', 'protocol')\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('matplotlib', 'psychopy')\n"
        "       or m.startswith('hype.') and m.split('.')[1] not in own])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
