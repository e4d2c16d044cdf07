"""Names of functions are verbs, not participles or prepositions."""

import ast
import re
from pathlib import Path

import hype

PREPOSITIONS = re.compile(
    "about|above|across|after|against|along|among|around|as|at|before|behind|"
    "below|beneath|beside|besides|between|beyond|by|down|during|for|from|in|"
    "inside|into|like|near|of|off|on|onto|out|over|past|per|since|than|"
    "through|to|toward|under|until|up|upon|via|with|within|without"
)
PARTICIPLES = re.compile(
    "asked|begun|bound|bought|broken|brought|built|chosen|done|drawn|fallen|"
    "fed|found|given|gone|grown|heard|held|hidden|kept|known|laid|led|left|"
    "lost|made|meant|met|paid|said|seen|sent|shown|sold|spent|spoken|taken|"
    "taught|thought|thrown|told|understood|won|written"
)
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
RIGHT = {"of", "to_frame", "to_json", "to_object", "on_close", "on_destroyed"}
"""`of` makes a value from other values; readers of Python and pyglet know the other names."""


def named_functions():
    """Yield the names of functions and methods, without properties, which are named like data."""
    for file in Path(hype.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
                if node.name not in RIGHT and not marks & {"property", "cached_property"}:
                    yield node.name


def is_participle(word):
    return PARTICIPLES.fullmatch(word) or (word.endswith("ed") and word not in VERBS)


def test_functions_are_verbs():
    first_words = [(name.strip("_").split("_")[0], name) for name in named_functions()]
    participles = sorted(name for word, name in first_words if is_participle(word))
    prepositions = sorted(name for word, name in first_words if PREPOSITIONS.fullmatch(word))
    assert len(participles) <= 60, participles
    assert len(prepositions) <= 30, prepositions
