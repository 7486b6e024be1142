"""Does a statement say what it rests on, and is a known fact what it means? "… because I work at Acme."

Answer: `reasons`, the clauses behind "because", "since", "so that", "weil" and their like, each read as a statement of
its own; `names`, whether a fact is what such a clause speaks of: the same slot with the same value, or all its words;
`only_reason`, whether a statement touches nothing of a fact but such a clause.
A date ("since 2019") names no fact, so the two senses of "since" need no telling apart here.

Left to others: which facts are looked at, and what becomes of a fact when its reason falls (`write.dependents`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.grounds import held
from stilltrue.rules.slots import read_statement
from stilltrue.rules.text import content_stems

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement

LONGEST: Final = 2_000
"""Characters looked at: what is longer is no sentence."""

LEAST_WORDS: Final = 2
"""Content words that a reason must share with a fact whose slot cannot be told: one word is a topic, not a fact."""

_WORDS: Final = (
    r"because of|because|since|given that|seeing that|seeing as|considering that|now that|as long as|so that|due to|"
    r"thanks to|on account of|weil|damit|solange|parce que?|puisque|tant que|porque|ya que|dado que"
)
_AFTER_COMMA: Final = r"as|da|denn|car|pues"
_BEHIND: Final = re.compile(
    rf"(?:\b(?:{_WORDS})\b|,\s+(?:{_AFTER_COMMA})\b)[\s:]+(?P<clause>[^.;!?]+(?:\.\d[^.;!?]*)*)", re.IGNORECASE
)
_BEFORE: Final = re.compile(rf"^\s*(?:{_WORDS}|as|da)\b\s+(?P<clause>[^,;!?]+),", re.IGNORECASE)


def reasons(statement: Statement) -> tuple[Statement, ...]:
    """What the statement says that it rests on, in the order of its words.

    >>> from datetime import UTC, datetime
    >>> AT = datetime(2025, 1, 1, tzinfo=UTC)
    >>> [one.text for one in reasons(read_statement("We use Postgres because we store geometries.", said_at=AT))]
    ['we store geometries']
    >>> [one.text for one in reasons(read_statement("Since I work at Acme, I live in Lisbon.", said_at=AT))]
    ['I work at Acme']
    >>> reasons(read_statement("I live in Lisbon.", said_at=AT))
    ()
    """
    text = statement.text[:LONGEST]
    leading = _BEFORE.match(text)
    found = [leading] if leading else list(_BEHIND.finditer(text))
    return tuple(
        read_statement(
            hit["clause"].strip(),
            said_at=statement.said_at,
            speaker=statement.author,
            topic=statement.topic,
        )
        for hit in found
    )


def names(reason: Statement, known: Statement) -> bool:
    """Whether a fact is what the reason speaks of.

    >>> from datetime import UTC, datetime
    >>> def read(text): return read_statement(text, said_at=datetime(2025, 1, 1, tzinfo=UTC))
    >>> oslo = read("I live in Oslo")
    >>> names(oslo, read("I moved to Oslo.")), names(oslo, read("I live in Bergen."))
    (True, False)
    >>> names(read("the API is slow"), read("The API is slow under load."))
    True
    >>> names(read("2019"), read("I left Acme in 2019."))
    False
    """
    if reason.negated != known.negated:
        return False
    values = (known.value, reason.value)
    if reason.slot.attribute is not None and reason.slot.attribute == known.slot.attribute and None not in values:
        return reason.slot.subject == known.slot.subject and _same_value(reason, known)
    words = content_stems(reason.text)
    return len(words) >= LEAST_WORDS and words <= held(known)


def only_reason(known: Statement, new: Statement) -> bool:
    """Whether the new statement is about what the known one gives as its reason, and not about what it claims.

    >>> from datetime import UTC, datetime
    >>> def read(text): return read_statement(text, said_at=datetime(2025, 1, 1, tzinfo=UTC))
    >>> home = read("I live in Lisbon because I work at Acme.")
    >>> only_reason(home, read("I work at Globex.")), only_reason(home, read("I live in Porto."))
    (True, False)
    """
    about = (new.slot.subject, new.slot.attribute)
    if new.slot.attribute is None or about == (known.slot.subject, known.slot.attribute):
        return False
    return any((reason.slot.subject, reason.slot.attribute) == about for reason in reasons(known))


def _same_value(reason: Statement, known: Statement) -> bool:
    if reason.value is None or known.value is None:
        return False
    return compare(known.value, reason.value) in (Comparison.SAME, Comparison.COMPATIBLE)
