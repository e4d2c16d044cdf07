"""Installing: announced before, with consent, and checked by hash."""

import os
import re
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in ROOT.glob("setup/*.lock")}
INSTALLED_TOGETHER = [
    ("requirements", "installer", "tools", "mutants"),
    ("requirements", "installer", "benchmarks"),
]
PINNED = re.compile(r"^([a-z0-9-]+)==", re.MULTILINE)


def packages(lock: str) -> set[str]:
    return set(PINNED.findall(LOCKS[lock]))


def test_every_lock_is_installed():
    assert LOCKS.keys() == {name for together in INSTALLED_TOGETHER for name in together}


@pytest.mark.parametrize("together", INSTALLED_TOGETHER, ids=["environment", "benchmarks"])
def test_a_package_stands_in_one_lock_only(together):
    for one, other in combinations(together, 2):
        assert not packages(one) & packages(other)


@pytest.mark.parametrize("lock", sorted(LOCKS))
def test_every_package_has_hashes_and_no_registry_is_named(lock):
    for entry in re.split(r"\n(?=\S)", LOCKS[lock].strip()):
        assert PINNED.match(entry)
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    assert "://" not in LOCKS[lock]


def test_the_demonstration_has_no_development_tools():
    tools = {"pytest", "mypy", "ruff", "hypothesis", "selenium", "distributed"}
    assert tools <= packages("tools")
    assert "psychopy" in packages("requirements")


def test_all_three_systems_are_tested_by_the_same_two_commands():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r"system: (\w+)-latest", workflow) == ["ubuntu", "windows", "macos"]
    assert re.findall(r"- run: (.+)", workflow)[:2] == ["make demo", "make test"]
    for own in ("pip", "pytest", "hype "):
        assert own not in workflow


@pytest.mark.parametrize("system", ["Windows_NT", ""])
def test_what_they_call_is_where_that_system_has_its_programs(system):
    for target, program in (("demo", "hype demo"), ("test", "pytest -n auto")):
        called = subprocess.run(
            ["make", "-n", target, f"OS={system}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        folder = "Scripts" if system else "bin"
        assert f".venv/{folder}/{program}" in called.stdout


def test_a_wish_that_is_not_understood_installs_nothing():
    wish = os.environ | {"SYSTEM_PACKAGES": "NO"}
    done = subprocess.run(
        ["sh", ROOT / "setup" / "install"], env=wish, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "SYSTEM_PACKAGES is yes or no, and not 'NO'\n"
