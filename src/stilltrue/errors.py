"""What can go wrong, and what should the caller do about it?

Every error that stilltrue raises on purpose is a `StilltrueError`. Its message names what was wrong, where, and
the remedy; the doors print it as one line. Errors of other libraries are translated at the edge that meets them.
"""

from __future__ import annotations


class StilltrueError(Exception):
    """Root of the tree. `exit_status` is what the command line ends with (2: usage or environment)."""

    exit_status: int = 2


class InvalidInputError(StilltrueError):
    """What the caller gave cannot be used: empty text, a bad date, an unknown word. Nothing was written."""


class NotFoundError(StilltrueError):
    """No such id in this space (an id of another space is reported in the same words, so nothing leaks)."""


class AccessError(StilltrueError):
    """The caller is not a member of the group space that was asked for."""


class TokenError(AccessError):
    """The caller shows no token, or one that opens nothing (any more)."""


class StateError(StilltrueError):
    """The request does not fit the present state: undoing twice, answering a closed conflict."""


class StoreError(StilltrueError):
    """The database could not do it: foreign, damaged, newer than this program, locked for too long, disk full."""


class StaleJudgementError(StoreError):
    """What was judged has changed before it was applied; the caller judges again (compare-and-set)."""


class ModelError(StilltrueError):
    """A shipped or configured model is missing, damaged or not what it claims to be."""


class UnusableReplyError(ModelError):
    """A language model answered and what it said cannot be used; `tokens` were spent all the same (0: not told)."""

    def __init__(self, message: str, tokens: int = 0) -> None:
        """`message` as for every error."""
        super().__init__(message)
        self.tokens = tokens


class BudgetError(StilltrueError):
    """A paid call was refused because the space's budget is spent; the pair stays undecided."""
