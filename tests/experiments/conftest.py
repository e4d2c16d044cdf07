"""The scripts of the experiments are not a package: their folder is put where imports look."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "experiments" / "hype2019"))
