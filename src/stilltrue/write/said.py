"""What comes in to be remembered, and can it be kept at all? One text with what its sender knows, or a chat's messages.

What is said in it is read later (`write.extract`); here only what is no text is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What came in: the text, who said it, when, in which role, and where it came from."""

    text: str
    author: str | None = None
    topic: str | None = None
    said_at: Instant | None = None
    role: str | None = None
    origin: str | None = None


def check_text(text: object, settings: Settings) -> None:
    """Raises InvalidInputError for what is no text: empty, too long, binary."""
    if not isinstance(text, str) or not text.strip():
        message = "there is nothing to remember: the text is empty"
        raise InvalidInputError(message)
    limit = settings.max_episode_characters
    if len(text) > limit:
        message = (
            f"the text has {len(text):,} characters, over max_episode_characters ({limit:,}); split it or import it"
        )
        raise InvalidInputError(message)
    if "\x00" in text or sum(char < " " and char not in "\t\n\r\f\v" for char in text) * 20 > len(text):
        message = "the text looks binary (control characters); give plain text in UTF-8"
        raise InvalidInputError(message)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = (
            f"the text holds half a character (a lone surrogate) at position {error.start}; decode it as UTF-8 first"
        )
        raise InvalidInputError(message) from None


def messages_of(said: Said, messages: Iterable[Mapping[str, object]]) -> list[Said]:
    """One text a message. Raises InvalidInputError for a message without role and content."""
    parts = []
    for number, message in enumerate(messages, start=1):
        try:
            role, content = message["role"], message["content"]
        except (KeyError, TypeError):
            raise InvalidInputError(f'message {number} is not {{"role": …, "content": …}}') from None
        origin = f"{said.origin}:{number}" if said.origin is not None else None
        if isinstance(content, str) and content.strip():
            parts.append(replace(said, text=content, role=str(role), origin=origin))
    return parts
