"""Names that nobody else can make: of participants, of their seats, of steps and of pictures.

Each is a code of what it names under the server's key (HMAC-SHA-256), so that nothing has to be
kept to know it again, after a restart or in another worker, and nothing can be read out of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import make_folder, read_bytes, write_bytes
from hype.store.columns import CODE
from hype.system import folder_for, open_file

KEY_BYTES: Final = 32
NAME_BYTES: Final = 18
"""Of a name: 144 bits."""
LINKS: Final = ".links"


@dataclass(frozen=True, slots=True)
class ServerKey:
    """What only the server knows.

    ``links`` goes into the addresses for the experimenter and for owners of models, which are
    others once it is.
    """

    secret: bytes
    links: str = ""

    def name(self, kind: str, *parts: object) -> str:
        """Name something, by what kind of thing it is and all that tells it from others."""
        message = "\n".join((kind, *map(str, parts))).encode()
        digest = hmac.new(self.secret, message, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:NAME_BYTES]).decode()

    def cookie(self, evaluator: str, *, simulated: bool) -> str:
        kind = "simulated" if simulated else "person"
        return f"{evaluator}.{kind}.{self.name('cookie', evaluator, kind)}"

    def known(self, cookie: str) -> tuple[str, bool] | None:
        """Read whose a cookie is, and whether nobody real is; None if this server made none."""
        evaluator, _, rest = cookie.partition(".")
        kind, _, proof = rest.partition(".")
        genuine = hmac.compare_digest(proof.encode(), self.name("cookie", evaluator, kind).encode())
        return (evaluator, kind == "simulated") if genuine and CODE.fullmatch(evaluator) else None


def key_at(path: Path) -> ServerKey:
    """Read the server's key, which is made where there is none; all workers share it.

    Raises InputError: it cannot be read or written, or is no key.
    """
    make_folder(path.parent)
    try:
        file = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        secret = read_bytes(path, most_bytes=KEY_BYTES + 1)
        if len(secret) != KEY_BYTES:
            problem = f"is no server's key of {KEY_BYTES} bytes"
            raise InputError(path, problem, "delete it, and a new one is made") from None
        links = path.with_suffix(LINKS)
        drawn = read_bytes(links, most_bytes=KEY_BYTES) if links.exists() else b""
        return ServerKey(secret, drawn.hex())
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror}") from None
    with os.fdopen(file, "wb") as key:
        key.write(secret := secrets.token_bytes(KEY_BYTES))
    return ServerKey(secret)


def renew_links(path: Path) -> None:
    """Draw new addresses for the experimenter and for owners of models; the old ones lead nowhere.

    Raises InputError: what makes them new cannot be written beside the server's key at ``path``.
    """
    make_folder(path.parent)
    write_bytes(path.with_suffix(LINKS), secrets.token_bytes(NAME_BYTES))


def key_file(study: Path) -> Path:
    """Give where the key of a study's server is: outside of the study, which is handed on."""
    return (
        folder_for("state")
        / "serve"
        / hashlib.sha256(str(study.resolve()).encode()).hexdigest()[:32]
    )
