"""How are facts told in words: a value with its dates, a chain one after the other, a list, a sentence as it was said?

Phrases only. Which facts are told, and what they answer, is `rules.answering`'s business. Words of memory stand in
quotation marks or are a slot's short value; control characters are stripped, long sentences shortened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.fact import Modality, Status
from stilltrue.model.slot import Cardinality
from stilltrue.rules.attributes import attributes
from stilltrue.rules.civil import MONTHS
from stilltrue.rules.questions import quoted
from stilltrue.rules.zones import zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.expert import Exhibit
    from stilltrue.model.timeline import Instant

ENDED = frozenset({Status.SUPERSEDED, Status.EXPIRED, Status.RETRACTED, Status.NARROWED})

_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}
_VOICES = {
    Modality.PLAN: "Planned",
    Modality.HYPOTHETICAL: "Only supposed",
    Modality.HEARSAY: "By hearsay only",
    Modality.QUESTION: "Only asked",
}


def day_of(moment: Instant, zone: str) -> str:
    """A date as people write it, on the calendar of `zone`.

    >>> from datetime import UTC, datetime
    >>> day_of(datetime(2025, 5, 2, 23, tzinfo=UTC), "Europe/Berlin")
    '3 May 2025'
    """
    local = moment.astimezone(zone_of(zone))
    return f"{local.day} {_NAMES[local.month]} {local.year}"


def value_of(exhibit: Exhibit) -> str:
    """The value in few words; the sentence in quotation marks where it has none or denies it."""
    value = exhibit.statement.value
    if value is None or exhibit.statement.negated:
        return sentence(exhibit)
    text = exhibit.statement.text
    at = text.lower().find(value.text.lower())
    written = (
        text[at : at + len(value.text)] if at >= 0 else value.text
    )  # "Postgres", where the value is kept in lower case
    return quoted(written)


def sentence(exhibit: Exhibit) -> str:
    """The words of a fact, in quotation marks."""
    text = exhibit.statement.text
    mark = text.rstrip()[-1:] if text.rstrip()[-1:] in {".", "!"} else ""
    return f"“{quoted(text)}{mark}”"


def listed(parts: Sequence[str]) -> str:
    """Several things in one phrase.

    >>> listed(["cats"]), listed(["cats", "dogs"]), listed(["a", "b", "c"])
    ('cats', 'cats and dogs', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def stretch(exhibit: Exhibit, zone: str) -> str:
    """From when until when it held, as far as somebody said so; empty where nobody did."""
    start = exhibit.valid_from if exhibit.statement.dated else None
    end = exhibit.valid_until
    if start is not None and end is not None:
        return f"from {day_of(start, zone)} until {day_of(end, zone)}"
    if end is not None:
        return f"until {day_of(end, zone)}"
    if start is not None:
        opening = "from" if exhibit.status == Status.FUTURE else "since"
        return f"{opening} {day_of(start, zone)}"
    if exhibit.statement.modality is Modality.PAST:
        return "formerly"
    return ""


def dated(exhibit: Exhibit, zone: str, between: str = " ") -> str:
    """A value with its stretch."""
    when = stretch(exhibit, zone)
    return f"{value_of(exhibit)}{between}{when}" if when else value_of(exhibit)


def chain(exhibits: Sequence[Exhibit], zone: str) -> str:
    """Values in the order in which they held: "Portland until 3 May 2025, then Seattle"."""
    parts: list[str] = []
    before: Exhibit | None = None
    for one in exhibits:
        follows = before is not None and before.valid_until is not None and before.valid_until == one.valid_from
        if not follows:
            parts.append(dated(one, zone))
        elif one.valid_until is None:
            parts.append(f"then {value_of(one)}")
        else:
            parts.append(f"then {value_of(one)} until {day_of(one.valid_until, zone)}")
        before = one
    return ", ".join(parts)


def voiced(exhibit: Exhibit) -> str:
    """How a fact that claims nothing is announced; empty for one that claims.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.expert import Exhibit
    >>> from stilltrue.rules.slots import read_statement
    >>> said = read_statement("Ben said that Ada moved to Rome", said_at=datetime(2025, 1, 1, tzinfo=UTC))
    >>> voiced(Exhibit("f1", said, "active", None, None))
    'By hearsay only'
    """
    return _VOICES.get(exhibit.statement.modality, "")


def short_enough(exhibit: Exhibit) -> bool:
    """Whether the value alone is understood: the attribute is a known one."""
    statement = exhibit.statement
    return statement.value is not None and not statement.negated and statement.slot.attribute in attributes()


def plainly(exhibit: Exhibit, zone: str, between: str = ", ") -> str:
    """A value and its date, or the sentence where a value alone would not be understood."""
    if not short_enough(exhibit):
        return sentence(exhibit)
    return dated(exhibit, zone, between)


def told_ahead(facts: Sequence[Exhibit], zone: str) -> str:
    told = [f"{stretch(one, zone)}: {value_of(one)}" if stretch(one, zone) else value_of(one) for one in facts]
    return "; ".join(told)


def unsettled(now: Sequence[Exhibit]) -> bool:
    """Whether a slot that holds one value at a time has several that nobody ended."""
    statement = now[0].statement if now else None
    if (
        statement is None
        or statement.cardinality is not Cardinality.ONE
        or statement.slot.attribute not in attributes()
    ):
        return False
    return len({one.statement.value.key for one in now if one.statement.value is not None}) > 1


def either(now: Sequence[Exhibit], zone: str) -> str:
    """Values of which only one can hold, with when each was said, the latest first."""
    latest = sorted(now, key=lambda one: one.statement.said_at, reverse=True)
    told = [f"{value_of(one)} (said on {day_of(one.statement.said_at, zone)})" for one in latest]
    return f"Not settled: {' or '.join(told)}"
