"""Fuzz with atheris: of what it tries, it goes on with the files that led somewhere new.

    python tests/fuzz/coverage_guided.py [--files N] [--seed N] [TARGET …]

It begins with the files of `found/` and with some drawn from the same strategies as the tests.
Each target runs in a process of its own, since atheris ends the one it is in. A line for each says
what was done; a file that is a find is kept beside those found before, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
FOUND: Final = HERE / "found"
NAMES: Final = ("study", "judgements", "parquet", "stimuli", "masks", "image", "record")
READERS: Final = (
    "hype.study",
    "hype.stimuli",
    "hype.masks.maskset",
    "hype.tables",
    "hype.store",
)
OTHERS: Final = ("hype.files", "hype.confine", "hype.errors", "tomllib", "PIL")
"""What readers are made of, and the code they lead to."""
DRAWN: Final = 300
LONGEST_BYTES: Final = 8192
SLOWEST_S: Final = 20
LARGEST_MB: Final = 2048
EXECUTED: Final = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main() -> int:
    """Fuzz what was asked for, as many targets at once as there are processors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--files", type=int, default=20_000, help="how many each target gets")
    parser.add_argument("--seed", type=int, default=secrets.randbits(31) + 1, help="as was said")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if unknown := set(asked.targets) - set(NAMES):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    if asked.inside:
        return fuzz(asked.targets[0], Path(asked.inside), asked.files, asked.seed)
    print(f"drawn with: --seed {asked.seed}", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = list(
            pool.map(lambda name: watch(name, asked.files, asked.seed), asked.targets or NAMES)
        )
    return 0 if all(clean) else 1


def watch(name: str, files: int, seed: int) -> bool:
    """Fuzz one target in another process, say what came of it, and tell whether it was nothing."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hype-corpus-") as folder:
        amount = ["--files", str(files), "--seed", str(seed)]
        command = [sys.executable, __file__, name, *amount, "--inside", folder]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        finds = keep(name, Path(folder))
    executed = EXECUTED.search(done.stderr)
    said = f"{executed[1]} files" if executed else "ended early"
    print(f"{name}: {said} in {time.monotonic() - began:.0f} s, {len(finds)} finds", flush=True)
    if done.returncode or finds:
        print(*finds, done.stdout[-3000:], done.stderr[-1000:], sep="\n", flush=True)
    return done.returncode == 0 and not finds


def keep(name: str, folder: Path) -> list[Path]:
    """Copy what was found to the files that the tests read from now on."""
    finds = []
    for file in sorted((folder / "finds").glob("*-*")):
        content = file.read_bytes()
        kept = FOUND / name / f"new-{sha256(content).hexdigest()[:12]}.bin"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(content)
        finds.append(kept)
    return finds


def fuzz(name: str, folder: Path, files: int, seed: int) -> int:
    """Fuzz one target; this does not return."""
    import atheris

    sys.path.append(str(HERE.parent / "made"))
    with atheris.instrument_imports(include=[*READERS, *OTHERS]):
        from targets import was_read
    corpus, finds = folder / "corpus", folder / "finds"
    corpus.mkdir()
    finds.mkdir()
    begin_with(name, corpus, seed)
    warnings.simplefilter("error")
    limits = (f"-max_len={LONGEST_BYTES}", f"-timeout={SLOWEST_S}", f"-rss_limit_mb={LARGEST_MB}")
    ends = (f"-runs={files}", f"-seed={seed}", f"-artifact_prefix={finds}/", "-print_final_stats=1")
    atheris.Setup([__file__, *limits, *ends, str(corpus)], lambda data: was_read(name, data))
    atheris.Fuzz()
    return 0


def begin_with(name: str, corpus: Path, number: int) -> None:
    """Write the first files: those found before, and some that are nearly right."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from strange_files import FILES

    first = [file.read_bytes() for file in sorted((FOUND / name).glob("*.bin"))]

    @seed(number)
    @settings(
        max_examples=DRAWN,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(FILES[name])
    def draw(data: bytes) -> None:
        first.append(data)

    draw()
    for at, data in enumerate(first):
        (corpus / f"{at:04d}").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
