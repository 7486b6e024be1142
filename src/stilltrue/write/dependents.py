"""What becomes of facts that rest on one that falls, and how is a basis named in a text found? SPEC F9.

Answer: `rechecks`, the marks that a change set brings with it. Whoever lets a fact fall (a newer statement, a person, a
sweep, an undo), what rests on it is marked "needs re-check" in the same transaction, and the mark goes when the fact
rises again or the dependent is said anew. The dependent itself is never edited. `stated_bases` ties a new statement
to the facts that its own "because" names.

Left to others: listing and clearing marks by hand (`read.rechecks`, `upkeep.rechecks`), reading the clause
(`rules.reasons`). A fact whose stated end has passed has not fallen: it held as long as it was said to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.change import BeliefChanged, FactAdded, Link, LinkChanged, LinkKind, SourceChanged
from stilltrue.model.fact import Modality, Retirement
from stilltrue.ports import Filter
from stilltrue.rules.reasons import names, reasons
from stilltrue.rules.text import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.model.change import Change, ChangeSet
    from stilltrue.model.fact import Belief, Fact, Statement
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader

FALLS: Final = frozenset({Retirement.SUPERSEDED, Retirement.CORRECTED, Retirement.RETRACTED})
"""Narrowed facts still hold where they were narrowed to, and expired ones held as long as they were said to."""

_READ: Final = 24  # facts that share a word with the reason, best first


def rechecks(reader: Reader, change_set: ChangeSet) -> list[Change]:
    """Marks to be set or lifted because of the other changes, without those that are among them already."""
    wanted = dict.fromkeys(link for change in change_set.changes for link in _marks(reader, change_set, change))
    return [change for change in wanted if change not in change_set.changes]


def _marks(reader: Reader, change_set: ChangeSet, change: Change) -> Iterator[LinkChanged]:
    space = change_set.space_id
    match change:
        case BeliefChanged(fact_id=fact_id, before=before, after=after) if fallen(before) != fallen(after):
            for link in reader.links(space, fact_id):
                if link.kind is LinkKind.DEPENDS_ON and link.to_id == fact_id:
                    yield _marked(link, present=fallen(after))
        case LinkChanged(link=Link(kind=LinkKind.DEPENDS_ON) as link, present=present):
            bases = reader.facts(space, (link.to_id,))
            if any(fallen(basis.belief) for basis in bases):
                yield _marked(link, present=present)
        case SourceChanged(source=source, present=True) if _restates(change_set, source.fact_id):
            for link in reader.links(space, source.fact_id):
                if link.kind is LinkKind.RECHECK and link.from_id == source.fact_id:
                    yield LinkChanged(link, present=False)
        case _:
            return


def fallen(belief: Belief | None) -> bool:
    """Whether nothing can rest on the fact any more. None: it was withdrawn."""
    return belief is None or belief.retirement in FALLS


def _marked(link: Link, *, present: bool) -> LinkChanged:
    return LinkChanged(Link(LinkKind.RECHECK, link.from_id, link.to_id), present=present)


def _restates(change_set: ChangeSet, fact_id: FactId) -> bool:
    """Whether what was heard is that fact once more."""
    made = any(isinstance(change, FactAdded) and change.fact.id == fact_id for change in change_set.changes)
    return change_set.decision.fact_id == fact_id and not made


def stated_bases(reader: Reader, space: SpaceId, statement: Statement, now: Instant) -> tuple[FactId, ...]:
    """The facts that the statement's own reason names, if memory holds any; each is one that stands now."""
    found: dict[FactId, None] = {}
    for reason in reasons(statement):
        words = content_words(reason.text)
        hits = reader.mentioning(space, words, _READ, Filter(valid_at=now)) if words else []
        ids = [hit.fact_id for hit in hits]
        if reason.slot.attribute is not None:
            ids += reader.ids_in_slot(space, reason.slot.subject, reason.slot.attribute, _READ, Filter(valid_at=now))
        bases = reader.facts(space, list(dict.fromkeys(ids)))
        found.update((fact.id, None) for fact in bases if _is_basis(fact, reason, statement))
    return tuple(found)


def _is_basis(fact: Fact, reason: Statement, statement: Statement) -> bool:
    known = fact.statement
    claims = known.modality in (Modality.ASSERTION, Modality.RULE)
    return claims and known.text != statement.text and names(reason, known)
