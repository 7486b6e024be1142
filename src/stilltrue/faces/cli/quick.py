"""How does a hook answer before a person notices? Its plain form is told apart without loading the command line.

The command line and its parser take several times as long to load as Python takes to start, and a hook runs at every
prompt. `hook_of` knows one form, `stilltrue [--db …] [--space …] [--as …] hook EVENT`, which is what `hook install`
writes; any other is left to the parser. A hook never ends with another status than 0, however it was called.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.faces.hooks import Hook

_BEFORE: Final = frozenset({"--db", "--space", "--as"})
_EVENTS: Final = ("prompt", "session-start", "stop", "session-end")


def hook_of(arguments: Sequence[str]) -> Hook | None:
    """The hook that these words call in their plain form, None for anything else.

    >>> hook_of(["--space", "web", "hook", "prompt"]).space
    'web'
    >>> hook_of(["hook", "prompt", "--help"]), hook_of(["remember", "hook"])
    (None, None)
    """
    *before, verb, event = arguments if len(arguments) > 1 else ("", "")
    if verb != "hook" or event not in _EVENTS or len(before) % 2:
        return None
    given = dict(zip(before[::2], before[1::2], strict=True))
    if not given.keys() <= _BEFORE or len(given) * 2 != len(before):
        return None
    from stilltrue.faces.hooks import Hook

    return Hook(event, given.get("--db"), given.get("--space", "default"), given.get("--as"))


def calls_hook(arguments: Sequence[str]) -> bool:
    """Whether the words, right or wrong, call a hook's event: then the host must not be stopped."""
    return any(pair[0] == "hook" and pair[1] in _EVENTS for pair in pairwise(arguments))
