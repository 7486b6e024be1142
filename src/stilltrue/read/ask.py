"""What does memory answer to a question? Words with citations, or a refusal that says what is missing (D12).

The way: search nominates, `rules.grounds` picks the facts that answer, their slots are laid out in time, and
`rules.answering` says it in words. Where an LLM is configured it writes the answer from the same facts; what it cites
was checked to be among them. If it gives none, what memory says by itself is the answer, and `reason` tells.

Left to others: finding (`read.search`), the wording (`rules.answering`), prompts and checks of an LLM (`inference`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.expert import Exhibit, Usage
from stilltrue.model.fact import Status
from stilltrue.model.ids import short
from stilltrue.ports import Filter
from stilltrue.read.introduced import introduced
from stilltrue.read.present import belief_of, present
from stilltrue.read.results import BY_MEMORY, Answered, Citation
from stilltrue.read.search import search
from stilltrue.rules.answering import compose
from stilltrue.rules.grounds import ground
from stilltrue.rules.inquiry import inquire
from stilltrue.rules.slot_answers import Lens, Told
from stilltrue.rules.subjects import USER, speaker_name
from stilltrue.rules.telling import ENDED
from stilltrue.rules.tense import past_period

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.slot import Slot
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.read.results import Found
    from stilltrue.rules.grounds import Grounds
    from stilltrue.rules.inquiry import Inquiry
    from stilltrue.settings import Settings

LOOKED_AT: Final = 30
"""Search results among which an answer is looked for: three pages. Slots that the question names are read besides."""

_EVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """One look at a space: through which instants, for whom, and what the question wants."""

    space: SpaceId
    question: str
    inquiry: Inquiry
    at: Instant
    known_at: Instant | None
    lens: Lens


@dataclass(frozen=True, slots=True)
class _Held:
    """What memory holds for a question: what it says by itself, and the facts a writer may use, best first."""

    told: Told
    exhibits: tuple[Exhibit, ...]


def ask(
    engine: Engine,
    space: SpaceId,
    question: str,
    *,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
    author: str | None = None,
    asker: str | None = None,
) -> Answered:
    """The answer to `question`, put by `asker` (whose "I" it is; None: the user), from what `author` said (None: all).

    Where memory says nothing of "my sister", the question is put by the name that the asker once gave her; `reason`
    tells. Raises InvalidInputError for a blank or endless question and a blank author, StoreError, ModelError of the
    embedder; never an LLM's.
    """
    when = {"as_of": as_of, "known_at": known_at}
    answer = _ask(engine, space, question, author=author, asker=asker, **when)
    if not answer.refused:
        return answer
    where = Filter(as_of or engine.clock.now(), known_at, include_superseded=True, author=author)
    with engine.store.read() as reader:
        named = introduced(reader, space, question, speaker_name(asker), where)
    if named is None:
        return answer
    again = _ask(engine, space, named[0], author=author, asker=asker, **when)
    told = f"asked as “{named[0]}”, by “{named[1]}”"
    return answer if again.refused else replace(again, reason="; ".join(filter(None, (told, again.reason))))


def _ask(
    engine: Engine,
    space: SpaceId,
    question: str,
    *,
    as_of: Instant | None,
    known_at: Instant | None,
    author: str | None,
    asker: str | None,
) -> Answered:
    settings = engine.settings_of(space)
    searched = partial(search, engine, space, question, limit=LOOKED_AT, as_of=as_of, known_at=known_at, author=author)
    found = searched()
    look = _look(engine, found, space, question, settings, as_of, asker, author)
    held = _hold(engine, look, found)
    if held.told.refused and not found.historical:
        held = _hold(engine, look, searched(include_superseded=True))
    return _answered(engine, look, found, held, settings)


def _look(
    engine: Engine,
    found: Found,
    space: SpaceId,
    question: str,
    settings: Settings,
    as_of: Instant | None,
    asker: str | None,
    author: str | None,
) -> _Look:
    now = engine.clock.now()
    me = speaker_name(asker)
    lens = Lens(
        zone=settings.timezone,
        then=as_of is not None,
        period=past_period(question, now, settings.timezone) if as_of is None else None,
        asker=me,
        author=author,
    )
    return _Look(
        space=space,
        question=question,
        inquiry=inquire(question, now, settings.timezone),
        at=found.as_of or now,
        known_at=found.known_at,
        lens=lens,
    )


def _hold(engine: Engine, look: _Look, found: Found) -> _Held:
    """What the found facts and the slots that the question names answer."""
    with engine.store.read() as reader:
        facts = {fact.id: fact for fact in reader.facts(look.space, [result.id for result in found.results])}
        facts |= {fact.id: fact for slot in _slots(look) for fact in _admitted(reader, look, *slot)}
        exhibits = _exhibits(reader, look, facts.values())
        grounds = ground(look.question, look.inquiry, exhibits, look.lens.asker)
        chains = _chains(reader, look, grounds)
    in_chains = [one for chain in chains for one in chain]
    order = {one.fact_id: one for one in (*(g.exhibit for g in grounds.found), *in_chains, *exhibits)}
    return _Held(compose(look.inquiry, grounds, chains, look.lens), tuple(order.values()))


def _slots(look: _Look) -> Iterable[tuple[str, str]]:
    """Subjects and attributes that the question names when it is read as a statement."""
    named = [
        (subject, reading.slot.attribute)
        for reading in look.inquiry.readings
        if reading.slot.attribute is not None
        for subject in _called(reading.slot.subject, look)
    ]
    if look.inquiry.first:
        named += [(look.lens.asker, attribute) for attribute in look.inquiry.attributes]
    return dict.fromkeys(named)


def _called(subject: str, look: _Look) -> tuple[str, ...]:
    return (subject, look.lens.asker) if subject == USER and look.lens.asker != USER else (subject,)


def _admitted(reader: Reader, look: _Look, subject: str, attribute: str | None) -> list[Fact]:
    where = Filter(look.at, look.known_at, include_superseded=True, author=look.lens.author)
    return reader.lookup(look.space, subject, attribute, where)


def _chains(reader: Reader, look: _Look, grounds: Grounds) -> list[list[Exhibit]]:
    """All that each slot among the grounds held, in the order of valid time, what lies ahead last."""
    slots: dict[Slot, None] = dict.fromkeys(one.exhibit.statement.slot for one in grounds.found if one.in_slot)
    chains = []
    for slot in slots:
        facts = [f for f in _admitted(reader, look, slot.subject, slot.attribute) if f.statement.slot == slot]
        chains.append(sorted(_exhibits(reader, look, facts), key=_place))
    return chains


def _place(exhibit: Exhibit) -> tuple[bool, Instant, FactId]:
    return (exhibit.status == Status.FUTURE, exhibit.valid_from or _EVER, exhibit.fact_id)


def _exhibits(reader: Reader, look: _Look, facts: Iterable[Fact]) -> list[Exhibit]:
    """Facts as they stand at the instants asked for; without erased ones, and those not believed then."""
    found = []
    for fact in facts:
        belief = belief_of(reader, look.space, fact, look.known_at)
        if belief is not None and fact.statement.text:
            status = belief.status(look.at).value
            found.append(Exhibit(fact.id, fact.statement, status, belief.valid.start, belief.valid.end))
    return found


def _answered(engine: Engine, look: _Look, found: Found, held: _Held, settings: Settings) -> Answered:
    told, by, reason, usage = held.told, BY_MEMORY, "", Usage()
    if engine.expert is not None and held.exhibits:
        told, by, reason, usage = _written(engine, look, held, settings)
    with engine.store.read() as reader:
        facts = reader.facts(look.space, told.cited)
        citations = tuple(_citation(reader, look, fact) for fact in facts)
        open_ones = _open(reader, look, told.cited)
    over = any(citation.status in ENDED for citation in citations)
    return Answered(
        text=" ".join((told.text, *(_asked(one) for one in open_ones))),
        citations=citations,
        refused=told.refused,
        historical=found.historical or over,
        by=by,
        reason="; ".join(part for part in (found.reason, reason) if part),
        conflicts=tuple(one.id for one in open_ones),
        usage=usage,
        as_of=found.as_of,
        known_at=found.known_at,
    )


def _written(engine: Engine, look: _Look, held: _Held, settings: Settings) -> tuple[Told, str, str, Usage]:
    """The LLM's answer; memory's own, with the reason, where it gave none that rests on what it was shown."""
    if engine.expert is None:
        return held.told, BY_MEMORY, "", Usage()
    shown = held.exhibits[: settings.search_limit]
    written = engine.expert.answer(look.space, look.question, shown, settings.allowance())
    known = {one.fact_id for one in shown}
    if written.text and written.cited and known.issuperset(written.cited):
        return Told(written.text, written.cited), engine.expert.model_version, "", written.usage
    why = written.reason or ("it found no answer there" if not written.text else "it cited nothing that it was shown")
    return held.told, BY_MEMORY, f"the LLM wrote no answer ({why}), so this one is memory's own", written.usage


def _citation(reader: Reader, look: _Look, fact: Fact) -> Citation:
    shown = present(reader, look.space, fact, at=look.at, known_at=look.known_at)
    return Citation(
        fact_id=shown.id,
        text=shown.text,
        status=shown.status,
        modality=shown.modality,
        valid_from=shown.valid_from,
        valid_until=shown.valid_until,
        sources=shown.sources,
        needs_recheck=shown.needs_recheck,
    )


def _open(reader: Reader, look: _Look, cited: Sequence[FactId]) -> list[Conflict]:
    """Questions about the cited facts that nobody has settled, oldest first."""
    return [
        one
        for one in reader.conflicts(look.space, ConflictStatus.OPEN)
        if set(cited).intersection(one.fact_ids) and (look.known_at is None or one.opened_at <= look.known_at)
    ]


def _asked(conflict: Conflict) -> str:
    return f"This is open, question {short(conflict.id)}: {conflict.question}"
