"""Which texts does a chat hold? One for each message that says something, with the role it was said in."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stilltrue.write.remember import Said


def texts_of(said: Said, messages: Iterable[Mapping[str, object]]) -> list[Said]:
    """One text a message. Raises InvalidInputError for a message without role and content."""
    parts = []
    for number, message in enumerate(messages, start=1):
        try:
            role, content = message["role"], message["content"]
        except (KeyError, TypeError):
            raise InvalidInputError(f'message {number} is not {{"role": …, "content": …}}') from None
        origin = f"{said.origin}:{number}" if said.origin is not None else None
        if isinstance(content, str) and content.strip():
            parts.append(dataclasses.replace(said, text=content, role=str(role), origin=origin))
    return parts
