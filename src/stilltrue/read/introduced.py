"""Whom does a question mean that says "my sister"? What memory holds was told of her by name.

Answer: the question by the one name that the asker's own statements gave, and the words that told it; None where they
gave none, or two. Left to others: when to ask again (`read.ask`), how names are told (`rules.introductions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.rules.introductions import by_name, kin_in, names_in
from stilltrue.rules.subjects import speaker_name

if TYPE_CHECKING:
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Filter, Reader

_LOOKED_AT: Final = 50  # texts in which a kin is named


def introduced(reader: Reader, space: SpaceId, question: str, asker: str, where: Filter) -> tuple[str, str] | None:
    """The question by name, and the text that told the name. Raises StoreError."""
    for kin in kin_in(question):
        hits = reader.mentioning(space, [kin], _LOOKED_AT, where)
        told: dict[str, str] = {}
        for fact in reader.facts(space, [hit.fact_id for hit in hits]):
            if speaker_name(fact.statement.author) == asker:
                told |= dict.fromkeys(names_in(fact.statement.text, kin), fact.statement.text)
        if len(told) == 1:
            ((name, text),) = told.items()
            return by_name(question, kin, name), text
    return None
