"""What files of strangers may lead to: nothing outside the study, unless this machine says so.

Study files, manifests and images may come from anyone. A path in them is refused when it leaves the
folder that it belongs to, by its words or through a link.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Final

from hype.errors import InputError
from hype.system import could_be_named

FOLDERS_VARIABLE: Final = "HYPE_FOLDERS"
"""Names folders beyond the study that may be read: absolute ones, with ``:`` between them."""
STUDIES: Final = "experiments"
"""The folder of a workspace that holds studies."""
WORKSPACE: Final = ("stimuli", "masks", STUDIES)
"""The folders of a workspace that its studies share."""
LONGEST_PATH: Final = 1024
LONGEST_NAME_BYTES: Final = 255
ELSEWHERE: Final = f"a folder elsewhere must be named in {FOLDERS_VARIABLE} at this machine"


def check_relative(where: object, text: str) -> None:
    """Refuse a path of a manifest that is not plainly one inside the manifest's folder.

    Raises InputError: it is absolute, has an empty part, ``.`` or ``..``, a backslash or a
    character that cannot be printed, or is too long.
    """
    if not is_plain(text) or "\\" in text or {"", ".", ".."} & set(text.split("/")):
        raise InputError(
            where, f"path {shortened(text)}", "a path inside the folder, such as real/0001.png"
        )


def is_plain(text: str) -> bool:
    """Say whether a path can be printed, and is no longer than a file system takes."""
    return (
        len(text) <= LONGEST_PATH
        and text.isprintable()
        and all(len(part.encode()) <= LONGEST_NAME_BYTES for part in text.split("/"))
        and all(map(could_be_named, filter(None, text.split("/"))))
    )


def inside(folder: Path, relative: str) -> Path:
    """Give the path of a file of ``folder``, once it is certain that it lies there.

    Links are followed to see where they lead; the file itself need not be there.

    Raises InputError: it lies elsewhere, in no folder that ``HYPE_FOLDERS`` names.
    """
    path = folder / relative
    target = followed(path)
    home = followed(folder)
    if not (target.is_relative_to(home) or is_trusted(target)):
        raise InputError(
            path, f"leads out of its folder, to {target}", f"a file inside it; {ELSEWHERE}"
        )
    return path


def check_folder(where: object, study: Path, key: str, name: str) -> None:
    """Refuse a folder that a study file names and that is not for this study to read.

    ``where``, ``key``: the study file, and the key of it.
    ``name``: the folder, as the study file names it.

    Raises InputError: it lies neither inside the study's folder nor, where that lies inside a
    folder ``experiments``, inside ``stimuli``, ``masks`` or ``experiments`` beside it, nor in a
    folder that ``HYPE_FOLDERS`` names; or only its absolute path says so.
    """
    if not is_plain(name):
        raise InputError(where, f"{key} = {shortened(name)}", "a path that can be printed")
    home, target = followed(study), followed(study / name)
    shared = workspace_folders(home)
    absolute = PurePosixPath(name).is_absolute()
    own = not absolute and any(target.is_relative_to(folder) for folder in (home, *shared))
    if not (own or is_trusted(target)):
        problem = "is an absolute path" if absolute else f"leads out of the study, to {target}"
        also = f", or in {', '.join(map(str, shared))}" if shared else ""
        raise InputError(
            where,
            f"{key} = {shortened(name)} {problem}",
            f"allowed is a folder in the study's own{also}; {ELSEWHERE}",
        )


def workspace_folders(home: Path) -> tuple[Path, ...]:
    """Give the folders that a study may share with others, for its own folder, links followed.

    They are not followed further: one that is itself a link leads nowhere.
    """
    for folder in home.parents:
        if folder.name == STUDIES:
            return tuple(folder.parent / name for name in WORKSPACE)
    return ()


def is_trusted(target: Path) -> bool:
    """Whether a path lies in a folder of ``HYPE_FOLDERS``.

    Raises InputError: one of them is not absolute.
    """
    for name in filter(None, os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)):
        if not Path(name).is_absolute():
            raise InputError(
                FOLDERS_VARIABLE,
                f"{shortened(name)} is not an absolute path",
                f"absolute folders with {os.pathsep!r} between them",
            )
        if target.is_relative_to(followed(Path(name))):
            return True
    return False


def followed(path: Path) -> Path:
    """Follow every link of a path, whether or not there is something at its end.

    Raises InputError: links lead in a circle, or no file can have such a name.
    """
    try:
        try:
            return path.resolve(strict=True)  # from Python 3.13 on, only so are circles noticed
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(path, f"cannot be followed: {error}") from None


def on_one_line(error: object) -> str:
    """Give what another program's error says, of a stranger's file, for a message."""
    text = " ".join(str(error).split())
    return text if text.isprintable() else ascii(text)


def shortened(text: str, most: int = 100) -> str:
    """Quote a text for a message, however long it is and whatever it holds."""
    return repr(text if len(text) <= most else f"{text[:most]}…")
