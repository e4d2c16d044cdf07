"""What an export is of: the study, the program, and whether anybody real was asked."""

from __future__ import annotations

from typing import Final

from hype.export.kinds.base import ExportKind
from hype.sessions.facts import versions
from hype.store.schema import VERSION
from hype.study.studies import AnyStudy

WHO: Final = {
    False: "people; they go by their codes",
    True: "SIMULATED EVALUATORS: nobody real was asked",
}


def provenance(
    study: AnyStudy, kind: ExportKind, *, simulated: bool
) -> dict[str, str | bool | int]:
    """Say what an export is of. The same data have the same description."""
    return {
        **of_study(study),
        **kind.asked_in(study),
        "simulated": simulated,
        "evaluators": WHO[simulated],
        "record_schema": VERSION,
    }


def of_study(study: AnyStudy) -> dict[str, str]:
    """Say which study something is of, and which program wrote it."""
    settings = study.settings.study
    return {
        "study": settings.name,
        "study_checksum": study.checksum(),
        "study_seed": str(settings.seed),
        "hype_version": versions().get("hype", ""),
    }
