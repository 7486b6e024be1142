"""How far does a question about one fact reach? As far as the fact: what else a space holds costs it nothing (row E3).

Counted in steps of SQLite's machine, which do not depend on how busy the computer is.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from stilltrue.memory import Memory
from stilltrue.model.decision import Action
from stilltrue.model.ids import BatchId
from stilltrue.model.verdict import Relation
from stilltrue.ports import Filter
from stilltrue.testing import FrozenClock, ScriptedPairModel
from tests.flow.teller import WordEmbedder

BEGUN = datetime(2025, 1, 6, tzinfo=UTC)
CITIES = ("Oslo", "Rome", "Bonn", "Turin", "Lyon", "Graz", "Porto")
SIZES = (6, 60)
"""Slots of two facts each, one of which has replaced the other."""


def filled(path, slots):
    clock = FrozenClock(BEGUN)
    memory = Memory.open(
        path, clock=clock, embedder=WordEmbedder(), pair_model=ScriptedPairModel(lambda old, new: Relation.NONE)
    )
    for number in range(slots):
        for city in (CITIES[number % 7], CITIES[(number + 1) % 7]):
            clock.advance(timedelta(days=2).total_seconds())
            memory.remember(f"P{number} lives in {city}.", subject=f"p{number}", attribute="residence", value=city)
    return memory


@pytest.fixture(scope="module")
def spaces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reach")
    memories = [filled(folder / f"{slots}.db", slots) for slots in SIZES]
    yield memories
    for memory in memories:
        assert memory.engine.store.check_invariants() == []
        memory.close()


QUESTIONS = {
    "decisions of a fact": lambda reader, space, fact: reader.decisions(space, fact_id=fact.id),
    "decisions of an episode": lambda reader, space, fact: reader.decisions(space, episode_id=fact.episode_id),
    "decisions of a batch": lambda reader, space, fact: reader.decisions(space, batch_id=BatchId("none")),
    "decided": lambda reader, space, fact: reader.decided(space, [fact.id], "none", [Action.UNDO]),
    "judged with": lambda reader, space, fact: reader.judged_with(space, fact.id),
    "judged beside": lambda reader, space, fact: reader.judged_beside(space, [fact.id]),
    "links": lambda reader, space, fact: reader.links(space, fact.id),
    "sources": lambda reader, space, fact: reader.sources(space, fact.id),
    "history of a fact": lambda reader, space, fact: reader.history(space, fact_id=fact.id),
    "slot": lambda reader, space, fact: reader.in_slot(space, fact.statement.slot.subject, "residence"),
    "ids in slot": lambda reader, space, fact: reader.ids_in_slot(
        space, fact.statement.slot.subject, "residence", 5, Filter(valid_at=BEGUN, awaiting=fact.id)
    ),
    "same words": lambda reader, space, fact: reader.with_hash(space, exact="none"),
    "the fact": lambda reader, space, fact: reader.facts(space, [fact.id]),
}


def steps(memory, ask):
    """Steps that a question about the last fact takes, in tens, and what it found."""
    counted = []
    with memory.engine.store.read() as reader:
        place, fact_id = reader.stored_order(memory.space, 0, 10_000)[-1]
        fact = reader.fact(memory.space, fact_id)
        raw = reader._session.raw
        raw.set_progress_handler(lambda: counted.append(place), 10)
        try:
            found = ask(reader, memory.space, fact)
        finally:
            raw.set_progress_handler(None, 0)
    return len(counted), found


@pytest.mark.parametrize("question", QUESTIONS)
def test_E3_a_question_about_one_fact_costs_no_more_in_a_space_of_ten_times_the_facts(spaces, question):
    (small, _), (large, _) = (steps(memory, QUESTIONS[question]) for memory in spaces)
    assert large <= 2 * small + 3, "ten times as many: it walks the space; twice: it has more neighbours"


def test_E3_the_questions_are_answered_in_both(spaces):
    told = ("decisions of a fact", "judged with", "judged beside", "links", "sources", "slot", "the fact")
    for memory in spaces:
        for question in told:
            assert steps(memory, QUESTIONS[question])[1], question
