"""What verifying has to know of picks."""

from picking.checks import ANSWER_CHECKS

__all__ = ["ANSWER_CHECKS"]
