"""What becomes of facts that rest on one that falls, and how is a basis named in a text found? SPEC F9.

Answer: `rechecks`, the marks that a change set brings with it. Whoever lets a fact fall (a newer statement, a person, a
sweep, an undo, an erasure), what rests on it is marked "needs re-check" in the same transaction, and the mark goes when
the fact rises again or the dependent is said anew. The dependent itself is never edited. `stated_bases` ties a new
statement to the facts that its own "because" names.

A fact that has an end, near or far, marks what rests on it at once, and readers are shown the mark from that end on
(`ports.Reader.marked`): so a stated end tells by the calendar, as everything about ends does, and waits for no pass.

Left to others: listing and clearing marks by hand (`read.rechecks`, `upkeep.rechecks`), reading the clause
(`rules.reasons`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.change import BeliefChanged, FactAdded, Link, LinkChanged, LinkKind, SourceChanged
from stilltrue.model.decision import Action
from stilltrue.model.fact import Modality, Retirement, Status
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

_READ: Final = 24  # facts that share a word with the reason, best first


def rechecks(reader: Reader, change_set: ChangeSet) -> list[Change]:
    """Marks to be set or lifted because of the other changes, without those that are among them already."""
    wanted = dict.fromkeys(link for change in change_set.changes for link in _marks(reader, change_set, change))
    return [change for change in wanted if change not in change_set.changes]


def _marks(reader: Reader, change_set: ChangeSet, change: Change) -> Iterator[LinkChanged]:
    space = change_set.space_id
    match change:
        case BeliefChanged(fact_id=fact_id, before=before, after=after) if _tells(change_set, before, after):
            for link in reader.links(space, fact_id):
                if link.kind is LinkKind.DEPENDS_ON and link.to_id == fact_id:
                    yield _marked(link, present=falls(after))
        case LinkChanged(link=Link(kind=LinkKind.DEPENDS_ON) as link, present=present):
            said_at = _said_at(reader, change_set, link.from_id)
            bases = reader.facts(space, (link.to_id,))
            if any(falls(basis.belief) and not _was_over(basis.belief, said_at) for basis in bases):
                yield _marked(link, present=present)
        case SourceChanged(source=source, present=True) if _restates(change_set, source.fact_id):
            links = [link for link in reader.links(space, source.fact_id) if link.from_id == source.fact_id]
            marks = {link.to_id: link for link in links if link.kind is LinkKind.RECHECK}
            for basis in reader.facts(space, list(marks)):
                if not stands(basis.belief, source.said_at):
                    yield LinkChanged(marks[basis.id], present=False)
        case _:
            return


def falls(belief: Belief | None) -> bool:
    """Whether there is an instant from which on nothing can rest on the fact. None: it was withdrawn."""
    return belief is None or belief.retirement is Retirement.CORRECTED or belief.valid.end is not None


def stands(belief: Belief | None, at: Instant) -> bool:
    """Whether something can rest on the fact at an instant: it holds then, or will."""
    return belief is not None and belief.status(at) in (Status.ACTIVE, Status.FUTURE)


def _tells(change_set: ChangeSet, before: Belief | None, after: Belief | None) -> bool:
    """Whether what rests on it has to be marked, or its marks lifted. What had an end and now ends for another reason
    is news once more; an undo only brings back what was.
    """
    if falls(before) != falls(after):
        return True
    if change_set.decision.action is Action.UNDO or before is None or after is None:
        return False
    return falls(after) and before.retirement is not after.retirement


def _was_over(belief: Belief | None, said_at: Instant) -> bool:
    """Whether it had come to its stated end by then: who builds on it after that knows that it is over."""
    return belief is not None and belief.retirement is None and not stands(belief, said_at)


def _said_at(reader: Reader, change_set: ChangeSet, fact_id: FactId) -> Instant:
    """When a fact was said that this change set makes, or that is there."""
    made = [change.fact for change in change_set.changes if isinstance(change, FactAdded) and change.fact.id == fact_id]
    known = made or reader.facts(change_set.space_id, (fact_id,))
    return max(fact.standing.last_seen_at for fact in known)


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
