import subprocess
import sys


def test_analysis_loads_neither_plots_nor_psychopy_nor_other_parts_of_the_program():
    code = (
        "import sys, hype.analysis\n"
        "own = ('analysis', 'confine', 'errors', 'files', 'session', 'statistics', 'stimuli',\n"
        "       'system', 'tables')\n"
        "heavy = ('matplotlib', 'psychopy', 'pydantic', 'sqlalchemy')\n"
        "hype = 'hype.protocols.hype'\n"
        "print([m for m in sys.modules if m.split('.')[0] in heavy\n"
        "       or m.startswith('hype.') and m.split('.')[1] not in own\n"
        "       and not (hype + '.').startswith(m + '.') and not m.startswith(hype + '.')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
