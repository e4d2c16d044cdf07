"""What scores and reports say of a study's registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hype.errors import InputError

if TYPE_CHECKING:
    from hype.sessions.registration import Registration
    from hype.study.studies import AnyStudy


def registered_sentences(registration: Registration | None, study: AnyStudy) -> Iterator[str]:
    """Say under which hash a study was registered, when, and what has changed since.

    The files of images are not read again: sessions hold them to the manifest, which is.
    """
    if registration is None:
        yield "Not registered: hype register fixes study, stimuli and plan before anyone comes."
        return
    name = f"Registered on {registration.registered[:10]} as {registration.sha256}"
    try:
        changed = registration.differences(study, images=False)
    except InputError as error:  # the record can be scored where the stimuli are not at hand
        yield f"{name}; whether anything changed since is not known: {error}"
    else:
        number = f"{len(changed)} difference" + "s" * (len(changed) != 1)
        yield f"{name}; {f'{number} since' if changed else 'unchanged since'}."
        yield from (f"  {difference}" for difference in changed)
    if before := registration.before.answers:
        yield f"When it was registered, people had already given {before:,} answers."
