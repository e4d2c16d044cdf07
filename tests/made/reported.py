"""A small study with clearly different conditions, a report with every part, and a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pandas as pd
import pytest

LEVELS = {"stylegan": 0.45, "progan": 0.30, "wgan": 0.05}
TRIALS = 20


def study(
    task: str, *, simulated: bool = False, names: dict[str, float] = LEVELS, evaluators: int = 4
) -> pd.DataFrame:
    """Make two blocks for each evaluator; `names` gives each condition's error rate."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(7)
    other = {"real": "fake", "fake": "real"}
    rows = []
    for condition, level in names.items():
        for evaluator, block, trial in np.ndindex(evaluators, 2, TRIALS):
            truth = ("real", "fake")[trial % 2]
            answer = other[truth] if rng.random() < level else truth
            exposure_ms = (
                500 - 10 * round(trial * (1 - level) + evaluator) if task == "time" else None
            )
            who = f"{condition}-{evaluator}"
            rows.append((who, condition, truth, answer, task, block + 1, trial + 1, exposure_ms))
    columns = "evaluator condition truth answer task block trial exposure_ms"
    return pd.DataFrame(rows, columns=columns.split(" ")).assign(simulated=simulated)


@contextmanager
def without_figures() -> Iterator[None]:
    """Leave the figures of a page empty in tests of its words; this saves half of the time."""
    from markupsafe import Markup

    # Import it here: other tests of this process load the module again.
    files = import_module("hype.report.figures.files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "panel_svg", lambda drawing, panel: Markup("<svg></svg>"))
        yield


@pytest.fixture
def undrawn() -> Iterator[None]:
    with without_figures():
        yield


@pytest.fixture(scope="session")
def make_study():
    return study


@pytest.fixture(scope="session")
def both_protocols():
    import pandas as pd

    return pd.concat([study("time"), study("infinity")], ignore_index=True)


@pytest.fixture(scope="session")
def scores(both_protocols):
    from hype.protocols.hype.scoring import score

    return score(both_protocols, draws=500)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Yield one browser for all tests of the page."""
    from browser import headless_chromium

    with headless_chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="session")
def firefox(tmp_path_factory):
    from firefox import running_firefox

    with running_firefox(tmp_path_factory.mktemp("firefox"), "--headless") as started:
        yield started


@pytest.fixture(scope="session")
def full_report(tmp_path_factory):
    """Return a report that has every section."""
    from full_report import write_full_report

    return write_full_report(tmp_path_factory.mktemp("report") / "report.html")
