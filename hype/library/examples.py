"""Small tables to try things on; nobody real was asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

FOLDER: Final = Path(__file__).with_name("example_tables")


def example(name: str) -> pd.DataFrame:
    """Give a small table of simulated answers, to try things on.

    They are of the demonstration's studies of Fashion-MNIST, as ``hype simulate`` and ``hype
    export`` made them; ``simulated`` says true in every row.

    Parameters
    ----------
    name
        "time" or "infinity" (judgements), "comparisons", "ratings" or "rankings".

    Returns
    -------
    DataFrame
        A fresh one, one row per answer.

    Raises
    ------
    InputError
        There is no such table.

    Examples
    --------
    >>> import hype
    >>> hype.example("time").columns.to_list()[:4]
    ['evaluator', 'condition', 'task', 'block']
    """
    import pandas as pd

    known = sorted(path.stem for path in FOLDER.glob("*.csv"))
    if name not in known:
        raise InputError("example", f"{name!r} is not known", f"one of {', '.join(known)}")
    return pd.read_csv(FOLDER / f"{name}.csv", keep_default_na=False, na_values=[""])
