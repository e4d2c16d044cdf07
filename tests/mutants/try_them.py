"""Make every mutant in a copy of the tree, and say which of them no test noticed.

    python tests/mutants/try_them.py [WORD …]      those whose file or promise has one of the words

Two are tried at a time. The tests that are to notice them must pass without them first. The exit
code is 1 if any mutant survived, or could not be tried.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from mutants import MUTANTS, Mutant

ROOT: Final = Path(__file__).resolve().parents[2]
AT_ONCE: Final = 2
LONGEST_S: Final = 400
NOTICED, SURVIVED, ENDLESS, UNTRIED = "noticed", "SURVIVED", "timed out", "UNTRIED"
BY_CODE: Final = {0: SURVIVED, 1: NOTICED, None: ENDLESS}


def main() -> int:
    """Try those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    words = parser.parse_args().words
    asked = [one for one in MUTANTS if all_or_some(words, f"{one.file} {one.broken}")]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hype-mutants-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(AT_ONCE):
            trees.put(copied_tree(Path(folder) / str(number)))
        tests = sorted({test for one in asked for test in one.tests})
        if not pass_unchanged(tests, trees):
            return 1
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda one: tried(one, trees), asked))
    minutes = (time.monotonic() - began) / 60
    said = ", ".join(f"{found.count(what)} {what}" for what in dict.fromkeys((NOTICED, *found)))
    print(f"{len(asked)} mutants in {minutes:.0f} min: {said}")
    return int(SURVIVED in found or UNTRIED in found)


def all_or_some(words: Sequence[str], text: str) -> bool:
    """Whether a text has one of the words, if there are any."""
    return not words or any(word in text for word in words)


def copied_tree(folder: Path) -> Path:
    """Copy what git knows, or would know, of the tree."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def pass_unchanged(tests: Sequence[str], trees: SimpleQueue[Path]) -> bool:
    """Whether the tests pass in a tree as it is; else say which does not."""
    tree = trees.get()
    code, said, took_s = run_tests(tree, ["-n", str(AT_ONCE), *tests], longest_s=9 * LONGEST_S)
    trees.put(tree)
    print(f"without a mutant the tests take {took_s:.0f} s", flush=True)
    if code != 0:
        print("without a mutant the tests must pass, and do not:", said[-3000:], sep="\n")
    return code == 0


def tried(mutant: Mutant, trees: SimpleQueue[Path]) -> str:
    """Try one mutant in a tree that is free, say what came of it, and leave the tree as it was."""
    tree = trees.get()
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    code, said, took_s = -1, "what is to be changed does not stand once in the file", 0.0
    if text.count(mutant.old) == 1:
        exchange(path, text.replace(mutant.old, mutant.new))
        code, said, took_s = run_tests(tree, ["-x", *mutant.tests], longest_s=LONGEST_S)
        exchange(path, text)
    trees.put(tree)
    what = BY_CODE.get(code, UNTRIED)
    print(f"{what:<9} {took_s:4.0f} s  {mutant.file}: {mutant.broken}", flush=True)
    if what in (SURVIVED, UNTRIED):
        print(f"    {mutant.old!r} -> {mutant.new!r}", *mutant.tests, sep="\n    ")
    if what == UNTRIED:
        print(said[-1500:], flush=True)
    return what


def exchange(path: Path, text: str) -> None:
    """Write a file, and forget what Python made of the one before: both may have one time."""
    path.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def run_tests(
    tree: Path, arguments: Iterable[str], *, longest_s: float
) -> tuple[int | None, str, float]:
    """Run tests of a tree; gives the exit code (None: they did not end), what was said, seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    with subprocess.Popen(
        command,
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},  # before the tree that is installed
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=longest_s)
            code = running.returncode
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            said, code = running.communicate()[0], None
    return code, said, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
