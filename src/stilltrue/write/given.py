"""Is what a caller gave beside the text a name, one of our words, a share? Each check names what is wrong with it."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from stilltrue.errors import InvalidInputError

W = TypeVar("W", bound=StrEnum)

LONGEST_NAME = 200  # characters of a space's or member's name: a name, not a text


def checked_name(text: object, what: str) -> str:
    """A name of a space or a member. Raises InvalidInputError."""
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_NAME or not text.isprintable():
        raise InvalidInputError(f"{what} name {text!r:.40} must be 1 to {LONGEST_NAME} printable characters")
    return text


def checked_word(kind: type[W], text: str | None, name: str, *besides: str) -> W | None:
    """A word of an enum, where one was given. Raises InvalidInputError, which also names the words `besides`."""
    if text is None:
        return None
    try:
        return kind(text)
    except ValueError:
        raise InvalidInputError(f"{name}={text!r} is not one of {', '.join([*kind, *besides])}") from None


def checked_share(number: object, name: str) -> float | None:
    """A number from 0 to 1, where one was given. Raises InvalidInputError."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= 1:
        raise InvalidInputError(f"{name}={number!r} must be a number from 0 to 1")
    return float(number)
