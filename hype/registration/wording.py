"""What scores and reports say of a study's registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hype.errors import InputError
from hype.session.records import at_hand

if TYPE_CHECKING:
    from hype.protocols.studies import AnyStudy
    from hype.registration.registration import Registration

NOT_REGISTERED: Final = (
    "Not registered: hype register fixes study, stimuli and plan before anyone comes."
)
NOT_HERE: Final = (
    "Whether the study was registered is written in its folder, and not in a central store: "
    "STUDY --central says so."
)


def registered_sentences(registration: Registration | None, study: AnyStudy) -> Iterator[str]:
    """Say under which hash a study was registered, when, and what has changed since.

    The files of images are not read again: sessions hold them to the manifest, which is.
    """
    if registration is None:
        yield NOT_REGISTERED if at_hand(study) else NOT_HERE
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
