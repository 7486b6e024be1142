"""How do our hooks come into Claude Code's settings without touching what is there? Ours are known by their command.

Each event of a settings file holds groups of commands. Of the groups that are ours (`stilltrue hook …`) the old ones
go and the new ones are added behind all others; everything else stays, in its order and with its indentation. What
cannot be read as such a file is refused, and nothing is written.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

EVENTS: Final = {
    "SessionStart": ("session-start", {"timeout": 30}),
    "UserPromptSubmit": ("prompt", {"timeout": 15}),
    "Stop": ("stop", {"timeout": 120, "async": True}),
    "SessionEnd": ("session-end", {"timeout": 30}),
}
"""The event, our word for it, and how the host is to run it (seconds; `async`: nobody waits for it)."""

_OURS: Final = re.compile(r"\bstilltrue\b.*\bhook (?:session-start|prompt|stop|session-end)\b")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")


def hooks(before: Sequence[str] = ()) -> dict[str, Any]:
    """The hooks as settings; `before`: the words between `stilltrue` and `hook`, such as --space NAME."""
    words = shlex.join(["stilltrue", *before, "hook"])
    return {
        event: [{"hooks": [{"type": "command", "command": f"{words} {word}", **how}]}]
        for event, (word, how) in EVENTS.items()
    }


def merged(text: str, before: Sequence[str] = ()) -> str:
    """The settings file with our hooks in it, once. Raises InvalidInputError for what is no such file."""
    data = _parsed(text)
    held = data.setdefault("hooks", {})
    if not isinstance(held, dict):
        raise InvalidInputError(
            '"hooks" is no JSON object in these settings; put that right first, nothing was changed'
        )
    for event, groups in hooks(before).items():
        there = held.get(event, [])
        if not isinstance(there, list):
            raise InvalidInputError(
                f'"{event}" is no list in these settings; put that right first, nothing was changed'
            )
        held[event] = [*(left for group in there for left in _without_ours(group)), *groups]
    indent = _INDENT.search(text)
    return json.dumps(data, ensure_ascii=False, indent=indent[1] if indent else 2) + "\n"


def _parsed(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        message = f"these settings are no JSON ({error}); put that right first, nothing was changed"
        raise InvalidInputError(message) from None
    if not isinstance(data, dict):
        raise InvalidInputError("these settings are no JSON object; put that right first, nothing was changed")
    return data


def _without_ours(group: Any) -> list[Any]:  # noqa: ANN401 - JSON of others
    """A group without our commands; none where it held nothing else."""
    listed = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(listed, list):
        return [group]
    left = [one for one in listed if not (isinstance(one, dict) and _OURS.search(str(one.get("command", ""))))]
    if left == listed:
        return [group]
    return [{**group, "hooks": left}] if left else []
