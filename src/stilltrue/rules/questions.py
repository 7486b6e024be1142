"""How is a person asked about facts that do not agree? In one yes/no question that names the thing in dispute.

B11's form: one or two sentences, answerable without reading the raw facts. Words of memory are quoted, shortened,
and stripped of control characters; nothing in them is markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictKind

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement

_LONGEST: Final = 90  # characters of a quoted statement: two of them and the frame still read as one sentence


def question(kind: ConflictKind, existing: Statement, new: Statement, others: int = 0) -> str:
    """The question for a conflict of `kind` between an existing and a new statement (and `others` more).

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot, Value, ValueType
    >>> at = datetime(2025, 5, 3, tzinfo=UTC)
    >>> slot = Slot("auth service", "rate limit")
    >>> old = Statement(text="…", slot=slot, value=Value("1,000 req/s", ValueType.NUMBER, "1000/s"), said_at=at)
    >>> new = Statement(text="…", slot=slot, value=Value("5,000 req/s", ValueType.NUMBER, "5000/s"), said_at=at)
    >>> question(ConflictKind.AMBIGUITY, old, new)  # doctest: +ELLIPSIS
    'Is the rate limit of auth service still 1,000 req/s (said on 2025-05-03), although 5,000 req/s was said on ...?'
    """
    if kind is ConflictKind.SURGE:
        old = quoted(existing.text)
        return f"Does “{quoted(new.text)}” really replace {others + 1} facts at once, “{old}” among them?"
    if kind is ConflictKind.CONSTRAINT:
        return f"Does the rule “{quoted(existing.text)}” still stand, although {_who(new)} said “{quoted(new.text)}”?"
    named = _named(existing, new)
    if named:
        return named
    still = f"Is it still so that “{quoted(existing.text)}” ({_said(existing)})"
    return f"{still}, although {_who(new)} said “{quoted(new.text)}”?"


def quoted(text: str) -> str:
    r"""A statement's words on one line, without control characters and closing dots, cut at `_LONGEST`.

    >>> quoted("The API\nis REST-based.")
    'The API is REST-based'
    """
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split()).rstrip(".!? ")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _named(existing: Statement, new: Statement) -> str | None:
    slot = existing.slot
    if slot.attribute is None or ":" in slot.attribute or existing.value is None or new.value is None:
        return None
    if existing.negated or new.negated or (slot.subject, slot.attribute) != (new.slot.subject, new.slot.attribute):
        return None
    subject = {"we": "ours", "user": "the user"}.get(slot.subject, slot.subject)
    thing = f"the {slot.attribute.replace('_', ' ').replace('.', ' ')} of {subject}"
    if slot.qualifiers:
        thing += " (" + ", ".join(value for _, value in slot.qualifiers) + ")"
    return (
        f"Is {thing} still {quoted(existing.value.text)} ({_said(existing)}), "
        f"although {quoted(new.value.text)} was {_said(new)}?"
    )


def _said(statement: Statement) -> str:
    by = f" by {quoted(statement.author)}" if statement.author else ""
    return f"said{by} on {statement.said_at.date().isoformat()}"


def _who(statement: Statement) -> str:
    return quoted(statement.author) if statement.author else "somebody"
