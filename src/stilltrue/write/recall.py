"""Which known facts could a new statement be about? The same slot first, then what is alike; and what it says it left.

Recall only nominates (SPEC A1, A2, C2): nothing is decided by likeness. Facts that are over are nominated too, where
they share the slot: a late statement has to find its place among them.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from stilltrue.model.fact import Category, Modality, Retirement, Tier
from stilltrue.ports import Filter
from stilltrue.rules.subjects import US, introduces
from stilltrue.rules.text import exact_hash, normal_hash, tokens
from stilltrue.rules.troubles import is_relief, is_symptom, reports_slowness, reports_trouble, trouble_words
from stilltrue.rules.wording import wording
from stilltrue.write.judged import Neighbour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader, Vectors
    from stilltrue.settings import Settings

_NAME = re.compile(r"(?<![\w.])[A-Z][a-z]\w+")
TALK = timedelta(hours=36)  # a fix is told in the talk that reported the trouble, or the day after
_TROUBLES_READ = 50  # reports looked at, strongest first, before topic and time are compared
SLOT_LIMIT = 24  # facts of one slot judged per statement: sets larger than this are met by value and likeness first


def gates_of(engine: Engine, settings: Settings) -> Settings:
    """The settings to recall with: where rules judge alone, a little likeness within one subject is not enough.

    What they take from a few words was counted on pairs that are about one thing.
    """
    if engine.pair_model is not None:
        return settings
    return settings.replace({"subject_gate": settings.similarity_gate})


def recall(
    reader: Reader,
    space: SpaceId,
    statement: Statement,
    vector: Vectors,
    settings: Settings,
    now: Instant,
    forced: Iterable[FactId] = (),
    tied: Iterable[FactId] = (),
) -> list[Neighbour]:
    """Neighbours of a statement, without repeats, best reason first; each with its mentions.

    `forced`: what the caller says it replaces; `tied`: what it goes on about in other words.
    """
    found: dict[FactId, tuple[Fact, str, float | None]] = {}
    similar = {
        hit.fact_id: hit.score
        for hit in reader.near(space, vector, 4 * max(1, settings.max_candidates), Filter(valid_at=now))
    }

    def nominate(facts: Iterable[Fact], reason: str) -> None:
        for fact in facts:
            found.setdefault(fact.id, (fact, reason, similar.get(fact.id)))

    nominate(reader.facts(space, list(forced)), "caller")
    nominate(reader.facts(space, list(tied)), "goes on")
    nominate(_repeats(reader, space, statement, settings), "exact")
    nominate(_slot(reader, space, statement, similar), "slot")
    nominate(_mentioned(reader, space, statement, settings, now), "mention")
    lowest = min(settings.subject_gate, settings.similarity_gate)
    close = [fact_id for fact_id, score in similar.items() if score >= lowest and fact_id not in found]
    alike = [fact for fact in reader.facts(space, close) if is_close(fact, similar[fact.id], statement, settings)]
    nominate(alike[: settings.max_candidates], "vector")
    believed = [
        one
        for one in found.values()
        if one[0].belief is not None and one[0].belief.retirement is not Retirement.CORRECTED
    ]
    mentions = reader.sources_of(space, [fact.id for fact, _, _ in believed])
    return [
        Neighbour(fact=fact, nominated_by=reason, similarity=score, sources=mentions[fact.id])
        for fact, reason, score in believed
    ]


def troubles(reader: Reader, space: SpaceId, statement: Statement, now: Instant) -> list[Neighbour]:
    """What "That fixed it." is about: the latest report of a trouble in the same talk, with the symptoms told with it.

    Who says that it is fixed speaks of what they reported themselves, if they did.
    """
    hits = reader.mentioning(space, sorted(trouble_words()), _TROUBLES_READ, Filter(valid_at=now))
    reports = [fact for fact in reader.facts(space, [hit.fact_id for hit in hits]) if _is_report_for(fact, statement)]
    own = [fact for fact in reports if fact.statement.author == statement.author]
    latest = max((fact.statement.said_at for fact in own or reports), default=None)
    meant = [fact for fact in own or reports if fact.statement.said_at == latest]
    for episode_id in dict.fromkeys(fact.episode_id for fact in meant):
        told = reader.facts(space, reader.facts_of_episode(space, episode_id))
        known = {fact.id for fact in meant}
        meant += [
            fact for fact in told if fact.id not in known and is_symptom(fact.statement.text) and _holds(fact, now)
        ]
    if is_relief(statement.text):
        meant = [fact for fact in meant if reports_slowness(fact.statement.text)]
    return [Neighbour(fact=fact, nominated_by="talk", sources=reader.sources(space, fact.id)) for fact in meant]


def _is_report_for(fact: Fact, resolution: Statement) -> bool:
    said = fact.statement
    return (
        said.topic == resolution.topic
        and said.modality is Modality.ASSERTION
        and timedelta(0) <= resolution.said_at - said.said_at <= TALK
        and reports_trouble(said.text)
    )


def _holds(fact: Fact, now: Instant) -> bool:
    return fact.belief is not None and fact.belief.serves(now) and fact.statement.modality is Modality.ASSERTION


def _repeats(reader: Reader, space: SpaceId, statement: Statement, settings: Settings) -> list[Fact]:
    facts = reader.with_hash(space, exact=exact_hash(statement.text))
    if settings.fuzzy_dedupe:
        facts += reader.with_hash(space, normal=normal_hash(statement.text))
    return [fact for fact in facts if fact.statement.slot == statement.slot]


def _slot(reader: Reader, space: SpaceId, statement: Statement, similar: dict[FactId, float]) -> list[Fact]:
    if statement.slot.attribute is None:
        return []
    facts = reader.in_slot(space, statement.slot.subject, statement.slot.attribute)
    if len(facts) <= SLOT_LIMIT:
        return facts
    key = statement.value.key if statement.value is not None else None
    start = statement.valid.start or statement.said_at

    def rank(fact: Fact) -> tuple[bool, bool, float]:
        same_value = fact.statement.value is not None and fact.statement.value.key == key
        holds = fact.belief is not None and start in fact.belief.valid
        return (not same_value, not holds, -similar.get(fact.id, -1.0))

    return sorted(facts, key=rank)[:SLOT_LIMIT]


def _mentioned(reader: Reader, space: SpaceId, statement: Statement, settings: Settings, now: Instant) -> list[Fact]:
    """Facts that speak of what the statement says was left or ended, and those of its subject that hold a name in it.

    "Handed in the keys to the Oslo flat" is about whoever lives in Oslo, in no slot and in hardly a word that is alike.
    """
    words = [word for name in statement.leaves for word in tokens(name)]
    names = [name.lower() for name in _NAME.findall(statement.text.partition(" ")[2])]
    over = [statement.slot.subject] if _is_over(statement) else []
    if not words and not names and not over:
        return []
    hits = reader.mentioning(space, [*words, *names, *over], 2 * settings.max_candidates, Filter(valid_at=now))
    told = reader.facts(space, [hit.fact_id for hit in hits])
    left = [fact for fact in told if set(words) & set(tokens(fact.statement.text))] if words else []
    held = [fact for fact in told if _holds_name(fact.statement, statement, names)][: settings.max_candidates]
    met = [fact for fact in told if over and introduces(fact.statement, statement)]
    return [fact for fact in dict.fromkeys([*left, *held, *met]) if _weighty(fact, settings)]


def _is_over(statement: Statement) -> bool:
    """As in "Rex died": the words that said who Rex is ("a dog called Rex") are spoken of too."""
    subject = statement.slot.subject
    called = statement.text.lower().startswith(f"{subject} ") and bool(_NAME.match(statement.text))
    return called and bool(wording(statement.text).end)


def _holds_name(known: Statement, new: Statement, names: Sequence[str]) -> bool:
    same = known.slot.subject == new.slot.subject and known.value is not None
    return same and bool(set(names) & set(tokens(known.value.text if known.value else "")))


def is_close(fact: Fact, score: float, statement: Statement, settings: Settings) -> bool:
    """A2: alike, or a little alike and about one subject ("ours" is everybody's); likeness nominates, never decides."""
    of_one = fact.statement.slot.subject == statement.slot.subject != US
    gate = min(settings.subject_gate, settings.similarity_gate) if of_one else settings.similarity_gate
    return _weighty(fact, settings) and score >= gate


def _weighty(fact: Fact, settings: Settings) -> bool:
    """A1: worth judging outside its slot."""
    standing = fact.standing
    kept = standing.tier is not Tier.STUB
    return kept and (standing.importance > settings.min_importance or standing.category is Category.CORE)
