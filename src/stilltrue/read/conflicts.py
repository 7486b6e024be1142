"""What is there to settle, and what first? Conflicts with the facts they are about; answering is `write`'s.

Open questions come in the order of what an answer would settle and how often the facts are read, each with the other
questions that hang on the same facts (F11); closed ones come oldest first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.change import LinkKind
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.ids import ConflictId
from stilltrue.read.present import present
from stilltrue.read.results import OpenConflict
from stilltrue.rules.settling import Weight, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader


def conflicts(
    engine: Engine, space: SpaceId, status: ConflictStatus | None = ConflictStatus.OPEN
) -> tuple[OpenConflict, ...]:
    """Conflicts of a status (default: open; None: all): open ones first, heaviest first, then by age. Raises
    StoreError.
    """
    now = engine.clock.now()
    with engine.store.read() as reader:
        cards = [_with_facts(reader, space, item, now) for item in _in_order(reader.conflicts(space, status))]
        cards = _weighed(reader, space, cards, now)
    return tuple(sorted(cards, key=lambda card: (card.weight is None, -card.weight.score if card.weight else 0.0)))


def conflict(engine: Engine, space: SpaceId, id_fragment: str) -> OpenConflict:
    """One conflict, whatever its status. Raises NotFoundError, InvalidInputError, StoreError."""
    with engine.store.read() as reader:
        found = reader.conflict(space, ConflictId(reader.find_id(space, "conflicts", id_fragment)))
        return _with_facts(reader, space, found, engine.clock.now())


def _in_order(found: Sequence[Conflict]) -> list[Conflict]:
    return sorted(found, key=lambda item: (item.opened_at, item.id))


def _with_facts(reader: Reader, space: SpaceId, item: Conflict, now: Instant) -> OpenConflict:
    facts = reader.facts(space, item.fact_ids)
    return OpenConflict(conflict=item, facts=tuple(present(reader, space, fact, at=now) for fact in facts))


def _weighed(reader: Reader, space: SpaceId, cards: Sequence[OpenConflict], now: Instant) -> list[OpenConflict]:
    """The cards, those of open questions with what their answers would settle."""
    waiting = {card.conflict.id: card for card in cards if card.conflict.status is ConflictStatus.OPEN}
    facts = {fact_id for card in waiting.values() for fact_id in card.conflict.fact_ids}
    known = {fact.id: fact for fact in reader.facts(space, sorted(facts))}
    doubted = {name: _in_doubt(card.conflict, known, now) for name, card in waiting.items()}
    beside = together(doubted)
    reads, pairs = reader.recalls(space, sorted(facts)), reader.open_pairs(space, sorted(facts))
    weighed = []
    for card in cards:
        name = card.conflict.id
        if name not in waiting:
            weighed.append(card)
            continue
        weight = Weight(
            facts=len(doubted[name]),
            dependents=len(_dependents(reader, space, doubted[name])),
            open_pairs=sum(pairs.get(fact_id, 0) for fact_id in doubted[name]),
            questions=len(beside[name]),
            reads=sum(reads.get(fact_id, 0) for fact_id in doubted[name]),
        )
        weighed.append(OpenConflict(conflict=card.conflict, facts=card.facts, weight=weight, together=beside[name]))
    return weighed


def _in_doubt(item: Conflict, known: dict[FactId, Fact], now: Instant) -> list[FactId]:
    """Facts that an answer may change: those that are current. What is over already is only part of the story."""
    standing = [fact_id for fact_id in item.fact_ids if fact_id in known and _stands(known[fact_id], now)]
    return standing or list(item.fact_ids)


def _stands(fact: Fact, now: Instant) -> bool:
    return fact.belief is not None and fact.belief.serves(now)


def _dependents(reader: Reader, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
    """Facts that rest on these (F9)."""
    ties = [link for fact_id in fact_ids for link in reader.links(space, fact_id)]
    return {link.from_id for link in ties if link.kind is LinkKind.DEPENDS_ON and link.to_id in fact_ids}
