"""Whether a study's folder is here; of one that only a central store tells of, it is not.

Such a study has no images, no masks and no registration. Nor may what its settings name be looked
for at this machine: they are another machine's.
"""

from __future__ import annotations

from typing import Final

from hype.errors import InputError
from hype.sessions.records import NO_FOLDER
from hype.study.studies import AnyStudy

GIVE_IT: Final = "where that folder is, give it: STUDY --central instead of the URL"


def at_hand(study: AnyStudy) -> bool:
    """Tell whether a study was read from its own file, so that its folder is here."""
    return not study.read_from or study.folder != NO_FOLDER


def require_at_hand(study: AnyStudy, what: str) -> None:
    """Refuse what takes a study's folder where that is not here.

    Raises
    ------
    InputError
        It is not; ``what`` says what it is needed for.
    """
    if not at_hand(study):
        problem = f"has no folder of the study, which {what} needs"
        raise InputError(study.read_from, problem, GIVE_IT)
