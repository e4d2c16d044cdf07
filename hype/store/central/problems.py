"""What can be wrong with a central store. It is known without loading what connects to one."""

from __future__ import annotations

from hype.errors import InputError, SessionProblem


class CentralAway(SessionProblem):
    """The central store cannot be reached, or went away."""


class CentralRefused(InputError):
    """The central store is there, and does not take what is asked of it."""


class CentralUntrusted(CentralRefused):
    """A study file names a server that this user does not trust; nothing was sent to it."""
