"""What is a statement about, and what does it say of it?"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from stilltrue.model.fact import Kind, Statement
from stilltrue.model.slot import Cardinality, Slot, Value, ValueType
from stilltrue.model.timeline import Interval
from stilltrue.rules.modality import modality

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.candidate import Given
    from stilltrue.model.timeline import Instant

_NO_CARDINALITIES: Mapping[str, str] = MappingProxyType({})


def read_statement(  # noqa: PLR0913 - everything a sentence's meaning depends on, by keyword
    text: str,
    *,
    said_at: Instant,
    speaker: str | None = None,
    topic: str | None = None,
    role: str | None = None,
    context: str | None = None,
    zone: str = "UTC",
    given: Given | None = None,
    cardinalities: Mapping[str, str] = _NO_CARDINALITIES,
) -> Statement:
    """The one claim that `text` makes. Total: it never raises, and what it cannot tell stays None."""
    subject = (given.subject if given and given.subject else speaker or "user").lower()
    attribute = given.attribute if given else None
    value = Value(given.value, ValueType.TEXT, given.value.lower()) if given and given.value else None
    return Statement(
        text=text,
        slot=Slot(subject, attribute, given.qualifiers if given else ()),
        value=value,
        cardinality=Cardinality.MANY,
        modality=modality(text),
        kind=given.kind if given and given.kind else Kind.FACT,
        valid=Interval(said_at, None),
        said_at=said_at,
        author=speaker,
        topic=topic,
    )
