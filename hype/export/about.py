"""What only its owners know of a study's data: who made them, where, and who may use them.

They may write it into ``dataset.toml`` beside the study file; data standards ask for it.
"""

from __future__ import annotations

import sys
from typing import Annotated, Final

from pydantic import Field, ValidationError

from hype.confine import inside
from hype.errors import InputError
from hype.files import read_bytes
from hype.protocols.load import LARGEST_STUDY_BYTES
from hype.protocols.studies import AnyStudy
from hype.session.records import has_folder
from hype.study.table import Settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ABOUT_FILE: Final = "dataset.toml"
Words = Annotated[str, Field(min_length=1)]


class About(Settings):
    """``dataset.toml``: every key may be left out."""

    authors: tuple[Words, ...] = ()
    license: Words | None = None
    acknowledgements: Words | None = None
    funding: tuple[Words, ...] = ()
    ethics_approvals: tuple[Words, ...] = ()
    references: tuple[Words, ...] = ()
    keywords: tuple[Words, ...] = ()
    doi: Words | None = None
    institution: Words | None = None
    institution_address: Words | None = None
    institution_department: Words | None = None
    cog_atlas_id: Words | None = None
    cogpo_id: Words | None = None


def read_about(study: AnyStudy) -> About:
    """Read what lies beside a study file; nothing is said where that is not here, or there is none.

    Raises
    ------
    InputError
        It is not TOML, or a key is unknown or has an impossible value.
    """
    if not has_folder(study):
        return About()
    path = inside(study.folder, ABOUT_FILE)
    try:
        text = read_bytes(path, most_bytes=LARGEST_STUDY_BYTES).decode("utf-8")
        return About.model_validate(tomllib.loads(text))
    except FileNotFoundError:
        return About()
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise InputError(path, problem, f"known are {', '.join(About.model_fields)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(path, f"cannot be read: {error}") from None
