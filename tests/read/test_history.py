"""How did it come to be so: chains both ways, beliefs, changes, timelines?"""

import pytest

from stilltrue.errors import InvalidInputError, NotFoundError
from stilltrue.model.change import BeliefChanged
from stilltrue.model.decision import Action
from stilltrue.model.fact import Retirement, Status
from stilltrue.model.ids import SpaceId, short
from stilltrue.read.history import history_of_fact, history_of_slot
from tests.read.house import day

PLACES = (("Oslo", "2022-01-01"), ("Rome", "2023-01-01"), ("Turku", "2024-01-01"), ("Milan", "2025-01-01"))


@pytest.fixture
def chain(house):
    """Four homes, each replacing the one before."""
    house.facts = []
    for place, said in PLACES:
        house.clock.moment = day(said)
        fact = house.tell(f"User lives in {place}.", said, slot=("user", "residence"), value=place)
        if house.facts:
            house.retire(house.facts[-1], said, by=fact)
        house.facts.append(fact)
    house.clock.moment = day("2025-06-10")
    return house


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_D3_the_chain_is_walked_both_ways_from_any_link(chain, place):
    found = history_of_fact(chain.engine, chain.space, chain.facts[place])
    assert found.fact.id == chain.facts[place]
    assert [link.id for link in found.chain] == chain.facts
    assert [link.superseded_by for link in found.chain] == [*chain.facts[1:], None]
    assert [link.supersedes for link in found.chain] == [(), *((fact,) for fact in chain.facts[:-1])]


def test_D3_a_chain_that_runs_in_a_circle_ends(chain):
    first, last = chain.facts[0], chain.facts[-1]
    chain.retire(last, "2025-06-01", by=first)
    assert len(history_of_fact(chain.engine, chain.space, first).chain) == len(PLACES)


def test_D8_history_shows_beliefs_changes_and_sources(chain):
    found = history_of_fact(chain.engine, chain.space, short(chain.facts[0]))
    assert [belief.retirement for belief in found.beliefs] == [None, Retirement.SUPERSEDED]
    assert [row.kind for row in found.rows][:2] == ["fact_added", "belief_changed"]
    assert [source.quote for source in found.fact.sources] == ["User lives in Oslo."]


def test_a_withdrawn_fact_still_has_its_history(chain):
    extra = chain.tell("User lives in Cork.", "2025-06-01", slot=("user", "residence"), value="Cork")
    chain.withdraw(extra)
    found = history_of_fact(chain.engine, chain.space, extra)
    assert found.fact.status is Status.WITHDRAWN
    assert [link.id for link in found.chain] == [extra]
    assert all(stretch.fact.id != extra for stretch in history_of_slot(chain.engine, chain.space, "user").stretches)


def test_D6_a_slots_timeline_tells_past_present_and_future_apart(chain):
    coming = chain.tell("User lives in Graz.", "2025-06-01", valid=("2026-01-01", None), slot=("user", "residence"))
    chain.tell("User has a cat.", "2025-06-01", slot=("user", "pet"))
    line = history_of_slot(chain.engine, chain.space, "User", "residence")
    assert [stretch.fact.id for stretch in line.stretches] == [*chain.facts, coming]
    assert [stretch.word for stretch in line.stretches] == ["superseded"] * 3 + ["current", "future"]
    assert [(stretch.start, stretch.end) for stretch in line.stretches[:2]] == [
        (day("2022-01-01"), day("2023-01-01")),
        (day("2023-01-01"), day("2024-01-01")),
    ]
    assert [stretch.fact.id for stretch in line.of("current")] == [chain.facts[-1]]


@pytest.mark.parametrize(
    "word", [Retirement.CORRECTED, Retirement.RETRACTED, Retirement.EXPIRED, Retirement.NARROWED, Retirement.SUPERSEDED]
)
def test_each_retirement_word_is_told(chain, word):
    chain.retire(chain.facts[-1], "2025-05-01", word)
    assert history_of_slot(chain.engine, chain.space, "user", "residence").stretches[-1].word == word.value


def test_an_open_start_comes_first(chain):
    early = chain.tell("User lived in Bonn.", "2025-06-01", valid=(None, "2020-01-01"), slot=("user", "residence"))
    stretches = history_of_slot(chain.engine, chain.space, "user", "residence").stretches
    assert (stretches[0].fact.id, stretches[0].word) == (early, "expired")


def test_C8_a_timeline_as_known_then(chain):
    line = history_of_slot(chain.engine, chain.space, "user", "residence", known_at=day("2023-06-01"))
    assert [(stretch.fact.value, stretch.word) for stretch in line.stretches] == [
        ("Oslo", "superseded"),
        ("Rome", "current"),
    ]


def test_unknown_short_and_foreign_ids_are_refused(chain):
    with pytest.raises(NotFoundError):
        history_of_fact(chain.engine, chain.space, "ffffffffffff")
    with pytest.raises(InvalidInputError, match="at least 6"):
        history_of_fact(chain.engine, chain.space, "ab")
    with pytest.raises(NotFoundError):
        history_of_fact(chain.engine, SpaceId("other"), chain.facts[0])


def test_a_link_to_nothing_is_left_out(chain):
    fact = chain.fact(chain.facts[-1])
    chain.decide(Action.RETRACT, "", changes=(BeliefChanged(fact.id, fact.belief, fact.belief),))
    assert len(history_of_fact(chain.engine, chain.space, fact.id).chain) == len(PLACES)
