"""Names that nobody else can make: of participants, of their seats, of steps and of pictures.

Each is a code of what it names under the server's key (HMAC-SHA-256), so that nothing has to be
kept to know it again, after a restart or on another machine, and nothing can be read out of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from hype.store.columns import CODE

KEY_BYTES: Final = 32
NAME_BYTES: Final = 18
"""Of a name: 144 bits."""


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
        """Return a cookie's code, and whether it is simulated; None if not made by this server."""
        evaluator, _, rest = cookie.partition(".")
        kind, _, proof = rest.partition(".")
        genuine = hmac.compare_digest(proof.encode(), self.name("cookie", evaluator, kind).encode())
        return (evaluator, kind == "simulated") if genuine and CODE.fullmatch(evaluator) else None
