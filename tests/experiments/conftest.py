"""Put the folder of the experiments' scripts on the import path: they are not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "experiments" / "hype2019"))
