"""What the program does before it runs a command."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from hype.cli.main import COMMANDS, main

PRINT_LOADED = """
import sys
from hype.cli import main
sys.argv = ["hype", *sys.argv[1:]]
try:
    main()
finally:
    print("LOADED", *sys.modules)
"""
UNNEEDED_FOR_A_TABLE = (
    *("hype.store.record", "hype.stimuli.images", "hype.station"),
    *("sqlalchemy", "PIL", "psychopy", "matplotlib"),
    *("numba", "statsmodels", "psignifit"),
)
TABLE = """evaluator,condition,truth,answer
p1,a,real,real
p1,a,fake,real
p2,a,real,real
p2,a,fake,fake
p3,b,real,fake
p3,b,fake,real
p4,b,real,real
p4,b,fake,real
"""


def loaded_by(*arguments: object, code: int = 0) -> set[str]:
    """Run the program in a clean interpreter and return the names of the modules it loaded."""
    command = [sys.executable, "-c", PRINT_LOADED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


def commands_loaded_by(*arguments: str, code: int = 0) -> set[str]:
    """Return the loaded modules that are commands."""
    modules = {f"hype.cli.{name}" for name in COMMANDS}
    return loaded_by(*arguments, code=code) & modules


def test_the_help_is_the_same_whether_or_not_the_commands_are_loaded(hype):
    """The list of commands shows the same summaries as the commands' own help."""
    brief, whole = hype("--help"), hype("--help", *COMMANDS)

    assert brief.code == whole.code == 0
    assert brief.out == whole.out
    assert all(f" {name} " in brief.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_summary_is_the_first_paragraph_of_the_command_s_help(command, hype):
    said = " ".join(hype(command, "--help").out.split())

    assert COMMANDS[command] in said
    assert not any(f"<{kind}>" in said for kind in ("bool", "path", "str", "list[str]"))


def test_a_command_s_help_loads_that_command_only():
    assert commands_loaded_by("backup", "--help") == {"hype.cli.backup"}


def test_a_table_is_scored_without_what_only_studies_and_figures_need(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    loaded = loaded_by("score", table, "--json")

    assert "hype.protocols.hype.scoring" in loaded
    assert loaded.isdisjoint(UNNEEDED_FOR_A_TABLE)


def test_a_command_after_a_double_dash_is_loaded(hype):
    assert "no-such.csv" in hype("--", "score", "no-such.csv").refused()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scor",), "No such command 'scor'. Did you mean 'score'"),
        (("masks", "mak"), "No such command 'mak'. Did you mean 'make'?"),
        (("photograph",), "No such command 'photograph'."),
        (("--photograph",), "No such option"),
        (("score",), "Missing argument 'STUDY-or-CSV'"),
        (("score", "no-such.csv", "--seed", "x"), "for '--seed': 'x' must be a whole number"),
        (("serve", "study", "--port", "65536"), "for '--port': '65536' must be 65535 or less"),
    ],
)
def test_what_cannot_be_called_is_refused_without_a_traceback(arguments, said, hype):
    done = hype(*arguments)

    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hype sc", "score"),
        ("hype score --js", "--json"),
        ("hype masks m", "make"),
        ("hype export --format ps", "psych-ds"),
        ("hype new --template a", "arena"),
    ],
)
def test_a_shell_is_told_how_a_command_may_go_on(typed, offered, monkeypatch, capsys):
    monkeypatch.setenv("_HYPE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    monkeypatch.setattr(sys, "argv", ["hype"])
    with pytest.raises(SystemExit):
        main()

    assert capsys.readouterr().out.split() == [offered]


def test_the_version_is_said(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["hype", "--version"])
    with pytest.raises(SystemExit) as end:
        main()

    assert not end.value.code
    assert capsys.readouterr().out == f"hype {version('hype')}\n"
