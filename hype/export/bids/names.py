"""What things are called in a BIDS data set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hype.export.naming import labels
from hype.export.session_table import Sitting


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names of evaluators by their code, of sessions by their number, and of images by path."""

    subjects: Mapping[str, str]
    sessions: Mapping[int, str]
    images: Mapping[str, str]

    def table(self, evaluator: str, session: int, task: str) -> Path:
        """Give where answers of one task go, which goes by its name in files."""
        parts = (self.subjects[evaluator], self.sessions[session])
        name = "_".join((*parts, f"task-{task}", "beh.tsv"))
        return Path(*parts, "beh", name)

    def place(self, image: object) -> str:
        """Give where an image lies, by its path; nothing where there is none."""
        return self.images[str(image)] if image else ""

    def sessions_table(self, evaluator: str) -> Path:
        """Give where an evaluator's sessions go."""
        subject = self.subjects[evaluator]
        return Path(subject, f"{subject}_sessions.tsv")


def names_of(
    evaluators: Iterable[str], sittings: Iterable[Sitting], images: Mapping[str, str]
) -> Names:
    """Name everything; an evaluator's sessions are numbered from 1."""
    numbers: dict[str, count[int]] = defaultdict(lambda: count(1))
    return Names(
        subjects={code: f"sub-{made}" for code, made in labels(evaluators).items()},
        sessions={one.session: f"ses-{next(numbers[one.evaluator]):02d}" for one in sittings},
        images=images,
    )
