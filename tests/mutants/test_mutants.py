"""The list of mutants fits the program, so that it does not rot between two runs of it."""

import ast
from pathlib import Path

import pytest
from mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]


def test_there_are_some_sixty_and_none_twice():
    assert len(MUTANTS) >= 60
    assert len({(one.file, one.old, one.new) for one in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.broken)
def test_what_is_changed_stands_once_in_its_file(mutant: Mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    if mutant.file.endswith(".py"):
        ast.parse(text.replace(mutant.old, mutant.new))


@pytest.mark.parametrize("test", sorted({test for one in MUTANTS for test in one.tests}))
def test_the_tests_that_must_notice_are_there(test: str):
    file, _, name = test.partition("::")
    assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8")
