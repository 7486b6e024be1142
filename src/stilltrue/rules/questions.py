"""How is a person asked about facts that do not agree? In one yes/no question that names the thing in dispute.

B11's form: one or two sentences, answerable without reading the raw facts. Words of memory are quoted, shortened,
and stripped of control characters; nothing in them is markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictKind
from stilltrue.rules.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant

_MARKS: Final = str.maketrans({"“": "'", "”": "'"})  # what is quoted cannot end the quotation
_LONGEST_NAME: Final = 40  # characters of an author
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
    if kind is ConflictKind.REVERSAL:
        return question_again(existing, new)
    named = _named(existing, new)
    if named:
        return named
    still = f"Is it still so that “{quoted(existing.text)}” ({_said(existing)})"
    return f"{still}, although {_who(new)} said “{quoted(new.text)}”?"


def question_again(between: Statement | None, now: Statement, *, ended: Instant | None = None) -> str:
    """Whether something is so again, after `between` said otherwise, or after it had `ended`.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> at = datetime(2025, 5, 3, tzinfo=UTC)
    >>> now = Statement(text="Refunds are allowed.", slot=Slot("refunds", None), said_at=at)
    >>> question_again(None, now, ended=datetime(2025, 2, 1, tzinfo=UTC))
    'Is it so again that “Refunds are allowed” (said on 2025-05-03), although that had ended on 2025-02-01?'
    """
    again = f"Is it so again that “{quoted(now.text)}” ({_said(now)})"
    if between is not None:
        return f"{again}, although {_who(between)} said “{quoted(between.text)}” on {_day(between)}?"
    since = f" on {ended.date().isoformat()}" if ended is not None else ""
    return f"{again}, although that had ended{since}?"


def sound(text: str, about: Sequence[Statement]) -> str:
    """The question itself if it has no fault, else one that has none, about the first of the facts (B11).

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> tea = Statement(text="Ann likes tea.", slot=Slot("ann", None), said_at=datetime(2025, 5, 3, tzinfo=UTC))
    >>> sound("Which drink?", [tea])
    'Is it still so that “Ann likes tea” (said on 2025-05-03)?'
    """
    if fault_in(text, about) is None or not about:
        return text
    return f"Is it still so that “{quoted(about[0].text)}” ({_said(about[0])})?"


def fault_in(text: str, about: Sequence[Statement]) -> str | None:
    """What keeps a question about these statements from being asked, in words; None where it is as B11 asks."""
    return fault_of(text, [_thing(statement) for statement in about])


def fault_of(text: str, things: Sequence[str]) -> str | None:
    """The same, where what the question is about is given as words: it has to share one with some of them.

    What it quotes counts as one word, so that no quoted text can end a sentence.

    >>> fault_of("Which one is it?", ()), fault_of("Is the limit 5? Or 6? Or 7?", ())
    ('it cannot be answered yes or no', 'it is longer than two sentences')
    >>> fault_of("Is the limit still 5?", ["The limit is 5."])
    """
    plain = _QUOTED.sub(lambda quote: "“”" if quote[1] else quote[0], text).strip()
    sentences = _SENTENCE_END.split(plain)
    first = _WORD.search(sentences[-1])
    if not plain.endswith("?"):
        return "it does not end in a question mark"
    if len(text) > LONGEST_QUESTION:
        return f"it is longer than {LONGEST_QUESTION} characters"
    if len(sentences) > _MOST_SENTENCES:
        return "it is longer than two sentences"
    if first is None or first[0].lower() in _OPEN:
        return "it cannot be answered yes or no"
    if things and not any(_names(text, thing) for thing in things):
        return "it does not name the thing in dispute"
    return None


def _thing(statement: Statement) -> str:
    slot, value = statement.slot, statement.value
    return f"{statement.text} {slot.subject} {slot.attribute or ''} {value.text if value else ''}".replace("_", " ")


def _names(text: str, thing: str) -> bool:
    """Whether a content word of the thing stands in the question; a thing without any is named by nothing."""
    known = content_stems(thing)
    return not known or not known.isdisjoint(content_stems(text))


_QUOTED: Final = re.compile(r"“[^”]*+(”?)")
_SENTENCE_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"”»')\]]*+\s++(?=[^\sa-z])")
_WORD: Final = re.compile(r"[^\W\d_]+")
_OPEN: Final = frozenset({"what", "which", "who", "whom", "whose", "when", "where", "why", "how"})
_MOST_SENTENCES: Final = 2
LONGEST_QUESTION: Final = 400
"""Characters: two quoted statements, who said them when, and the frame, with names of some length."""


def quoted(text: str) -> str:
    r"""A statement's words on one line, without control characters and closing dots, cut at `_LONGEST`.

    >>> quoted("The API\nis REST-based.")
    'The API is REST-based'
    """
    plain = text.translate(_MARKS)
    line = " ".join("".join(char if char.isprintable() else " " for char in plain).split()).rstrip(".!? ")
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
    by = f" by {_author(statement.author)}" if statement.author else ""
    return f"said{by} on {statement.said_at.date().isoformat()}"


def _day(statement: Statement) -> str:
    return statement.said_at.date().isoformat()


def _who(statement: Statement) -> str:
    return _author(statement.author) if statement.author else "somebody"


def _author(name: str) -> str:
    """A name as it is where it is plain; anything else is quoted, so that it cannot end the sentence."""
    plain = quoted(name)[:_LONGEST_NAME]
    return plain if all(char.isalnum() or char in " -_@" for char in plain) else f"“{plain}”"
