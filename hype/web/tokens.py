"""Names that only the server can make, for participants, their seats, steps and pictures.

Each name is an HMAC-SHA-256 made with the server's key. So the server recognises a name without
storing it, even after a restart or on another machine, and a name does not show what it is for.
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
"""The length of a name, which is 144 bits."""


@dataclass(frozen=True, slots=True)
class ServerKey:
    """The server's secret.

    All secret links except invitations depend on ``links``; a new value gives new links.
    """

    secret: bytes
    links: str = ""

    def name(self, kind: str, *parts: object) -> str:
        """Make a name from its kind (such as "picture") and the values that identify it."""
        message = "\n".join((kind, *map(str, parts))).encode()
        digest = hmac.new(self.secret, message, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:NAME_BYTES]).decode()

    def cookie(self, evaluator: str, *, simulated: bool) -> str:
        kind = "simulated" if simulated else "person"
        return f"{evaluator}.{kind}.{self.name('cookie', evaluator, kind)}"

    def known(self, cookie: str) -> tuple[str, bool] | None:
        """Return a cookie's code, and whether the evaluator is simulated; None if it is forged."""
        evaluator, _, rest = cookie.partition(".")
        kind, _, proof = rest.partition(".")
        genuine = hmac.compare_digest(proof.encode(), self.name("cookie", evaluator, kind).encode())
        return (evaluator, kind == "simulated") if genuine and CODE.fullmatch(evaluator) else None
